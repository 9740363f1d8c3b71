import NodeLogic
import Telemetry
import Testing

@Suite("Waveform recorder")
struct WaveformRecorderTests {
  private let rateHz = 100.0

  /// A recorder whose sensor has started, fed from 0 to `lengthS` with samples whose x counts up by one each.
  private struct Bench {
    var recorder: WaveformRecorder
    var outputs: [MotionOutput] = []
    var next = 0
    let rateHz: Double

    init(_ change: (inout WaveformSettings) -> Void = { _ in }, rateHz: Double = 100, fullScaleG: Double? = nil) {
      var settings = WaveformSettings()
      change(&settings)
      recorder = WaveformRecorder(settings)
      recorder.start(rateHz: rateHz, fullScaleG: fullScaleG)
      self.rateHz = rateHz
    }

    var now: Instant { Instant(seconds: Double(next) / rateHz) }

    /// Samples up to that time; the last carries the event.
    mutating func feed(to timeS: Double, _ event: ShakeEvent? = nil) {
      let last = Int((timeS * rateHz).rounded())
      while next <= last {
        let sample = Sample(at: now, g: Vector(Double(next) * 1e-4, -0.5, 1))
        recorder.feed(sample, periodS: 1 / rateHz, next == last ? event : nil, &outputs)
        next += 1
      }
    }

    var chunks: [WaveformChunk] {
      outputs.compactMap { if case .waveform(let chunk) = $0 { chunk } else { nil } }
    }

    var warnings: [MotionWarning] {
      outputs.compactMap { if case .warning(let warning) = $0 { warning } else { nil } }
    }
  }

  private func event(
    _ id: Int, _ phase: ShakeMessage.Phase, _ reason: ShakeMessage.Reason? = nil, at: Double, start: Double
  ) -> ShakeEvent {
    ShakeEvent(
      id: id, phase: phase, reason: reason, at: .s(at), start: .s(start), end: .s(at), peakG: 1, energyG2S: 1, cavGS: 1,
      reversals: 3, axis: .x)
  }

  private func shaken(_ bench: inout Bench, _ id: Int, from: Double, to: Double) {
    bench.feed(to: from + 0.4, event(id, .began, at: from + 0.4, start: from))
    bench.feed(to: to, event(id, .ended, at: to, start: from))
  }

  @Test func itGoesFromBeforeTheFirstSwingToTheDecisionOfTheEnd() throws {
    var bench = Bench()
    shaken(&bench, 1, from: 5, to: 6)
    bench.feed(to: 8)
    let chunks = bench.chunks
    #expect(chunks.map(\.index) == Array(0..<chunks.count))
    #expect(chunks.map(\.isLast) == Array(repeating: false, count: chunks.count - 1) + [true])
    #expect(chunks.allSatisfy { $0.shake == 1 && $0.unitG == 1e-4 })
    #expect(chunks.flatMap(\.x) == Array(400...600), "from 1 s before 5 s to 6 s, none twice and none left out")
    #expect(chunks.flatMap(\.y).allSatisfy { $0 == -5000 } && chunks.flatMap(\.z).allSatisfy { $0 == 10_000 })
    for chunk in chunks {
      #expect((chunk.start.seconds - Double(chunk.x[0]) / 100).magnitude < 1e-9)
      #expect((chunk.stepS - (chunk.count > 1 ? 0.01 : 0)).magnitude < 1e-9)
    }
  }

  @Test func theFirstChunksComeWithTheBeginningAndTheOthersWhileItGoesOn() {
    var bench = Bench()
    bench.feed(to: 5.4, event(1, .began, at: 5.4, start: 5))
    let first = bench.chunks.count
    #expect(first >= 2 && !bench.chunks.contains { $0.isLast })
    bench.feed(to: 7)
    #expect(bench.chunks.count > first)
  }

  @Test func aCancelledShakeEndsItsWaveformWithoutASample() throws {
    var bench = Bench()
    bench.feed(to: 5.4, event(1, .began, at: 5.4, start: 5))
    bench.recorder.end(event(1, .cancelled, .stopped, at: 5.6, start: 5), &bench.outputs)
    #expect(bench.chunks.last?.isLast == true)
    #expect(bench.chunks.flatMap(\.x).last == 540)
    let count = bench.chunks.count
    bench.recorder.end(event(1, .cancelled, .stopped, at: 5.7, start: 5), &bench.outputs)
    bench.feed(to: 7)
    #expect(bench.chunks.count == count, "it is over")
  }

