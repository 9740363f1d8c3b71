import FleetLogic
import Telemetry
import Testing

@Suite struct LostFixRuleTests {
  private let rule = Rule(name: "lost-fix", kind: .lostFix)

  @Test func firesAfterTheDurationAndResolvesAfterTheFixHeld() throws {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    bench.send("a", .fix())
    let lost = bench.send("a", .noFix())
    #expect(lost.alerts.isEmpty)
    #expect(lost.logLines.contains { $0.contains("pending") })
    #expect(bench.pass(59.9).alerts.isEmpty)
    let fired = bench.pass(0.2)
    #expect(fired.alerts == ["lost-fix a firing 1"])
    #expect(fired.fullAlerts.first?.previous == .pending)
    #expect(fired.fullAlerts.first?.summary == "a has had no position for 90 s: the receiver has no fix")
    bench.send("a", .fix())
    #expect(bench.pass(29).alerts.isEmpty)
    bench.send("a", .noFix(.stalled))
    bench.send("a", .fix())
    #expect(bench.pass(29).alerts.isEmpty, "the hold starts again")
    #expect(bench.pass(1.1).alerts == ["lost-fix a resolved 2"])
  }

  /// `for_s` counts from the message; what people read counts from the last position, however often the node says
  /// again that it has none.
  @Test func saysHowLongThereHasReallyBeenNoPosition() throws {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    bench.send("a", .fix())
    _ = bench.pass(30)
    bench.send("a", .noFix(ageS: 31))
    _ = bench.pass(40)
    bench.send("a", .noFix(.stalled, ageS: 71))
    let fired = try #require(bench.pass(20.1).fullAlerts.first)
    #expect(fired.value == 91)
    #expect(fired.summary == "a has had no position for 91 s: the receiver says nothing new")
    #expect(fired.since == WallTime(seconds: Bench.epoch + 30), "since when it says so")
    bench.send("a", .fix(lostS: 95.5))
    #expect(bench.fleet.firingAlerts(at: bench.now).first?.summary.hasPrefix("a had no position for 95 s;") == true)
    let resolved = try #require(bench.pass(30.1).fullAlerts.first)
    #expect(resolved.value == 95.5, "how long there was none, not how long the alert lasted")
  }

  @Test func saysNoTimeThatNobodyKnows() throws {
    var bench = Bench(rule: rule)
    bench.send("a", .online(), retained: true, clock: .none)
    bench.send("a", .noFix(), retained: true, clock: .none)
    let fired = try #require(bench.pass(60).fullAlerts.first)
    #expect(fired.value == nil)
    #expect(fired.summary == "a has had no position: the receiver has no fix")
  }

  @Test func aShortLossRaisesNothing() {
    var bench = Bench(rule: rule)
    bench.send("a", .noFix())
    _ = bench.pass(59)
    #expect(bench.send("a", .fix()).logLines.contains { $0.contains("not raised") })
    #expect(bench.pass(200).alerts.isEmpty)
  }

  @Test func aBacklogRaisesNothing() {
    var bench = Bench(rule: rule)
    bench.send("a", .noFix(backlog: true))
    #expect(bench.pass(100).alerts.isEmpty)
  }

  @Test func aRetainedLossCounts() {
    var bench = Bench(rule: rule)
    bench.send("a", .online(), retained: true)
    bench.send("a", .noFix(), retained: true, sentAgo: 3600)
    let fired = bench.pass(60)
    #expect(fired.alerts == ["lost-fix a firing 1"])
    #expect(fired.fullAlerts.first?.since == WallTime(seconds: Bench.epoch - 3600))
  }

  @Test func aLostNodeSuppressesIt() {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    bench.send("a", .noFix())
    _ = bench.pass(50)
    #expect(bench.will("a").logLines.contains { $0.contains("not raised, since the node is lost") })
    #expect(bench.pass(500).alerts.isEmpty)
    bench.send("a", .online())
    #expect(bench.pass(60).alerts == ["lost-fix a firing 1"], "still without a fix once it is back")
  }

  @Test func whatFiresAlreadyStaysWhileTheNodeIsLost() {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    bench.send("a", .noFix())
    _ = bench.pass(61)
    _ = bench.will("a")
    #expect(bench.pass(500).alerts.isEmpty)
    #expect(bench.fleet.firingCount == 1)
  }

  @Test func aStoppedNodeOwesNoPosition() {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    bench.send("a", .noFix())
    _ = bench.pass(61)
    #expect(bench.send("a", .stopped).alerts == ["lost-fix a resolved 1"])
  }
}

