import Rig
import Telemetry
import Testing

@testable import NodeLogic

/// Places where no vehicle can have got to.
@Suite("Location jumps") struct LocationJumpTests {
  private let twoDaysS = 2 * 86_400.0

  /// gpsd gave this once, for a sentence garbled on the line: 74 km and two days at once.
  @Test func aGarbledJumpIsRejectedAndMovesNothing() throws {
    var node = LocationFixture()
    for second in 0..<10 { node.fix(at: Double(second), north: Double(second)) }
    node.fix(at: 10, north: 74_000, time: 10 + twoDaysS)
    for second in 11..<20 { node.fix(at: Double(second), north: Double(second)) }
    node.pass(to: 20)
    #expect(node.story == ["first@0.3"])
    #expect(node.tracker.counters.jumps == 1)
    #expect(node.tracker.counters.jumpsTaken == 0)
    #expect(node.tracker.counters.backwards == 1, "the time after the garbled one")
    #expect(node.tracker.health(at: node.now).faults?.jumps == 1)
    #expect(node.tracker.health(at: node.now).rejected == 1)
    #expect(abs(try #require(node.tracker.place(at: node.now)).latitude - 47) < 0.001)
  }

  @Test func threeInARowAtInconsistentPlacesAreRejected() {
    var node = LocationFixture()
    for second in 0..<10 { node.fix(at: Double(second)) }
    for (step, metres) in [74_000.0, -51_000, 32_000].enumerated() {
      node.fix(at: 10 + Double(step), north: metres, time: 10 + Double(step) + twoDaysS)
    }
    for second in 13..<20 { node.fix(at: Double(second)) }
    node.pass(to: 20)
    #expect(node.story == ["first@0.3"])
    #expect(node.tracker.counters.jumps == 3)
  }

  @Test func aJumpThatThreeAgreeOnIsTakenAndIsNoWay() throws {
    var node = LocationFixture()
    for second in 0..<200 { node.fix(at: Double(second)) }
    for second in 200..<204 { node.fix(at: Double(second), north: 5_000) }
    #expect(node.story == ["first@0.3", "distance@202.3"])
    #expect(node.tracker.counters.jumpsTaken == 1)
    #expect(node.decisions.first { $0.isJump } != nil)
    for second in 204..<260 { node.fix(at: Double(second), north: 5_000 + Double(second - 204) * 10) }
    let travelled = node.tracker.odometer.totalM
    #expect(travelled > 500 && travelled < 600)
    #expect(node.positions.last?.isMoving == true)
  }

  @Test func aTrueJumpAfterALongGapIsTakenAtOnce() {
    var node = LocationFixture()
    for second in 0..<10 { node.fix(at: Double(second)) }
    node.pass(to: 600)
    node.fix(at: 600, north: 20_000)
    node.pass(to: 601)
    #expect(node.story == ["first@0.3", "lost(stalled)@39.0", "regained@600.3"])
    #expect(node.tracker.counters.jumps == 0)
  }

  @Test func aReceiverThatJumpsAboutIsRejectedAndSaysWhy() throws {
    var node = LocationFixture()
    node.fix(at: 0, accuracyM: 6)
    for second in 1..<60 {
      node.fix(at: Double(second), north: second % 2 == 0 ? 300_000 : -300_000, accuracyM: 7)
    }
    #expect(node.story == ["first@0.3", "lost(rejected)@30.0"])
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    guard case .lost(let loss)? = node.outputs.last?.message(clock: clock) else {
      Issue.record("no loss")
      return
    }
    #expect(loss.rejectedBy == .speed)
    #expect(loss.rejectedAccuracyM == 7)
    #expect(loss.last?.accuracyM == 6)
  }

  /// Ten a second: there is always an epoch on its way, and none is worth waiting for.
  @Test func theLossOfOneThatJumpsAboutTenTimesASecondIsSeen() {
    var node = LocationFixture()
    node.fix(at: 0)
    for step in 1..<600 { node.fix(at: Double(step) * 0.1, north: step % 2 == 0 ? 300_000 : -300_000) }
    #expect(node.story == ["first@0.1", "lost(rejected)@30.0"])
  }

  /// Ikolvi/Tracelet#332: what was filtered out was fed on, as a speed of 0.
  @Test func aRejectedFixSaysNeitherStandingNorMoving() {
    var node = LocationFixture(LocationTracker.Settings(maxAccuracyM: 50))
    for second in 0..<60 { node.fix(at: Double(second), north: Double(second) * 10) }
    let before = node.tracker.glance
    #expect(before.movement == .moving)
    for second in 60..<85 { node.fix(at: Double(second), accuracyM: 300) }
    node.pass(to: 85)
    let after = node.tracker.glance
    #expect(after.movement == .moving)
    #expect(after.movementSince == before.movementSince)
    #expect(after.odometer.totalM - before.odometer.totalM < 31)
  }

  @Test(.enabled(if: !RecordedReceiver.all.isEmpty, "no ../shared/data/gps"), arguments: RecordedReceiver.all)
  func countsHowOftenTheTimeWentBack(receiver: RecordedReceiver) throws {
    var settings = LocationTracker.Settings(distanceFilterM: 0, maxAccuracyM: 0)
    settings.settleS = 0
    var node = LocationFixture(settings)
    let positions = try receiver.positions().filter { !$0.isSimulated }
    for position in positions {
      node.now = node.now + 0.5
      node.feed(position)
    }
    let times = positions.compactMap { $0.time?.seconds }
    let backwards = zip(times, times.dropFirst()).count { $0.1 < $0.0 }
    #expect(node.tracker.counters.backwards == backwards)
  }
}
