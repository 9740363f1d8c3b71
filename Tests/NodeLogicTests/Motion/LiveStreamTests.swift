import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite struct LiveStreamTests {
  private func builder(
    _ filter: AccelerationMessage.Filter = .raw, _ change: (inout AccelerationSettings) -> Void = { _ in }
  ) -> WindowBuilder {
    var settings = AccelerationSettings()
    settings.filter = filter
    change(&settings)
    return WindowBuilder(settings, isScaleKnown: true)
  }

  private func feed(_ builder: inout WindowBuilder, _ samples: [Sample], rateHz: Double) -> [AccelerationWindow] {
    var last: Instant?
    return samples.flatMap { sample in
      let missed = last.map { Int(((sample.at - $0) * rateHz).rounded()) - 1 } ?? 0
      last = sample.at
      return builder.feed(sample, missed: missed, periodS: 1 / rateHz)
    }
  }

  private func batches(_ windows: [AccelerationWindow]) -> [AccelerationWindow] { windows.filter { $0.samples != nil } }

  @Test func aSecondOfSamplesIsAMessageAndTheWindowsGoOn() throws {
    var builder = builder { $0.restWindowS = 0 }
    #expect(!builder.isLive)
    _ = builder.live(until: .s(1000))
    #expect(builder.isLive)
    let all = feed(&builder, samples(rateHz: 100, lengthS: 20) { _ in flat }, rateHz: 100)
    #expect(all.filter { $0.samples == nil }.map(\.count) == [1000, 1000])
    let batches = batches(all)
    #expect(batches.map { $0.samples?.count } == Array(repeating: 25, count: 20))
    #expect(batches.dropFirst().allSatisfy { $0.count == 100 && $0.missed == 0 && $0.clipped == 0 })
    #expect(batches.allSatisfy { (($0.samplePeriodS ?? 0) - 0.04).magnitude < 1e-9 })
    #expect(batches.allSatisfy { $0.samples?.allSatisfy { ($0 - flat).length < 1e-12 } == true }, "a constant stays")
    let message = batches[1].message(in: .apple)
    #expect(message.samples?.first.map { ($0 - Vector(0, 0, -1)).length < 1e-12 } == true)
    #expect((message.windowS - 0.96).magnitude < 1e-9)
    let text = String(decoding: Telegram(Envelope(boot: BootID(1)), .acceleration(message)).encode(), as: UTF8.self)
    #expect(text.contains(#""dt_s":0.04"#) && text.utf8.count < 1000, "\(text.utf8.count) bytes")
  }

  @Test(arguments: [(100.0, 13.0), (100, 24), (104, 12), (416, 30), (3200, 40), (1000, 24)])
  func aToneAboveHalfOfTheLiveRateIsGone(rateHz: Double, hz: Double) {
    var builder = builder()
    _ = builder.live(until: .s(1000))
    let gain = gainDB(hz: hz, rateHz: rateHz, lengthS: 8) { sample in
      batches(builder.feed(sample, periodS: 1 / rateHz)).flatMap { $0.samples ?? [] }
    }
    #expect(gain <= -40, "\(hz) Hz at \(rateHz) Hz: \(gain) dB")
  }

  @Test(arguments: [(100.0, 6.2), (100, 1), (104, 5.2), (3200, 6)])
  func aSlowToneStays(rateHz: Double, hz: Double) {
    var builder = builder()
    _ = builder.live(until: .s(1000))
    let gain = gainDB(hz: hz, rateHz: rateHz, lengthS: 8) { sample in
      batches(builder.feed(sample, periodS: 1 / rateHz)).flatMap { $0.samples ?? [] }
    }
    #expect(gain.magnitude < 1, "\(hz) Hz at \(rateHz) Hz: \(gain) dB")
  }

  @Test func theTimesAreThoseOfTheMovementNotOfTheFilter() {
    var builder = builder()
    _ = builder.live(until: .s(1000))
    let windows = feed(&builder, samples(rateHz: 100, lengthS: 5) { Vector($0, 0, 0) }, rateHz: 100)
    for batch in batches(windows).suffix(3) {
      for (index, g) in (batch.samples ?? []).enumerated() {
        let time = batch.end.seconds - Double(batch.samples!.count - 1 - index) * (batch.samplePeriodS ?? 0)
        #expect((g.x - time).magnitude < 1e-6)
      }
    }
  }

  @Test func aSlowSensorIsPassedOnAsItIs() {
    var builder = builder()
    _ = builder.live(until: .s(1000))
    let motion = samples(rateHz: 20, lengthS: 10) { Vector(sin(40 * $0), 0, 1) }
    let values = batches(feed(&builder, motion, rateHz: 20)).flatMap { $0.samples ?? [] }
    #expect(values == motion.prefix(values.count).map(\.g))
    #expect(values.count == 200)
  }

  @Test func aSensorSomewhatFasterThanAskedForIsNotHalved() {
    var builder = builder()
    _ = builder.live(until: .s(1000), rateHz: 25)
    let all = batches(feed(&builder, samples(rateHz: 26, lengthS: 4) { _ in flat }, rateHz: 26))
    #expect(all.map { (($0.samplePeriodS ?? 0) * 26).rounded() } == Array(repeating: 1, count: all.count))
    #expect(!all.isEmpty)
  }

  @Test(arguments: [1.05, 2.05, 40.05])
  func aRateThatWandersAboutABoundCutsNoBatch(ratio: Double) {
    var builder = builder { $0.liveHz = 20 }
    _ = builder.live(until: .s(1000))
    // Half a per cent to and fro, as an estimate of jittered times does.
    let motion = samples(rateHz: 20 * ratio, lengthS: 60) { _ in flat }
    let all = motion.flatMap { sample in
      builder.feed(sample, periodS: 1 / (20 * ratio * (1 + 0.005 * sin(3 * sample.at.seconds))))
    }
    let batches = batches(all)
    #expect(batches.count > 20)
    // One may be cut, when the estimate settles.
    #expect(batches.dropFirst(4).allSatisfy { ((($0.end - $0.start) + ($0.samplePeriodS ?? 0)) - 1).magnitude < 0.1 })
  }

  @Test func anotherRateOfTheSensorChangesWhatIsLeftOutBothWays() {
    var builder = builder { $0.liveHz = 20 }
    _ = builder.live(until: .s(1000))
    var counts: [Int?] = []
    for (index, rateHz) in [20.0, 22, 20, 45, 40].enumerated() {
      let from = Double(index) * 10
      let part = samples(rateHz: rateHz, from: from, lengthS: 10) { _ in flat }
      counts.append(batches(part.flatMap { builder.feed($0, periodS: 1 / rateHz) }).last?.samples?.count)
    }
    #expect(counts == [20, 11, 20, 15, 20])
  }

  @Test func samplesAreFilteredAsConfigured() throws {
    for (word, z) in [(AccelerationMessage.Filter.user, 0.0), (.gravity, 1), (.adaptive, 1), (.raw, 1)] {
      var builder = builder(word)
      _ = builder.live(until: .s(1000))
      let batch = try #require(batches(feed(&builder, samples(lengthS: 3) { _ in flat }, rateHz: 100)).last)
      #expect(batch.filter == word)
      #expect(batch.samples?.allSatisfy { ($0.z - z).magnitude < 1e-12 } == true)
    }
  }

  @Test func theLeaseEndsByItselfWithTheTimeOfTheSamples() {
    var builder = builder()
    _ = builder.live(until: .s(2.5))
    let all = batches(feed(&builder, samples(lengthS: 10) { _ in flat }, rateHz: 100))
    #expect(!builder.isLive)
    // The last batch is what there was, and nothing of it is later than the lease.
    #expect(all.count == 3)
    #expect(all.allSatisfy { $0.end < .s(2.5) })
    #expect(all.last.map { $0.end > .s(2.3) } == true)
  }

  @Test func aSecondLeaseExtendsTheFirst() {
    var builder = builder()
    _ = builder.live(until: .s(2))
    #expect(builder.live(until: .s(5)).isEmpty)
    let all = batches(feed(&builder, samples(lengthS: 10) { _ in flat }, rateHz: 100))
    #expect(all.flatMap { $0.samples ?? [] }.count == 125)
    #expect(all.dropLast().allSatisfy { $0.samples?.count == 25 }, "nothing was cut by it")
  }

  @Test func anotherRateClosesTheBatchAndGoesOn() {
    var builder = builder()
    _ = builder.live(until: .s(100), rateHz: 10)
    _ = feed(&builder, samples(lengthS: 0.5) { _ in flat }, rateHz: 100)
    #expect(builder.live(until: .s(100), rateHz: 50).map { $0.samples?.count } == [5])
    let all = batches(feed(&builder, samples(from: 0.5, lengthS: 2) { _ in flat }, rateHz: 100))
    #expect(all.map { $0.samples?.count } == [50, 50])
  }

  @Test func aHoleClosesTheBatchSoThatSamplesAreEvenlySpaced() {
    var builder = builder()
    _ = builder.live(until: .s(100))
    let holey = samples(lengthS: 6) { Vector($0, 0, 1) }.filter {
      !(1.5..<1.8).contains($0.at.seconds) && !(3.1..<3.17).contains($0.at.seconds)
    }
    let all = batches(feed(&builder, holey, rateHz: 100))
    for batch in all {
      let values = batch.samples ?? []
      #expect(((batch.samplePeriodS ?? 0) - 0.04).magnitude < 0.011 / Double(max(values.count - 1, 1)))
      #expect((batch.end - batch.start - Double(values.count - 1) * (batch.samplePeriodS ?? 0)).magnitude < 1e-9)
      // Nothing from inside a hole: a batch ends before it or begins after it.
      #expect(batch.end <= .s(1.5) || batch.start >= .s(1.68))
    }
    #expect(all.map(\.missed).reduce(0, +) == 37)
  }

  @Test func aShortHoleIsBridged() {
    var builder = builder()
    _ = builder.live(until: .s(100))
    var random = Lottery(seed: 9)
    let lossy = samples(lengthS: 60) { Vector(0.5 * sin(2 * .pi * $0), 0, 1) }.filter { _ in
      Double.random(in: 0...1, using: &random) > 0.1
    }
    let all = batches(feed(&builder, lossy, rateHz: 100))
    #expect(all.count < 75, "a tenth of the samples is missing, hardly ever four in a row")
    #expect(all.flatMap { $0.samples ?? [] }.count > 1450)
    for batch in all.dropFirst(2) {
      for (index, g) in (batch.samples ?? []).enumerated() {
        let time = batch.start.seconds + Double(index) * (batch.samplePeriodS ?? 0)
        #expect((g.x - 0.5 * sin(2 * .pi * time)).magnitude < 0.05)
      }
    }
  }

  @Test func withoutThinningAnyHoleClosesTheBatchAndNothingIsMadeUp() {
    var builder = builder()
    _ = builder.live(until: .s(100), rateHz: 400)
    let motion = samples(lengthS: 2) { Vector($0, 0, 1) }.filter { $0.at != .s(0.5) }
    let all = batches(feed(&builder, motion, rateHz: 100)) + builder.close(.stopped).filter { $0.samples != nil }
    #expect(all.flatMap { $0.samples ?? [] } == motion.map(\.g))
    #expect(all.map { $0.samples?.count } == [50, 100, 49])
  }

  @Test func aBatchHasAtMostTwoHundredSamples() {
    var builder = builder { $0.liveBatchS = 60 }
    _ = builder.live(until: .s(100))
    let all = batches(feed(&builder, samples(lengthS: 30) { _ in flat }, rateHz: 100))
    #expect(all.map { $0.samples?.count } == [200, 200, 200])
  }

  @Test func clippedSamplesAreCountedInTheirBatch() {
    var builder = builder()
    _ = builder.live(until: .s(100))
    var motion = samples(lengthS: 3) { _ in flat }
    motion[150].isClipped = true
    #expect(batches(feed(&builder, motion, rateHz: 100)).compactMap(\.clipped).reduce(0, +) == 1)
  }
}

