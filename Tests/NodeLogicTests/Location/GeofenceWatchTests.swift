import Foundation
import Telemetry
import Testing

@testable import NodeLogic

/// A watch fed by hand, with fixes at metres east and north of 47 N 8 E, where fences are.
struct GeofenceFixture {
  var watch: GeofenceWatch
  var events: [GeofenceEvent] = []
  private var random: RandomNumbers

  init(_ fences: [Geofence], recorded: [LocationRecord.Fence] = [], seed: UInt64 = 1) {
    watch = GeofenceWatch(fences, recorded: recorded)
    random = RandomNumbers(seed: seed)
  }

  static func circle(_ radiusM: Double = 100, hysteresisM: Double = 20, name: String = "depot") throws -> Geofence {
    try Geofence(
      name: name, .circle(centre: try GeofenceTests.near(east: 0, north: 0), radiusM: radiusM),
      hysteresisM: hysteresisM)
  }

  /// - Parameter sigma: of a normal error on each axis [m].
  mutating func fix(
    at seconds: Double, east: Double, north: Double = 0, accuracyM: Double? = 5, sigma: Double = 0,
    isMoving: Bool? = true
  ) throws {
    let east = east + sigma * random.normal()
    let north = north + sigma * random.normal()
    var report = GpsdPosition(device: "/dev/a", mode: 3)
    let place = try GeofenceTests.near(east: east, north: north)
    (report.latitude, report.longitude, report.ephM) = (place.latitude, place.longitude, accuracyM)
    let fix = try #require(Fix(report, at: Instant(seconds: seconds)))
    events += watch.take(fix, isMoving: isMoving, at: Instant(seconds: seconds + 0.3))
  }

  /// At a constant speed along a line north of the middle, from 400 m in the west, once a second.
  mutating func drive(
    at speedMPS: Double, north: Double = 0, accuracyM: Double? = 5, sigma: Double = 0, from seconds: Double = 0
  ) throws {
    for second in 0...Int(800 / speedMPS) {
      let east = -400 + speedMPS * Double(second)
      try fix(at: seconds + Double(second), east: east, north: north, accuracyM: accuracyM, sigma: sigma)
    }
  }

  /// `enter depot`, `leave depot first`.
  var story: [String] { events.map { "\($0.kind.rawValue) \($0.fence)\($0.isFirst ? " first" : "")" } }
}

