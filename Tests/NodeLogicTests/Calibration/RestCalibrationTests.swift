import Telemetry
import Testing

@testable import NodeLogic

@Suite("Calibration at rest") struct RestCalibrationTests {
  private func report(_ samples: [Sample], bandwidthHz: Double? = nil) -> RestReport? {
    var calibration = RestCalibration()
    for sample in samples { calibration.feed(sample) }
    return calibration.report(bandwidthHz: bandwidthHz)
  }

  @Test func offsetAndNoiseOfAKnownSensorAreFound() throws {
    var sensor = SyntheticSensor()
    sensor.correction.offsetG = Vector(0.020, -0.030, 0.045)
    sensor.noiseG = 0.002
    let found = try #require(report(sensor.samples(30) { _ in flat }))
    #expect(found.motion == nil)
    #expect(found.samples == 3000 && found.missed == 0 && (found.durationS - 29.99).magnitude < 1e-9)
    #expect((found.rateHz - 100).magnitude < 0.01)
    #expect(found.face == .zUp)
    // The mean of 3000 samples is good to 2 mg / sqrt(3000) = 0.04 mg; four times that.
    #expect((found.offsetG - Vector(0.020, -0.030, 0.045)).largest < 0.00015)
    #expect((found.magnitudeErrorG - 0.0456).magnitude < 0.0003)
    // RMS of 3000 samples: 1.3 %.
    #expect((found.noiseG - Vector(0.002, 0.002, 0.002)).largest < 0.0001)
    #expect(found.bandwidthHz == found.rateHz / 2)
    // 2 mg / sqrt(50 Hz) = 283 ug/sqrt(Hz).
    #expect((found.densityG.x - 0.000283).magnitude < 0.00002)
  }

  @Test func theDensityUsesTheStatedBandwidth() throws {
    var sensor = SyntheticSensor()
    sensor.noiseG = 0.001
    let found = try #require(report(sensor.samples(20) { _ in flat }, bandwidthHz: 25))
    #expect(found.bandwidthHz == 25)
    #expect((found.densityG.y - 0.0002).magnitude < 0.00001)
  }

  @Test func theThresholdIsFourTimesWhatThePresetFixedHears() throws {
    var sensor = SyntheticSensor()
    sensor.noiseG = 0.002
    let samples = sensor.samples(40) { _ in flat }
    let found = try #require(report(samples))
    // White noise of 2 mg on three axes through one-pole filters of 0.7 and 12 Hz, from 50 Hz.
    var filter = HighPass(highPassHz: 0.7, lowPassHz: 12)
    let squares = samples.map { sample in
      let linear = filter.feed(sample.g, after: sample.at.seconds > 0 ? 0.01 : 0)
      return sample.at.seconds < 3 ? 0 : linear.dot(linear)
    }
    let expected = (squares.reduce(0, +) / Double(squares.count { $0 > 0 })).squareRoot()
    #expect((found.inBandG - expected).magnitude < 1e-6)
    #expect(found.quietestOnG >= 4 * found.inBandG && found.quietestOnG < 4.4 * found.inBandG)
    // Such a sensor does not raise a shake at that level, and would at half of it.
    for (factor, isQuiet) in [(1.0, true), (0.25, false)] {
      var settings = ShakePreset.fixed.settings
      settings.onG = factor * found.quietestOnG
      settings.snr = 0
      var detector = ShakeDetector(settings)
      let events = samples.compactMap { detector.feed($0) }
      #expect(events.isEmpty == isQuiet, "at \(settings.onG) g: \(events.count)")
    }
  }

