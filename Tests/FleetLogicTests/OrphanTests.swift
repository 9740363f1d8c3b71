import FleetLogic
import Telemetry
import Testing

/// A rule is taken out of the configuration while its alert fires.
@Suite struct OrphanTests {
  /// An alert that fires, told to the sink `pager`.
  private func firing(isTold: Bool = true) throws -> (bench: Bench, store: MemoryStore, fired: Alert) {
    var rule = Rule(name: "shake", kind: .shake)
    rule.sinks = ["pager"]
    var configuration = FleetState.Configuration(graceS: 0, rules: [rule], keeps: true)
    configuration.labels = [try #require(NodeName("a")): Label(title: "Pump", site: "north", group: "pumps")]
    var bench = Bench(configuration)
    var store = MemoryStore()
    store.take(bench.send("a", .online()))
    let effects = bench.send("a", .shake(1))
    store.take(effects)
    let fired = try #require(effects.fullAlerts.first)
    if isTold { store.take(bench.fleet.handle(.told(fired), at: bench.now)) }
    return (bench, store, fired)
  }

  /// Started anew with other rules.
  private func restart(_ bench: inout Bench, _ store: inout MemoryStore, rules: [Rule] = []) -> [Effect] {
    bench.now = bench.now + 5
    bench.fleet = FleetState(
      FleetState.Configuration(graceS: 0, rules: rules, keeps: true),
      clock: ClockState(wallAtStart: WallTime(seconds: Bench.epoch), quality: .ntp))
    let effects = bench.fleet.restore(store.kept, at: bench.now)
    store.take(effects)
    return effects
  }

  @Test func whoeverHeardThatItFiresIsToldThatItIsOver() throws {
    var (bench, store, fired) = try firing()
    let over = try #require(restart(&bench, &store).fullAlerts.first)
    #expect(over.id == fired.id && over.state == .resolved && over.previous == .firing)
    #expect(over.reason == "no rule stands for it any more")
    #expect((over.kind, over.severity) == (fired.kind, fired.severity), "what an Alertmanager knows it by")
    #expect(over.label == fired.label && over.sinks == ["pager"])
    #expect(over.since == fired.since && over.at.wall.seconds == Bench.epoch + 5)
    let decision = try #require(store.decisions.last)
    #expect(decision.step == .forgotten && decision.told?.state == .resolved)
  }

  @Test func itIsToldUntilEverySinkKnowsAndThenForgotten() throws {
    var (bench, store, _) = try firing()
    let first = try #require(restart(&bench, &store).fullAlerts.first)
    // It ended before a sink took it.
    let again = restart(&bench, &store).fullAlerts
    #expect(again.map(\.id) == [first.id] && again.map(\.state) == [.resolved])
    #expect(again.first?.mayHaveBeenTold == true)
    #expect(store.decisions.filter { $0.step == .forgotten }.count == 1)
    store.take(bench.fleet.handle(.told(try #require(again.first)), at: bench.now))
    #expect(store.alerts.isEmpty)
    #expect(restart(&bench, &store).fullAlerts.isEmpty)
  }

  @Test func whatMayNotHaveBeenToldIsToldWithItsEnd() throws {
    var (bench, store, fired) = try firing(isTold: false)
    let told = restart(&bench, &store).fullAlerts
    #expect(told.map(\.state) == [.firing, .resolved] && Set(told.map(\.id)) == [fired.id])
    for alert in told { store.take(bench.fleet.handle(.told(alert), at: bench.now)) }
    #expect(store.alerts.isEmpty)
  }

  @Test func whatNobodyHeardOfIsForgottenInSilence() throws {
    var configuration = FleetState.Configuration(graceS: 0, rules: [Rule(name: "lost-fix", kind: .lostFix)])
    configuration.keeps = true
    var bench = Bench(configuration)
    var store = MemoryStore()
    store.take(bench.send("a", .online()))
    store.take(bench.send("a", .noFix()))
    #expect(store.alerts.count == 1, "pending")
    #expect(restart(&bench, &store).fullAlerts.isEmpty && store.alerts.isEmpty)
    #expect(store.decisions.last?.step == .forgotten)
  }

  @Test func aRuleThatConcernsOtherNodesNowStandsForItNoMore() throws {
    var (bench, store, fired) = try firing()
    var other = Rule(name: "shake", kind: .shake)
    other.scope.nodes = [NamePattern("b*")]
    let over = restart(&bench, &store, rules: [other]).fullAlerts
    #expect(over.map(\.id) == [fired.id] && over.map(\.state) == [.resolved])
  }
}
