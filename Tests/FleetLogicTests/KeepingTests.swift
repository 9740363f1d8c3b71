import FleetLogic
import Telemetry
import Testing

/// What the fleet's state wants kept.
@Suite struct KeepingTests {
  static func bench(_ rules: [Rule] = []) -> Bench {
    Bench(FleetState.Configuration(graceS: 0, rules: rules, keeps: true))
  }

  @Test func everyEventIsKeptHoweverOftenAndLateItComes() throws {
    var bench = Self.bench()
    bench.send("a", .online(), boot: 1)
    let first = try #require(bench.send("a", .shake(1), boot: 1, seq: 7).keptEvents.first)
    #expect(first.sequence == 7)
    #expect(first.boot == BootID(1))
    #expect(first.stream == .shake)
    #expect(first.measured == WallTime(seconds: Bench.epoch))
    #expect(first.received == WallTime(seconds: Bench.epoch))
    #expect(first.clock == .ntp)
    #expect(first.uptime == 99_900)
    #expect(!first.isLate)
    #expect(try Telegram.decode(stream: .shake, payload: first.payload).envelope.sequence == 7)
    #expect(bench.send("a", .shake(1), boot: 1, seq: 7).keptEvents.count == 1, "a duplicate is acknowledged again")
    #expect(bench.send("a", .shake(2), boot: 1, seq: 3).keptEvents.count == 1, "late")
    bench.send("a", .online(), boot: 2)
    let former = try #require(bench.send("a", .shake(3), boot: 1, seq: 9).keptEvents.first)
    #expect(former.isLate)
  }

  @Test func whatIsNoEventOrWasRetainedIsNotKeptAsOne() {
    var bench = Self.bench()
    #expect(bench.send("a", .fix(), seq: 4, retained: true).keptEvents.isEmpty)
    #expect(bench.send("a", .online()).keptEvents.isEmpty)
    #expect(bench.send("a", .acceleration()).keptEvents.isEmpty)
    #expect(bench.raw("judder/a/shake", Array("{}".utf8)).keptEvents.isEmpty)
    #expect(bench.send("a", .fix(), seq: 4).keptEvents.count == 1, "it comes live after all")
  }

  @Test func withoutAStoreNothingIsToBeKept() {
    var bench = Bench(rule: Rule(name: "shake", kind: .shake))
    #expect(bench.send("a", .online()).keeps.isEmpty)
    #expect(bench.send("a", .shake(1)).keeps.isEmpty)
  }

  @Test func anUnmeasuredTimeIsAbsentAndOneInTheFutureIsHeldBack() throws {
    var bench = Self.bench()
    let unknown = try #require(bench.send("a", .shake(1), clock: .none).keptEvents.first)
    #expect(unknown.measured == nil)
    let ahead = try #require(bench.send("b", .shake(1), sentAgo: -86_400).keptEvents.first)
    #expect(ahead.measured == WallTime(seconds: Bench.epoch + 300))
    #expect(try Telegram.decode(stream: .shake, payload: ahead.payload).envelope.time?.seconds == Bench.epoch + 86_400)
  }

  @Test func whatComesOftenIsKeptOnceAMinute() {
    var bench = Self.bench()
    var kept = 0
    for _ in 0..<60 {
      kept += bench.send("a", .acceleration()).keeps.count
      _ = bench.pass(10)
    }
    // And the run's clock, once.
    #expect(kept == 10 + 1)
  }