@Suite struct SilentRuleTests {
  private let rule = Rule(name: "silent", kind: .silent)

  @Test func firesAfterTwoAndAHalfIntervals() {
    var bench = Bench(rule: rule)
    bench.send("a", .online(healthS: 100))
    #expect(bench.pass(249).alerts.isEmpty)
    let fired = bench.pass(1.5)
    #expect(fired.alerts == ["silent a firing 1"])
    #expect(fired.fullAlerts.first?.summary == "a has said nothing for 250 s")
    #expect(bench.node("a")?.presence == .silent)
    #expect(bench.send("a", .health).alerts.isEmpty)
    #expect(bench.node("a")?.presence == .online)
    #expect(bench.pass(10).alerts == ["silent a resolved 1"])
  }

  @Test func anythingHeardStartsTheTimeAnew() {
    var bench = Bench(rule: rule)
    bench.send("a", .online(healthS: 100))
    for _ in 0..<20 {
      #expect(bench.pass(200).alerts.isEmpty)
      bench.send("a", .acceleration())
    }
  }

  @Test func itsOwnDurationComesFirst() {
    var short = rule
    short.forS = 20
    var bench = Bench(rule: short)
    bench.send("a", .online(healthS: 300))
    #expect(bench.pass(20.1).alerts == ["silent a firing 1"])
    #expect(bench.node("a")?.presence == .online, "the state follows what the node promised")
  }

  @Test func aWillFiresAfterTheHold() {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    #expect(bench.will("a").alerts.isEmpty)
    #expect(bench.node("a")?.presence == .lost)
    #expect(bench.pass(29.5).alerts.isEmpty)
    let fired = bench.pass(1)
    #expect(fired.alerts == ["silent a firing 1"])
    #expect(fired.fullAlerts.first?.summary == "a lost its connection; nothing heard for 30 s")
    #expect(fired.fullAlerts.first?.reason == "its will came 30 s ago and it has not come back")
  }

  @Test func aNodeBackWithinTheHoldIsAFlap() {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    for _ in 0..<3 {
      _ = bench.will("a")
      #expect(bench.pass(25).alerts.isEmpty)
      bench.send("a", .online())
      #expect(bench.pass(100).alerts.isEmpty)
    }
    #expect(bench.node("a")?.flaps == 3)
    #expect(bench.node("a")?.wills == 3)
  }

  @Test func aStoppedNodeIsNotSilent() {
    var bench = Bench(rule: rule)
    bench.send("a", .online(healthS: 10))
    bench.send("a", .stopped)
    bench.send("a", .fix())
    #expect(bench.node("a")?.presence == .stopped, "an event that was still on its way")
    #expect(bench.pass(10_000).alerts.isEmpty)
    _ = bench.will("a")
    #expect(bench.node("a")?.presence == .stopped)
  }

  @Test func goodByeResolvesIt() {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    _ = bench.will("a")
    _ = bench.pass(40)
    let effects = bench.send("a", .stopped)
    #expect(effects.alerts == ["silent a resolved 1"])
    #expect(effects.fullAlerts.first?.summary == "a was stopped")
  }

  @Test func aNodeNeverHeardLiveIsJudgedFromTheFirstMomentOn() {
    var bench = Bench(rule: rule)
    bench.send("a", .online(healthS: 100), retained: true, sentAgo: 9999)
    bench.send("b", .fix(), retained: true)
    #expect(bench.pass(249).alerts.isEmpty)
    #expect(bench.pass(2).alerts == ["silent a firing 1"], "b never said that it is online")
  }

  @Test func aRetainedStatusDoesNotWakeASilentNode() {
    var bench = Bench(rule: rule)
    bench.send("a", .online(healthS: 100))
    _ = bench.pass(300)
    bench.send("a", .online(healthS: 100), retained: true)
    #expect(bench.node("a")?.presence == .silent)
    #expect(bench.pass(100).alerts.isEmpty)
    #expect(bench.fleet.firingCount == 1)
  }

