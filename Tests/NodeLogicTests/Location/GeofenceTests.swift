import Foundation
import NodeLogic
import Testing

/// Areas on the globe, and which are none.
struct GeofenceTests {
  static let metresPerDegree = 111_195.08

  static func place(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: latitude, longitude: longitude))
  }

  /// `metres` east and north of 47 N 8 E.
  static func near(east: Double, north: Double) throws -> Coordinate {
    try place(47 + north / metresPerDegree, 8 + east / metresPerDegree / 0.681_998_360_062_498_5)
  }

  static func polygon(_ corners: [(Double, Double)]) throws -> Geofence {
    try Geofence(name: "area", .polygon(try corners.map { try place($0.0, $0.1) }))
  }

  static func yard(_ corners: [(Double, Double)]) throws -> Geofence {
    try Geofence(name: "yard", .polygon(try corners.map { try near(east: $0.0, north: $0.1) }))
  }

  /// The complaint about an area; nil when there is none.
  static func problem(_ make: () throws -> Geofence) -> GeofenceProblem? {
    do {
      _ = try make()
      return nil
    } catch {
      return error as? GeofenceProblem
    }
  }

  @Test func distanceToACircleIsSigned() throws {
    let fence = try Geofence(name: "a", .circle(centre: try Self.place(47, 8), radiusM: 100))
    #expect((fence.edgeDistanceM(from: try Self.place(47, 8)) + 100).magnitude < 1e-9)
    #expect((fence.edgeDistanceM(from: try Self.near(east: 0, north: 130)) - 30).magnitude < 0.01)
    #expect((fence.edgeDistanceM(from: try Self.near(east: 130, north: 0)) - 30).magnitude < 0.01)
    #expect(fence.depthM == 50)
  }

  @Test func distanceToAPolygonIsThatToTheNearestPointOfItsEdge() throws {
    let square = try Self.yard([(0, 0), (100, 0), (100, 100), (0, 100)])
    let expected: [((Double, Double), Double)] = [
      ((50, 50), -50), ((50, 10), -10), ((99, 50), -1), ((50, -20), 20), ((130, 140), 50), ((-3, -4), 5),
      ((0, 10_000), 9_900),
    ]
    for ((east, north), distance) in expected {
      let measured = square.edgeDistanceM(from: try Self.near(east: east, north: north))
      #expect((measured - distance).magnitude < 0.01 + 1e-4 * distance.magnitude, "\(east) \(north): \(measured)")
    }
    // Area by perimeter: as a circle of 50 m would have it, whose radius is that of the largest circle inside.
    #expect((square.depthM - 25).magnitude < 0.01)
    // The other way round is the same area.
    let reversed = try Self.yard([(0, 100), (100, 100), (100, 0), (0, 0)])
    #expect((reversed.edgeDistanceM(from: try Self.near(east: 50, north: 50)) + 50).magnitude < 0.01)
  }

  /// A yard with a bay that is not part of it.
  @Test func notchIsOutside() throws {
    let notched = try Self.yard([(0, 0), (300, 0), (300, 200), (180, 200), (180, 50), (120, 50), (120, 200), (0, 200)])
    #expect((notched.edgeDistanceM(from: try Self.near(east: 150, north: 120)) - 30).magnitude < 0.01)
    #expect((notched.edgeDistanceM(from: try Self.near(east: 60, north: 120)) + 60).magnitude < 0.01)
    #expect((notched.edgeDistanceM(from: try Self.near(east: 240, north: 120)) + 60).magnitude < 0.01)
    #expect((notched.edgeDistanceM(from: try Self.near(east: 150, north: 30)) + 20).magnitude < 0.01)
  }

  @Test func fenceMayLieAcrossThe180thMeridian() throws {
    let corners = [(-17.0, 179.9), (-17, -179.9), (-16.9, -179.9), (-16.9, 179.9)]
    let taveuni = try Self.polygon(corners)
    #expect(taveuni.edgeDistanceM(from: try Self.place(-16.95, 179.99)) < -5000)
    #expect(taveuni.edgeDistanceM(from: try Self.place(-16.95, -179.99)) < -5000)
    #expect(taveuni.edgeDistanceM(from: try Self.place(-16.95, 180)) < -5000)
    #expect(taveuni.edgeDistanceM(from: try Self.place(-16.95, -180)) < -5000)
    #expect(taveuni.edgeDistanceM(from: try Self.place(-16.95, 0)) > 10_000_000)
    // As the same fence a quarter of the globe away.
    let moved = try Self.polygon(corners.map { ($0.0, $0.1 > 0 ? $0.1 - 90 : $0.1 + 270) })
    let there = taveuni.edgeDistanceM(from: try Self.place(-16.93, -179.97))
    #expect((there - moved.edgeDistanceM(from: try Self.place(-16.93, 90.03))).magnitude < 0.001)
    let circle = try Geofence(name: "c", .circle(centre: try Self.place(-17, 179.9999), radiusM: 100))
    #expect(circle.edgeDistanceM(from: try Self.place(-17, -179.9999)) < -70)
  }

  @Test func fenceMayHoldAPole() throws {
    let cap = try Self.polygon([(89, 0), (89, 90), (89, 180), (89, -90)])
    #expect(cap.edgeDistanceM(from: try Self.place(90, 17)) < -70_000)
    #expect(cap.edgeDistanceM(from: try Self.place(89.5, 45)) < 0)
    #expect(cap.edgeDistanceM(from: try Self.place(88.9, 135)) > 0)
    #expect(cap.edgeDistanceM(from: try Self.place(-90, 0)) > 19_000_000)
    let south = try Geofence(name: "s", .circle(centre: try Self.place(-90, 0), radiusM: 1000))
    #expect((south.edgeDistanceM(from: try Self.place(-90, 123)) + 1000).magnitude < 0.001)
  }

  /// The plane against the sphere: from an edge as long as may be, north of Europe.
  @Test func distancesOfALargeFenceAreThoseOnTheGlobe() throws {
    let large = try Self.polygon([(45, 5), (45, 12), (51, 12), (51, 5)])
    let corner = try Self.place(51, 5)
    let outside = try Self.place(52, 4)
    #expect((large.edgeDistanceM(from: outside) - outside.distanceM(to: corner)).magnitude < 1)
  }

  /// An area that is none, and the complaint about it.
  struct Refused: Sendable {
    var corners: [(Double, Double)]
    var problem: GeofenceProblem

    init(_ corners: [(Double, Double)], _ problem: GeofenceProblem) {
      self.corners = corners
      self.problem = problem
    }
  }

  static let refused = [
    Refused([(0, 0), (100, 0)], .cornerCount(2)),
    Refused([(0, 0), (100, 0), (100, 100), (0, 0)], .cornersEqual(1, 4)),
    Refused([(0, 0), (100, 0), (100.001, 0), (0, 100)], .cornersEqual(2, 3)),
    // A bow tie, one that comes back along itself, one that touches itself with a corner, and a line.
    Refused([(0, 0), (100, 100), (100, 0), (0, 100)], .edgesCross(1, 3)),
    Refused([(0, 0), (100, 0), (40, 0), (50, 80)], .edgesCross(1, 2)),
    Refused([(0, 0), (100, 0), (100, 50), (50, 0), (0, 50)], .edgesCross(1, 3)),
    Refused([(0, 0), (50, 0), (100, 0)], .edgesCross(1, 3)),
    Refused([(0, 0), (1000, 0), (1000, 0.4), (0, 0.4)], .tooThin),
  ]

  @Test(arguments: refused) func areaThatIsNoneIsRefused(refused: Refused) {
    #expect(Self.problem { try Self.yard(refused.corners) } == refused.problem)
  }

  /// Between the line as it is written and the great circle lie 14 m here, and 480 m there.
  @Test(arguments: [
    [(47.0, 8.0), (47.1, 8.1), (47.2, 8.2)], [(47, 8), (47, 9), (47, 10)], [(0, 179), (1, 180), (2, -179)],
  ])
  func lineAsItIsWrittenIsNoArea(corners: [(Double, Double)]) {
    #expect(Self.problem { try Self.polygon(corners) } == .tooThin)
  }

  @Test func narrowAreasAndCapsOfAPoleAreFences() throws {
    // A road 8 m wide and 14 km long.
    let road = try Self.polygon([(47, 8), (47.1, 8.1), (47.1, 8.1001), (47, 8.0001)])
    #expect(road.depthM > 2 && road.depthM < 4)
    let cap = try Self.polygon([(89, 0), (89, 90), (89, 180), (89, -90)])
    #expect(cap.edgeDistanceM(from: try Self.place(90, 0)) < -70_000)
  }

  @Test func polygonThatIsTooLargeOrHasTooManyCornersIsRefused() throws {
    // Swapped latitudes and longitudes, as a rule.
    let problem = Self.problem { try Self.polygon([(0, 0), (0, 60), (30, 30)]) }
    #expect(problem.map { "\($0)" }?.hasPrefix("is 6671 km across; at most 1000 km") == true)
    let antipodes = Self.problem { try Self.polygon([(0, 0), (0, 180), (0, 90), (0, -90)]) }
    #expect(antipodes?.key == "polygon")
    let circle = (0..<201).map { index in
      let angle = Double(index) / 201 * 2 * .pi
      return (1000 * cos(angle), 1000 * sin(angle))
    }
    #expect(Self.problem { try Self.yard(circle) } == .cornerCount(201))
    let fence = try Self.yard(circle.dropLast())
    #expect((fence.depthM - 500).magnitude < 5)
  }

  @Test func nameAndRadiusHaveRanges() throws {
    let centre = try Self.place(47, 8)
    let circle = Geofence.Shape.circle(centre: centre, radiusM: 50)
    #expect(Self.problem { try Geofence(name: "", circle) } == .name)
    #expect(Self.problem { try Geofence(name: String(repeating: "ä", count: 33), circle) } == .name)
    #expect(Self.problem { try Geofence(name: String(repeating: "ä", count: 32), circle) } == nil)
    for radiusM in [0, 0.9, -5, 500_001, .nan, .infinity] {
      #expect(Self.problem { try Geofence(name: "a", .circle(centre: centre, radiusM: radiusM)) } == .radius)
    }
  }

  @Test func depthIsNeverMoreThanTheLargestCircleInside() throws {
    // A corridor of 20 m by 2 km, and a star with long arms.
    #expect(try Self.yard([(0, 0), (2000, 0), (2000, 20), (0, 20)]).depthM < 10)
    let star = try Self.yard([(0, 500), (20, 20), (500, 0), (20, -20), (0, -500), (-20, -20), (-500, 0), (-20, 20)])
    #expect(star.depthM < 28.3)
    #expect(star.depthM > 5)
  }
}
