import Telemetry
import Testing

@testable import FleetLogic

/// What raises and ends alerts about the node itself: sensor, clock, spool, connection, name and rates.
@Suite struct DeviceKindTests {
  private static func rule(_ condition: Condition, forS: Double? = nil, clearForS: Double? = nil) -> Rule {
    var rule = Rule(name: condition.kind.rawValue, condition)
    if let forS { rule.forS = forS }
    if let clearForS { rule.clearForS = clearForS }
    return rule
  }

  // MARK: Sensors

  private typealias Fault = Condition.SensorFault.Fault

  private static func sensor(_ faults: Set<Condition.SensorFault.Fault>? = nil) -> Bench {
    var fault = Condition.SensorFault()
    fault.faults = faults ?? fault.faults
    var bench = Bench(rule: rule(.sensorFault(fault), forS: 30, clearForS: 10))
    bench.send("a", .online())
    bench.send("a", .sensor(.running, faults: .init()))
    return bench
  }

  @Test(arguments: [HealthMessage.Accelerometer.State.stalled, .failed])
  func aSensorThatSaysNothingFiresAfterItsTime(state: HealthMessage.Accelerometer.State) {
    var bench = Self.sensor()
    #expect((bench.send("a", .sensor(state)) + bench.pass(29)).alerts.isEmpty)
    #expect(bench.pass(1.1).alerts == ["sensor-fault a firing 1"])
    #expect((bench.send("a", .sensor(.running)) + bench.pass(9)).alerts.isEmpty)
    #expect(bench.pass(1.1).alerts == ["sensor-fault a resolved 1"])
  }

  @Test(arguments: [HealthMessage.Accelerometer.Faults(frozen: 1), .init(outOfRange: 2)])
  func whatHappenedSinceTheLastWordFiresAtOnce(faults: HealthMessage.Accelerometer.Faults) {
    var bench = Self.sensor()
    #expect(bench.send("a", .sensor(.running, faults: faults)).alerts == ["sensor-fault a firing 1"])
    bench.send("a", .sensor(.running, faults: faults))
    #expect(bench.pass(10).alerts == ["sensor-fault a resolved 1"])
  }

  @Test func whatWasCountedBeforeItWasHeardIsNoNews() {
    var bench = Bench(rule: Self.rule(.sensorFault(Condition.SensorFault())))
    #expect(bench.send("a", .sensor(.running, faults: .init(frozen: 3))).alerts.isEmpty)
    // Another run began at nothing.
    #expect(bench.send("a", .sensor(.running, faults: .init(frozen: 1)), boot: 2).alerts.count == 1)
  }

  @Test func onlyItsFaultsCount() {
    var bench = Self.sensor([.polling])
    bench.send("a", .sensor(.failed))
    #expect(bench.pass(100).alerts.isEmpty)
    var health = HealthMessage(
      spool: .init(events: 0, bytes: 0, oldestS: nil, evicted: 0),
      link: .init(connects: 1, unacknowledged: 0, dropped: 0, refused: 0))
    health.accelerometer = .init(state: .running, gaps: 0, dropped: 0)
    health.accelerometer?.polling = "no trigger \u{1b}[31m"
    bench.send("a", .health(health))
    let fired = bench.pass(30)
    #expect(fired.alerts == ["sensor-fault a firing 1"])
    #expect(fired.shown.allSatisfy { !$0.contains("\u{1b}") })
  }

  @Test func aSensorThatWaitsIsForgottenWithItsNode() {
    var bench = Self.sensor()
    bench.send("a", .sensor(.stalled))
    #expect((bench.will("a") + bench.pass(100)).alerts.isEmpty)
    bench = Self.sensor()
    bench.send("a", .sensor(.stalled))
    _ = bench.pass(31)
    #expect(bench.send("a", .stopped).alerts == ["sensor-fault a resolved 1"])
  }

  // MARK: Spool

