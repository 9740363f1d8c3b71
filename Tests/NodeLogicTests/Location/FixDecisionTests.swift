import Telemetry
import Testing

@testable import NodeLogic

/// Every fix gets a decision with its reason.
@Suite("Fix decisions") struct FixDecisionTests {
  private func texts(_ node: LocationFixture) -> [String] { node.decisions.map(\.text) }

  @Test func eachEpochGetsOneInWordsAndNumbers() {
    var node = LocationFixture(LocationTracker.Settings(maxAccuracyM: 50))
    node.fix(at: 0)
    node.fix(at: 1, north: 10)
    node.fix(at: 2, accuracyM: 90)
    node.fix(at: 3, north: 31)
    node.fix(at: 4, north: 40_000)
    node.pass(to: 5)
    #expect(
      texts(node) == [
        "published: first",
        "withheld: 10 m from the last published, 25 m needed; interval in 299 s",
        "rejected: accuracy 90 m, worse than 50 m",
        "published: distance, 31 m from the last published, 25 m needed",
        "rejected: 39969 m in 1.0 s, no vehicle comes farther than 121 m at 100 m/s",
      ])
    #expect(node.tracker.counters.epochs == 5)
    #expect(node.tracker.counters.withheld == 1)
  }

  @Test func aParkedNodeSaysHowFarDriftMayGo() {
    var node = LocationFixture()
    for second in 0..<200 { node.fix(at: Double(second)) }
    node.fix(at: 200, north: 12)
    node.fix(at: 201, north: 40)
    node.pass(to: 201.5)
    #expect(
      texts(node).suffix(2) == [
        "withheld: standing, 12 m from there, up to 18 m is drift (accuracy 5.0 m)",
        "withheld: 40 m from where it stood, more than 18 m, in 1 fix: not sure yet",
      ])
  }

  @Test func refusedReportsGetOneToo() {
    var node = LocationFixture()
    node.fix(at: 0, time: 0)
    node.fix(at: 1, time: 1, status: 8)
    node.fix(at: 2, time: 0)
    node.fix(at: 2.5, device: "/dev/b")
    node.noFix(at: 3)
    #expect(
      texts(node) == [
        "published: first", "rejected: from a simulator", "rejected: the fix time has been the same for 2.0 s",
        "withheld: /dev/a is followed",
      ])
  }

  @Test func theOtherReportsOfAnEpochGetNone() {
    var node = LocationFixture()
    node.fix(at: 0, time: 0)
    node.fix(at: 0.1, time: 0)
    node.fix(at: 0.5, time: 0)
    node.pass(to: 1)
    #expect(texts(node) == ["published: first"])
  }

  @Test func comesBeforeTheMessageThatItLeadsTo() {
    var tracker = LocationTracker()
    _ = tracker.handle(.report(.position(FixMaker.report(at: 0))), at: .start)
    let outputs = tracker.tick(at: Instant(seconds: 0.3))
    #expect(outputs.map(\.isMessage) == [false, true])
    #expect(outputs.first?.message(clock: ClockState(wallAtStart: WallTime(seconds: 0), quality: .none)) == nil)
  }

  @Test func allReasonsReadWell() {
    let leap = FixDecision.Leap(distanceM: 900, durationS: 1, reachM: 70, agreeing: 2)
    let speeding = FixDecision.Rejection.reportedSpeed(speedMPS: 140, limitMPS: 100)
    #expect(speeding.text == "reported speed 140 m/s, above 100 m/s")
    let leaping = FixDecision.Rejection.acceleration(leap, limitMPS2: 15)
    #expect(
      leaping.text == "900 m in 1.0 s, no vehicle comes farther than 70 m at 15 m/s2; 2 such fixes agree")
    var decision = FixDecision(fix: FixMaker.fix(at: 0), verdict: .published(.distance))
    decision.isJump = true
    #expect(decision.text == "published: distance, elsewhere than before: rejected fixes agree")
    (decision.isJump, decision.movedM, decision.neededM, decision.departureM) = (false, 14, 25, 51)
    #expect(decision.text == "published: distance, 51 m from where it stood, 25 m needed")
  }
}
