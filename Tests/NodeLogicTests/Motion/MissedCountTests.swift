import NodeLogic
import Telemetry
import Testing

/// Samples that were told as missing and come all the same, after the message that told so.
@Suite struct MissedCountTests {
  private func decoded(_ window: AccelerationWindow) throws -> AccelerationMessage {
    let telegram = Telegram(
      Envelope(boot: BootID(1), time: WallTime(seconds: 1_800_000_000), clock: .ntp, uptime: 1),
      .acceleration(window.message()))
    let read = try Telegram.decode(stream: .acceleration, payload: telegram.encode())
    guard case .acceleration(let message) = read.body else { throw Unexpected() }
    return message
  }

  private struct Unexpected: Error {}

  private func builder(windowS: Double) -> WindowBuilder {
    var settings = AccelerationSettings()
    settings.windowS = windowS
    settings.restWindowS = 0
    settings.liveHz = 100
    settings.liveBatchS = 0.1
    return WindowBuilder(settings)
  }

  /// Feeds 100 Hz with so many samples missing before some of them; answers what windows and live batches say.
  private func told(_ missed: [Int: Int], count: Int = 80, windowS: Double = 0.1) throws -> (
    windows: [Int], live: [Int]
  ) {
    var builder = builder(windowS: windowS)
    _ = builder.live(until: .s(1000))
    var told = (windows: [Int](), live: [Int]())
    for (index, sample) in samples(lengthS: Double(count) * 0.01, { _ in flat }).enumerated() {
      for window in builder.feed(sample, missed: missed[index] ?? 0, periodS: 0.01) {
        let message = try decoded(window)
        if message.samples == nil { told.windows.append(message.missed) } else { told.live.append(message.missed) }
      }
    }
    return told
  }

  @Test func whatComesAfterTheEndOfTheWindowWasNeverMissing() throws {
    // Three are late at the end of the first window, and come in the second; five are lost in the third, which is
    // certain in the fourth.
    let told = try told([9: 3, 11: -2, 12: -1, 25: 5])
    #expect(told.windows.prefix(5) == [0, 0, 0, 5, 0])
    #expect(told.live.reduce(0, +) == 5)
    #expect(told.live.contains(3), "the batch ends at the hole and says so")
  }

  @Test func whatComesAfterItWasBelievedToBeLostIsPaidByALaterLoss() throws {
    // Eight came in time after the hole of three, and then two of the three.
    let told = try told([1: 3, 12: -2, 25: 5])
    #expect(told.windows.prefix(5) == [3, 0, 0, 3, 0])
    #expect(told.windows.reduce(0, +) == 6)
  }

  @Test func aHoleJustBeforeTheEndOfEverythingIsTold() throws {
    var builder = builder(windowS: 10)
    for (index, sample) in samples(lengthS: 0.5, { _ in flat }).enumerated() {
      let complete = builder.feed(sample, missed: index == 48 ? 2 : 0, periodS: 0.01)
      #expect(complete.isEmpty)
    }
    #expect(builder.close(.silence).map(\.missed) == [2])
  }

  @Test func whatComesInTheSameMessageWasNeverMissing() throws {
    let told = try told([3: 2, 5: -2])
    #expect(told.windows.allSatisfy { $0 == 0 })
  }

  @Test func whatNobodyWasToldAsMissingIsNoDebt() throws {
    // The lease, or the node, began between the hole and the late samples.
    let told = try told([2: -4, 25: 3])
    #expect(told.windows.reduce(0, +) == 3)
    #expect(told.live.reduce(0, +) == 3)
  }

  @Test func aHoleRightBehindAFullBatchIsCounted() throws {
    // The first batch is full with the tenth sample.
    let told = try told([10: 4])
    #expect(told.live.reduce(0, +) == 4)
  }

  @Test func newSettingsKeepTheDebt() throws {
    var pipeline = MotionPipeline(MotionSettings())
    let sensor = AccelerometerDescription(name: "x", source: .iio, rateHz: 100, capture: .buffered)
    _ = pipeline.handle(.started(sensor), at: .s(0))
    var settings = MotionSettings()
    settings.acceleration.restWindowS = 0
    var outputs = pipeline.reconfigure(settings, at: .s(0))
    // The sample of 9.9 s is late by more than eight periods and ends its window; those behind it follow at once.
    var times = (0..<990).map { Double($0) / 100 }
    times += (0..<9).map { 9.986 + 0.0001 * Double($0) }
    times += (999..<1008).map { Double($0) / 100 }
    for time in times { outputs += pipeline.handle(.samples([Sample(at: .s(time), g: flat)]), at: .s(time)) }
    settings.acceleration.cutoffHz = 0.5
    outputs += pipeline.reconfigure(settings, at: .s(10.08))
    let later = samples(from: 10.08, lengthS: 10.5) { _ in flat }.filter { !(12..<12.095).contains($0.at.seconds) }
    outputs += pipeline.handle(.samples(later), at: .s(20.6)) + pipeline.stop(at: .s(20.6))
    let missed = windows(outputs).map(\.missed)
    #expect(missed.reduce(0, +) == 10, "\(missed)")
    #expect((missed.first ?? 0) <= 1, "\(missed): what is late at its end is not missing")
  }

  @Test func aReaderThatIsLateNowAndThenSpoilsNoMessage() throws {
    var settings = MotionSettings()
    settings.acceleration.liveBatchS = 0.2
    settings.acceleration.windowS = 0.2
    settings.acceleration.restWindowS = 0
    var pipeline = MotionPipeline(settings)
    let sensor = AccelerometerDescription(name: "x", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 2)
    _ = pipeline.handle(.started(sensor), at: .s(0))
    _ = pipeline.live(until: .s(1000), at: .s(0))
    var outputs: [MotionOutput] = []
    for index in 1...3000 {
      let time = Double(index) * 0.01 + (index.isMultiple(of: 37) ? 0.0085 : 0)
      outputs += pipeline.handle(.samples([Sample(at: .s(time), g: flat)]), at: .s(time))
    }
    outputs += pipeline.stop(at: .s(31))
    let messages = try windows(outputs).map { try decoded($0) }
    #expect(messages.count > 250)
    // Each late sample looks like a missing one, until the next comes in time.
    #expect(messages.filter { $0.samples != nil }.map(\.missed).reduce(0, +) <= 1)
    #expect(messages.filter { $0.samples == nil }.map(\.missed).reduce(0, +) <= 1)
  }
}