  private static func spool(
    oldestS: Double? = nil, evicted: Int = 0, _ change: (inout HealthMessage.Spool) -> Void = { _ in }
  ) -> Telegram.Body {
    var spool = HealthMessage.Spool(events: 7, bytes: 700, oldestS: oldestS, evicted: evicted)
    change(&spool)
    return .health(
      HealthMessage(spool: spool, link: .init(connects: 1, unacknowledged: 0, dropped: 0, refused: 0)))
  }

  private static func spoolBench(_ troubles: Set<Condition.Spool.Trouble> = Set(Condition.Spool.Trouble.allCases))
    -> Bench
  {
    var spool = Condition.Spool()
    spool.troubles = troubles
    var bench = Bench(rule: rule(.spool(spool), forS: 60, clearForS: 0))
    bench.send("a", .online())
    bench.send("a", Self.spool())
    return bench
  }

  @Test func aBacklogFiresAboveOneThresholdAndEndsBelowAnother() {
    var bench = Self.spoolBench()
    bench.send("a", Self.spool(oldestS: 3600))
    #expect(bench.pass(100).alerts.isEmpty)
    bench.send("a", Self.spool(oldestS: 3601))
    #expect(bench.pass(60).alerts == ["spool a firing 1"])
    #expect((bench.send("a", Self.spool(oldestS: 601)) + bench.pass(1)).alerts.isEmpty)
    #expect(bench.send("a", Self.spool(oldestS: 600)).alerts == ["spool a resolved 1"])
  }

  @Test func whatWasLostFiresAtOnceWithHowMuch() throws {
    var bench = Self.spoolBench()
    let fired = bench.send("a", Self.spool(evicted: 5))
    #expect(fired.alerts == ["spool a firing 1"])
    #expect(fired.fullAlerts.first?.value == 5)
    #expect(fired.fullAlerts.first?.reason == "it gave up 5 events")
    #expect(bench.send("a", Self.spool(evicted: 5)).alerts == ["spool a resolved 1"])
    #expect(bench.send("a", Self.spool(evicted: 5) { $0.damaged = 1 }).alerts.count == 1)
    bench.send("a", Self.spool(evicted: 5) { $0.damaged = 1 })
    let refused = bench.send(
      "a",
      Self.spool(evicted: 5) {
        $0.damaged = 1
        $0.setAside = 2
      })
    #expect(refused.fullAlerts.first?.reason == "the broker refuses its events")
  }

  @Test func aSpoolWithoutADiskFiresAfterItsTimeWhereItCounts() {
    var bench = Self.spoolBench([.degraded])
    #expect(bench.send("a", Self.spool(oldestS: 9999, evicted: 3)).alerts.isEmpty)
    bench.send("a", Self.spool(evicted: 3) { $0.trouble = "no space" })
    #expect(bench.pass(59).alerts.isEmpty)
    #expect(bench.pass(1.1).fullAlerts.map(\.reason) == ["the condition has held for 60 s"])
  }

  @Test func whatWasLostBeforeItWasHeardIsNoNews() {
    var bench = Bench(rule: Self.rule(.spool(Condition.Spool())))
    #expect(bench.send("a", Self.spool(evicted: 500)).alerts.isEmpty)
    #expect(bench.send("a", Self.spool(evicted: 501)).alerts.count == 1)
  }

  // MARK: Clocks

  @Test func aClockThatIsFarOffFires() {
    var bench = Bench(rule: Self.rule(.clockWrong(Condition.ClockWrong()), forS: 20, clearForS: 10))
    bench.send("a", .online())
    bench.send("a", .acceleration(), offS: 60)
    #expect(bench.pass(30).alerts.isEmpty)
    bench.send("a", .acceleration(), offS: -61)
    let fired = bench.pass(20)
    #expect(fired.alerts == ["clock-wrong a firing 1"])
    #expect(fired.fullAlerts.first?.value == -61)
    bench.send("a", .acceleration(), offS: 31)
    #expect(bench.pass(100).alerts.isEmpty)
    bench.send("a", .acceleration(), offS: 30)
    #expect(bench.pass(10).alerts == ["clock-wrong a resolved 1"])
  }

