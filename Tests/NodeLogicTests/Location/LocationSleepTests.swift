import Telemetry
import Testing

@testable import NodeLogic

/// What a machine that was suspended makes of its position: instants stand meanwhile, and the world does not.
@Suite struct LocationSleepTests {
  private static let nightS = 28_800.0

  @Test func noLossIsToldOnlyBecauseItSlept() throws {
    var fixture = LocationFixture()
    fixture.fix(at: 1)
    fixture.pass(to: 3)
    fixture.sleep(Self.nightS)
    fixture.pass(to: 32.9)
    #expect(fixture.story == ["first@1.3"])
    fixture.pass(to: 34)
    #expect(fixture.story == ["first@1.3", "lost(stalled)@33.0"])
    guard case .lost(let loss)? = fixture.outputs.last?.content else {
      Issue.record("no loss")
      return
    }
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_700_000_000 + Self.nightS), quality: .gps)
    let last = try #require(loss.message(at: Instant(seconds: 33), clock: clock).last)
    #expect(last.ageS == Self.nightS + 32)
    #expect(last.time == WallTime(seconds: 1_700_000_001))
  }

  @Test(arguments: [false, true])
  func aMachineThatSleepsAllTheTimeStillTellsALoss(hadFix: Bool) {
    var fixture = LocationFixture()
    if hadFix { fixture.fix(at: 1) }
    for second in stride(from: 5.0, through: 100, by: 5) {
      fixture.pass(to: second)
      fixture.sleep(55)
      fixture.noFix(at: second + 1)
    }
    #expect(fixture.story == (hadFix ? ["first@1.3"] : []) + ["lost(no_fix)@35.0"])
    fixture.fix(at: 103)
    fixture.pass(to: 104)
    #expect(fixture.story.last == (hadFix ? "regained@103.3" : "first@103.3"))
    // A good fix, and it has its time again.
    fixture.sleep(55)
    fixture.pass(to: 133.9)
    #expect(fixture.story.count == (hadFix ? 3 : 2))
  }

  @Test func whatAReceiverSaidBeforeItIsNoReasonAfterwards() {
    var fixture = LocationFixture()
    fixture.fix(at: 1)
    fixture.noFix(at: 5)
    fixture.pass(to: 6)
    fixture.sleep(Self.nightS)
    fixture.noFix(at: 20)
    fixture.pass(to: 35.9)
    #expect(fixture.story == ["first@1.3"])
    fixture.pass(to: 37)
    #expect(fixture.story == ["first@1.3", "lost(no_fix)@36.0"])
  }

  @Test func aReceiverThatSaysNothingAfterwardsGetsItsTimeOfSilence() {
    var fixture = LocationFixture(LocationTracker.Settings(lostAfterS: 2))
    fixture.fix(at: 1)
    fixture.noFix(at: 1.5)
    fixture.pass(to: 2)
    fixture.sleep(Self.nightS)
    fixture.pass(to: 8)
    #expect(fixture.story == ["first@1.3", "lost(stalled)@7.0"])
  }

  @Test func theNextFixIsPublishedWithTrueNumbers() throws {
    var fixture = LocationFixture()
    fixture.fix(at: 1)
    fixture.pass(to: 3)
    fixture.sleep(Self.nightS)
    #expect(fixture.tracker.place(at: Instant(seconds: 4))?.fixAgeS == Self.nightS + 3)
    #expect(fixture.tracker.health(at: Instant(seconds: 4)).ageS == Self.nightS + 3)
    fixture.fix(at: 5, north: 10, time: Self.nightS + 5)
    fixture.pass(to: 6)
    #expect(fixture.story == ["first@1.3", "interval@5.3"])
    let position = try #require(fixture.positions.last)
    #expect((position.ageS - 0.3).magnitude < 1e-6)
    #expect(((position.movedM ?? 0) - 10).magnitude < 0.1)
    #expect(position.lostS == nil)
  }

  @Test func theTimeWithoutAFixCountsTheSleep() {
    var fixture = LocationFixture()
    fixture.fix(at: 1)
    fixture.pass(to: 40)
    fixture.sleep(Self.nightS)
    fixture.fix(at: 45, time: Self.nightS + 45)
    fixture.pass(to: 46)
    #expect(fixture.story == ["first@1.3", "lost(stalled)@31.0", "regained@45.3"])
    #expect(fixture.positions.last?.lostS == Self.nightS + 44)
  }

  @Test func anEpochThatWasComingInIsDecidedOnAsItWas() {
    var fixture = LocationFixture()
    fixture.fix(at: 1)
    fixture.sleep(Self.nightS)
    #expect(fixture.story == ["first@1.0"])
    #expect(fixture.positions.first?.ageS == 0)
    #expect(fixture.tracker.place(at: Instant(seconds: 1))?.fixAgeS == Self.nightS)
  }

  @Test func anOldPositionIsNotRepeatedAtTheInterval() {
    var fixture = LocationFixture()
    fixture.fix(at: 1)
    fixture.fix(at: 2)
    fixture.pass(to: 3)
    fixture.sleep(Self.nightS)
    fixture.pass(to: 5)
    #expect(fixture.story == ["first@1.3"])
    // A broker that was away is told it, with its age; that does not take the place of the next fix.
    let present = fixture.tracker.present(at: Instant(seconds: 5))
    guard case .fixed(let position)? = present?.content else {
      Issue.record("no position")
      return
    }
    #expect(position.ageS == Self.nightS + 3)
    fixture.fix(at: 6, time: Self.nightS + 6)
    fixture.pass(to: 7)
    #expect(fixture.story == ["first@1.3", "interval@6.3"])
  }

  @Test(arguments: [0.0, nightS])
  func theReachIsThatOfTheRealTime(sleptS: Double) {
    var fixture = LocationFixture()
    fixture.fix(at: 1)
    fixture.pass(to: 3)
    if sleptS > 0 { fixture.sleep(sleptS) }
    fixture.fix(at: 5, north: 50_000, time: sleptS + 5)
    fixture.pass(to: 6)
    #expect(fixture.tracker.counters.jumps == (sleptS > 0 ? 0 : 1))
    #expect(fixture.positions.count == (sleptS > 0 ? 2 : 1))
  }

  /// Parked for two minutes, by the clock of `LocationFixture`.
  private func parked() -> LocationFixture {
    var fixture = LocationFixture()
    for second in 1...130 { fixture.fix(at: Double(second)) }
    fixture.pass(to: 131)
    return fixture
  }

  @Test func theNextFixesTellWhetherItWasCarried() {
    var fixture = parked()
    #expect(fixture.tracker.glance.movement == .standing)
    fixture.sleep(Self.nightS)
    fixture.fix(at: 132, north: 5000, time: Self.nightS + 132)
    fixture.pass(to: 132.5)
    #expect(fixture.tracker.glance.movement == .standing)
    #expect(fixture.positions.last?.cause == .interval && fixture.positions.last?.isMoving == nil)
    for second in 133...135 { fixture.fix(at: Double(second), north: 5000, time: Self.nightS + Double(second)) }
    fixture.pass(to: 136)
    #expect(fixture.tracker.glance.movement == .moving)
  }

  @Test func itStoodWhileItSlept() {
    var fixture = parked()
    fixture.sleep(Self.nightS)
    fixture.fix(at: 132, time: Self.nightS + 132)
    fixture.pass(to: 133)
    #expect(fixture.tracker.glance.movement == .standing)
    #expect(fixture.tracker.glance.movementSince == Instant(seconds: 1 - Self.nightS))
  }

  @Test func fixesWithANightBetweenThemAreNoDeparture() {
    var fixture = parked()
    for seconds in [132, 132.5] { fixture.fix(at: seconds, north: 40) }
    fixture.pass(to: 133)
    fixture.sleep(Self.nightS)
    fixture.fix(at: 135, north: 40, time: Self.nightS + 135)
    fixture.pass(to: 136)
    #expect(fixture.tracker.glance.movement == .standing)
  }

  @Test func stillnessCountsFromWaking() {
    var fixture = LocationFixture()
    fixture.tracker.feel(.still(since: .start), at: Instant(seconds: 10))
    fixture.now = Instant(seconds: 11)
    fixture.sleep(Self.nightS)
    fixture.tracker.feel(.still(since: .start), at: Instant(seconds: 12))
    #expect(fixture.tracker.stillness == .still(since: Instant(seconds: 11)))
  }

  @Test(arguments: [(10.0, "enter depot"), (nightS, "enter depot first")])
  func aFenceThatWasCrossedMeanwhileIsFoundAfterAGap(sleptS: Double, expected: String) throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle()])
    for second in 0...3 { try fixture.fix(at: Double(second), east: -300) }
    fixture.watch.age(by: sleptS)
    try fixture.fix(at: 4, east: 0)
    #expect(fixture.story == [expected])
  }

  @Test func theTimeInsideAFenceCountsTheSleep() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle()])
    for second in 0...3 { try fixture.fix(at: Double(second), east: -300) }
    try fixture.fix(at: 4, east: 0)
    fixture.watch.age(by: Self.nightS)
    try fixture.fix(at: 10, east: -300)
    #expect(fixture.story == ["enter depot", "leave depot first"])
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_700_000_000), quality: .gps)
    #expect(fixture.events.last?.message(clock: clock).insideS == Self.nightS + 6)
  }

  @Test func onlySatellitesOfTheFollowedReceiverCount() {
    var fixture = LocationFixture()
    func sky(_ device: String?, _ used: Int) -> GpsdInput { .report(.sky(GpsdSky(device: device, used: used))) }
    func told(_ fixture: LocationFixture) -> Int? { fixture.tracker.health(at: fixture.now).satellites }
    fixture.input(sky("/dev/b", 4), at: 0.5)
    #expect(told(fixture) == 4, "none is followed yet")
    fixture.fix(at: 1)
    fixture.pass(to: 2)
    #expect(told(fixture) == nil)
    fixture.input(sky("/dev/a", 9), at: 2.1)
    fixture.input(sky("/dev/b", 3), at: 2.2)
    #expect(told(fixture) == 9)
    fixture.input(sky(nil, 7), at: 2.3)
    #expect(told(fixture) == 7)
    fixture.sleep(Self.nightS)
    #expect(told(fixture) == nil, "of before the sleep")
  }
}
