import Telemetry
import Testing

@testable import NodeLogic

/// Events that wait while the clock becomes known.
@Suite struct OutboxTimeTests {
  private static let right = ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: .gps)
  private let now = Instant(seconds: 100)

  /// Made at `up` by a clock that showed 5 s at the start.
  private func shake(_ id: Int, up: Double, clock: ClockQuality = .none) -> Telegram {
    let time = WallTime(seconds: 5 + up)
    let message = ShakeMessage(
      id: id, phase: .ended, start: time + -2, end: time + -1, durationS: 1, peakG: 1, energyG2S: 0.1, cavGS: 0.2,
      reversals: 3, axis: .x)
    return Telegram(Envelope(boot: BootID(1), time: time, clock: clock, uptime: up), .shake(message))
  }

  private func location(up: Double, fixTime: Double) -> Telegram {
    let time = WallTime(seconds: 5 + up)
    var position = LocationMessage.Position(dimensions: 3, latitude: 47, longitude: 8, ageS: 1, cause: .distance)
    position.received = time + -1
    position.fixTime = WallTime(seconds: fixTime)
    position.fixTimeRollovers = 1
    return Telegram(
      Envelope(boot: BootID(1), time: time, clock: ClockQuality.none, uptime: up), .location(.fixed(position)))
  }

  @Test(arguments: [ClockQuality.none, .rtc])
  func aBetterClockGivesThemTheirTimes(clock: ClockQuality) throws {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.append(shake(1, up: 40, clock: clock), at: Instant(seconds: 40))
    outbox.connect(at: now)
    let sent = try #require(outbox.next(at: now, clock: Self.right).first).telegram
    #expect(sent.envelope.time == WallTime(seconds: 1_796_000_040))
    #expect(sent.envelope.clock == .gps)
    #expect(sent.envelope.uptime == 40)
    guard case .shake(let shake) = sent.body else {
      Issue.record("no shake")
      return
    }
    #expect(shake.start == WallTime(seconds: 1_796_000_038))
    #expect(shake.end == WallTime(seconds: 1_796_000_039))
    #expect(shake.durationS == 1)
  }

  @Test func oneThatIsWorthNoMoreChangesNothing() throws {
    let pairs: [(ClockQuality, ClockQuality)] = [
      (.ntp, .gps), (.gps, .ntp), (.rtc, .rtc), (.none, .none), (.rtc, .none),
    ]
    for (own, other) in pairs {
      var outbox = Outbox(capacityBytes: 100_000)
      let telegram = shake(1, up: 40, clock: own)
      outbox.append(telegram, at: Instant(seconds: 40))
      outbox.connect(at: now)
      let clock = ClockState(wallAtStart: Self.right.wallAtStart, quality: other)
      let sent = try #require(outbox.next(at: now, clock: clock).first).telegram
      #expect(sent.envelope.time == telegram.envelope.time && sent.envelope.clock == own && sent.body == telegram.body)
    }
  }

  @Test func theReceiversTimeStaysAndIsJudgedAnew() throws {
    var outbox = Outbox(capacityBytes: 100_000)
    // 2007, which is 1024 weeks off, and 1992, which is off by something else.
    outbox.append(location(up: 40, fixTime: 1_796_000_039 - FixTimeVerdict.rolloverS), at: Instant(seconds: 40))
    outbox.append(location(up: 41, fixTime: 700_000_000), at: Instant(seconds: 41))
    outbox.connect(at: now)
    let positions = outbox.next(at: now, clock: Self.right).compactMap { outgoing -> LocationMessage.Position? in
      if case .location(.fixed(let position)) = outgoing.telegram.body { position } else { nil }
    }
    #expect(positions.map(\.fixTime?.seconds) == [1_796_000_039 - FixTimeVerdict.rolloverS, 700_000_000])
    #expect(positions.map(\.fixTimeRollovers) == [1, nil])
    #expect(positions.map(\.received) == [1_796_000_039, 1_796_000_040].map { WallTime(seconds: $0) })
    #expect(positions.map(\.isBacklog) == [true, true])
  }

  @Test func whatWasHandedOverBeforeKeepsItsTimes() throws {
    var outbox = Outbox(capacityBytes: 100_000, window: 1)
    outbox.connect(at: now)
    for id in 1...2 { outbox.append(shake(id, up: Double(id)), at: Instant(seconds: Double(id))) }
    let none = ClockState(wallAtStart: WallTime(seconds: 5), quality: .none)
    let first = try #require(outbox.next(at: now, clock: none).first).telegram
    outbox.disconnect(at: now)
    outbox.connect(at: now)
    #expect(outbox.next(at: now, clock: Self.right).map(\.telegram) == [first])
    outbox.deliver(1, at: now)
    #expect(outbox.next(at: now, clock: Self.right).map(\.telegram.envelope.clock) == [.gps])
  }

  @Test func theBytesThatWaitAreCountedAsTheyAre() {
    var outbox = Outbox(capacityBytes: 100_000)
    for id in 1...3 { outbox.append(shake(id, up: Double(id)), at: Instant(seconds: Double(id))) }
    let before = outbox.bytes
    outbox.connect(at: now)
    let sent = outbox.next(at: now, clock: Self.right)
    #expect(outbox.bytes == sent.map { $0.telegram.encode().count }.reduce(0, +))
    #expect(outbox.bytes > before)
    for id in 1...3 as ClosedRange<UInt64> { outbox.deliver(id, at: now) }
    #expect(outbox.bytes == 0)
  }
}