  @Test func aClockThatNobodyVouchesForIsWrong() {
    var bench = Bench(rule: Self.rule(.clockWrong(Condition.ClockWrong()), forS: 20))
    bench.send("a", .acceleration(), clock: .none)
    #expect(bench.pass(20).alerts == ["clock-wrong a firing 1"])
  }

  @Test func withoutAClockOfItsOwnTheFleetToolJudgesNone() {
    var bench = Bench(rule: Self.rule(.clockWrong(Condition.ClockWrong()), forS: 20))
    _ = bench.fleet.handle(
      .clock(ClockState(wallAtStart: WallTime(seconds: 1000), quality: .none)), at: bench.now)
    bench.send("a", .acceleration())
    #expect(bench.pass(100).alerts.isEmpty)
  }

  // MARK: Connections

  private static func flapping(forS: Double = 0) -> Bench {
    var flapping = Condition.Flapping()
    (flapping.count, flapping.clearCount, flapping.withinS) = (3, 1, 100)
    return Bench(rule: rule(.flapping(flapping), forS: forS))
  }

  private static func lose(_ bench: inout Bench) -> [Effect] {
    bench.send("a", .online()) + bench.will("a")
  }

  @Test(arguments: [0, 5.0]) func aConnectionThatBreaksAgainAndAgainFires(forS: Double) {
    var bench = Self.flapping(forS: forS)
    #expect((Self.lose(&bench) + bench.pass(10) + Self.lose(&bench) + bench.pass(10)).alerts.isEmpty)
    // At 20 s; that at 10 s leaves the window at 110 s, and one is left.
    #expect((Self.lose(&bench) + bench.pass(10)).alerts == ["flapping a firing 3"])
    #expect(bench.pass(79.9).alerts.isEmpty)
    #expect(bench.pass(0.2).alerts == ["flapping a resolved 3"])
    #expect(bench.pass(3600).alerts.isEmpty)
    #expect(bench.fleet.records.isEmpty, "nothing is remembered")
  }