@Suite struct LivePipelineTests {
  private let sensor = AccelerometerDescription(name: "x", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 2)

  private func batches(_ outputs: [MotionOutput]) -> [AccelerationWindow] {
    windows(outputs).filter { $0.samples != nil }
  }

  private func pipeline() -> MotionPipeline {
    var pipeline = MotionPipeline()
    _ = pipeline.handle(.started(sensor), at: .s(0))
    return pipeline
  }

  @Test func liveZeroEndsItWithWhatThereIs() {
    var pipeline = pipeline()
    #expect(pipeline.live(until: .s(60), at: .s(0)).isEmpty)
    #expect(pipeline.isLive)
    _ = pipeline.handle(.samples(samples(lengthS: 0.8) { _ in flat }), at: .s(0.8))
    let outputs = pipeline.live(until: .s(0.8), at: .s(0.8))
    #expect(batches(outputs).count == 1)
    #expect(!pipeline.isLive)
    #expect(pipeline.live(until: .s(0.9), at: .s(0.9)).isEmpty && !pipeline.isLive, "there is nothing to end")
  }

  @Test func theLeaseEndsThoughNoSamplesCome() {
    var pipeline = pipeline()
    _ = pipeline.live(until: .s(0.5), at: .s(0))
    #expect(pipeline.nextDeadline == .s(0.5))
    _ = pipeline.tick(at: .s(0.5))
    #expect(!pipeline.isLive)
    #expect(pipeline.nextDeadline == .s(1), "the silence of the sensor is what is next")
  }

