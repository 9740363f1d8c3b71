import FleetLogic
import Telemetry
import Testing

@Suite struct ShakeRuleTests {
  private let rule = Rule(name: "shake", kind: .shake)

  @Test func firesWhenAShakeBeginsAndResolvesAfterTheQuiet() throws {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    let began = bench.send("a", .shake(1))
    #expect(began.alerts == ["shake a firing 1"])
    let alert = try #require(began.fullAlerts.first)
    #expect(alert.summary == "a shook, peak 1.80 g")
    #expect(alert.value == 1.8)
    #expect(bench.pass(3).alerts.isEmpty)
    #expect(bench.send("a", .shake(1, .ended, peak: 2.1)).alerts.isEmpty)
    #expect(bench.pass(9.9).alerts.isEmpty)
    let resolved = bench.pass(0.2)
    #expect(resolved.alerts == ["shake a resolved 1"])
    #expect(resolved.fullAlerts.first?.summary == "a is quiet again after a shake, peak 2.10 g")
    #expect(bench.fleet.firingCount == 0)
  }

  @Test func goesOnWhileTheShakeGoesOn() {
    var bench = Bench(rule: rule)
    bench.send("a", .shake(1))
    #expect(bench.pass(60).alerts.isEmpty)
    bench.send("a", .shake(1, .cancelled))
    #expect(bench.pass(10).alerts == ["shake a resolved 1"])
  }

  @Test func anotherShakeDuringTheQuietRaisesTheCountOnly() throws {
    var bench = Bench(rule: rule)
    bench.send("a", .shake(1))
    bench.send("a", .shake(1, .ended))
    _ = bench.pass(9)
    let second = bench.send("a", .shake(2, peak: 0.9))
    #expect(second.alerts.isEmpty)
    let published = try AlertMessage.decode(payload: #require(second.publications.first).payload)
    #expect(published.count == 2)
    bench.send("a", .shake(2, .ended, peak: 0.9))
    #expect(bench.pass(9).alerts.isEmpty)
    #expect(bench.pass(2).alerts == ["shake a resolved 2"])
  }

  @Test func aShakeWhoseEndIsNeverHeardOfIsOverSomeTime() {
    var bench = Bench(rule: rule)
    bench.send("a", .online(healthS: 1000))
    bench.send("a", .shake(1))
    #expect(bench.pass(309).alerts.isEmpty)
    #expect(bench.pass(2).alerts == ["shake a resolved 1"])
  }

  @Test func aWeakShakeDoesNotCountUntilItIsStrong() {
    var events = Condition.Events()
    events.minPeakG = 1.5
    let strong = Rule(name: "shake", .shake(events))
    var bench = Bench(rule: strong)
    #expect(bench.send("a", .shake(1, peak: 1.0)).alerts.isEmpty)
    #expect(bench.send("a", .shake(1, .ended, peak: 1.6)).alerts == ["shake a firing 1"])
    #expect(bench.pass(10).alerts == ["shake a resolved 1"])
    bench.send("a", .shake(2, peak: 1.0))
    #expect(bench.send("a", .shake(2, .ended, peak: 1.2)).alerts.isEmpty)
  }

  @Test func cancelledAloneDoesNotFire() {
    var bench = Bench(rule: rule)
    #expect(bench.send("a", .shake(1, .cancelled)).alerts.isEmpty)
  }

  @Test func retainedOldDuplicateAndFormerShakesDoNotFire() {
    var bench = Bench(rule: rule)
    bench.send("a", .online(), boot: 1)
    bench.send("a", .online(), boot: 2)
    #expect(bench.send("a", .shake(9), boot: 2, retained: true).alerts.isEmpty)
    #expect(bench.send("a", .shake(9), boot: 1).alerts.isEmpty)
    #expect(bench.send("a", .shake(1), boot: 2, sentAgo: 301).alerts.isEmpty)
    #expect(bench.send("a", .shake(2), boot: 2, seq: 40).alerts == ["shake a firing 1"])
    #expect(bench.send("a", .shake(2), boot: 2, seq: 40).publications.isEmpty)
  }

  @Test func anOldShakeFiresWhenTheClockIsWorthNothing() {
    var bench = Bench(rule: rule)
    #expect(bench.send("a", .shake(1), clock: .none, sentAgo: 9999).alerts == ["shake a firing 1"])
  }

  @Test func aDurationHoldsItBack() {
    var slow = rule
    slow.forS = 5
    var bench = Bench(rule: slow)
    bench.send("a", .shake(1))
    bench.send("a", .shake(1, .ended))
    #expect(bench.pass(20).alerts.isEmpty)
    bench.send("a", .shake(2))
    #expect(bench.pass(5).alerts == ["shake a firing 1"])
  }

  @Test func onlyNodesOfThePatternCount() {
    var bench = Bench(rule: Rule(name: "shake", kind: .shake, nodes: NamePattern("pump-*")))
    #expect(bench.send("a", .shake(1)).alerts.isEmpty)
    #expect(bench.send("pump-1", .shake(1)).alerts == ["shake pump-1 firing 1"])
  }
}
