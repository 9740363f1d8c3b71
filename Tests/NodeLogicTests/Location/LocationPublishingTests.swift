import NodeLogic
import Telemetry
import Testing

@Suite struct LocationPublishingTests {
  @Test func publishesTheFirstFixOnceItsEpochIsComplete() throws {
    var node = LocationFixture()
    var early = GpsdPosition(device: "/dev/a", mode: 2)
    early.latitude = 47
    early.longitude = 8
    node.pass(to: 2)
    node.feed(early)
    node.fix(at: 2.1, accuracyM: 4.5)
    #expect(node.story == [])
    node.pass(to: 3)
    #expect(node.story == ["first@2.3"])
    let position = try #require(node.positions.first)
    #expect(position.dimensions == 3)
    #expect(position.accuracyM == 4.5)
    #expect(position.accuracySource == .eph)
    #expect(position.altitudeM == 400)
    #expect(position.movedM == nil)
    #expect(position.fixTime == WallTime(seconds: 1_700_000_002.1))
    #expect(abs(position.ageS - 0.3) < 1e-9)
    #expect(node.tracker.counters.epochs == 1)
  }

  @Test func leavesOutTheAltitudeOfATwoDimensionalFix() throws {
    var node = LocationFixture()
    node.fix(at: 1, mode: 2)
    node.pass(to: 2)
    let position = try #require(node.positions.first)
    #expect(position.dimensions == 2)
    #expect(position.altitudeM == nil)
    #expect(position.speedMPS == nil)
    #expect(position.courseDeg == nil)
  }

  @Test func takesTheAccuracyFromTheAxesWhereThereIsNoOther() throws {
    var position = GpsdPosition(mode: 3)
    position.latitude = 1
    position.longitude = 2
    position.epxM = 3
    position.epyM = 4
    let fix = try #require(Fix(position, at: .start))
    #expect(fix.accuracy?.metres == 5)
    #expect(fix.accuracy?.source == .epxy)
    position.epyM = nil
    #expect(try #require(Fix(position, at: .start)).accuracy == nil)
  }

