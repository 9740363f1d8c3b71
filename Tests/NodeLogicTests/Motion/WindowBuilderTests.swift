import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Acceleration windows")
struct WindowBuilderTests {
  private func settings(
    _ filter: AccelerationMessage.Filter = .raw, windowS: Double, restWindowS: Double = 0
  ) -> AccelerationSettings {
    var settings = AccelerationSettings()
    settings.filter = filter
    settings.windowS = windowS
    settings.restWindowS = restWindowS
    return settings
  }

  /// Feeds samples at their own rate.
  private func feed(_ builder: inout WindowBuilder, _ samples: [Sample], rateHz: Double) -> [AccelerationWindow] {
    samples.flatMap { builder.feed($0, periodS: 1 / rateHz) }
  }

  /// Noise of about 1 mg RMS on each axis.
  private func still(_ random: inout Lottery) -> Vector {
    Vector(
      Double.random(in: -0.00173...0.00173, using: &random), Double.random(in: -0.00173...0.00173, using: &random),
      1 + Double.random(in: -0.00173...0.00173, using: &random))
  }

  @Test func theNumbersAreThoseWorkedOutByHand() throws {
    var builder = WindowBuilder(settings(windowS: 1), isScaleKnown: true)
    var all: [AccelerationWindow] = []
    let xs = [0.1, 0.3, -0.2, 0.2]
    for (index, x) in xs.enumerated() {
      all += builder.feed(
        Sample(at: .s(10 + 0.25 * Double(index)), g: Vector(x, 0, 1), isClipped: index == 2),
        missed: index == 3 ? 2 : 0, periodS: 0.25)
    }
    let window = try #require(all.first)
    #expect(all.count == 1)
    #expect(window.closing == .full)
    #expect(window.start == .s(10) && window.end == .s(10.75))
    #expect(window.count == 4 && window.missed == 0 && window.clipped == 1)
    // The hole is at the very end: whether it is one is certain, and told, two windows later.
    var later: [AccelerationWindow] = []
    for index in 4..<16 {
      later += builder.feed(Sample(at: .s(10 + 0.25 * Double(index)), g: Vector(0, 0, 1)), periodS: 0.25)
    }
    #expect(later.map(\.missed) == [0, 2, 0])
    #expect((window.meanG - Vector(0.1, 0, 1)).length < 1e-12)
    let peakToPeak = try #require(window.peakToPeakG)
    #expect((peakToPeak - Vector(0.5, 0, 0)).length < 1e-12)
    #expect(window.rateHz == 4)
    // Gravity follows by hand, and what is left is the user's acceleration; the first sample has none.
    let weight = 1 - exp(-2 * Double.pi * 0.7 * 0.25)
    var gravity = xs[0]
    var users: [Double] = []
    for x in xs.dropFirst() {
      gravity += weight * (x - gravity)
      users.append(x - gravity)
    }
    let rms = (users.map { $0 * $0 }.reduce(0, +) / 3).squareRoot()
    #expect(((window.rmsG ?? 0) - rms).magnitude < 1e-12)
    #expect(((window.peakG ?? 0) - users.map(\.magnitude).max()!).magnitude < 1e-12)
    let message = window.message()
    #expect(message.windowS == 0.75 && message.count == 4 && message.rmsG == window.rmsG && message.filter == .raw)
  }

  @Test func theThreeFiltersAddUp() throws {
    let motion = samples(rateHz: 50, lengthS: 4) { Vector(0.3 * sin(9 * $0), 0.1 * $0, 1) }
    var means: [AccelerationMessage.Filter: Vector] = [:]
    for filter in AccelerationMessage.Filter.allCases {
      var builder = WindowBuilder(settings(filter, windowS: 4))
      let windows = feed(&builder, motion, rateHz: 50)
      means[filter] = try #require(windows.first).meanG
    }
    let (raw, gravity, user) = (means[.raw]!, means[.gravity]!, means[.user]!)
    #expect((raw - gravity - user).length < 1e-12)
    #expect(user.length > 0.01 && gravity.z > 0.99)
  }

  @Test func aWindowHasTheSamplesThatFitBestAndDoesNotWaitForTheNext() {
    for (rateHz, windowS, count) in [
      (100.0, 10.0, 1000), (100, 0.1, 10), (31.25, 9.6, 300), (50, 0.02, 1), (1, 10, 10),
    ] {
      var builder = WindowBuilder(settings(windowS: windowS))
      let windows = feed(
        &builder, samples(rateHz: rateHz, lengthS: 3 * Double(count) / rateHz) { _ in flat }, rateHz: rateHz)
      #expect(windows.map(\.count) == [count, count, count], "\(rateHz) Hz, \(windowS) s")
    }
  }

