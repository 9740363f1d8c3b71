import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite struct WindowMeasuresTests {
  private func settings(_ measures: Set<AccelerationMeasure>, windowS: Double = 10) -> AccelerationSettings {
    var settings = AccelerationSettings()
    settings.measures = measures
    settings.windowS = windowS
    settings.restWindowS = 0
    // Low enough to leave the tones of these tests alone.
    settings.cutoffHz = 0.01
    return settings
  }

  /// The windows of a function of time after it has been fed for some time.
  private func measures(
    _ wanted: Set<AccelerationMeasure>, rateHz: Double = 200, windowS: Double = 10, lengthS: Double = 40,
    _ g: (Double) -> Vector
  ) throws -> AccelerationMessage.Measures {
    var builder = WindowBuilder(settings(wanted, windowS: windowS))
    let windows = samples(rateHz: rateHz, lengthS: lengthS, g).flatMap { builder.feed($0, periodS: 1 / rateHz) }
    return try #require(windows.last).measures
  }

  private func near(_ a: Double?, _ b: Double, part: Double) -> Bool {
    a.map { ($0 / b - 1).magnitude < part } ?? false
  }

  @Test func nothingIsMeasuredUnlessAskedFor() throws {
    #expect(try measures([]) { Vector(sin(30 * $0), 0, 1) } == AccelerationMessage.Measures())
    let crest = try measures([.crest]) { Vector(sin(30 * $0), 0, 1) }
    #expect(crest.crest != nil && crest.cavGS == nil && crest.kurtosis == nil && crest.lowBandG == nil)
  }

  @Test func aSineHasTheValuesThatTextbooksWorkOut() throws {
    let amplitude = 0.4
    let values = try measures([.crest, .vdv, .cav, .kurtosis]) { Vector(amplitude * sin(2 * .pi * 5 * $0), 0, 1) }
    #expect(near(values.crest, 2.0.squareRoot(), part: 0.01))
    // (3/8 A^4 T)^(1/4); the mean of a rectified sine is 2/pi of its amplitude.
    let dose = pow(3.0 / 8, 0.25) * amplitude * 9.80665 * pow(10, 0.25)
    #expect(near(values.unweightedDoseMPS175, dose, part: 0.01))
    #expect(near(values.cavGS, 2 / .pi * amplitude * 10, part: 0.01))
    #expect(near(values.kurtosis, 1.5, part: 0.01))
  }

  @Test func theKurtosisOfNoiseIsThreeAndThatOfKnocksFarMore() throws {
    var random = Lottery(seed: 3)
    let noise = try measures([.kurtosis]) { _ in
      // Twelve evenly spread numbers make a bell curve.
      Vector((0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: -0.5...0.5, using: &random) } * 0.01, 0, 1)
    }
    #expect(near(noise.kurtosis, 3, part: 0.1))
    let knocks = try measures([.kurtosis]) { time in
      Vector((0.5..<0.504).contains(time.truncatingRemainder(dividingBy: 1)) ? 1 : 0, 0, 1)
    }
    #expect((knocks.kurtosis ?? 0) > 50)
  }

  @Test func aStillSensorHasNoKurtosisAndNoCrest() throws {
    let values = try measures([.kurtosis, .crest, .cav]) { _ in flat }
    #expect(values.kurtosis == nil && values.crest == nil)
    #expect(values.cavGS == 0)
  }

  @Test func onlySecondsWithAPeakAboveTheGateCountForTheAbsoluteVelocity() throws {
    let quiet = try measures([.cav]) { Vector(0.024 * sin(2 * .pi * 5 * $0), 0, 1) }
    #expect(quiet.cavGS == 0)
    // Three of the ten seconds are loud.
    let partly = try measures([.cav]) { time in
      let isLoud = time.truncatingRemainder(dividingBy: 10) >= 7
      return Vector((isLoud ? 0.3 : 0.01) * sin(2 * .pi * 5 * time), 0, 1)
    }
    #expect(near(partly.cavGS, 3 * 0.3 * 2 / .pi, part: 0.02))
  }

  @Test(arguments: [5.0, 10, 20])
  func thePeakVelocityOfASineIsItsAccelerationByItsAngularFrequency(hz: Double) throws {
    let values = try measures([.ppv], rateHz: 1000) {
      Vector(
        0.1 * sin(2 * .pi * hz * $0), 0.2 * sin(2 * .pi * 2 * hz * $0), 1 + 0.05 * sin(2 * .pi * hz / 2 * $0))
    }
    let peak = try #require(values.velocityIndicatorMMPS)
    let frequency = try #require(values.velocityIndicatorHz)
    // The leak of 1 Hz takes 1 - 1/sqrt(1 + (1 / f)^2).
    func expected(_ g: Double, _ hz: Double) -> Double {
      g * 9806.65 / (2 * .pi * hz) / (1 + 1 / (hz * hz)).squareRoot()
    }
    #expect(near(peak.x, expected(0.1, hz), part: 0.02))
    #expect(near(peak.y, expected(0.2, 2 * hz), part: 0.02))
    #expect(near(peak.z, expected(0.05, hz / 2), part: 0.02))
    #expect(near(frequency.x, hz, part: 0.02))
    #expect(near(frequency.y, 2 * hz, part: 0.02))
    #expect(near(frequency.z, hz / 2, part: 0.02))
  }

  @Test func anAxisThatNeverMovesHasNoFrequencyAndNoneIsMadeUp() throws {
    let values = try measures([.ppv]) { Vector(0.1 * sin(2 * .pi * 10 * $0), 0, 1) }
    #expect(near(values.velocityIndicatorMMPS?.x, 0.1 * 9806.65 / (2 * .pi * 10), part: 0.02))
    #expect(values.velocityIndicatorMMPS?.y == 0)
    #expect(values.velocityIndicatorHz == nil)
  }

  @Test(arguments: [(1.0, 0), (4, 1), (15.5, 2)])
  func aToneInTheMiddleOfABandIsInThatBand(hz: Double, band: Int) throws {
    let values = try measures([.bands], rateHz: 100) { Vector(0.2 * sin(2 * .pi * hz * $0), 0, 1) }
    let levels = [values.lowBandG, values.midBandG, values.highBandG].map { $0 ?? -1 }
    #expect(near(levels[band], 0.2 / 2.0.squareRoot(), part: 0.1))
    for other in 0..<3 where other != band {
      #expect(levels[other] >= 0 && levels[other] < 0.3 * levels[band], "band \(other)")
    }
  }

  @Test func atTheEdgeOfABandHalfThePowerPasses() throws {
    let values = try measures([.bands], rateHz: 1000) { Vector(0, 0.2 * sin(2 * .pi * 8 * $0), 1) }
    #expect(near(values.midBandG, 0.1, part: 0.03) && near(values.highBandG, 0.1, part: 0.03))
  }

  @Test func aBandThatTheRateCannotRepresentIsAbsent() throws {
    func levels(_ rateHz: Double) throws -> [Bool] {
      let values = try measures([.bands], rateHz: rateHz) { Vector(0.1 * sin(3 * $0), 0, 1) }
      return [values.lowBandG, values.midBandG, values.highBandG].map { $0 != nil }
    }
    #expect(try levels(100) == [true, true, true])
    #expect(try levels(50) == [true, true, false])
    #expect(try levels(12.5) == [true, false, false])
    #expect(try levels(4) == [false, false, false])
  }

  @Test func gravityIsInNoBand() throws {
    let values = try measures([.bands], rateHz: 100) { _ in Vector(0.6, 0, 0.8) }
    #expect((values.lowBandG ?? 1) < 1e-9 && (values.highBandG ?? 1) < 1e-9)
  }

  @Test func eachWindowIsMeasuredByItself() throws {
    var builder = WindowBuilder(settings([.vdv, .cav, .kurtosis, .ppv], windowS: 5))
    let motion = samples(rateHz: 100, lengthS: 15) { time in
      Vector((5..<10).contains(time) ? sin(2 * .pi * 4 * time) : 0.001 * sin(2 * .pi * 4 * time), 0, 1)
    }
    let windows = motion.flatMap { builder.feed($0, periodS: 0.01) }
    let doses = windows.compactMap(\.measures.unweightedDoseMPS175)
    try #require(doses.count == 3)
    #expect(doses[1] > 10 && doses[0] < 0.05)
    #expect(doses[2] < 2, "what is left is gravity's way back")
  }

  @Test func aHoleIsNotIntegratedOver() throws {
    var builder = WindowBuilder(settings([.cav], windowS: 20))
    let motion = samples(rateHz: 100, lengthS: 25) { Vector(0.5 * sin(2 * .pi * 5 * $0), 0, 1) }
      .filter { !(3..<18).contains($0.at.seconds) }
    var last: Instant?
    let windows = motion.flatMap { sample in
      let missed = last.map { Int(((sample.at - $0) * 100).rounded()) - 1 } ?? 0
      last = sample.at
      return builder.feed(sample, missed: missed, periodS: 0.01)
    }
    #expect(near(windows.first?.measures.cavGS, 5 * 0.5 * 2 / .pi, part: 0.05))
  }

  @Test func wordsAreReadAndOthersRefusedWithTheKnownOnes() throws {
    #expect(try AccelerationMeasure.parse("") == [])
    #expect(try AccelerationMeasure.parse(" crest, vdv,ppv ") == [.crest, .vdv, .ppv])
    #expect(try AccelerationMeasure.parse("all") == Set(AccelerationMeasure.allCases))
    let problem = #expect(throws: AccelerationMeasure.UnknownWord.self) { try AccelerationMeasure.parse("crest, vdw") }
    #expect(problem?.description == "'vdw' is no measure; there are crest, vdv, cav, ppv, kurtosis, bands, all")
  }
}

