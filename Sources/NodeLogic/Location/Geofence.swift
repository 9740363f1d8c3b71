internal import Telemetry

/// An area that a node may be in: a circle or a polygon, WGS 84.
///
/// Distances are along great circles of a sphere, as `Coordinate.distanceM` has them.
public struct Geofence: Equatable, Sendable {
  /// What is inside.
  public enum Shape: Equatable, Sendable {
    case circle(centre: Coordinate, radiusM: Double)
    /// Corners in the order of the edges, the last of which leads back to the first. An edge is straight in a plane
    /// that touches the globe amid the corners.
    case polygon([Coordinate])
  }

  /// As messages name it; 1 to 64 bytes.
  public let name: String
  public let shape: Shape
  /// How far outside the node must be at least before it has left [m]; and inside to have entered, by a fix of unknown
  /// accuracy.
  public let hysteresisM: Double
  /// A depth that is surely reached somewhere inside [m]: area by perimeter, which is half the radius of a circle, and
  /// of anything else never more than the radius of the largest circle in it (Bonnesen's inequality).
  public let depthM: Double
  /// Nil for a circle.
  private let outline: GeofenceOutline?

  /// - Throws: what is wrong with it.
  public init(name: String, _ shape: Shape, hysteresisM: Double = defaultHysteresisM) throws(GeofenceProblem) {
    guard (1...GeofenceMessage.longestNameBytes).contains(name.utf8.count) else { throw .name }
    self.name = name
    self.shape = shape
    self.hysteresisM = hysteresisM
    switch shape {
    case .circle(_, let radiusM):
      guard Self.radiusRangeM.contains(radiusM) else { throw .radius }
      depthM = radiusM / 2
      outline = nil
    case .polygon(let corners):
      let outline = try GeofenceOutline(corners)
      depthM = outline.areaM2 / outline.perimeterM
      self.outline = outline
    }
  }

  /// The distance to the nearest point of the edge [m], negative inside.
  public func edgeDistanceM(from place: Coordinate) -> Double {
    switch shape {
    case .circle(let centre, let radiusM): centre.distanceM(to: place) - radiusM
    case .polygon: outline?.edgeDistanceM(from: place) ?? .infinity
    }
  }

  /// Whether another fence has the same name and the same area.
  func isSameArea(as other: Geofence) -> Bool { name == other.name && shape == other.shape }

  /// Names the area in a file: FNV-1a (Fowler, Noll, Vo) over its numbers, 64 bits.
  var fingerprint: UInt64 {
    let numbers: [Double] =
      switch shape {
      case .circle(let centre, let radiusM): [centre.latitude, centre.longitude, radiusM]
      case .polygon(let corners): corners.flatMap { [$0.latitude, $0.longitude] }
      }
    return numbers.reduce(0xcbf2_9ce4_8422_2325) { hash, number in
      (0..<8).reduce(hash) { ($0 ^ (number.bitPattern >> (8 * UInt64($1)) & 0xff)) &* 0x100_0000_01b3 }
    }
  }
}

// What a configuration may ask for.
extension Geofence {
  /// Fences of one node.
  public static let most = 100
  /// Corners of a polygon.
  public static let cornerRange = 3...200
  /// [m].
  public static let radiusRangeM = 1.0...500_000
  /// From one corner to another [m]: what is larger is no longer straight in any plane.
  public static let longestM = 1_000_000.0
  /// The least `depthM` of a polygon [m]: that of the least circle.
  public static let leastDepthM = 0.5
  /// [m].
  public static let hysteresisRangeM = 0.0...10_000
  /// [m].
  public static let defaultHysteresisM = 20.0
}

/// Why an area is no fence.
public enum GeofenceProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// Empty or too long.
  case name
  case radius
  case cornerCount(Int)
  /// Two corners are one place; counted from 1.
  case cornersEqual(Int, Int)
  /// The edges that begin at these corners cross or touch; counted from 1.
  case edgesCross(Int, Int)
  /// From one corner to another [m].
  case tooLarge(Double)
  case tooThin

  public var description: String {
    switch self {
    case .name: "must have 1 to \(GeofenceMessage.longestNameBytes) bytes"
    case .radius:
      "must be \(Int(Geofence.radiusRangeM.lowerBound)) to \(Int(Geofence.radiusRangeM.upperBound)) m"
    case .cornerCount(let count):
      "has \(count) corner\(count == 1 ? "" : "s"); it must have \(Geofence.cornerRange.lowerBound) to"
        + " \(Geofence.cornerRange.upperBound)"
    case .cornersEqual(let a, let b):
      "has corners \(a) and \(b) in one place; leave one out (the last edge leads back to the first corner by itself)"
    case .edgesCross(let a, let b):
      "crosses or touches itself: the edges after corners \(a) and \(b) meet; put the corners in the order of the edges"
    case .tooLarge(let metres):
      "is \(Int(metres / 1000)) km across; at most \(Int(Geofence.longestM / 1000)) km; divide it, or swap lat and lon"
    case .tooThin: "encloses next to nothing: its corners lie on a line, or nearly; move its edges apart"
    }
  }

  /// The key of the configuration that is to blame.
  public var key: String {
    switch self {
    case .name: "name"
    case .radius: "radius_m"
    case .cornerCount, .cornersEqual, .edgesCross, .tooLarge, .tooThin: "polygon"
    }
  }
}