  @Test func aMillisecondMakesEachSampleAWindow() throws {
    var builder = WindowBuilder(settings(windowS: 0.001))
    // The rate is not known at first, so the first window is closed by the second sample.
    let first = builder.feed(Sample(at: .s(0), g: flat))
    #expect(first.isEmpty)
    let both = builder.feed(Sample(at: .s(0.02), g: flat), periodS: 0.02)
    try #require(both.map(\.count) == [1, 1])
    #expect(both[0].rmsG == nil && both[0].peakG == nil, "gravity is not known at the first sample")
    #expect(both[1].rmsG == 0)
    #expect(both[0].peakToPeakG == nil && both[0].rateHz == nil && both[0].clipped == nil)
    #expect(both[0].message().windowS == 0)
  }

  @Test func anHourInOneWindow() throws {
    var builder = WindowBuilder(settings(windowS: 3600))
    let windows = feed(&builder, samples(rateHz: 10, lengthS: 3600) { _ in flat }, rateHz: 10)
    #expect(windows.map(\.count) == [36000])
  }

  @Test func aWindowAtRestIsStretchedAndMotionCutsItShortAtOnce() throws {
    var random = Lottery(seed: 1)
    var builder = WindowBuilder(settings(windowS: 10, restWindowS: 300))
    let rest = samples(rateHz: 50, lengthS: 500) { _ in still(&random) }
    var windows = feed(&builder, rest, rateHz: 50)
    // The first has no floor to compare with, and is 10 s long; then one of 300 s; the third is open.
    #expect(windows.map(\.closing) == [.full, .rest])
    #expect(windows.map(\.count) == [500, 15000])
    let noise = try #require(builder.noiseMg)
    #expect(noise > 1.4 && noise < 1.8, "1 mg on each of three axes is 1.73 mg, gravity takes some")
    let motion = samples(rateHz: 50, from: 500, lengthS: 10.2) {
      still(&random) + Vector(0.05 * sin(2 * .pi * 5 * $0), 0, 0)
    }
    windows = feed(&builder, motion, rateHz: 50)
    try #require(windows.map(\.closing) == [.motion, .full])
    #expect(windows[0].end < .s(500.2))
    #expect(windows[1].count == 500)
    #expect((windows[1].rmsG ?? 0) > 0.03)
  }

  @Test func aMachineThatRunsSteadilyIsNotAtRest() {
    var builder = WindowBuilder(settings(windowS: 10, restWindowS: 300))
    let hum = samples(rateHz: 100, lengthS: 100) { flat + Vector(0.05 * sin(2 * .pi * 20 * $0), 0, 0) }
    #expect(feed(&builder, hum, rateHz: 100).map(\.count) == Array(repeating: 1000, count: 10))
  }

  @Test func aSensorThatShowsNoNoiseAtAllIsAtRest() {
    var builder = WindowBuilder(settings(windowS: 1, restWindowS: 20))
    let windows = feed(&builder, samples(rateHz: 50, lengthS: 60) { _ in flat }, rateHz: 50)
    #expect(windows.contains { $0.closing == .rest && $0.count == 1000 })
  }

  @Test func anEventLittleAboveTheNoiseEndsARestToo() {
    var random = Lottery(seed: 2)
    var builder = WindowBuilder(settings(windowS: 10, restWindowS: 300))
    let rest = samples(rateHz: 50, lengthS: 100) { _ in still(&random) }
    #expect(feed(&builder, rest, rateHz: 50).map(\.closing) == [.full])
    let hum = samples(rateHz: 50, from: 100, lengthS: 2) {
      still(&random) + Vector(0.006 * sin(2 * .pi * 8 * $0), 0, 0)
    }
    #expect(feed(&builder, hum, rateHz: 50).map(\.closing) == [.motion])
  }

  @Test func closingGivesWhatThereIs() {
    var builder = WindowBuilder(settings(windowS: 10))
    #expect(builder.close(.stopped).isEmpty)
    _ = feed(&builder, samples(rateHz: 50, lengthS: 1) { _ in flat }, rateHz: 50)
    let windows = builder.close(.silence)
    #expect(windows.map(\.count) == [50])
    #expect(windows.map(\.closing) == [.silence])
    #expect(builder.close(.stopped).isEmpty)
  }

  @Test func afterAnInterruptionTheNextSampleIsGravity() {
    var builder = WindowBuilder(settings(windowS: 1))
    _ = feed(&builder, samples(rateHz: 50, lengthS: 0.5) { _ in flat }, rateHz: 50)
    _ = builder.close(.interrupted)
    builder.interrupt()
    let turned = samples(rateHz: 50, from: 0.6, lengthS: 1) { _ in Vector(1, 0, 0) }
    #expect(feed(&builder, turned, rateHz: 50).map(\.peakG) == [0])
  }
}
