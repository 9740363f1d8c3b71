/// Three components along the sensor's (or, after the mount matrix, the node's) axes.
public struct Vector: Equatable, Hashable, Sendable {
  /// The component along x.
  public var x: Double
  /// The component along y.
  public var y: Double
  /// The component along z.
  public var z: Double

  /// The vector with these components.
  public init(_ x: Double, _ y: Double, _ z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// No length and no direction.
  public static let zero = Vector(0, 0, 0)

  /// The sum, component by component.
  public static func + (a: Vector, b: Vector) -> Vector { Vector(a.x + b.x, a.y + b.y, a.z + b.z) }
  /// The difference, component by component.
  public static func - (a: Vector, b: Vector) -> Vector { Vector(a.x - b.x, a.y - b.y, a.z - b.z) }
  /// The vector `k` times as long.
  public static func * (a: Vector, k: Double) -> Vector { Vector(a.x * k, a.y * k, a.z * k) }
  /// The opposite vector.
  public static prefix func - (a: Vector) -> Vector { Vector(-a.x, -a.y, -a.z) }

  /// The Euclidean length.
  public var length: Double { squaredLength.squareRoot() }

  /// The scalar product: the component along the other, where that is a unit vector.
  public func dot(_ other: Vector) -> Double { x * other.x + y * other.y + z * other.z }

  /// The vector product: at right angles to both, by the right-hand rule.
  public func cross(_ other: Vector) -> Vector {
    Vector(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
  }

  /// The length squared, which costs no root.
  public var squaredLength: Double { dot(self) }

  /// Whether no component is infinite or not a number.
  public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }
}

/// m/s^2 in one g: standard gravity, by definition (CGPM 1901).
public let standardGravity = 9.80665

/// An axis of the node.
public enum Axis: String, CaseIterable, Sendable {
  case x, y, z
}
