internal import Telemetry

/// Three by three numbers, by rows: what a calibration computes with.
struct Matrix: Equatable, Sendable {
  var x: Vector
  var y: Vector
  var z: Vector

  init(rows x: Vector, _ y: Vector, _ z: Vector) {
    self.x = x
    self.y = y
    self.z = z
  }

  static let identity = Matrix(rows: Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1))

  /// The vector that this makes of another.
  func callAsFunction(_ v: Vector) -> Vector { Vector(x.dot(v), y.dot(v), z.dot(v)) }

  var transposed: Matrix {
    Matrix(rows: Vector(x.x, y.x, z.x), Vector(x.y, y.y, z.y), Vector(x.z, y.z, z.z))
  }

  var determinant: Double { x.dot(y.cross(z)) }

  /// The transposed inverse: its rows are the cross products of the others', over the determinant.
  var inverseTransposed: Matrix {
    let k = 1 / determinant
    return Matrix(rows: y.cross(z) * k, z.cross(x) * k, x.cross(y) * k)
  }

  /// The rotation that differs least from this, in the sum of squares; nil where a direction is lost or mirrored.
  ///
  /// The orthogonal factor of the polar decomposition, by Newton's method, which doubles the number of right digits
  /// with each step (Higham 1986, "Computing the polar decomposition with applications").
  var nearestRotation: Matrix? {
    var rotation = self
    for _ in 0..<30 {
      guard rotation.determinant > 1e-9 else { return nil }
      let other = rotation.inverseTransposed
      let next = Matrix(
        rows: (rotation.x + other.x) * 0.5, (rotation.y + other.y) * 0.5, (rotation.z + other.z) * 0.5)
      let change = (next.x - rotation.x).length + (next.y - rotation.y).length + (next.z - rotation.z).length
      rotation = next
      if change < 1e-14 { break }
    }
    return rotation
  }
}

extension Vector {
  /// The product, component by component.
  func scaled(by factors: Vector) -> Vector { Vector(x * factors.x, y * factors.y, z * factors.z) }

  /// The square of each component.
  var squares: Vector { scaled(by: self) }

  /// The root of each component.
  var roots: Vector { Vector(x.squareRoot(), y.squareRoot(), z.squareRoot()) }

  /// The largest magnitude of a component.
  var largest: Double { max(x.magnitude, max(y.magnitude, z.magnitude)) }

  /// The angle to another vector [deg], 0...180; 0 where one has no length.
  func angleDeg(to other: Vector) -> Double {
    let lengths = length * other.length
    return lengths > 0 ? degrees(acos(min(1, max(-1, dot(other) / lengths)))) : 0
  }
}

extension Face {
  /// The six, in the order in which a calibration asks for them.
  static let known: [Face] = [.zUp, .zDown, .xUp, .xDown, .yUp, .yDown]

  /// The unit vector along the node's axis that points up; zero for `unknown`.
  var up: Vector {
    switch self {
    case .xUp: Vector(1, 0, 0)
    case .xDown: Vector(-1, 0, 0)
    case .yUp: Vector(0, 1, 0)
    case .yDown: Vector(0, -1, 0)
    case .zUp: Vector(0, 0, 1)
    case .zDown: Vector(0, 0, -1)
    case .unknown: .zero
    }
  }

  /// The one whose axis is nearest to a direction.
  static func nearest(to direction: Vector) -> Face {
    known.max { $0.up.dot(direction) < $1.up.dot(direction) } ?? .unknown
  }
}
