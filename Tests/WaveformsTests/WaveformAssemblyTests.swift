import Telemetry
import Testing
import Waveforms

@Suite("Waveform assembly")
struct WaveformAssemblyTests {
  /// The chunks of one waveform of ten samples each, 100 samples/s, from 1000 s.
  private func chunk(_ number: Int, last: Int = 9, id: Int = 1, shiftS: Double = 0) -> WaveformMessage {
    let numbers = number * 10..<number * 10 + 10
    return WaveformMessage(
      id: id, chunk: number, isLast: number == last, start: WallTime(seconds: 1000 + Double(number) * 0.1 + shiftS),
      periodS: 0.01, unitG: 1e-4, x: numbers.map { Int32($0) }, y: numbers.map { Int32(-$0) },
      z: numbers.map { _ in 10_000 })
  }

  private func envelope(
    _ number: Int, clock: ClockQuality = .ntp, shiftS: Double = 0, boot: BootID = boot
  ) -> Envelope {
    let end = Double(number) * 0.1 + 0.09
    return Envelope(
      boot: boot, sequence: UInt64(number), time: WallTime(seconds: 1000 + end + shiftS), clock: clock,
      uptime: 500 + end)
  }

  private func add(
    _ assembly: inout WaveformAssembly, _ numbers: [Int], id: Int = 1, at now: Double = 0
  ) -> [Waveform] {
    numbers.flatMap { assembly.add(chunk($0, id: id), of: pump, envelope($0), at: .s(now)) }
  }

  @Test func inOrderItIsHandedOutWithTheLastChunk() throws {
    var assembly = WaveformAssembly()
    #expect(add(&assembly, Array(0..<9)).isEmpty)
    let waveform = try #require(add(&assembly, [9]).first)
    #expect(waveform.segments.flatMap(\.x) == Array(0..<100))
    #expect(waveform.shake == 1 && waveform.node == pump && waveform.boot == boot && waveform.clock == .ntp)
    #expect(waveform.missingChunks == 0 && waveform.hasEnd)
    #expect(waveform.segments.map(\.start.seconds).elementsEqual((0..<10).map { 1000 + Double($0) * 0.1 }))
    #expect(assembly.waiting == 0 && assembly.nextDeadline == nil)
    #expect(assembly.counts.taken == 10 && assembly.counts.incomplete == 0)
  }

  @Test func anyOrderAndAnyDuplicatesGiveTheSame() throws {
    for seed in UInt64(1)...50 {
      var random = Steps(state: seed)
      var assembly = WaveformAssembly()
      let numbers = (Array(0..<10) + Array(0..<10) + Array(0..<10)).shuffled(using: &random)
      let waveforms = add(&assembly, numbers)
      #expect(waveforms.count == 1)
      #expect(waveforms.first?.segments.flatMap(\.x) == Array(0..<100))
      #expect(assembly.counts.taken == 10 && assembly.counts.duplicates == 20)
      #expect(assembly.waiting == 0)
    }
  }

  @Test func shakesNodesAndBootsAreKeptApart() {
    var assembly = WaveformAssembly()
    let other = NodeName("pump-8")!
    var waveforms: [Waveform] = []
    for number in 0..<10 {
      waveforms += assembly.add(chunk(number), of: pump, envelope(number), at: .s(0))
      waveforms += assembly.add(chunk(number, id: 2), of: pump, envelope(number), at: .s(0))
      waveforms += assembly.add(chunk(number), of: other, envelope(number), at: .s(0))
      waveforms += assembly.add(chunk(number), of: pump, envelope(number, boot: BootID(1)), at: .s(0))
    }
    #expect(Set(waveforms.map(\.fileStem)).count == 4)
    #expect(waveforms.allSatisfy { $0.count == 100 })
  }

  @Test func whatStaysIncompleteIsHandedOutAfterAWhileWithItsGap() throws {
    var assembly = WaveformAssembly()
    _ = add(&assembly, [0, 1, 4, 9], at: 100)
    #expect(assembly.nextDeadline == .s(1000))
    #expect(assembly.collect(at: .s(999)).isEmpty)
    let waveform = try #require(assembly.collect(at: .s(1000)).first)
    #expect(waveform.segments.flatMap(\.x) == Array(0..<20) + Array(40..<50) + Array(90..<100))
    #expect(waveform.missingChunks == 6 && waveform.hasEnd)
    #expect(assembly.counts.incomplete == 1 && assembly.nextDeadline == nil)
  }

  @Test func withoutItsEndItIsHandedOutToo() throws {
    var assembly = WaveformAssembly()
    _ = add(&assembly, [0, 1, 2], at: 0)
    let waveform = try #require(assembly.finish().first)
    #expect(waveform.missingChunks == 0 && !waveform.hasEnd)
    #expect(assembly.counts.incomplete == 1)
  }

  @Test func whatComesLaterThanThatIsAnotherPieceWithoutRepetition() throws {
    var assembly = WaveformAssembly()
    _ = add(&assembly, [0, 1, 2, 3, 4], at: 0)
    #expect(assembly.collect(at: .s(900)).count == 1)
    #expect(add(&assembly, [3, 4, 5, 6, 7, 8], at: 20_000).isEmpty)
    #expect(assembly.counts.duplicates == 2)
    let rest = try #require(add(&assembly, [9], at: 20_001).first)
    #expect(rest.segments.flatMap(\.x) == Array(50..<100))
    #expect(rest.missingChunks == 0 && rest.hasEnd, "all of it has been handed out now")
    #expect(add(&assembly, Array(0..<10), at: 20_002).isEmpty, "and nothing is handed out twice")
    #expect(assembly.waiting == 0)
  }

