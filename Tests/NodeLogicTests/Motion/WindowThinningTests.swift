import NodeLogic
import Telemetry
import Testing

/// Windows so short that they are a series, and windows made longer to save data.
@Suite struct WindowThinningTests {
  private func builder(windowS: Double, restWindowS: Double = 0) -> WindowBuilder {
    var settings = AccelerationSettings()
    settings.windowS = windowS
    settings.restWindowS = restWindowS
    return WindowBuilder(settings)
  }

  private func gain(hz: Double, rateHz: Double, windowS: Double) -> Double {
    var builder = builder(windowS: windowS)
    return gainDB(hz: hz, rateHz: rateHz, lengthS: 100 * max(windowS, 1 / rateHz)) {
      builder.feed($0, periodS: 1 / rateHz).map(\.meanG)
    }
  }

  // An update every 50 ms is a series of 20 Hz: a motor's 19 Hz must not show as a swing of 1 Hz.
  @Test(arguments: [(100.0, 0.05), (3200, 0.05), (100, 0.2), (100, 0.9), (400, 0.01), (100, 0.016)])
  func aSeriesOfShortWindowsHasNoAliasesAndKeepsWhatIsSlow(rateHz: Double, windowS: Double) {
    let outputHz = rateHz / max((windowS * rateHz).rounded(), 1)
    for part in [0.51, 0.7, 0.95, 1.05, 1.4] where part * outputHz < rateHz / 2 {
      let gain = gain(hz: part * outputHz, rateHz: rateHz, windowS: windowS)
      #expect(gain <= -40, "\(part * outputHz) Hz in windows of \(windowS) s: \(gain) dB")
    }
    for part in [0.02, 0.1, 0.24] {
      let gain = gain(hz: part * outputHz, rateHz: rateHz, windowS: windowS)
      #expect(gain.magnitude < 1, "\(part * outputHz) Hz in windows of \(windowS) s: \(gain) dB")
    }
  }

  @Test func ofAWindowOfASecondTheMeanIsToldAsItIs() {
    var builder = builder(windowS: 1)
    let ramp = samples(rateHz: 10, lengthS: 3) { Vector($0, 0, 1) }
    let means = ramp.flatMap { builder.feed($0, periodS: 0.1) }.map(\.meanG.x)
    #expect(means.count == 3)
    for (index, mean) in means.enumerated() { #expect((mean - (Double(index) + 0.45)).magnitude < 1e-9) }
  }

  @Test func aMillisecondOfAFastSensorIsASampleEachAndUnfiltered() {
    var builder = builder(windowS: 0.001)
    let motion = samples(rateHz: 1000, lengthS: 0.1) { Vector($0 * 1000.truncatingRemainder(dividingBy: 2), 0, 1) }
    let windows = motion.flatMap { builder.feed($0, periodS: 0.001) }
    #expect(windows.map(\.meanG) == motion.map(\.g))
  }

  @Test func stretchedWindowsAreSoManyTimesLongerAndAnHourAtTheMost() {
    var builder = builder(windowS: 10)
    builder.stretch = 3
    let sway = samples(rateHz: 2, lengthS: 120) { Vector(0.5 * ($0.truncatingRemainder(dividingBy: 7)), 0, 1) }
    #expect(sway.flatMap { builder.feed($0, periodS: 0.5) }.map(\.count) == [60, 60, 60, 60])
    builder.stretch = 1e6
    let hours = samples(rateHz: 2, from: 120, lengthS: 7200) {
      Vector(0.5 * ($0.truncatingRemainder(dividingBy: 7)), 0, 1)
    }
    #expect(hours.flatMap { builder.feed($0, periodS: 0.5) }.map(\.count) == [7200, 7200])
  }

  @Test func theOpenWindowFollowsTheStretch() {
    var builder = builder(windowS: 10)
    let sway = samples(rateHz: 2, lengthS: 45) { Vector(0.5 * ($0.truncatingRemainder(dividingBy: 7)), 0, 1) }
    var counts: [Int] = []
    for sample in sway {
      if sample.at == .s(5) { builder.stretch = 4 }
      counts += builder.feed(sample, periodS: 0.5).map(\.count)
    }
    #expect(counts == [80])
  }

  @Test func aRestIsStretchedTooAndMotionStillEndsItAtOnce() throws {
    var builder = builder(windowS: 10, restWindowS: 60)
    builder.stretch = 2
    var counts: [Int] = []
    for sample in samples(rateHz: 10, lengthS: 400, { _ in flat }) {
      counts += builder.feed(sample, periodS: 0.1).map(\.count)
    }
    #expect(counts == [1200, 1200, 1200], "the noise is known after 10 s, and a rest is 120 s long")
    let motion = samples(rateHz: 10, from: 400, lengthS: 2) { _ in Vector(1, 0, 0) }
    let cut = try #require(motion.flatMap { builder.feed($0, periodS: 0.1) }.first)
    #expect(cut.closing == .motion && cut.end < .s(400.3))
  }

  @Test func whenTheStretchEndsShortWindowsDoNotShowWhatWasBeforeIt() throws {
    var builder = builder(windowS: 0.2)
    _ = samples(lengthS: 5) { _ in flat }.flatMap { builder.feed($0, periodS: 0.01) }
    builder.stretch = 100
    let turned = { (_: Double) in Vector(0, 0, -1) }
    _ = samples(from: 5, lengthS: 60, turned).flatMap { builder.feed($0, periodS: 0.01) }
    builder.stretch = 1
    let windows = samples(from: 65, lengthS: 2, turned).flatMap { builder.feed($0, periodS: 0.01) }
    #expect(windows.count >= 10)
    for window in windows { #expect((window.meanG.z + 1).magnitude < 1e-9, "at \(window.end.seconds) s") }
  }

  @Test func newSettingsKeepTheStretch() {
    var pipeline = MotionPipeline()
    pipeline.setStretch(2)
    _ = pipeline.handle(
      .started(AccelerometerDescription(name: "x", source: .iio, rateHz: 2, capture: .buffered)), at: .s(0))
    var settings = MotionSettings()
    settings.acceleration.windowS = 20
    settings.acceleration.restWindowS = 0
    _ = pipeline.reconfigure(settings, at: .s(0))
    let sway = samples(rateHz: 2, lengthS: 90) { Vector(0.5 * ($0.truncatingRemainder(dividingBy: 7)), 0, 1) }
    #expect(windows(pipeline.handle(.samples(sway), at: .s(90))).map(\.count) == [80, 80])
  }
}
