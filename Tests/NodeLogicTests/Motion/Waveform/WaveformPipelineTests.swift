import NodeLogic
import Telemetry
import Testing

@Suite("Waveforms of a node")
struct WaveformPipelineTests {
  private let sensor = AccelerometerDescription(
    name: "lis3dh", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 4)

  private func node(_ convention: Convention = .standard, hasWaveforms: Bool = true) -> Node {
    var settings = NodeSettings()
    settings.convention = convention
    settings.motion = MotionSettings()
    if hasWaveforms { settings.motion?.waveform = WaveformSettings() }
    var node = Node(
      boot: BootID(7), settings, clock: ClockState(wallAtStart: WallTime(seconds: 1_796_000_000.5), quality: .ntp))
    _ = node.handle(.link(isConnected: true), at: .start)
    _ = node.handle(.accelerometer(.started(sensor)), at: .start)
    return node
  }

  /// What the node publishes while it is shaken from 3 s to 3.8 s; each is acknowledged at once.
  private func published(_ node: inout Node, lengthS: Double = 8) -> [Telegram] {
    var telegrams: [Telegram] = []
    for sample in samples(lengthS: lengthS, shaken(from: 3, lengthS: 0.8)) {
      var effects = node.handle(.accelerometer(.samples([sample])), at: sample.at)[...]
      while let effect = effects.popFirst() {
        guard case .publish(let outgoing) = effect else { continue }
        telegrams.append(outgoing.telegram)
        if let token = outgoing.token { effects += node.handle(.delivered(token), at: sample.at) }
      }
    }
    return telegrams
  }

  private func chunks(_ telegrams: [Telegram]) -> [WaveformMessage] {
    telegrams.compactMap { if case .waveform(let chunk) = $0.body { chunk } else { nil } }
  }

  @Test func theChunksFollowTheShakeAndAreEvents() throws {
    var node = node()
    let telegrams = published(&node)
    let chunks = chunks(telegrams)
    let shakes = telegrams.compactMap { if case .shake(let shake) = $0.body { shake } else { nil } }
    let began = try #require(shakes.first)
    #expect(shakes.map(\.phase) == [.began, .ended])
    #expect(chunks.map(\.chunk) == Array(0..<chunks.count) && chunks.last?.isLast == true)
    #expect(chunks.allSatisfy { $0.id == began.id && $0.unitG == 1e-4 })
    let first = try #require(chunks.first)
    #expect((began.start - first.start - 1).magnitude < 0.011, "a second before the first swing")
    let sequences = telegrams.compactMap(\.envelope.sequence)
    #expect(sequences == Array(1...UInt64(sequences.count)), "each is numbered among the events")
    for telegram in telegrams {
      guard case .waveform(let chunk) = telegram.body else { continue }
      let end = chunk.start.seconds + Double(chunk.x.count - 1) * chunk.periodS
      #expect(((telegram.envelope.time?.seconds ?? 0) - end).magnitude < 1e-6)
      #expect(telegram.encode().count <= 1000)
      #expect(try Telegram.decode(stream: .waveform, payload: telegram.encode()).envelope.boot == BootID(7))
    }
    // The samples themselves, in counts of 0.1 mg.
    let flatSamples = chunks.flatMap(\.z)
    #expect(flatSamples.allSatisfy { $0 == 10_000 })
    #expect((chunks.flatMap(\.x).max() ?? 0) > 19_000)
  }

  @Test func theOtherConventionTurnsEverySignRound() {
    var standard = node()
    var apple = node(.apple)
    let (a, b) = (chunks(published(&standard)), chunks(published(&apple)))
    #expect(a.flatMap(\.x) == b.flatMap(\.x).map { -$0 } && a.flatMap(\.z) == b.flatMap(\.z).map { -$0 })
  }

  @Test func withoutItThereIsNothingAndTheRestIsTheSame() {
    var with = node()
    var without = node(hasWaveforms: false)
    let a = published(&with).filter { $0.body.stream != .waveform }.map(\.body)
    let b = published(&without).map(\.body)
    #expect(a == b)
  }

  @Test func anEndOfEveryKindEndsTheWaveform() {
    let ends: [(inout MotionPipeline, Instant) -> [MotionOutput]] = [
      { $0.stop(at: $1) }, { $0.handle(.gap, at: $1) }, { $0.handle(.failed(reason: "EIO"), at: $1) },
      { $0.tick(at: $1 + 1) }, { $0.reconfigure(MotionSettings(.fixed), at: $1) },
      { [sensor] in $0.handle(.started(sensor), at: $1) },
    ]
    for (index, end) in ends.enumerated() {
      var settings = MotionSettings()
      settings.waveform = WaveformSettings()
      var pipeline = MotionPipeline(settings)
      _ = pipeline.handle(.started(sensor), at: .start)
      let moved = samples(lengthS: 3.7, shaken(from: 3, lengthS: 0.8))
      var outputs = pipeline.handle(.samples(moved), at: .s(3.7))
      #expect(pipeline.isShaking)
      outputs += end(&pipeline, .s(3.7))
      let chunks = outputs.compactMap { if case .waveform(let chunk) = $0 { chunk } else { nil } }
      #expect(chunks.last?.isLast == true && chunks.filter(\.isLast).count == 1, "\(index)")
      #expect((chunks.last?.end.seconds ?? 0) > 3.6)
    }
  }
}