  @Test func theSampleAfterTheHoleThatInterruptsIsNoPartOfIt() {
    var bench = Bench()
    bench.feed(to: 5.4, event(1, .began, at: 5.4, start: 5))
    bench.next = 700
    bench.feed(to: 7, event(1, .cancelled, .interrupted, at: 7, start: 5))
    #expect(bench.chunks.flatMap(\.x).last == 540)
    #expect(bench.chunks.last?.isLast == true)
  }

  @Test func aShakeSoonAfterTheStartHasWhatThereIs() {
    var bench = Bench()
    shaken(&bench, 1, from: 0.3, to: 1)
    #expect(bench.chunks.flatMap(\.x) == Array(0...100))
  }

  @Test func aShakeThatTookLongToRecogniseHasWhatTheRingStillHolds() throws {
    var bench = Bench()
    bench.feed(to: 30, event(1, .began, at: 30, start: 10))
    bench.feed(to: 30.5, event(1, .ended, at: 30.5, start: 10))
    let first = try #require(bench.chunks.first?.x.first)
    #expect(first > 2500 && first <= 2700, "at least pre_s and 2 s")
    #expect(bench.chunks.flatMap(\.x).last == 3050)
  }

  @Test(arguments: [400, 1000, 5000])
  func noPayloadIsLongerThanItMayBe(chunkBytes: Int) throws {
    var bench = Bench({ $0.chunkBytes = chunkBytes })
    shaken(&bench, 123_456, from: 50, to: 58)
    #expect(bench.chunks.flatMap(\.x) == Array(4900...5800))
    let clock = ClockState(wallAtStart: WallTime(seconds: 7_258_000_000.123), quality: .none)
    var longest = 0
    for chunk in bench.chunks {
      let envelope = Envelope(
        boot: BootID(.max), sequence: 9_999_999_999, time: clock.wall(at: chunk.end), clock: clock.quality,
        uptime: 2_000_000_000.123)
      longest = max(longest, Telegram(envelope, .waveform(chunk.message(clock: clock, in: .apple))).encode().count)
    }
    #expect(longest <= chunkBytes)
    #expect(longest > chunkBytes * 2 / 3, "and it is used")
  }

  @Test func aHoleBeginsAnotherChunkWithItsOwnTime() throws {
    var bench = Bench()
    bench.feed(to: 5.4, event(1, .began, at: 5.4, start: 5))
    bench.feed(to: 5.45)
    bench.next += 3
    bench.feed(to: 6, event(1, .ended, at: 6, start: 5))
    let chunks = bench.chunks
    #expect(chunks.flatMap(\.x) == Array(400...545) + Array(549...600))
    let after = try #require(chunks.first { $0.x.contains(549) })
    #expect(after.x[0] == 549 && (after.start.seconds - 5.49).magnitude < 1e-9)
  }

  @Test(arguments: [0.1, 0.4])
  func everySampleIsWithinHalfAStepOfWhatItsChunkSays(jitter: Double) throws {
    var recorder = WaveformRecorder(WaveformSettings())
    recorder.start(rateHz: 100, fullScaleG: 2)
    var outputs: [MotionOutput] = []
    var random = Steps(state: 7)
    var times: [Double] = []
    for index in 0...800 {
      // The clock runs 2 % fast, and each sample comes up to that much early or late.
      times.append((Double(index) + jitter * Double.random(in: -1...1, using: &random)) * 0.0102)
      let sample = Sample(at: .s(times[index]), g: Vector(Double(index) * 1e-4, 0, 1))
      let event: ShakeEvent? =
        switch index {
        case 500: self.event(1, .began, at: times[index], start: times[460])
        case 800: self.event(1, .ended, at: times[index], start: times[460])
        default: nil
        }
      recorder.feed(sample, periodS: 0.0102, event, &outputs)
    }
    var count = 0
    for case .waveform(let chunk) in outputs {
      for (place, x) in chunk.x.enumerated() {
        let claimed = chunk.start.seconds + Double(place) * chunk.stepS
        // 50 ug a count, and 100 ug from sample to sample.
        #expect((claimed - times[Int(x) / 2]).magnitude <= chunk.stepS / 2 * (1 + 1e-9))
        count += 1
      }
    }
    #expect(count > 430)
  }

