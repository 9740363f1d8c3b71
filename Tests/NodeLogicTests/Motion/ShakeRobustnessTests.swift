import NodeLogic
import Rig
import Telemetry
import Testing

/// The labelled shakes of hands as other sensors would have given them.
@Suite("Shakes on worse sensors", .enabled(if: SharedRecordings.arePresent, "no ../shared/data/motion"))
struct ShakeRobustnessTests {
  /// Counts over the recordings with the samples changed; only those with shakes, unless `all`, and none that is longer
  /// than `longestS`.
  private func score(
    _ preset: ShakePreset, all: Bool = false, longestS: Double = .infinity, _ change: ([Sample]) -> [Sample]
  ) throws -> ShakeScore {
    var score = ShakeScore()
    for record in try SharedRecordings.manifest() where record.preset == "handheld" && !record.labels.isEmpty {
      guard all || record.labels.contains(where: { $0.kind == "shake" }) else { continue }
      let samples = try SharedRecordings.samples(record.file)
      guard let first = samples.first, let last = samples.last, last.at - first.at <= longestS else { continue }
      let events = shakeEvents(change(samples), preset.settings)
      score.count(events.filter { $0.phase == .began }.map(\.at.seconds), record)
    }
    return score
  }

  @Test(arguments: [20.0, 25, 50, 100, 200, 400, 1000, 3200])
  func everyRateFindsEveryShake(rateHz: Double) throws {
    // So many samples take long: at high rates only the recordings of up to 26 s, which are all shakes, and walking,
    // jumping, circling, waving, poking, punches, a foot's gait and a handled aircraft.
    let longestS = rateHz <= 400 ? Double.infinity : 26
    let ours = try score(.handheld, all: true, longestS: longestS) { resampled($0, rateHz: rateHz) }
    #expect(ours.positives == 24)
    #expect(ours.hits == 24)
    let reference = try score(.referenceHandheld, all: true, longestS: longestS) { resampled($0, rateHz: rateHz) }
    #expect(ours.falseAlarms <= reference.falseAlarms)
  }

  @Test(arguments: 1...4)
  func timestampsHalfAPeriodOffChangeNothing(seed: UInt64) throws {
    let ours = try score(.handheld, all: true) { jittered($0, seed: seed) }
    #expect(ours.hits == 24)
    let reference = try score(.referenceHandheld, all: true) { jittered($0, seed: seed) }
    #expect(ours.falseAlarms <= reference.falseAlarms)
  }

  @Test func threeTenthsLostCostNothingThatTheReferenceFinds() throws {
    var (whole, falseAlarms, referenceAlarms) = (0, 0, 0)
    for seed in UInt64(1)...8 {
      let ours = try score(.handheld, all: true) { thinned($0, seed: seed) }
      let reference = try score(.referenceHandheld, all: true) { thinned($0, seed: seed) }
      #expect(ours.hits >= reference.hits, "seed \(seed)")
      #expect(ours.hits >= 23, "seed \(seed)")
      if ours.hits == 24 { whole += 1 }
      falseAlarms += ours.falseAlarms
      referenceAlarms += reference.falseAlarms
    }
    #expect(whole >= 6, "of 8")
    #expect(falseAlarms <= referenceAlarms)
  }

  @Test(arguments: [0.9, 1, 1.2, 1.5])
  func weakerAndStrongerMotionIsToldApartAsWell(gain: Double) throws {
    let ours = try score(.handheld, all: true) { amplified($0, gain) }
    let reference = try score(.referenceHandheld, all: true) { amplified($0, gain) }
    #expect(ours.hits == 24)
    #expect(ours.falseAlarms < reference.falseAlarms)
  }

  @Test func shakesAFifthWeakerAreFoundAsTheReferenceFindsThem() throws {
    let ours = try score(.handheld) { amplified($0, 0.8) }
    let reference = try score(.referenceHandheld) { amplified($0, 0.8) }
    #expect(ours.hits == 23 && reference.hits == 23)
  }
}

/// Samples at an even rate: on the straight line between the samples, and, where there are fewer than before, each the
/// mean over one new period, as a sensor's own decimator makes it.
private func resampled(_ samples: [Sample], rateHz: Double) -> [Sample] {
  guard let first = samples.first, let last = samples.last else { return [] }
  let spanS = last.at - first.at
  let oldHz = Double(samples.count - 1) / spanS
  let points = rateHz > 0.98 * oldHz ? 1 : 16
  var index = 0
  return (0..<Int(spanS * rateHz)).map { number in
    let time = first.at + Double(number) / rateHz
    var sum = Vector.zero
    for point in (0..<points).reversed() {
      let moment = max(first.at, time - Double(point) / (rateHz * Double(points)))
      while index + 2 < samples.count, samples[index + 1].at < moment { index += 1 }
      let (before, after) = (samples[index], samples[index + 1])
      let share = (moment - before.at) / (after.at - before.at)
      sum = sum + before.g + (after.g - before.g) * share
    }
    return Sample(at: time, g: sum * (1 / Double(points)))
  }
}

/// Every timestamp up to half a period off, in their order.
private func jittered(_ samples: [Sample], seed: UInt64) -> [Sample] {
  guard let first = samples.first, let last = samples.last else { return [] }
  let periodS = (last.at - first.at) / Double(samples.count - 1)
  var random = Lottery(seed: seed)
  var newest = first.at - 1
  return samples.map { sample in
    newest = max(newest + 1e-9, sample.at + Double.random(in: -0.5...0.5, using: &random) * periodS)
    return Sample(at: newest, g: sample.g)
  }
}

/// Without three tenths of the samples.
private func thinned(_ samples: [Sample], seed: UInt64) -> [Sample] {
  var random = Lottery(seed: seed)
  return samples.filter { _ in Double.random(in: 0..<1, using: &random) >= 0.3 }
}

/// With what differs from the median made larger.
private func amplified(_ samples: [Sample], _ gain: Double) -> [Sample] {
  let median = { (value: (Vector) -> Double) in samples.map { value($0.g) }.sorted()[samples.count / 2] }
  let still = Vector(median(\.x), median(\.y), median(\.z))
  return samples.map { Sample(at: $0.at, g: still + ($0.g - still) * gain) }
}