struct GeofenceWatchTests {
  @Test func driveThroughAFenceEntersAndLeavesOnce() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle()])
    try fixture.drive(at: 14)
    #expect(fixture.story == ["enter depot", "leave depot"])
    let enter = try #require(fixture.events.first)
    let leave = try #require(fixture.events.last)
    // Not before the edge and its accuracy, and no later than a fix more than five accuracies beyond it.
    #expect((5...39).contains(enter.edgeM), "\(enter.edgeM)")
    #expect((20...40).contains(leave.edgeM), "\(leave.edgeM)")
    #expect(leave.insideSince == .instant(enter.at))
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_700_000_000), quality: .none)
    let message = leave.message(clock: clock)
    #expect(message.insideS == leave.at - enter.at)
    #expect((message.ageS - 0.3).magnitude < 1e-9)
    #expect(enter.message(clock: clock).insideS == nil)
  }

  @Test(arguments: [(25.0, 5.0), (25, 10), (8, 15)])
  func fastCrossingOfASmallFenceIsSeen(speedMPS: Double, accuracyM: Double) throws {
    for seed in 1...20 {
      var fixture = GeofenceFixture([try GeofenceFixture.circle(60)], seed: UInt64(seed))
      // A receiver's accuracy is a bound for most of its errors rather than their standard deviation.
      try fixture.drive(at: speedMPS, accuracyM: accuracyM, sigma: accuracyM / 3)
      #expect(fixture.story == ["enter depot", "leave depot"], "seed \(seed): \(fixture.story)")
    }
  }

  @Test func fixOfUnknownAccuracyCountsByTheHysteresis() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle(60)])
    try fixture.drive(at: 10, accuracyM: nil)
    #expect(fixture.story == ["enter depot", "leave depot"])
    #expect(fixture.events.allSatisfy { (20...31).contains($0.edgeM) }, "\(fixture.events.map(\.edgeM))")
  }

  /// A fix of 100 m can't be inside a circle of 30 m by more than its accuracy, and yet the node is there.
  @Test func smallFenceCanBeEnteredWithPoorFixes() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle(30)])
    try fixture.fix(at: 0, east: 700, accuracyM: 100)
    for second in 1...20 { try fixture.fix(at: Double(second), east: 5, accuracyM: 100) }
    #expect(fixture.story == ["enter depot"])
    // It takes more than one of them.
    #expect(fixture.events[0].at.seconds > 5)
  }

  @Test func passingByAtTheEdgeOfTheErrorIsNoCrossing() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle()])
    try fixture.drive(at: 14, north: 98)
    #expect(fixture.story == [])
  }

  @Test func bayOfAPolygonIsLeft() throws {
    let notched = try GeofenceTests.yard(
      [(-150, 0), (150, 0), (150, 200), (60, 200), (60, 50), (-60, 50), (-60, 200), (-150, 200)])
    var fixture = GeofenceFixture([notched])
    try fixture.drive(at: 10, north: 120)
    #expect(fixture.story == ["enter yard", "leave yard", "enter yard", "leave yard"])
    fixture = GeofenceFixture([notched])
    try fixture.drive(at: 10, north: 25)
    #expect(fixture.story == ["enter yard", "leave yard"])
  }

  @Test func crossingOfTheMeridianIsSeen() throws {
    let centre = try GeofenceTests.place(10, 180)
    var watch = GeofenceWatch([try Geofence(name: "line", .circle(centre: centre, radiusM: 300))])
    var events: [GeofenceEvent] = []
    for second in 0...200 {
      var report = GpsdPosition(mode: 3)
      let longitude = 179.99 + Double(second) * 1e-4
      (report.latitude, report.longitude, report.ephM) = (10, longitude > 180 ? longitude - 360 : longitude, 5)
      let now = Instant(seconds: Double(second))
      events += watch.take(try #require(Fix(report, at: now)), isMoving: true, at: now)
    }
    #expect(events.map(\.kind) == [.enter, .leave])
  }

  // MARK: Drift

  /// Whatever the tracker makes of it: normal errors as large as the accuracy, on the edge, for 12 hours.
  @Test(arguments: [true, nil], [5.0, 40])
  func jitterOnTheEdgeIsAtMostOneEvent(isMoving: Bool?, accuracyM: Double) throws {
    for seed in 1...2 {
      var fixture = GeofenceFixture([try GeofenceFixture.circle()], seed: UInt64(seed))
      for second in 0..<43_200 {
        try fixture.fix(at: Double(second), east: 100, accuracyM: accuracyM, sigma: accuracyM, isMoving: isMoving)
      }
      #expect(fixture.events.count <= 1, "seed \(seed): \(fixture.story)")
    }
  }

  /// Real errors wander: here with a time constant of 100 s, and twice as large as the receiver claims.
  @Test func nodeThatStandsCrossesNothingByDrift() throws {
    var random = RandomNumbers(seed: 7)
    var fixture = GeofenceFixture([try GeofenceFixture.circle()])
    var (east, north) = (0.0, 0.0)
    for second in 0..<86_400 {
      east += -east / 100 + 10 * (2.0 / 100).squareRoot() * random.normal()
      north += -north / 100 + 10 * (2.0 / 100).squareRoot() * random.normal()
      try fixture.fix(at: Double(second), east: 95 + east, north: north, isMoving: false)
    }
    // Where it is, is found out once.
    #expect(fixture.events.count <= 1, "\(fixture.story)")
  }

  /// The car stops in the garage before fixes have said it often enough.
  @Test func arrivalIsTakenThoughTheNodeStandsByThen() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle(20)])
    try fixture.fix(at: 0, east: 300)
    try fixture.fix(at: 1, east: 10, accuracyM: 8)
    #expect(fixture.story == [])
    for second in 2...15 { try fixture.fix(at: Double(second), east: 8, accuracyM: 8, isMoving: false) }
    #expect(fixture.story == ["enter depot"])
  }

  @Test func slowTowIsSeen() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle()])
    for second in 0..<600 {
      try fixture.fix(at: Double(second), east: 0.3 * Double(second), sigma: 2, isMoving: nil)
    }
    #expect(fixture.story == ["enter depot first", "leave depot"])
    // 20 m outside, and a few fixes more.
    #expect((try #require(fixture.events.last)).edgeM < 30)
  }

  // MARK: After a start, and after gaps

  @Test func nodeThatStartsInsideSaysSo() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle(), try GeofenceFixture.circle(50, name: "gate")])
    try fixture.fix(at: 0, east: 70, isMoving: false)
    #expect(fixture.story == ["enter depot first"])
    #expect(fixture.watch.isInside("depot") == true)
    // 20 m outside is not far enough to know by one fix; that it is outside is nothing to tell.
    #expect(fixture.watch.isInside("gate") == nil)
    try fixture.fix(at: 1, east: 90, isMoving: false)
    #expect(fixture.watch.isInside("gate") == false)
    #expect(fixture.story == ["enter depot first"])
    // How long it was inside is not known.
    try fixture.fix(at: 2, east: 200)
    #expect(fixture.story == ["enter depot first", "leave depot"])
    #expect(fixture.events[1].insideSince == nil)
  }

  @Test func nodeThatWasInsideBeforeTheRestartGoesOn() throws {
    let fence = try GeofenceFixture.circle()
    let since = WallTime(seconds: 1_700_000_000)
    var fixture = GeofenceFixture([fence], recorded: [LocationRecord.Fence(fence, since: since)])
    // Until it has a fix again, it is kept as it was.
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_700_001_000), quality: .ntp)
    #expect(fixture.watch.record(clock: clock) == [LocationRecord.Fence(fence, since: since)])
    try fixture.fix(at: 10, east: 0, isMoving: false)
    #expect(fixture.story == [])
    #expect(fixture.watch.isInside("depot") == true)
    #expect(fixture.watch.record(clock: clock) == [LocationRecord.Fence(fence, since: since)])
    try fixture.fix(at: 20, east: 200)
    #expect(fixture.story == ["leave depot"])
    let leave = try #require(fixture.events.first)
    #expect(((leave.message(clock: clock).insideS ?? 0) - 1020.3).magnitude < 1e-6)
    // A clock that is worth nothing can't tell how long.
    #expect(leave.message(clock: ClockState(wallAtStart: clock.wallAtStart, quality: .none)).insideS == nil)
  }

  @Test func nodeThatLeftWhileItWasOffSaysSo() throws {
    let fence = try GeofenceFixture.circle()
    var fixture = GeofenceFixture([fence], recorded: [LocationRecord.Fence(fence, since: nil)])
    try fixture.fix(at: 10, east: 400, isMoving: false)
    #expect(fixture.story == ["leave depot first"])
    try fixture.fix(at: 11, east: 410)
    #expect(fixture.story.count == 1)
  }

  @Test func recordOfAFenceThatWasMovedIsNoneOfIt() throws {
    let old = try GeofenceFixture.circle(90)
    var fixture = GeofenceFixture([try GeofenceFixture.circle()], recorded: [LocationRecord.Fence(old, since: nil)])
    try fixture.fix(at: 10, east: 0)
    #expect(fixture.story == ["enter depot first"])
  }

  @Test func crossingInAGapWasNotSeen() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle()])
    try fixture.fix(at: 0, east: -400)
    try fixture.fix(at: 100, east: 0)
    try fixture.fix(at: 101, east: 400)
    #expect(fixture.story == ["enter depot first", "leave depot"])
    #expect(fixture.events[1].insideSince == nil)
  }

  @Test func crossingAfterAGapAtTheEdgeWasNotSeenEither() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle()])
    try fixture.fix(at: 0, east: -400)
    // Three metres inside say nothing, with an accuracy of five.
    try fixture.fix(at: 100, east: -97)
    try fixture.fix(at: 101, east: 0)
    #expect(fixture.story == ["enter depot first"])
    // Seen well inside since, so that the next one was seen.
    try fixture.fix(at: 102, east: 0)
    try fixture.fix(at: 103, east: 400)
    #expect(fixture.story.last == "leave depot")
  }

  @Test func jumpIsNoWayThatWasSeen() throws {
    var fixture = GeofenceFixture([try GeofenceFixture.circle()])
    try fixture.fix(at: 0, east: -400)
    fixture.watch.interrupt()
    try fixture.fix(at: 1, east: 0)
    #expect(fixture.story == ["enter depot first"])
  }

  @Test func otherFencesLeaveWhatIsKnownOfTheRest() throws {
    let depot = try GeofenceFixture.circle()
    let gone = try GeofenceFixture.circle(80, name: "gone")
    var fixture = GeofenceFixture([gone, depot])
    try fixture.fix(at: 0, east: 0)
    #expect(fixture.story == ["enter gone first", "enter depot first"])
    let wider = try GeofenceFixture.circle(hysteresisM: 50)
    let new = try GeofenceFixture.circle(200, name: "new")
    fixture.watch.reconfigure([wider, new])
    #expect(fixture.watch.isInside("depot") == true)
    #expect(fixture.watch.isInside("gone") == nil)
    try fixture.fix(at: 1, east: 0)
    #expect(fixture.story.dropFirst(2) == ["enter new first"])
    // 40 m outside was enough before.
    try fixture.fix(at: 2, east: 140)
    #expect(fixture.watch.isInside("depot") == true)
    try fixture.fix(at: 3, east: 160)
    #expect(fixture.story.last == "leave depot")
  }
}