  @Test func aShakeWithoutEndIsCutAndSaysWhy() {
    var bench = Bench({ $0.maxS = 2 })
    bench.feed(to: 5.4, event(1, .began, at: 5.4, start: 5))
    bench.feed(to: 20, event(1, .ended, at: 20, start: 5))
    #expect(bench.chunks.flatMap(\.x).last == 740, "2 s after it was recognised")
    #expect(bench.chunks.filter(\.isLast).count == 1)
    #expect(bench.warnings == [.waveformCut(shake: 1, .tooLong)])
  }

  @Test func irregularTimesCannotMakeMoreChunksThanAWaveformMayHave() {
    var bench = Bench({ $0.maxS = 600 })
    bench.feed(to: 5.4, event(1, .began, at: 5.4, start: 5))
    for _ in 0..<2000 {
      bench.next += 4
      bench.feed(to: Double(bench.next) / 100)
    }
    #expect(bench.chunks.count == 1000 && bench.chunks.last?.isLast == true)
    #expect(bench.warnings == [.waveformCut(shake: 1, .tooManyChunks)])
  }

  @Test func anHourHasOnlySoManyWaveformsAndTheRestIsCounted() {
    var bench = Bench({ $0.maxPerHour = 2 })
    for shake in 1...5 { shaken(&bench, shake, from: Double(shake) * 10, to: Double(shake) * 10 + 1) }
    #expect(Set(bench.chunks.map(\.shake)) == [1, 2])
    #expect(bench.recorder.withheld == 3)
    #expect(bench.warnings.last == .waveformsWithheld(3, perHour: 2))
    bench.next = 361_500
    shaken(&bench, 6, from: 3616, to: 3617)
    #expect(Set(bench.chunks.map(\.shake)) == [1, 2, 6], "the first is more than an hour ago, the second not")
    shaken(&bench, 7, from: 3618, to: 3619)
    #expect(bench.recorder.withheld == 4)
    let next = WaveformRecorder(bench.recorder.settings, after: bench.recorder)
    #expect(next.withheld == 4, "new settings do not begin another hour")
  }

  @Test(arguments: [(2.0, 5e-5), (4, 1e-4), (8, 2e-4), (16, 2e-4), (200, 5e-3), (0.5, 5e-5), (nil, 1e-4)])
  func aCountIsWorthWhatTheRangeOfTheSensorResolves(fullScaleG: Double?, unitG: Double) throws {
    var bench = Bench(fullScaleG: fullScaleG)
    shaken(&bench, 1, from: 5, to: 6)
    let chunk = try #require(bench.chunks.first)
    #expect(chunk.unitG == unitG)
    #expect((Double(chunk.y[0]) * unitG + 0.5).magnitude <= unitG / 2)
  }

  @Test func theStrongestSampleThatIsTakenFits() {
    var recorder = WaveformRecorder(WaveformSettings())
    recorder.start(rateHz: 100, fullScaleG: 2)
    var outputs: [MotionOutput] = []
    let g = Sample.impossibleG.nextDown
    recorder.feed(
      Sample(at: .s(1), g: Vector(g, -g, 0)), periodS: nil, event(1, .began, at: 1, start: 1), &outputs)
    recorder.end(event(1, .cancelled, .stopped, at: 1, start: 1), &outputs)
    guard case .waveform(let chunk) = outputs.last else {
      Issue.record("no chunk")
      return
    }
    #expect(chunk.x == [2_000_000_000] && chunk.y == [-2_000_000_000])
  }

  @Test func atThreeThousandSamplesASecondTheRingReachesBackAsFar() throws {
    var bench = Bench({ $0.chunkBytes = 32_000 }, rateHz: 3200)
    shaken(&bench, 1, from: 3, to: 4)
    #expect(bench.chunks.flatMap(\.x) == Array(6400...12_800))
  }
}

/// Random numbers that are the same in each run: a linear congruential generator (Knuth's MMIX).
private struct Steps: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 29)
  }
}