  @Test func eachNewChunkIsWaitedForAnew() {
    var assembly = WaveformAssembly()
    _ = add(&assembly, [0], at: 0)
    _ = add(&assembly, [1], at: 800)
    #expect(assembly.collect(at: .s(900)).isEmpty)
    #expect(assembly.nextDeadline == .s(1700))
    #expect(assembly.collect(at: .s(1700)).count == 1)
  }

  @Test func theOldestMakesRoom() throws {
    var bounds = WaveformAssembly.Bounds()
    bounds.waveforms = 3
    var assembly = WaveformAssembly(bounds)
    for id in 1...3 { #expect(add(&assembly, [0], id: id, at: Double(id)).isEmpty) }
    #expect(add(&assembly, [1], id: 1, at: 4).isEmpty)
    let first = try #require(add(&assembly, [0], id: 4, at: 5).first)
    #expect(first.shake == 2, "the first was heard of after it")
    #expect(assembly.waiting == 3)

    bounds.samples = 35
    var small = WaveformAssembly(bounds)
    #expect(add(&small, [0, 1, 2], id: 1, at: 0).isEmpty)
    #expect(add(&small, [0], id: 2, at: 1).map(\.count) == [30])
  }

  @Test func onlySoManyAreRemembered() {
    var bounds = WaveformAssembly.Bounds()
    bounds.remembered = 2
    var assembly = WaveformAssembly(bounds)
    for id in 1...3 { #expect(add(&assembly, Array(0..<10), id: id).count == 1) }
    #expect(add(&assembly, [0], id: 3).isEmpty && add(&assembly, [0], id: 2).isEmpty)
    #expect(assembly.waiting == 0, "known")
    #expect(add(&assembly, [0], id: 1).isEmpty)
    #expect(assembly.waiting == 1, "forgotten")
  }

  @Test func aClockThatWasSetDuringTheShakeIsPutRight() throws {
    var assembly = WaveformAssembly()
    // The first four came before the clock was set 1e9 s ahead.
    var waveforms: [Waveform] = []
    for number in 0..<10 {
      let isEarly = number < 4
      waveforms += assembly.add(
        chunk(number, shiftS: isEarly ? -500 : 0), of: pump,
        envelope(number, clock: isEarly ? .none : .gps, shiftS: isEarly ? -500 : 0), at: .s(0))
    }
    let waveform = try #require(waveforms.first)
    #expect(waveform.clock == .gps)
    for (number, segment) in waveform.segments.enumerated() {
      #expect((segment.start.seconds - 1000 - Double(number) * 0.1).magnitude < 0.002)
    }
  }

  @Test func hostileChunksAreRefusedAndCounted() {
    var assembly = WaveformAssembly()
    var far = chunk(0)
    far.chunk = 4096
    var slow = chunk(0)
    slow.periodS = 3e9
    var still = chunk(0)
    still.periodS = 0
    for message in [far, slow, still] { #expect(assembly.add(message, of: pump, envelope(0), at: .s(0)).isEmpty) }
    #expect(assembly.counts.refused == 3 && assembly.waiting == 0)
    // Behind the last one.
    _ = add(&assembly, [9])
    var behind = chunk(0, last: 99)
    behind.chunk = 12
    #expect(assembly.add(behind, of: pump, envelope(0), at: .s(0)).isEmpty)
    #expect(assembly.counts.duplicates == 1)
    var contradictory = chunk(3, last: 3)
    contradictory.chunk = 3
    #expect(assembly.add(contradictory, of: pump, envelope(3), at: .s(0)).isEmpty)
    #expect(assembly.finish().count == 1)
  }

  @Test func noMixOfChunksBreaksItsBounds() {
    var random = Steps(state: 3)
    var bounds = WaveformAssembly.Bounds()
    bounds.waveforms = 5
    bounds.samples = 300
    bounds.remembered = 7
    var assembly = WaveformAssembly(bounds)
    var handedOut = 0
    for step in 0..<20_000 {
      let number = Int.random(in: 0..<12, using: &random)
      let last = Int.random(in: 0..<12, using: &random)
      let id = Int.random(in: 0..<20, using: &random)
      let now = Instant.s(Double(step) * 30)
      let waveforms =
        assembly.add(chunk(number, last: last, id: id), of: pump, envelope(number), at: now)
        + assembly.collect(at: now)
      for waveform in waveforms {
        handedOut += waveform.count / 10
        for format in WaveformFormat.allCases {
          #expect(throws: Never.self) { try format.encode(waveform, network: "XX") }
        }
      }
      #expect(assembly.waiting <= 5)
      #expect((assembly.nextDeadline == nil) == (assembly.waiting == 0))
    }
    handedOut += assembly.finish().reduce(0) { $0 + $1.count / 10 }
    #expect(handedOut == assembly.counts.taken, "nothing is lost and nothing is there twice")
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
