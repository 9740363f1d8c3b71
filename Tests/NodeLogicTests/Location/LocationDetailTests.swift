import Telemetry
import Testing

@testable import NodeLogic

/// What a position and a loss say beside the place.
@Suite("Location details") struct LocationDetailTests {
  @Test func aRegainedPositionSaysHowLongThereWasNone() {
    var node = LocationFixture()
    node.fix(at: 10)
    node.pass(to: 100)
    node.fix(at: 100)
    node.pass(to: 101)
    #expect(node.positions.map(\.cause) == [.first, .regained])
    #expect(node.positions.map(\.lostS) == [nil, 90])
  }

  @Test func aFirstPositionAfterALossCountsFromTheStart() {
    var node = LocationFixture()
    node.fix(at: 75)
    node.pass(to: 76)
    #expect(node.story == ["lost(stalled)@30.0", "first@75.3"])
    #expect(node.positions.map(\.lostS) == [75])
  }

  @Test func aLossForPoorAccuracySaysHowPoor() throws {
    var node = LocationFixture(LocationTracker.Settings(maxAccuracyM: 20))
    for second in 0..<40 { node.fix(at: Double(second), accuracyM: 90 + Double(second)) }
    guard case .lost(let loss)? = node.outputs.last?.content else {
      Issue.record("no loss")
      return
    }
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    let message = loss.message(at: node.now, clock: clock)
    #expect(message.reason == .rejected)
    #expect(message.rejectedBy == .accuracy)
    #expect(message.rejectedAccuracyM == 119)
    #expect(message.last == nil)
    #expect(node.tracker.health(at: node.now).faults?.inaccurate == 39)
  }

  @Test func otherLossesSayNothingOfRejections() {
    var node = LocationFixture(LocationTracker.Settings(maxAccuracyM: 20))
    node.fix(at: 0, accuracyM: 90)
    node.pass(to: 40)
    guard case .lost(let loss)? = node.outputs.last?.content else {
      Issue.record("no loss")
      return
    }
    #expect(loss == LocationLoss(reason: .stalled))
  }

  @Test(arguments: [
    (1, LocationMessage.Position.Status.normal), (2, .dgps), (3, .rtkFixed), (4, .rtkFloat), (5, .deadReckoning),
    (6, .gnssDeadReckoning), (7, .surveyed), (9, .pY),
  ])
  func saysHowTheReceiverCameByIt(code: Int, status: LocationMessage.Position.Status) {
    var node = LocationFixture()
    node.fix(at: 0, status: code)
    node.pass(to: 1)
    #expect(node.positions.map(\.status) == [status])
  }

  @Test(arguments: [nil, 0, 10, -1]) func doesNotInventAStatus(code: Int?) {
    var node = LocationFixture()
    node.fix(at: 0, status: code)
    node.pass(to: 1)
    #expect(node.positions.map(\.status) == [nil])
  }

  @Test func tagsTheHeight() throws {
    var report = FixMaker.report(at: 0)
    report.epvM = 9
    #expect(try #require(Fix(report, at: .start)).altitudeAccuracyM == nil, "no height, no accuracy of one")
    report.altitudeUntaggedM = 1
    #expect(try #require(Fix(report, at: .start)).altitude?.source == .alt)
    report.altitudeHAEM = 2
    #expect(try #require(Fix(report, at: .start)).altitude?.source == .hae)
    report.altitudeMSLM = 3
    let fix = try #require(Fix(report, at: .start))
    #expect(fix.altitude?.source == .msl)
    #expect(fix.altitude?.metres == 3)
    #expect(fix.altitudeAccuracyM == 9)
    report.mode = 2
    #expect(try #require(Fix(report, at: .start)).altitude == nil)
  }

