import Telemetry
import Testing

@testable import FleetLogic

/// What is not told, and what is not to be told too early.
@Suite struct MutedLifeTests {
  @Test func aSilencedNodeThatIsDeadMakesNoGroupOfABlip() {
    var hall = Hall(6)
    hall.run { $0.will("n0") }
    _ = hall.pass(100)
    _ = hall.silence("s", Matchers(subject: NamePattern("n0")), forS: 100_000)
    hall.told = []
    for index in 1..<5 { hall.run { $0.will("n\(index)") } }
    _ = hall.pass(5)
    for index in 1..<5 { hall.run { $0.send("n\(index)", .online(healthS: 80_000)) } }
    _ = hall.pass(200)
    #expect(hall.told.isEmpty, "\(hall.told)")
  }

  @Test func aRepeatWaitsForTheGraceAfterTheLinksReturn() {
    var silent = Rule(name: "silent", kind: .silent)
    silent.repeatS = 3600
    silent.grouping = nil
    var bench = Bench(FleetState.Configuration(graceS: 30, rules: [silent]))
    bench.send("a", .online(healthS: 80_000))
    #expect((bench.will("a") + bench.pass(60)).alerts == ["silent a firing 1"])
    _ = bench.fleet.handle(.disconnected(reason: "gone"), at: bench.now)
    _ = bench.pass(7200)
    #expect(bench.fleet.handle(.connected, at: bench.now).alerts.isEmpty)
    let back = bench.send("a", .online(healthS: 80_000)) + bench.pass(60)
    #expect(back.alerts == ["silent a resolved 1"], "\(back.alerts)")
  }

  @Test func whoHasSeenThatOneComesAndGoesIsRemembered() {
    var hall = Hall(1)
    func blink() {
      hall.run { $0.send("n0", .noFix()) }
      _ = hall.pass(12)
      hall.run { $0.send("n0", .fix()) }
      _ = hall.pass(12)
    }
    for _ in 0..<6 { blink() }
    hall.run { $0.send("n0", .noFix()) }
    _ = hall.pass(12)
    _ = hall.order(.acknowledge(Matchers(), author: "kim", comment: "on it"))
    func seen() -> String? {
      hall.bench.fleet.firingAlerts(at: hall.bench.now).first?.acknowledgement?.author
    }
    #expect(seen() == "kim")
    hall.run { $0.send("n0", .fix()) }
    _ = hall.pass(12)
    hall.run { $0.send("n0", .noFix()) }
    _ = hall.pass(12)
    #expect(seen() == "kim")
  }

  @Test func whoHeardThatItFiresHearsOfTheEndWhateverTheRuleSaysNow() {
    var lost = Rule(name: "lost-fix", kind: .lostFix)
    (lost.forS, lost.clearForS, lost.sinks) = (10, 5, ["pager", "chat"])
    var bench = Bench(FleetState.Configuration(graceS: 0, rules: [lost], keeps: true))
    var store = MemoryStore()
    func take(_ effects: [Effect]) -> [Alert] {
      store.take(effects)
      for alert in effects.fullAlerts { store.take(bench.fleet.handle(.told(alert), at: bench.now)) }
      return effects.fullAlerts
    }
    #expect(take(bench.send("a", .noFix()) + bench.pass(11)).map(\.sinks) == [["pager", "chat"]])
    lost.sinks = ["mail"]
    bench.now = bench.now + 1
    bench.fleet = FleetState(
      FleetState.Configuration(graceS: 0, rules: [lost], keeps: true), clock: bench.fleet.clock)
    _ = take(bench.fleet.restore(store.kept, at: bench.now) + bench.fleet.handle(.connected, at: bench.now))
    let over = take(bench.send("a", .fix()) + bench.pass(10))
    #expect(over.map(\.state) == [.resolved] && over.map(\.sinks) == [["mail", "pager", "chat"]])
  }

  @Test func aNodeWithoutAPositionHasNoPoorOne() {
    var poor = Condition.PoorFix()
    (poor.raiseM, poor.clearM) = (50, 30)
    var rule = Rule(name: "poor-fix", .poorFix(poor))
    rule.forS = 300
    var bench = Bench(rule: rule)
    var position = LocationMessage.Position(dimensions: 3, latitude: 47, longitude: 8, ageS: 1, cause: .interval)
    position.accuracyM = 80
    bench.send("a", .location(.fixed(position)))
    _ = bench.pass(10)
    #expect((bench.send("a", .noFix()) + bench.pass(600)).alerts.isEmpty)
  }
}