  @Test func aConnectionThatBreaksNowAndThenRaisesNothing() {
    var bench = Self.flapping()
    for _ in 0..<20 { #expect((Self.lose(&bench) + bench.pass(51)).alerts.isEmpty) }
  }

  @Test func whatIsRememberedOfAConnectionIsBounded() {
    var bench = Self.flapping()
    for _ in 0..<500 { _ = Self.lose(&bench) }
    #expect(bench.fleet.records.values.map(\.memory.strikes.count) == [100])
  }

  // MARK: Names

  @Test(arguments: [0, 30.0]) func twoDevicesOfOneNameFireUntilOneIsQuiet(forS: Double) {
    var bench = Bench(rule: Self.rule(.clone(Condition.Clone()), forS: forS))
    var effects: [Effect] = []
    for turn in 0..<8 {
      effects += bench.send("a", .acceleration(), boot: UInt32(turn % 2 + 1))
      effects += bench.pass(1)
    }
    effects += bench.pass(60)
    #expect(effects.alerts.map { $0.prefix(14) } == ["clone a firing"])
    #expect(bench.pass(3500).alerts.isEmpty)
    #expect(bench.pass(100).fullAlerts.map(\.state) == [.resolved])
  }

  // MARK: Rates

  private static func rateBench(_ change: (inout Condition.Rate) -> Void) -> Bench {
    var rate = Condition.Rate()
    rate.windowS = 60
    change(&rate)
    var bench = Bench(rule: rule(.rate(rate), forS: 0, clearForS: 0))
    bench.send("a", .online(healthS: 80_000))
    return bench
  }

  /// So many messages in a minute.
  private static func minute(_ bench: inout Bench, _ count: Int) -> [Effect] {
    var effects: [Effect] = []
    for _ in 0..<count {
      effects += bench.send("a", .acceleration()) + bench.pass(60 / Double(count))
    }
    return effects
  }

  @Test func moreThanItMaySendFires() {
    var bench = Self.rateBench { ($0.factor, $0.raisePerMin, $0.clearPerMin) = (nil, 20, 10) }
    #expect((Self.minute(&bench, 18) + Self.minute(&bench, 20)).alerts.isEmpty)
    #expect((Self.minute(&bench, 30) + Self.minute(&bench, 15)).alerts == ["rate a firing 1"])
    #expect((Self.minute(&bench, 15) + Self.minute(&bench, 8)).alerts.isEmpty)
    #expect(Self.minute(&bench, 8).alerts == ["rate a resolved 1"])
  }

  @Test(arguments: [(200, true), (50, false), (1, true), (4, false)])
  func farMoreOrLessThanUsualFires(count: Int, fires: Bool) {
    var bench = Self.rateBench { $0.factor = 10 }
    for _ in 0..<15 { #expect(Self.minute(&bench, 12).alerts.isEmpty) }
    let effects = Self.minute(&bench, count) + Self.minute(&bench, count)
    #expect(effects.alerts == (fires ? ["rate a firing 1"] : []))
  }

  @Test func nothingIsUsualBeforeItWasSeenForAWhile() {
    var bench = Self.rateBench { $0.factor = 3 }
    for count in [12, 12, 12, 120, 12, 12] { #expect(Self.minute(&bench, count).alerts.isEmpty) }
  }

  /// A node without coverage sends nothing, and then all that waited.
  @Test func anAbsenceAndItsBacklogAreNoAnomaly() {
    var bench = Self.rateBench { $0.factor = 3 }
    for _ in 0..<15 { _ = Self.minute(&bench, 12) }
    _ = bench.will("a")
    _ = bench.pass(3600)
    var effects = bench.send("a", .online(healthS: 80_000))
    for id in 1...500 { effects += bench.send("a", .shake(id), sentAgo: 1800) }
    for _ in 0..<3 { effects += Self.minute(&bench, 12) }
    #expect(effects.alerts.isEmpty)
    // Nor is the fleet tool's own.
    effects = bench.fleet.handle(.disconnected(reason: "lost"), at: bench.now) + bench.pass(3600)
    effects += bench.fleet.handle(.connected, at: bench.now)
    for _ in 0..<3 { effects += Self.minute(&bench, 12) }
    #expect(effects.alerts.isEmpty)
  }

  // MARK: Which nodes

  @Test func aRuleIsForTheNodesThatItSays() {
    var rules: [Rule] = []
    for (name, scope) in [
      ("by-name", Scope(nodes: [NamePattern("pump-*"), NamePattern("fan-?")])),
      ("by-site", Scope(sites: [NamePattern("h*")])),
      ("by-both", Scope(nodes: [NamePattern("pump-*")], groups: [NamePattern("water")])),
    ] {
      rules.append(Rule(name: name, .shake(Condition.Events()), scope: scope))
    }
    var configuration = FleetState.Configuration(graceS: 0, rules: rules)
    for (node, site, group) in [("pump-1", "hall", "water"), ("pump-2", "yard", nil), ("fan-1", "hall", "air")] {
      NodeName(node).map { configuration.labels[$0] = Label(site: site, group: group) }
    }
    var bench = Bench(configuration)
    func raised(_ node: String) -> [String] { bench.send(node, .shake(1)).fullAlerts.map(\.rule) }
    #expect(raised("pump-1") == ["by-name", "by-site", "by-both"])
    #expect(raised("pump-2") == ["by-name"])
    #expect(raised("fan-1") == ["by-name", "by-site"])
    #expect(raised("fan-10").isEmpty, "a node without a site is at none")
  }
}