  @Test func awayWithinTheClearHoldIsTheSameAlert() {
    var bench = Bench(rule: rule)
    bench.send("a", .online())
    _ = bench.will("a")
    #expect(bench.pass(31).alerts == ["silent a firing 1"])
    bench.send("a", .online())
    _ = bench.pass(5)
    _ = bench.will("a")
    #expect(bench.pass(100).alerts.isEmpty)
    bench.send("a", .online())
    #expect(bench.pass(11).alerts == ["silent a resolved 2"])
  }
  /// A rule may be stricter than what the node promised: it is silent for that rule, though it still counts as online.
  @Test func aStrictRuleDoesNotSayThatTheNodeIsBack() throws {
    var strict = rule
    strict.forS = 20
    var bench = Bench(rule: strict)
    bench.send("a", .status(StatusMessage(.online)))
    let alert = try #require(bench.pass(21).fullAlerts.first)
    #expect(alert.summary == "a has said nothing for 20 s")
  }
}

@Suite struct GeofenceRuleTests {
  private static func rule(_ fence: String? = nil) -> Rule {
    var geofence = Condition.Geofence()
    geofence.fence = fence
    return Rule(name: "fence", .geofence(geofence))
  }

  @Test func firesAtLeaveAndResolvesAtEnter() throws {
    var bench = Bench(rule: Self.rule("depot"))
    #expect(bench.send("a", .crossing(.enter, isFirst: true)).alerts.isEmpty)
    let left = bench.send("a", .crossing(.leave), sentAgo: 30)
    #expect(left.alerts == ["fence a firing 1"])
    let alert = try #require(left.fullAlerts.first)
    #expect(alert.summary == "a left the fence depot")
    #expect(alert.since == WallTime(seconds: Bench.epoch - 30))
    #expect(alert.severity == .warning)
    #expect(alert.value == nil, "a crossing has no size")
    #expect(bench.send("a", .stopped).alerts.isEmpty, "it is still out")
    _ = bench.pass(60)
    let entered = bench.send("a", .crossing(.enter), boot: 2)
    #expect(entered.alerts == ["fence a resolved 1"])
    #expect(entered.fullAlerts.first?.summary == "a is in the fence depot again")
  }

  @Test func otherFencesOnlyCountWhereAnyDoes() {
    var named = Bench(rule: Self.rule("depot"))
    #expect(named.send("a", .crossing(.leave, of: "yard")).alerts.isEmpty)
    var any = Bench(rule: Self.rule())
    #expect(any.send("a", .crossing(.leave, of: "yard")).alerts == ["fence a firing 1"])
    #expect(any.send("a", .crossing(.enter, of: "depot")).alerts == ["fence a resolved 1"])
  }

  /// After an outage the newest comes first and the backlog later, some of it twice.
  @Test func crossingsThatComeLateOrTwiceChangeNothing() throws {
    for fence in ["depot", nil] {
      var bench = Bench(rule: Self.rule(fence))
      #expect(bench.send("a", .crossing(.leave), seq: 7).alerts == ["fence a firing 1"])
      for sequence: UInt64 in [6, 5, 7] {
        #expect(bench.send("a", .crossing(.enter), seq: sequence, sentAgo: 60).alerts.isEmpty, "\(sequence)")
      }
      let node = try #require(bench.node("a"))
      #expect(node.counts[.geofence] == 3)
      #expect(node.duplicates == 1)
      #expect(node.late == 2)
      #expect(bench.send("a", .crossing(.enter), seq: 8).alerts == ["fence a resolved 1"])
    }
  }

  /// An hour late, and still so: other than a shake, it lasts.
  @Test func leaveFromABacklogCounts() {
    var bench = Bench(rule: Self.rule("depot"))
    #expect(bench.send("a", .crossing(.leave), sentAgo: 3600).alerts == ["fence a firing 1"])
  }

  @Test func durationsHoldItBack() {
    var rule = Self.rule("depot")
    rule.forS = 60
    rule.clearForS = 10
    var bench = Bench(rule: rule)
    bench.send("a", .crossing(.leave))
    #expect(bench.pass(30).alerts.isEmpty)
    bench.send("a", .crossing(.enter))
    #expect(bench.pass(90).alerts.isEmpty)
    bench.send("a", .crossing(.leave))
    #expect(bench.pass(61).alerts == ["fence a firing 1"])
    bench.send("a", .crossing(.enter))
    #expect(bench.pass(11).alerts == ["fence a resolved 1"])
  }

  @Test func fencesRememberedAreBounded() throws {
    var bench = Bench(rule: Self.rule("f0"))
    for index in 0..<500 { bench.send("a", .crossing(.leave, of: "f\(index)")) }
    #expect(try #require(bench.node("a")).crossings.count == 200)
  }

  @Test func noRuleOfThisKindHoldsUnlessAsked() {
    #expect(!Rule.defaults.contains { $0.kind == .geofence })
  }
}
