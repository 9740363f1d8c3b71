/// Three components along the sensor's (or, after the mount matrix, the node's) axes.
public struct Vector: Equatable, Hashable, Sendable {
  public var x: Double
  public var y: Double
  public var z: Double

  public init(_ x: Double, _ y: Double, _ z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  public static let zero = Vector(0, 0, 0)

  public static func + (a: Vector, b: Vector) -> Vector { Vector(a.x + b.x, a.y + b.y, a.z + b.z) }
  public static func - (a: Vector, b: Vector) -> Vector { Vector(a.x - b.x, a.y - b.y, a.z - b.z) }
  public static func * (a: Vector, k: Double) -> Vector { Vector(a.x * k, a.y * k, a.z * k) }
  public static prefix func - (a: Vector) -> Vector { Vector(-a.x, -a.y, -a.z) }

  /// The Euclidean length.
  public var length: Double { (x * x + y * y + z * z).squareRoot() }

  public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
}

/// m/s^2 in one g: standard gravity, by definition (CGPM 1901).
public let standardGravity = 9.80665

/// An axis of the node.
public enum Axis: String, CaseIterable, Sendable {
  case x, y, z
}
