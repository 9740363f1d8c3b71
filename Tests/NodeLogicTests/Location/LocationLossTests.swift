import NodeLogic
import Rig
import Telemetry
import Testing

@Suite struct LocationLossTests {
  @Test func saysThatItNeverHadAFix() throws {
    var node = LocationFixture()
    for second in 0..<40 { node.noFix(at: Double(second)) }
    #expect(node.story == ["lost(no_fix)@30.0"])
    guard case .lost(let loss)? = node.outputs.first?.message(clock: clock) else {
      Issue.record("no loss")
      return
    }
    #expect(loss == LocationMessage.Loss(reason: .noFix, last: nil))
    node.fix(at: 41)
    node.pass(to: 42)
    #expect(node.story.last == "first@41.3")
  }

  @Test func losesTheFixWhenTheReceiverSaysSoForLong() throws {
    var node = LocationFixture()
    node.fix(at: 0)
    for second in 1..<60 { node.noFix(at: Double(second)) }
    #expect(node.story == ["first@0.3", "lost(no_fix)@30.0"])
    guard case .lost(let loss)? = node.outputs.last?.message(clock: clock) else {
      Issue.record("no loss")
      return
    }
    #expect(
      loss.last
        == LocationMessage.Loss.Last(
          latitude: 47, longitude: 8, accuracyM: 5, time: WallTime(seconds: 1_800_000_000), ageS: 30))
    node.fix(at: 60, north: 1)
    node.pass(to: 61)
    #expect(node.story.last == "regained@60.3")
    #expect(abs(try #require(node.positions.last?.movedM) - 1) < 0.01)
  }

  @Test func bearsAShortLoss() {
    var node = LocationFixture()
    node.fix(at: 0)
    for second in 1..<29 { node.noFix(at: Double(second)) }
    node.fix(at: 29)
    node.pass(to: 50)
    #expect(node.story == ["first@0.3"])
  }

  @Test func losesAtTheFirstReportWithoutAFixWhereTheSettingIsZero() {
    var settings = LocationTracker.Settings(lostAfterS: 0)
    settings.settleS = 0
    var node = LocationFixture(settings)
    node.noFix(at: 0)
    node.fix(at: 1)
    node.noFix(at: 2)
    node.noFix(at: 3)
    node.fix(at: 4)
    #expect(node.story == ["lost(no_fix)@0.0", "first@1.0", "lost(no_fix)@2.0", "regained@4.0"])
  }

  @Test func callsAReceiverStalledThatRepeatsItsTime() {
    var node = LocationFixture()
    node.fix(at: 0, time: 0)
    for second in 1..<60 { node.fix(at: Double(second), time: 0) }
    #expect(node.story == ["first@0.3", "lost(stalled)@30.0"])
    #expect(node.tracker.counters.repeated == 59)
    node.fix(at: 60, time: 60)
    node.pass(to: 61)
    #expect(node.story.last == "regained@60.3")
  }

  @Test func aStallIsNotEndedByTheOldFixAfterALoss() {
    var node = LocationFixture()
    node.fix(at: 0, time: 0)
    for second in 1..<40 { node.noFix(at: Double(second)) }
    for second in 40..<60 { node.fix(at: Double(second), time: 0) }
    #expect(node.story == ["first@0.3", "lost(no_fix)@30.0", "lost(stalled)@45.0"])
  }

  @Test func callsAReceiverStalledThatFallsSilent() {
    var node = LocationFixture()
    node.fix(at: 0)
    node.pass(to: 500)
    #expect(node.story == ["first@0.3", "lost(stalled)@30.0"])
  }

  @Test func callsAReceiverStalledThatNeverSaysAnything() {
    var node = LocationFixture()
    node.pass(to: 500)
    #expect(node.story == ["lost(stalled)@30.0"])
  }

  @Test(arguments: [
    GpsdReport.device(GpsdDevice(path: "/dev/a", isActivated: false)), .devices([]),
    .devices([GpsdDevice(path: "/dev/a", isActivated: false)]),
  ])
  func noticesThatTheDeviceIsGone(report: GpsdReport) {
    var node = LocationFixture()
    node.fix(at: 0)
    node.input(.report(report), at: 10)
    node.pass(to: 100)
    #expect(node.story == ["first@0.3", "lost(device_gone)@30.0"])
    node.input(.report(.device(GpsdDevice(path: "/dev/a", isActivated: true))), at: 100)
    node.fix(at: 101)
    node.pass(to: 102)
    #expect(node.story.last == "regained@101.3")
  }

  @Test func noticesThatThePinnedDeviceIsGoneThoughAnotherIsThere() {
    var node = LocationFixture(LocationTracker.Settings(device: "/dev/a"))
    node.fix(at: 0)
    node.input(.report(.devices([GpsdDevice(path: "/dev/b", isActivated: true)])), at: 10)
    node.pass(to: 100)
    #expect(node.story == ["first@0.3", "lost(device_gone)@30.0"])
  }

  /// gpsd lists its receivers before it says that it watches, which is when the link is up.
  @Test func believesTheListThatCameBeforeTheLinkWasUp() {
    var node = LocationFixture(isUp: false)
    node.input(.report(.devices([])), at: 0)
    node.input(.link(.up(release: "3.22")), at: 0)
    node.pass(to: 100)
    #expect(node.story == ["lost(device_gone)@30.0"])
  }

  @Test func noticesThatGpsdIsGone() {
    var node = LocationFixture()
    node.fix(at: 0)
    node.input(.link(.down(reason: "gpsd closed the connection")), at: 1)
    node.pass(to: 100)
    #expect(node.story == ["first@0.3", "lost(gpsd_gone)@30.0"])
    // It comes back and has nothing yet: no other reason before there is evidence of one.
    node.input(.link(.up(release: "3.22")), at: 100)
    node.pass(to: 110)
    #expect(node.story.count == 2)
    node.fix(at: 111)
    node.pass(to: 112)
    #expect(node.story.last == "regained@111.3")
  }

  @Test func saysThatGpsdWasNeverThere() {
    var node = LocationFixture(isUp: false)
    node.input(.link(.down(reason: "cannot connect: Connection refused")), at: 0.1)
    node.pass(to: 300)
    #expect(node.story == ["lost(gpsd_gone)@30.0"])
  }

  @Test func aQuickRestartOfGpsdIsNoLoss() {
    var node = LocationFixture()
    node.fix(at: 0)
    node.input(.link(.down(reason: "gpsd closed the connection")), at: 1)
    node.input(.link(.up(release: "3.22")), at: 2)
    node.fix(at: 4)
    node.pass(to: 30)
    #expect(node.story == ["first@0.3"])
  }

  @Test func neverPublishesASimulatedPosition() {
    var node = LocationFixture()
    for second in 0..<40 { node.fix(at: Double(second), status: 8) }
    #expect(node.story == ["lost(simulated)@30.0"])
    #expect(node.tracker.counters.simulated == 40)
    #expect(node.tracker.place(at: node.now) == nil)
  }

  @Test func takesASurveyedPositionForAFix() {
    var node = LocationFixture()
    node.fix(at: 0, status: 7)
    node.pass(to: 1)
    #expect(node.story == ["first@0.3"])
  }

  @Test func losesTheFixWhenEveryOneIsTooInaccurate() {
    var node = LocationFixture(LocationTracker.Settings(maxAccuracyM: 20))
    node.fix(at: 0)
    for second in 1..<60 { node.fix(at: Double(second), accuracyM: 90) }
    #expect(node.story == ["first@0.3", "lost(rejected)@30.0"])
    #expect(node.tracker.counters.rejected >= 58)
  }

  @Test func losesTheFixOfATenHertzReceiverThatIsTooInaccurate() {
    var node = LocationFixture(LocationTracker.Settings(maxAccuracyM: 20))
    node.fix(at: 0)
    for step in 10..<600 { node.fix(at: Double(step) * 0.1, accuracyM: 90) }
    #expect(node.story == ["first@0.3", "lost(rejected)@30.0"])
  }

  @Test func saysAgainOnlyWhenTheReasonChangedForGood() {
    var node = LocationFixture()
    for second in 0..<35 { node.noFix(at: Double(second)) }
    node.input(.report(.devices([])), at: 35)
    node.pass(to: 39.9)
    #expect(node.story == ["lost(no_fix)@30.0"])
    node.pass(to: 60)
    #expect(node.story == ["lost(no_fix)@30.0", "lost(device_gone)@40.0"])
    // A reason that comes and goes is not published.
    for round in 0..<20 {
      node.input(.link(.down(reason: "x")), at: 60 + Double(round) * 4)
      node.input(.link(.up(release: nil)), at: 61 + Double(round) * 4)
      node.input(.report(.devices([])), at: 61 + Double(round) * 4)
    }
    #expect(node.story.count == 2)
  }

  @Test func aLossFollowsFromNoFixToSilence() {
    var node = LocationFixture()
    node.fix(at: 0)
    for second in 1..<40 { node.noFix(at: Double(second)) }
    node.pass(to: 200)
    #expect(node.story == ["first@0.3", "lost(no_fix)@30.0", "lost(stalled)@74.0"])
  }

  @Test func anEpochOnItsWayIsWaitedFor() {
    var node = LocationFixture()
    node.fix(at: 0)
    node.fix(at: 29.9)
    node.pass(to: 31)
    #expect(node.story == ["first@0.3"])
  }

  @Test(arguments: [0.0, 1, 5, 30]) func alwaysHasALaterDeadlineAfterOneWasKept(lostAfterS: Double) {
    var random = SeededRandom(seed: UInt64(lostAfterS) + 11)
    var node = LocationFixture(
      LocationTracker.Settings(distanceFilterM: 5, intervalS: 7, maxAccuracyM: 20, lostAfterS: lostAfterS))
    for _ in 0..<8_000 {
      node.now = node.now + Double.random(in: 0...3, using: &random)
      feedAnything(&node, &random)
      if let due = node.tracker.nextDeadline, Bool.random(using: &random) {
        node.now = max(node.now, due)
        node.tick()
      }
      _ = node.tracker.tick(at: node.now)
      #expect(node.tracker.nextDeadline.map { $0 > node.now } ?? true)
    }
    var last: LocationMessage.Loss.Reason?
    for output in node.outputs {
      guard case .lost(let loss) = output.content else {
        last = nil
        continue
      }
      #expect(loss.reason != last, "twice in a row at \(output.at.seconds)")
      last = loss.reason
    }
    #expect(node.outputs.count > 100)
  }

  private func feedAnything(_ node: inout LocationFixture, _ random: inout SeededRandom) {
    let at = node.now.seconds
    switch Int.random(in: 0..<12, using: &random) {
    case 0: node.feed(.link(.down(reason: "a")))
    case 1: node.feed(.link(.up(release: nil)))
    case 2: node.feed(.report(.devices([])))
    case 3: node.feed(.report(.device(GpsdDevice(path: "/dev/a", isActivated: Bool.random(using: &random)))))
    case 4: node.fix(at: at, accuracyM: 90)
    case 5: node.fix(at: at, time: .some(nil))
    case 6: node.fix(at: at, status: 8)
    case 7: node.fix(at: at, device: "/dev/b")
    case 8: node.noFix(at: at)
    default: node.fix(at: at, north: Double.random(in: 0...50, using: &random))
    }
  }

  private let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
}