  @Test func namesTheReceiverOnlyWhereThereAreSeveral() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 0))
    node.fix(at: 0)
    node.noFix(at: 1, device: "/dev/b")
    node.fix(at: 2)
    node.pass(to: 3)
    #expect(node.positions.map(\.device) == [nil, "/dev/a"])
  }

  @Test func twoReceiversThatBeginAtOnceAreNotMixed() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 0))
    for second in 0..<10 {
      node.fix(at: Double(second), device: "/dev/a")
      node.fix(at: Double(second) + 0.1, north: 20, device: "/dev/b")
    }
    node.pass(to: 11)
    #expect(node.positions.count == 10)
    #expect(node.positions.allSatisfy { $0.latitude == 47 })
  }

  @Test func goesOverToAClearlyBetterReceiver() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 0))
    for second in 0..<40 {
      node.fix(at: Double(second), accuracyM: 12, device: "/dev/a")
      node.fix(at: Double(second) + 0.5, north: 5, accuracyM: 3, device: "/dev/b")
    }
    node.pass(to: 41)
    #expect(node.positions.last?.device == "/dev/b")
    #expect(node.positions.last?.accuracyM == 3)
    #expect(node.tracker.glance.devices.map(\.isFollowed) == [false, true])
    #expect(node.outputs.allSatisfy { if case .lost = $0.content { false } else { true } })
  }

  @Test func aStandingNodeHasNoSpeedAndNoCourse() throws {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 0))
    for second in 0..<150 {
      node.pass(to: Double(second))
      var report = FixMaker.report(at: Double(second), speedMPS: 0.2)
      report.courseDeg = 90
      node.feed(report)
    }
    node.pass(to: 150)
    let first = try #require(node.positions.first)
    #expect(first.isMoving == nil)
    #expect(first.speedMPS == 0.2)
    #expect(first.odometerM == nil)
    let last = try #require(node.positions.last)
    #expect(last.isMoving == false)
    #expect(last.speedMPS == nil)
    #expect(last.courseDeg == nil)
    #expect(last.odometerM == 0)
  }

  @Test func anOdometerFromBeforeGoesOn() {
    var tracker = LocationTracker(odometer: Odometer(totalM: 12_345, tripM: 67))
    _ = tracker.handle(.report(.position(FixMaker.report(at: 0))), at: .start)
    let outputs = tracker.tick(at: Instant(seconds: 1))
    guard case .fixed(let position)? = outputs.last?.content else {
      Issue.record("no position")
      return
    }
    #expect(position.odometerM == 12_345)
    #expect(position.tripM == 67)
  }

  /// traccar/traccar#3627: the filter grows with the accuracies of both ends, up to 80 m.
  @Test(arguments: [(5.0, 25.0), (17, 25), (30, 42.4), (50, 70.7), (60, 80), (150, 80)])
  func theFilterGrowsWithTheAccuracy(accuracyM: Double, neededM: Double) {
    var node = LocationFixture()
    node.fix(at: 0, accuracyM: accuracyM)
    node.fix(at: 1, accuracyM: accuracyM)
    node.pass(to: 2)
    #expect(abs(node.tracker.glance.neededM - neededM) < 0.1)
  }

  @Test func aFilterWiderThanThatStaysAsItIs() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 500))
    node.fix(at: 0, accuracyM: 150)
    node.fix(at: 1, accuracyM: 190)
    node.pass(to: 2)
    #expect(node.tracker.glance.neededM == 500)
  }

  @Test func aSilenceCanBeShortInTests() {
    var settings = LocationTracker.Settings(lostAfterS: 1)
    settings.leastSilenceS = 1
    var node = LocationFixture(settings)
    node.fix(at: 0)
    node.pass(to: 10)
    #expect(node.story == ["first@0.3", "lost(stalled)@1.0"])
  }

  @Test func countsHowOftenGpsdWent() {
    var node = LocationFixture()
    node.feed(.link(.down(reason: "closed")))
    node.feed(.link(.down(reason: "refused")))
    node.feed(.link(.up(release: nil)))
    node.feed(.link(.down(reason: "closed")))
    #expect(node.tracker.health(at: node.now).faults?.outages == 2)
  }

  @Test func theGlanceTellsWhatThereIs() throws {
    var node = LocationFixture()
    #expect(node.tracker.glance.state == .acquiring)
    #expect(node.tracker.glance.anchor == nil)
    for second in 0..<200 { node.fix(at: Double(second)) }
    node.pass(to: 200)
    node.tracker.feel(.still(since: Instant(seconds: 3)), at: node.now)
    let glance = node.tracker.glance
    #expect(glance.state == .fixed)
    #expect(glance.movement == .standing)
    #expect(glance.movementSince == .start)
    #expect(try #require(glance.anchor).latitude == 47)
    #expect(try #require(glance.anchorDistanceM) < 0.01)
    #expect(try #require(glance.allowanceM) > 10)
    #expect(glance.stillness == .still(since: Instant(seconds: 3)))
    #expect(glance.devices.map(\.path) == ["/dev/a"])
    #expect(glance.devices.first?.isFollowed == true)
    node.pass(to: 300)
    #expect(node.tracker.glance.state == .lost(.stalled))
  }
}
