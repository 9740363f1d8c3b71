import NodeLogic
import Telemetry
import Testing

/// A seeded source of noise.
private struct Noise {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 2 &+ 1 }

  private mutating func uniform() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) / Double(1 << 53)
  }

  /// Nearly normal, of standard deviation 1: made of the sum of four uniform numbers.
  mutating func next() -> Double { (uniform() + uniform() + uniform() + uniform() - 2) * 1.732 }
}

/// Tasmota #4521: an accelerometer whose values stop changing, while it goes on answering.
@Suite("Frozen values (Tasmota #4521)")
struct FrozenValuesTests {
  private let rateHz = 100.0

  /// Feeds scans at 100 Hz of a value [counts] that is a function of time [s], with noise on each axis; answers what
  /// was decided, and when [s].
  private func run(
    _ values: inout FrozenValues, from startS: Double = 0, lengthS: Double, sigma: Double, seed: UInt64 = 1,
    _ value: (Double) -> Double = { _ in 1000 }
  ) -> [(change: FrozenValues.Change, at: Double)] {
    var noise = Noise(seed: seed)
    var changes: [(FrozenValues.Change, Double)] = []
    for index in 0..<Int(lengthS * rateHz) {
      let time = startS + Double(index) / rateHz
      let scan = [0.0, 20, 1].map { Int64((value(time) * $0 / 20 + sigma * noise.next()).rounded()) }
      if let change = values.feed(RawScan(x: scan[0], y: scan[1], z: scan[2]), at: time) {
        changes.append((change, time))
      }
    }
    return changes
  }

  private func fine() -> FrozenValues { FrozenValues(countG: Vector(0.001, 0.001, 0.001)) }

  @Test func valuesThatStopAfterNoiseAreFrozenAfterFiveSecondsAndThawWhenTheyChange() throws {
    var values = fine()
    #expect(run(&values, lengthS: 20, sigma: 1).isEmpty)
    let frozen = try #require(run(&values, from: 20, lengthS: 20, sigma: 0).first)
    guard case .froze(let afterS) = frozen.change else {
      Issue.record("\(frozen)")
      return
    }
    #expect(abs(afterS - 5) < 0.02 && abs(frozen.at - 25) < 0.02)
    #expect(values.isFrozen)
    let thawed = try #require(run(&values, from: 40, lengthS: 1, sigma: 1).first)
    guard case .thawed(let lengthS) = thawed.change else {
      Issue.record("\(thawed)")
      return
    }
    #expect(abs(lengthS - 20) < 0.1)
    #expect(!values.isFrozen)
  }

  @Test func eachFreezeIsToldOnce() {
    var values = fine()
    _ = run(&values, lengthS: 20, sigma: 1)
    #expect(run(&values, from: 20, lengthS: 600, sigma: 0).count == 1)
    _ = run(&values, from: 620, lengthS: 20, sigma: 1)
    #expect(run(&values, from: 640, lengthS: 600, sigma: 0).count == 1)
  }

  @Test(arguments: [0.35, 0.5, 1, 3])
  func noiseAloneIsNeverFrozen(sigma: Double) {
    // Half an hour; a mean in the middle of a step repeats itself most.
    var values = fine()
    #expect(run(&values, lengthS: 1800, sigma: sigma).isEmpty)
  }

  @Test func aSensorThatNeverShowedNoiseMayRepeatItself() {
    var values = fine()
    #expect(run(&values, lengthS: 600, sigma: 0).isEmpty)
  }

  @Test func aValueThatFlickersBetweenTwoStepsAndDriftsAwayMayRepeatItself() {
    var values = fine()
    let flicker = run(&values, lengthS: 1200, sigma: 0.05) { time in 1000.5 + time / 1200 }
    #expect(flicker.isEmpty)
  }

  @Test func aRideThatEndsInACarThatIsParkedIsNoFreezeOfACoarseSensor() {
    // 18 mg a step: the noise of no common chip shows.
    var values = FrozenValues(countG: Vector(0.018, 0.018, 0.018))
    #expect(run(&values, lengthS: 600, sigma: 0.8).isEmpty)
    #expect(run(&values, from: 600, lengthS: 600, sigma: 0).isEmpty)
  }

  @Test func numbersThatGoUpByMoreThanOneHaveStepsOfTheirOwn() {
    // Ten bits left-justified in sixteen: 1 mg a count, and 64 mg a step, which flickers.
    var values = fine()
    var noise = Noise(seed: 3)
    for index in 0..<60_000 {
      let z = Int64((15.5 + 0.02 * noise.next()).rounded()) * 64
      let isParked = index > 30_000
      #expect(values.feed(RawScan(x: 64, y: 0, z: isParked ? 1024 : z), at: Double(index) / 100) == nil)
    }
  }

  @Test func slowSensorsNeedFiftyScans() throws {
    var values = fine()
    var noise = Noise(seed: 5)
    for index in 0..<400 {
      _ = values.feed(RawScan(x: Int64(3 * noise.next()), y: 4, z: 1000), at: Double(index))
    }
    let frozen = (400..<600).first { values.feed(RawScan(x: 99, y: 4, z: 1000), at: Double($0)) != nil }
    #expect(frozen == 449)
  }

  @Test func absurdNumbersDoNotTrap() {
    var values = FrozenValues(countG: Vector(1e-300, 1e300, 1))
    for index in 0..<1000 {
      let extreme = index % 2 == 0 ? Int64.min : .max
      _ = values.feed(RawScan(x: extreme, y: ~extreme, z: extreme), at: Double(index))
    }
  }
}