  @Test func placesStandSideBySide() {
    var store = MemoryStore()
    var bench = Self.bench()
    store.take(bench.send("a", .online()))
    store.take(bench.send("a", .fix()))
    store.take(bench.send("a", .noFix()))
    store.take(bench.send("a", .crossing(.leave, of: "one/two")))
    store.take(bench.send("a", .crossing(.enter, of: "b")))
    store.take(bench.will("a"))
    #expect(
      store.latest.keys.sorted() == [
        "a/geofence/b", "a/geofence/one/two", "a/location/fix", "a/location/lost", "a/status", "a/status/lost",
      ])
  }

  /// Nothing is told by an input that keeps nothing, if what it tells of changed.
  @Test func everyAlertComesWithItsRecord() {
    var bench = Self.bench(Rule.defaults)
    bench.send("a", .online())
    var effects = [bench.send("a", .shake(1)), bench.send("a", .shake(1, .ended)), bench.send("a", .noFix())]
    for _ in 0..<1000 { effects.append(bench.pass(1)) }
    let told = effects.filter { !$0.alerts.isEmpty }
    #expect(told.flatMap(\.alerts).count >= 4)
    for effects in told {
      #expect(effects.keeps.contains { if case .alert(let alert) = $0 { !alert.untold.isEmpty } else { false } })
    }
  }

  @Test func whatIsOverAndToldIsForgotten() throws {
    var bench = Self.bench([Rule(name: "shake", kind: .shake)])
    var store = MemoryStore()
    store.take(bench.send("a", .shake(1)))
    store.take(bench.send("a", .shake(1, .ended)))
    let over = bench.pass(20)
    store.take(over)
    #expect(store.alerts["shake/a"]?.phase == .quiet, "which shake it was is remembered")
    #expect(store.alerts["shake/a"]?.untold.map(\.state) == [.firing, .resolved])
    for alert in store.alerts["shake/a"]?.untold ?? [] { store.take(bench.fleet.handle(.told(alert), at: bench.now)) }
    #expect(store.alerts["shake/a"]?.untold.isEmpty == true)
    store.take(bench.pass(600))
    #expect(store.alerts.isEmpty, "no more of it can come")
  }

  @Test func aRecordReadsBackAsItWas() throws {
    var alert = KeptAlert(
      rule: "shake", subject: try #require(AlertSubject("a")), phase: .firing(leftS: 12.5),
      since: WallTime(seconds: 1e9), count: 3, at: WallTime(seconds: 1_796_000_000.25))
    alert.id = "shake/a/1"
    alert.value = 1.25
    alert.lastShake = ShakeIdentity(boot: BootID(7), id: 9)
    #expect(KeptAlert(decoding: alert.encode()) == alert)
    for phase in [KeptAlert.Phase.over, .pending(leftS: 1), .firing(leftS: nil), .clearing(leftS: 0)] {
      alert.phase = phase
      #expect(KeptAlert(decoding: alert.encode())?.phase == phase)
    }
    #expect(KeptAlert(decoding: Array("{}".utf8)) == nil)
    #expect(KeptAlert(decoding: []) == nil)
  }

  @Test func theStatusSaysWhetherWhatComesIsKept() throws {
    var bench = Self.bench()
    let failed = bench.fleet.handle(.store(.failed(reason: "fleet.db: no room")), at: bench.now)
    let status = try FleetStatusMessage.decode(payload: #require(failed.publications.first).payload)
    #expect(status.store == .failed)
    #expect(status.trouble == "fleet.db: no room")
    #expect(bench.fleet.handle(.store(.failed(reason: "fleet.db: no room")), at: bench.now).isEmpty, "said once")
    let kept = bench.fleet.handle(.store(.kept), at: bench.now)
    #expect(try FleetStatusMessage.decode(payload: #require(kept.publications.first).payload).store == .kept)
  }

  private static func anyPrefix() throws -> Bench {
    Bench(FleetState.Configuration(prefix: try PrefixPattern("+/judder"), graceS: 0, rules: [], keeps: true))
  }

  private func telegram(_ body: Telegram.Body, boot: UInt32, seq: UInt64? = nil) -> [UInt8] {
    var envelope = Envelope(boot: BootID(boot), time: WallTime(seconds: Bench.epoch), clock: .ntp, uptime: 1)
    envelope.sequence = seq
    return Telegram(envelope, body).encode()
  }

  @Test func aNodeIsToldWhereItSpeaks() throws {
    var bench = try Self.anyPrefix()
    _ = bench.raw("site/judder/a/status", telegram(.online(), boot: 1))
    let (node, stranger) = (try #require(NodeName("a")), try #require(NodeName("b")))
    #expect(bench.fleet.ackTopic(of: node, boot: BootID(1))?.description == "site/judder/a/ack")
    #expect(bench.fleet.ackTopic(of: node, boot: BootID(9))?.description == "site/judder/a/ack")
    #expect(bench.fleet.ackTopic(of: stranger, boot: BootID(1)) == nil)
  }

  @Test func eachRunIsToldUnderItsOwnPrefixWhateverTheBrokerKept() throws {
    var bench = try Self.anyPrefix()
    let node = try #require(NodeName("a"))
    _ = bench.raw("old/judder/a/status", telegram(.online(), boot: 1), retained: true)
    #expect(bench.fleet.ackTopic(of: node, boot: BootID(1)) == nil)
    _ = bench.raw("acme/judder/a/shake", telegram(.shake(1), boot: 1, seq: 1))
    _ = bench.raw("beta/judder/a/status", telegram(.online(), boot: 2))
    _ = bench.raw("beta/judder/a/shake", telegram(.shake(1), boot: 2, seq: 1))
    _ = bench.raw("acme/judder/a/status", telegram(.online(), boot: 2), retained: true)
    #expect(bench.fleet.ackTopic(of: node, boot: BootID(1))?.description == "acme/judder/a/ack")
    #expect(bench.fleet.ackTopic(of: node, boot: BootID(2))?.description == "beta/judder/a/ack")
  }
}