/// Beside the reference implementation's numbers for the same recordings.
@Suite(.enabled(if: SharedRecordings.arePresent, "the shared recordings are not there"))
struct RecordedMeasuresTests {
  @Test(arguments: [
    ("open/mb_walking.csv", 2.5, 1, (122, 3.64006290025811, 12.475940544617915)),
    ("open/px4_handling.csv", 10, 1, (2486, 2.933080892755553, 0.04278245080201346)),
    ("open/eew_2018_2_16_006_35.csv", 10, 2, (302, 2.190347827010735, 0.0015962448680462414)),
  ])
  func aRecordingHasTheCrestAndTheDoseOfTheReference(
    file: String, windowS: Double, index: Int, expected: (count: Int, crest: Double, dose: Double)
  ) throws {
    var settings = AccelerationSettings()
    settings.windowS = windowS
    settings.restWindowS = 0
    settings.measures = [.crest, .vdv]
    var builder = WindowBuilder(settings)
    let windows = try SharedRecordings.samples(file).flatMap { builder.feed($0) }
    let window = try #require(windows.dropFirst(index).first)
    #expect(window.count == expected.count)
    #expect(((window.measures.crest ?? 0) / expected.crest - 1).magnitude < 1e-9)
    #expect(((window.measures.unweightedDoseMPS175 ?? 0) / expected.dose - 1).magnitude < 1e-9)
  }

  @Test func aWalkHasTheAbsoluteVelocityOfTheReferenceWhichHasNoGate() throws {
    var settings = AccelerationSettings()
    settings.windowS = 2.5
    settings.restWindowS = 0
    settings.measures = [.cav]
    var builder = WindowBuilder(settings)
    let windows = try SharedRecordings.samples("open/mb_walking.csv").flatMap { builder.feed($0) }
    #expect(((windows[1].measures.cavGS ?? 0) / 1.2536029125578065 - 1).magnitude < 1e-9)
  }
}