  @Test func aDeviceThatWasTurnedIsNotStill() throws {
    var sensor = SyntheticSensor()
    sensor.noiseG = 0.001
    // By 2 deg, which is 35 mg on one axis.
    let samples = sensor.samples(20) { time in time < 11 ? flat : Vector(0.0349, 0, 0.9994) }
    guard case .turned(let g) = try #require(report(samples)).motion else {
      Issue.record("not noticed")
      return
    }
    #expect((g - 0.035).magnitude < 0.003)
  }

  @Test func aKnockIsNoticedWithItsTime() throws {
    var sensor = SyntheticSensor()
    sensor.noiseG = 0.001
    let samples = sensor.samples(20) { time in
      flat + Vector(0, 0, (12.0..<12.1).contains(time) ? 0.1 * sin(2 * .pi * 10 * (time - 12)) : 0)
    }
    guard case .knocked(let atS, let g) = try #require(report(samples)).motion else {
      Issue.record("not noticed")
      return
    }
    #expect((11...12.1).contains(atS))
    #expect((0.01...0.05).contains(g))
  }

  @Test func whatMovesAllTheTimeIsNotStill() throws {
    var sensor = SyntheticSensor()
    sensor.noiseG = 0.001
    let found = try #require(report(sensor.samples(20) { flat + Vector(0.03 * sin(2 * .pi * 5 * $0), 0, 0) }))
    guard case .restless(let g) = found.motion else {
      Issue.record("\(String(describing: found.motion))")
      return
    }
    #expect((0.01...0.03).contains(g))
  }

  @Test(arguments: [0.0, 0.004, 0.0078])
  func aCoarseSensorThatFlipsByOneStepIsStill(stepG: Double) throws {
    var sensor = SyntheticSensor()
    sensor.stepG = stepG
    sensor.noiseG = 0.0003
    // Between two digits only now and then.
    let found = try #require(report(sensor.samples(30) { _ in Vector(0.0045 * 0.4, 0, 1) }))
    #expect(found.motion == nil)
  }

  /// What is said of a sensor at rest that shows so many units for one g.
  private func objection(perG: Double, noiseG: Double = 0.002) -> String? {
    var sensor = SyntheticSensor()
    sensor.noiseG = noiseG
    let samples = sensor.samples(20) { _ in flat }
    return report(samples.map { Sample(at: $0.at, g: $0.g * perG) })?.objection
  }

  @Test func aStillSensorInAnotherUnitIsToldTheUnitAndNotThatItMoves() {
    #expect(objection(perG: 1) == nil)
    #expect(objection(perG: 9.81, noiseG: 0.0001) == "the mean of |a| is 9.810: that looks like m/s^2; expected g")
    #expect(objection(perG: 1000)?.hasSuffix("that looks like mg; expected g") == true)
    for counts in [16.0, 256, 16384] {
      #expect(objection(perG: counts)?.hasSuffix("that looks like raw counts; expected g") == true)
    }
  }

  @Test func whatIsNotGravityIsNoCalibration() {
    #expect(objection(perG: 0.72) == nil && objection(perG: 1.28) == nil)
    let half = "the mean of |a| is 0.500, which is not gravity; expected 0.7 to 1.3 g at rest"
    #expect(objection(perG: 0.5) == half)
    #expect(objection(perG: 1.4)?.contains("not gravity") == true)
  }

  @Test func readingsThatNeverChangeAreNoCalibration() {
    let text = "the readings never change: the sensor is dead, or its steps are coarser than its noise"
    #expect(objection(perG: 0, noiseG: 0) == text)
    #expect(objection(perG: 1, noiseG: 0) == text)
    #expect(objection(perG: 1, noiseG: 0.00001) == nil)
  }

  @Test func whatMovedIsToBeMeasuredAgain() {
    var sensor = SyntheticSensor()
    let found = report(sensor.samples(20) { flat + Vector(0.03 * sin(2 * .pi * 5 * $0), 0, 0) })
    #expect(found?.objection?.hasSuffix("; put it down where nothing moves it, and repeat") == true)
  }

  @Test func tooShortIsNoReport() {
    var sensor = SyntheticSensor()
    #expect(report(sensor.samples(4) { _ in flat }) == nil)
    #expect(report([]) == nil)
  }

  @Test func samplesWhoseTimeDoesNotRiseAreNotUsed() throws {
    var sensor = SyntheticSensor()
    sensor.noiseG = 0.001
    let samples = sensor.samples(20) { _ in flat }
    let doubled = samples.flatMap { [$0, Sample(at: $0.at, g: Vector(9, 9, 9))] }
    #expect(report(doubled)?.meanG == report(samples)?.meanG)
  }

  @Test(arguments: [
    (0.00123, 0.0013), (0.0012, 0.0012), (0.0199, 0.020), (0.7, 0.7), (12.1, 13), (0.000101, 0.00011), (0.0, 0),
  ])
  func aThresholdIsRoundedUpToTwoDigits(value: Double, rounded: Double) {
    #expect((roundedUp(value) - rounded).magnitude < 1e-12)
  }

  // Real sensors that stood still: 43 to 62 ug RMS were measured of them.
  @Test(.enabled(if: SharedRecordings.arePresent, "../shared/data/motion is not here"))
  func realQuietRecordingsAreQuiet() throws {
    for name in ["eew_quiet_2017_12_15_006.csv", "eew_quiet_2018_8_12_023.csv"] {
      let found = try #require(report(try SharedRecordings.samples("open/\(name)")))
      #expect(found.motion == nil, "\(name)")
      #expect((0.00002...0.0004).contains(found.inBandG), "\(name): \(found.inBandG)")
    }
  }
}

@Suite("Allan deviation") struct AllanDeviationTests {
  @Test func whiteNoiseFallsWithTheRootOfTheLength() throws {
    var sensor = SyntheticSensor()
    sensor.noiseG = 0.002
    var allan = AllanDeviation()
    for sample in sensor.samples(600, { _ in flat }) { allan.feed(sample.g) }
    for point in allan.points(periodS: 0.01) where point.differences > 200 {
      let expected = 0.002 / (point.tauS / 0.01).squareRoot()
      let allowed = 3 * expected / Double(point.differences).squareRoot()
      #expect((point.deviationG.x - expected).magnitude < allowed, "tau \(point.tauS)")
    }
    #expect(allan.points(near: [0.1, 1, 10], periodS: 0.01).map(\.tauS) == [0.08, 1.28, 10.24])
  }

  @Test func aDriftRisesWithTheLength() throws {
    // A ramp of 1 mg/s: neighbouring means differ by tau * 1 mg, so the deviation is that over sqrt(2).
    var allan = AllanDeviation()
    for index in 0..<4096 { allan.feed(Vector(Double(index) * 1e-5, 0, 1)) }
    for point in allan.points(periodS: 0.01) {
      #expect((point.deviationG.x - point.tauS * 0.001 / 2.0.squareRoot()).magnitude < 1e-12)
      #expect(point.deviationG.z == 0)
    }
  }

  @Test func fewSamplesGiveFewLengths() {
    var allan = AllanDeviation()
    #expect(allan.points(periodS: 1).isEmpty)
    for _ in 0..<5 { allan.feed(flat) }
    #expect(allan.points(periodS: 1).map(\.tauS) == [1])
  }
}
