/// The edge of a polygon in a plane.
struct GeofenceOutline: Equatable, Sendable {
  typealias Point = GeofencePlane.Point

  /// Corners nearer than this are one [m].
  private static let sameM = 0.01
  /// Area by the square of the perimeter: what has more is no sliver, whatever its corners. A square has 1/16.
  private static let leastSlenderness = 1e-3

  private let plane: GeofencePlane
  private let corners: [Point]
  let areaM2: Double
  let perimeterM: Double

  /// - Throws: what is wrong with the corners.
  init(_ places: [Coordinate]) throws(GeofenceProblem) {
    guard Geofence.cornerRange.contains(places.count) else { throw .cornerCount(places.count) }
    // What is near to one of them is near to each other; only a large fence is looked at pair by pair.
    let isSmall = places.allSatisfy { places[0].distanceM(to: $0) <= Geofence.longestM / 2 }
    if !isSmall, let metres = Self.extentM(places), metres > Geofence.longestM { throw .tooLarge(metres) }
    plane = GeofencePlane(amid: places)
    corners = places.map(plane.point)
    let edges = Self.edges(corners)
    areaM2 = edges.reduce(0) { $0 + $1.from.cross($1.to) }.magnitude / 2
    perimeterM = edges.reduce(0) { $0 + ($1.to - $1.from).length }
    try Self.check(corners, edges)
    guard areaM2 >= Geofence.leastDepthM * perimeterM, !isLine(places) else { throw .tooThin }
  }

  /// Whether the corners lie on a line as they are written, in latitude and longitude.
  ///
  /// On the globe that line is bent against an edge, so that some metres lie between them: nobody's area.
  private func isLine(_ places: [Coordinate]) -> Bool {
    // A cap around a pole is a line too as it is written, and wide.
    guard areaM2 < Self.leastSlenderness * perimeterM * perimeterM else { return false }
    let first = places[0]
    let metresPerDegree = Coordinate.earthRadiusM * radians(1)
    let written = places.map { place in
      let east = (place.longitude - first.longitude).remainder(dividingBy: 360) * cos(radians(first.latitude))
      return Point(x: east * metresPerDegree, y: (place.latitude - first.latitude) * metresPerDegree)
    }
    let writtenM2 = Self.edges(written).reduce(0) { $0 + $1.from.cross($1.to) }.magnitude / 2
    return writtenM2 < Geofence.leastDepthM * perimeterM
  }

  /// The distance to the nearest point of the edge [m], negative inside.
  func edgeDistanceM(from place: Coordinate) -> Double {
    let point = plane.point(of: place)
    var nearest = corners[0]
    var least = Double.infinity
    var isInside = false
    for edge in Self.edges(corners) {
      let foot = edge.nearestPoint(to: point)
      let metres = (foot - point).length
      if metres < least { (least, nearest) = (metres, foot) }
      // Every edge that a ray to the east crosses turns inside into outside.
      if edge.isCrossedByRay(from: point) { isInside.toggle() }
    }
    // The plane is true only near its middle: it says which point is nearest, and the globe says how near.
    let distanceM = plane.place(at: nearest)?.distanceM(to: place) ?? least
    return isInside ? -distanceM : distanceM
  }

  private static func edges(_ corners: [Point]) -> [Edge] {
    corners.indices.map { Edge(from: corners[$0], to: corners[($0 + 1) % corners.count]) }
  }

  /// The longest distance between two of them.
  private static func extentM(_ places: [Coordinate]) -> Double? {
    places.indices.flatMap { a in places[..<a].map { $0.distanceM(to: places[a]) } }.max()
  }

  private static func check(_ corners: [Point], _ edges: [Edge]) throws(GeofenceProblem) {
    for b in corners.indices {
      for a in 0..<b where (corners[a] - corners[b]).length < sameM { throw .cornersEqual(a + 1, b + 1) }
    }
    for b in edges.indices {
      for a in 0..<b {
        let areNeighbours = b == a + 1 || (a == 0 && b == edges.count - 1)
        let meet = areNeighbours ? edges[a].turnsBack(into: edges[b]) : edges[a].meets(edges[b])
        if meet { throw .edgesCross(a + 1, b + 1) }
      }
    }
  }

  private struct Edge {
    let from: Point
    let to: Point

    func nearestPoint(to point: Point) -> Point {
      let way = to - from
      let share = min(max((point - from).dot(way) / way.dot(way), 0), 1)
      return Point(x: from.x + share * way.x, y: from.y + share * way.y)
    }

    func isCrossedByRay(from point: Point) -> Bool {
      guard (from.y > point.y) != (to.y > point.y) else { return false }
      return point.x < from.x + (point.y - from.y) / (to.y - from.y) * (to.x - from.x)
    }

    /// Whether two edges without a common corner have a point in common.
    func meets(_ other: Edge) -> Bool {
      guard Self.overlap(from.x, to.x, other.from.x, other.to.x),
        Self.overlap(from.y, to.y, other.from.y, other.to.y)
      else { return false }
      let sides = (side(of: other.from), side(of: other.to), other.side(of: from), other.side(of: to))
      if sides.0 * sides.1 < 0, sides.2 * sides.3 < 0 { return true }
      return holds(other.from) || holds(other.to) || other.holds(from) || other.holds(to)
    }

    /// Whether two edges with a common corner lie on one another.
    func turnsBack(into other: Edge) -> Bool {
      let (start, end) = to == other.from ? (from, other.to) : (to, other.from)
      return other.holds(start) || holds(end)
    }

    /// Whether the range from `a` to `b` and that from `c` to `d` have anything in common.
    private static func overlap(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Bool {
      max(a, b) + sameM >= min(c, d) && max(c, d) + sameM >= min(a, b)
    }

    private func side(of point: Point) -> Double { (to - from).cross(point - from) }

    private func holds(_ point: Point) -> Bool { (nearestPoint(to: point) - point).length < sameM }
  }
}
