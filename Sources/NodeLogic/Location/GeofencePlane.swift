internal import Telemetry

/// The globe seen from one place, by the azimuthal equidistant projection (Snyder, "Map Projections: A Working Manual",
/// 1987, chapter 25, on a sphere).
///
/// Poles and the 180th meridian are places like any other. What is 1000 km away appears 0.4 % too wide across the line
/// of sight, and as far away as it is.
struct GeofencePlane: Equatable, Sendable {
  /// [m], east and north of the middle.
  struct Point: Equatable, Sendable {
    var x: Double
    var y: Double

    static func - (a: Point, b: Point) -> Point { Point(x: a.x - b.x, y: a.y - b.y) }

    var length: Double { hypot(x, y) }

    /// Twice the area of the triangle with the origin; positive when `other` is to the left.
    func cross(_ other: Point) -> Double { x * other.y - y * other.x }

    func dot(_ other: Point) -> Double { x * other.x + y * other.y }
  }

  private let middle: Vector
  private let east: Vector
  private let north: Vector

  /// Touches the globe amid these places, of which there is at least one; they must not lie all around the globe.
  init(amid places: [Coordinate]) {
    let sum = places.map(direction).reduce(.zero, +)
    middle = sum.length > 0 ? sum * (1 / sum.length) : Vector(1, 0, 0)
    let horizontal = hypot(middle.x, middle.y)
    // At a pole every direction is south or north, and any will do.
    east = horizontal > 0 ? Vector(-middle.y / horizontal, middle.x / horizontal, 0) : Vector(0, 1, 0)
    north = middle.cross(east)
  }

  func point(of place: Coordinate) -> Point {
    let towards = direction(of: place)
    let (x, y) = (towards.dot(east), towards.dot(north))
    let sine = hypot(x, y)
    let scale = sine > 0 ? Coordinate.earthRadiusM * atan2(sine, towards.dot(middle)) / sine : 0
    return Point(x: x * scale, y: y * scale)
  }

  func place(at point: Point) -> Coordinate? {
    let distance = point.length
    let angle = distance / Coordinate.earthRadiusM
    let (cosine, sine) = (cos(angle), distance > 0 ? sin(angle) / distance : 0)
    let towards = middle * cosine + east * (point.x * sine) + north * (point.y * sine)
    return Coordinate(
      latitude: degrees(atan2(towards.z, hypot(towards.x, towards.y))), longitude: degrees(atan2(towards.y, towards.x)))
  }
}

/// A direction from the middle of the earth, of length 1: x to where the equator meets the prime meridian, z north.
private func direction(of place: Coordinate) -> Vector {
  let (latitude, longitude) = (radians(place.latitude), radians(place.longitude))
  return Vector(cos(latitude) * cos(longitude), cos(latitude) * sin(longitude), sin(latitude))
}