  @Test func holdsBackUntilTheNodeMovedByTheFilter() throws {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 25, intervalS: 1_000))
    for second in 0...10 { node.fix(at: Double(second), north: Double(second) * 6) }
    node.pass(to: 10.5)
    #expect(node.story == ["first@0.3", "distance@5.3", "distance@10.3"])
    #expect(abs(try #require(node.positions.last?.movedM) - 30) < 0.01)
  }

  @Test func publishesEachFixWhereTheFilterIsZero() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 0))
    for second in 0..<5 { node.fix(at: Double(second)) }
    node.pass(to: 6)
    #expect(node.positions.map(\.cause) == [.first, .distance, .distance, .distance, .distance])
  }

  @Test func publishesAtTheIntervalWithTheAgeOfASlowReceiver() throws {
    var node = LocationFixture(LocationTracker.Settings(intervalS: 60, lostAfterS: 100))
    node.fix(at: 0)
    node.fix(at: 50)
    node.pass(to: 90)
    #expect(node.story == ["first@0.3", "interval@60.3"])
    #expect(abs(try #require(node.positions.last?.ageS) - 10.3) < 1e-9)
  }

  @Test func neverPublishesTheSameFixAgainAtTheInterval() {
    var node = LocationFixture(LocationTracker.Settings(intervalS: 10, lostAfterS: 100))
    node.fix(at: 0)
    node.pass(to: 90)
    node.fix(at: 91)
    node.pass(to: 92)
    #expect(node.story == ["first@0.3", "interval@91.3"])
  }

  @Test func aFixThatWasRefusedNeverMovesTheReference() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 25, intervalS: 1_000, maxAccuracyM: 20))
    node.fix(at: 0)
    node.fix(at: 1, north: 500, accuracyM: 80)
    node.fix(at: 2, north: 10)
    node.fix(at: 3, north: 30)
    node.pass(to: 4)
    #expect(node.story == ["first@0.3", "distance@3.3"])
    #expect(node.tracker.counters.rejected == 1)
    #expect(node.tracker.health(at: node.now).rejected == 1)
    #expect(node.tracker.place(at: node.now)?.latitude == node.positions.last?.latitude)
  }

  @Test func usesAFixWithoutAnAccuracyAndSaysNone() throws {
    var node = LocationFixture(LocationTracker.Settings(maxAccuracyM: 20))
    node.fix(at: 0, accuracyM: nil)
    node.pass(to: 1)
    let position = try #require(node.positions.first)
    #expect(position.accuracyM == nil)
    #expect(position.accuracySource == nil)
  }

  @Test func acceptsTheGulfOfGuineaFromAReceiverThatHasAFix() {
    var node = LocationFixture()
    var position = GpsdPosition(device: "/dev/a", mode: 2)
    position.latitude = 0
    position.longitude = 0
    node.feed(position)
    node.pass(to: 1)
    #expect(node.story == ["first@0.3"])
  }

  @Test func keepsThePositionWhenTheReceiversTimeGoesBack() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 0))
    node.fix(at: 0, time: 1_000)
    node.fix(at: 1, north: 5, time: 10)
    node.fix(at: 2, north: 10, time: -600_000)
    node.pass(to: 3)
    #expect(node.positions.map { $0.fixTime?.seconds } == [1_700_001_000, 1_700_000_010, 1_699_400_000])
    #expect(node.positions.allSatisfy { $0.ageS < 0.5 })
  }

  @Test func takesAnUntimedReportOfEachSecondForAFix() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 0))
    for second in 0..<40 { node.fix(at: Double(second), time: .some(nil)) }
    node.pass(to: 40)
    #expect(node.positions.count == 40)
  }

  @Test func followsAReceiverOfTenHertz() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 0))
    for step in 0..<100 {
      node.fix(at: Double(step) * 0.1, accuracyM: nil)
      node.pass(to: Double(step) * 0.1 + 0.02)
      node.fix(at: Double(step) * 0.1 + 0.02, accuracyM: 3, time: Double(step) * 0.1)
    }
    node.pass(to: 20)
    #expect(node.positions.count == 100)
    #expect(node.positions.allSatisfy { $0.accuracyM == 3 })
  }

  @Test func staysWithOneReceiverOfTwo() {
    var node = LocationFixture(LocationTracker.Settings(distanceFilterM: 0, lostAfterS: 10))
    for second in 0..<10 {
      node.fix(at: Double(second), device: "/dev/a")
      node.fix(at: Double(second) + 0.5, north: 300, device: "/dev/b")
      node.noFix(at: Double(second) + 0.6, device: "/dev/c")
    }
    #expect(node.positions.allSatisfy { $0.latitude == 47 })
    #expect(node.tracker.counters.otherDevice == 20)
    // The other one takes over when the first is gone, once it is sure that the node is there.
    node.input(.report(.device(GpsdDevice(path: "/dev/a", isActivated: false))), at: 10)
    for second in 10...12 { node.fix(at: Double(second) + 0.5, north: 300, device: "/dev/b") }
    node.pass(to: 13)
    #expect(node.positions.last.map { $0.latitude > 47.002 } == true)
  }

  @Test func tellsAShakeItsPlaceAndTheAgeOfIt() throws {
    var node = LocationFixture()
    #expect(node.tracker.place(at: node.now) == nil)
    node.fix(at: 1)
    node.pass(to: 500)
    let place = try #require(node.tracker.place(at: Instant(seconds: 500)))
    #expect(place.latitude == 47)
    #expect(place.fixAgeS == 499)
  }

  @Test func presentsTheStateInForceWhenAsked() throws {
    var node = LocationFixture()
    #expect(node.tracker.present(at: node.now) == nil)
    node.fix(at: 1)
    node.fix(at: 2, north: 10)
    node.pass(to: 3)
    guard case .fixed(let position)? = node.tracker.present(at: node.now)?.content else {
      Issue.record("no position")
      return
    }
    #expect(position.cause == .request)
    #expect(position.ageS == 1)
    #expect(abs(try #require(position.movedM) - 10) < 0.01)
    node.pass(to: 100)
    #expect(node.story.last == "lost(stalled)@32.0")
    guard case .lost(let loss)? = node.tracker.present(at: node.now)?.content, loss.last != nil else {
      Issue.record("no loss")
      return
    }
  }

  @Test func tellsItsHealth() {
    var node = LocationFixture()
    #expect(node.tracker.health(at: node.now).state == .acquiring)
    #expect(node.tracker.health(at: node.now).ageS == nil)
    node.input(.unreadable(.notJSON), at: 0.5)
    node.input(.report(.sky(GpsdSky(device: "/dev/a", used: 6, seen: 9))), at: 0.6)
    node.fix(at: 1)
    node.pass(to: 2)
    var health = node.tracker.health(at: node.now)
    #expect(health.state == .fix)
    #expect(health.ageS == 1)
    #expect(health.satellites == 6)
    #expect(health.badLines == 1)
    node.input(.link(.down(reason: "gone")), at: 3)
    node.pass(to: 100)
    health = node.tracker.health(at: node.now)
    #expect(health.state == .gpsdGone)
    #expect(health.ageS == 99)
    #expect(health.satellites == nil)
  }

  /// Two receivers whose first epochs begin together.
  @Test func followsTheReceiverOfTheFirstEpochFromTheBeginning() {
    var settings = LocationTracker.Settings(distanceFilterM: 0)
    settings.maxSpeedMPS = 0
    settings.maxAccelerationMPS2 = 0
    var node = LocationFixture(settings)
    for second in 0..<20 {
      node.fix(at: Double(second), device: "/dev/a")
      node.fix(at: Double(second) + 0.1, north: 5000, device: "/dev/b")
    }
    node.pass(to: 21)
    #expect(node.positions.count == 20)
    #expect(node.positions.allSatisfy { $0.latitude < 47.01 })
  }
}