  @Test func aStallHandsOverWhatWasOpenAndALaterSampleGoesOn() {
    var pipeline = pipeline()
    _ = pipeline.live(until: .s(60), at: .s(0))
    _ = pipeline.handle(.samples(samples(lengthS: 0.8) { _ in flat }), at: .s(0.8))
    #expect(batches(pipeline.tick(at: .s(1.9))).count == 1)
    #expect(pipeline.isLive)
    let later = pipeline.handle(.samples(samples(from: 3, lengthS: 2.5) { _ in Vector(1, 0, 0) }), at: .s(5.5))
    #expect(batches(later).count == 2)
    #expect(batches(later).allSatisfy { $0.samples?.allSatisfy { ($0 - Vector(1, 0, 0)).length < 1e-9 } == true })
  }

  @Test func newSettingsKeepTheLease() {
    var pipeline = pipeline()
    _ = pipeline.live(until: .s(60), at: .s(0))
    _ = pipeline.handle(.samples(samples(lengthS: 0.8) { _ in flat }), at: .s(0.8))
    var settings = MotionSettings()
    settings.acceleration.windowS = 20
    settings.acceleration.liveHz = 50
    #expect(batches(pipeline.reconfigure(settings, at: .s(0.8))).count == 1)
    let outputs = pipeline.handle(.samples(samples(from: 0.8, lengthS: 2.1) { _ in flat }), at: .s(2.9))
    #expect(batches(outputs).map { $0.samples?.count } == [50, 50])
  }
}
