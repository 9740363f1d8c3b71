import FleetLogic
import Telemetry
import Testing

/// Rules tried on what was stored.
@Suite struct RehearsalTests {
  private static func stored(_ script: (inout Bench) -> [Effect]) -> [KeptEvent] {
    var bench = Bench(FleetState.Configuration(graceS: 0, rules: [], keeps: true))
    return script(&bench).compactMap { if case .keep(.event(let event)) = $0 { event } else { nil } }
  }

  private static func alerts(
    _ events: [KeptEvent], _ rule: Rule, until endS: Double = 1e5
  ) -> (lines: [String], rehearsal: Rehearsal) {
    var rehearsal = Rehearsal(FleetState.Configuration(rules: [rule]), first: events[0].received)
    var alerts = events.flatMap { rehearsal.take($0) }
    alerts += rehearsal.finish(at: events[0].received + endS)
    return (alerts.map { "\($0.rule) \($0.subject) \($0.state.rawValue)" }, rehearsal)
  }

  @Test func shakesFireAndResolveAtTheTimesOfTheirReceipt() throws {
    let events = Self.stored { bench in
      var effects = bench.send("a", .shake(1, .ended))
      effects += bench.pass(3600)
      return effects + bench.send("b", .shake(1, .ended))
    }
    let (lines, rehearsal) = Self.alerts(events, Rule(name: "shake", kind: .shake))
    #expect(
      lines == ["shake a firing", "shake a resolved", "shake b firing", "shake b resolved"])
    #expect(rehearsal.counts["shake"]?.told == 2)
    #expect(rehearsal.counts["shake"]?.subjects == ["a", "b"])
    #expect(rehearsal.events == 2)
    #expect(rehearsal.firing.isEmpty)
  }

  /// A node that only publishes events would look silent, which must not keep its lost fix from being told.
  @Test func aLossThatLastsIsToldThoughNothingElseIsKept() {
    let events = Self.stored { bench in
      var effects = bench.send("a", .fix())
      effects += bench.pass(7200)
      effects += bench.send("a", .noFix())
      effects += bench.pass(7200)
      return effects + bench.send("a", .fix())
    }
    let (lines, _) = Self.alerts(events, Rule(name: "lost-fix", kind: .lostFix))
    #expect(lines == ["lost-fix a firing", "lost-fix a resolved"])
  }

  @Test func whatWouldNotBeToldIsCounted() throws {
    let events = Self.stored { $0.send("a", .shake(1, .ended)) }
    var rule = Rule(name: "shake", kind: .shake)
    rule.times.only = ["never"]
    let (lines, rehearsal) = Self.alerts(events, rule)
    #expect(lines.isEmpty)
    #expect(rehearsal.counts["shake"]?.told == 0)
    #expect((rehearsal.counts["shake"]?.muted ?? 0) >= 1)
  }

  @Test func aRuleThatIsBlindToTheHistorySaysSo() {
    for kind in Rehearsal.blindKinds { #expect(kind != .shake && kind != .lostFix && kind != .geofence) }
    #expect(Set(Rehearsal.blindKinds).count == 7)
  }
}
