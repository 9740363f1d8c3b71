import Telemetry
import Testing

@testable import FleetLogic

/// A shake counts once, in whatever order its phases come, and however late.
@Suite struct CountedShakeTests {
  private static func rule(_ change: (inout Condition.Events) -> Void = { _ in }) -> Rule {
    var events = Condition.Events()
    change(&events)
    return Rule(name: "shake", .shake(events))
  }

  @Test func theLateEndOfOneThatKnockedTheLinkOutIsNotAnotherShake() {
    var bench = Bench(rule: Self.rule())
    bench.send("a", .online())
    #expect(bench.send("a", .shake(1)).alerts == ["shake a firing 1"])
    #expect((bench.will("a") + bench.pass(20)).alerts == ["shake a resolved 1"])
    bench.send("a", .online())
    #expect((bench.send("a", .shake(1, .ended), sentAgo: 20) + bench.pass(60)).alerts.isEmpty)
    #expect(bench.send("a", .shake(2)).alerts == ["shake a firing 1"], "another is another")
  }

  @Test func itIsKnownAfterARestart() {
    var bench = Bench(FleetState.Configuration(graceS: 0, rules: [Self.rule()], keeps: true))
    var store = MemoryStore()
    func run(_ effects: [Effect]) -> [String] {
      store.take(effects)
      for alert in effects.fullAlerts { store.take(bench.fleet.handle(.told(alert), at: bench.now)) }
      return effects.alerts
    }
    #expect(run(bench.send("a", .shake(1))) == ["shake a firing 1"])
    #expect(run(bench.will("a") + bench.pass(60)) == ["shake a resolved 1"])
    #expect(run(bench.restart(store)).isEmpty)
    #expect(run(bench.send("a", .shake(1, .ended), sentAgo: 30)).isEmpty)
    #expect(run(bench.send("a", .shake(2))) == ["shake a firing 1"])
  }

  @Test func phasesInDisorderCountEachShakeOnce() {
    var counted = Bench(rule: Self.rule { $0.count = 3 })
    var single = Bench(rule: Self.rule())
    var alerts: [String] = []
    for body in [Telegram.Body.shake(1), .shake(2), .shake(2, .ended), .shake(1, .ended)] {
      #expect(counted.send("b", body).alerts.isEmpty)
      alerts += single.send("b", body).alerts
    }
    alerts += single.pass(20).alerts
    #expect(alerts == ["shake b firing 1", "shake b resolved 2"])
    #expect(counted.send("b", .shake(3)).alerts == ["shake b firing 3"])
  }

  @Test func anEarlierShakesEndMakesItStrongerAndEndsNothing() {
    var bench = Bench(rule: Self.rule())
    bench.send("b", .shake(1, peak: 1))
    bench.send("b", .shake(2, peak: 1))
    #expect((bench.send("b", .shake(1, .ended, peak: 3)) + bench.pass(30)).alerts.isEmpty, "the second goes on")
    let effects = bench.send("b", .shake(2, .ended, peak: 2)) + bench.pass(11)
    #expect(effects.fullAlerts.map(\.value) == [3])
  }

  @Test func whatIsRememberedIsForgotten() {
    var bench = Bench(rule: Self.rule())
    for id in 1...100 { bench.send("a", .shake(id)) }
    let key = bench.fleet.records.keys.first
    #expect(key.flatMap { bench.fleet.records[$0] }?.memory.shakes.count == RuleMemory.mostShakes)
    _ = bench.pass(5000)
    #expect(bench.fleet.records.isEmpty)
  }
}
