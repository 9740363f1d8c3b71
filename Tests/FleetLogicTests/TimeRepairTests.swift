import FleetLogic
import Telemetry
import Testing

/// Nodes that said something before they knew the time: stratopi-org/stratopi#1, home-assistant/core#139562.
@Suite struct TimeRepairTests {
  /// What node `a` says at `up`, by a clock that showed `wallAtStart` when it started.
  @discardableResult
  private func say(
    _ bench: inout Bench, _ body: Telegram.Body, up: Double, wallAtStart: Double, _ clock: ClockQuality,
    seq: UInt64? = nil, boot: UInt32 = 1, retained: Bool = false
  ) -> [Effect] {
    let envelope = Envelope(
      boot: BootID(boot), sequence: seq, time: WallTime(seconds: wallAtStart + up), clock: clock, uptime: up)
    return bench.raw(
      "judder/a/\(body.stream.rawValue)", Telegram(envelope, body).encode(), retained: retained)
  }

  /// The node started 10 000 s before the bench did.
  private static let start = Bench.epoch - 10_000

  private func measured(_ effects: [Effect]) -> [WallTime?] {
    effects.changes.filter { if case .message = $0.kind { true } else { false } }.map(\.measured)
  }

  @Test func whatNothingVouchesForHasNoTime() throws {
    var bench = Bench()
    let effects = say(&bench, .fix(), up: 50, wallAtStart: 0, .none, seq: 1, retained: true)
    #expect(measured(effects) == [nil])
    #expect(!effects.shown.joined().contains("measured_t"))
    let node = try #require(bench.node("a"))
    #expect(node.age(at: bench.now, bench.fleet.clock) == nil)
    #expect(node.fixAge(at: bench.now, bench.fleet.clock) == nil)
  }

  @Test(arguments: [ClockQuality.gps, .ntp])
  func aBetterClockOfTheSameBootRepairsWhatCameBefore(clock: ClockQuality) throws {
    var bench = Bench()
    say(&bench, .fix(), up: 50, wallAtStart: 0, .none, seq: 1, retained: true)
    say(&bench, .face(.zUp), up: 9_000, wallAtStart: Self.start, clock, seq: 2, retained: true)
    let node = try #require(bench.node("a"))
    #expect(node.location?.stamp.measured == WallTime(seconds: Self.start + 50))
    #expect(node.fixAge(at: bench.now, bench.fleet.clock) == 9_951, "and a second of its own")
    #expect(node.age(at: bench.now, bench.fleet.clock) == 1_000)
  }

  @Test func whatComesAfterwardsFromBeforeIsRepairedAtOnce() throws {
    var bench = Bench()
    say(&bench, .online(), up: 9_990, wallAtStart: Self.start, .ntp)
    let effects = say(&bench, .shake(1), up: 2_800, wallAtStart: 0, .none, seq: 1)
    let right = WallTime(seconds: Self.start + 2_800)
    #expect(measured(effects) == [right])
    let change = try #require(effects.changes.first { if case .message = $0.kind { true } else { false } })
    let node = try #require(bench.node("a"))
    let json = try JSONValue.parse(FleetJSON.change(change, node, bench.fleet.clock))
    #expect(json["measured_t"]?.number == right.seconds)
    #expect(json["message"]?["clk"]?.string == "none", "the payload stays the node's own")
    #expect(node.shake?.stamp.age(at: bench.now, bench.fleet.clock) == 7_200, "it waited in the node for two hours")
    #expect(effects.alerts.isEmpty, "a shake of two hours ago is history")
  }

  @Test func aClockOfAnotherBootRepairsNothing() throws {
    var bench = Bench()
    say(&bench, .fix(), up: 50, wallAtStart: 0, .none, seq: 1, boot: 1, retained: true)
    say(&bench, .online(), up: 5, wallAtStart: Self.start, .ntp, boot: 2)
    let before = try #require(bench.node("a"))
    #expect(before.location?.stamp.measured == nil)
    // But one of its own does, though it is over.
    say(&bench, .fix(48), up: 60, wallAtStart: Self.start - 500, .gps, seq: 2, boot: 1)
    let node = try #require(bench.node("a"))
    #expect(node.boot == BootID(2))
    #expect(node.position?.content.latitude == 48)
    #expect(node.position?.stamp.measured == WallTime(seconds: Self.start - 440))
  }

  @Test func aClockThatWasSetOnceGivesWayAndComesBackToNothing() throws {
    var bench = Bench()
    say(&bench, .fix(), up: 50, wallAtStart: 0, .none, seq: 1, retained: true)
    say(&bench, .face(.zUp), up: 60, wallAtStart: Self.start - 77, .rtc, seq: 2, retained: true)
    #expect(bench.node("a")?.location?.stamp.measured == WallTime(seconds: Self.start - 27))
    say(&bench, .shake(1, .ended), up: 70, wallAtStart: Self.start, .gps, seq: 3, retained: true)
    #expect(bench.node("a")?.location?.stamp.measured == WallTime(seconds: Self.start + 50))
    #expect(bench.node("a")?.orientation?.stamp.measured == WallTime(seconds: Self.start + 60))
    say(&bench, .face(.zDown), up: 80, wallAtStart: Self.start - 77, .rtc, seq: 4, retained: true)
    #expect(bench.node("a")?.orientation?.stamp.measured == WallTime(seconds: Self.start + 80))
  }

  @Test func whatComesAfterASleepIsNotPutBackBeforeIt() throws {
    var bench = Bench()
    say(&bench, .online(), up: 100, wallAtStart: Self.start - 28_800, .ntp)
    // The kernel calls no clock disciplined that it set by the battery-backed one on waking.
    say(&bench, .fix(), up: 10_000, wallAtStart: Self.start, .rtc, seq: 1)
    let node = try #require(bench.node("a"))
    #expect(node.location?.stamp.measured == WallTime(seconds: Bench.epoch))
    #expect(node.fixAge(at: bench.now, bench.fleet.clock) == 1, "its own second")
    // What waited since before the sleep is from before it.
    say(&bench, .face(.zUp), up: 50, wallAtStart: 0, .none, seq: 2)
    #expect(bench.node("a")?.orientation?.stamp.measured == WallTime(seconds: Self.start - 28_750))
  }

  @Test func amongClocksThatAreWorthTheSameTheNewestCounts() throws {
    var bench = Bench()
    say(&bench, .face(.zUp), up: 500, wallAtStart: Self.start, .gps, seq: 9, retained: true)
    say(&bench, .shake(1), up: 400, wallAtStart: Self.start - 3, .gps, seq: 8, retained: true)
    say(&bench, .fix(), up: 50, wallAtStart: 0, .none, seq: 1, retained: true)
    #expect(bench.node("a")?.location?.stamp.measured == WallTime(seconds: Self.start + 50))
  }
}
