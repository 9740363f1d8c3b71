public import Telemetry

/// Scale, offset and mounting of a sensor, from what it showed with each of the node's six sides up.
///
/// A sensor shows `s = A u + b` where `u` is 1 g along the node's axis that is up. With six positions along three axes
/// both ways, least squares have a closed form: `b` is the mean of all, and a column of `A` half the difference of two
/// opposite ones. A row of `A` belongs to one of the sensor's axes; its length is what that axis makes of 1 g, so that
/// one over it is the scale's correction, and what is left of `A` is the transposed mount matrix, brought to the
/// nearest rotation. Where the sensor's axes lie along the node's, as they mostly do, sides that were not quite level
/// enter the lengths only in second order.
public struct SixPositionCalibration: Equatable, Sendable {
  /// Why the positions are no calibration.
  public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    case missing([Face])
    case offset(Axis, g: Double)
    case scale(Axis, Double)
    case noRotation
    case residual(g: Double, worst: Face)

    public var description: String {
      switch self {
      case .missing(let faces): "no position with \(faces.map(\.rawValue).joined(separator: ", ")) up"
      case .offset(let axis, let g):
        "the sensor's \(axis.rawValue) axis is off by \(Decimal.text(g, decimals: 3)) g; up to 0.3 g is an error of"
          + " a sensor, more is a broken one or a wrong scale"
      case .scale(let axis, let factor):
        "the sensor's \(axis.rawValue) axis would need a factor of \(Decimal.text(factor, decimals: 3)); 0.8 to 1.25"
          + " is an error of a sensor, more is a wrong scale of its driver"
      case .noRotation: "the positions are those of no rotation: sides were mistaken for one another"
      case .residual(let g, let worst):
        "the positions do not fit together: \(Decimal.text(g, decimals: 3)) g are left over, most with"
          + " \(worst.rawValue) up; put each side flat on something level"
      }
    }
  }

  private static let offsetsG = -0.3...0.3
  private static let scales = 0.8...1.25
  /// Sides that are 3 deg off the level.
  private static let greatestResidualG = 0.05

  /// What to take off each of the sensor's axes.
  public let correction: AxisCorrection
  /// From the sensor's axes to the node's: a rotation.
  public let mount: MountMatrix
  /// RMS over the six of the distance between what is measured with all this and what should be [g].
  public let residualG: Double
  /// The position that fits least.
  public let worst: Face

  /// - Parameter meansG: what the sensor showed [g], along its own axes, without any correction or mount matrix.
  public init(_ meansG: [Face: Vector]) throws(Problem) {
    let missing = Face.known.filter { meansG[$0] == nil }
    guard missing.isEmpty else { throw .missing(missing) }
    let mean = { (face: Face) in meansG[face] ?? .zero }
    let offset = Face.known.reduce(Vector.zero) { $0 + mean($1) } * (1.0 / 6)
    // By columns, which transposed are rows.
    let shown = Matrix(
      rows: (mean(.xUp) - mean(.xDown)) * 0.5, (mean(.yUp) - mean(.yDown)) * 0.5, (mean(.zUp) - mean(.zDown)) * 0.5
    ).transposed
    let factors = Vector(1 / shown.x.length, 1 / shown.y.length, 1 / shown.z.length)
    try Self.check(offset, factors)
    let turned = Matrix(rows: shown.x * factors.x, shown.y * factors.y, shown.z * factors.z)
    guard let rotation = turned.nearestRotation?.transposed, let mount = MountMatrix(rotation) else {
      throw .noRotation
    }
    correction = AxisCorrection(scale: factors, offsetG: offset)
    self.mount = mount
    let errors = Face.known.map { (rotation((mean($0) - offset).scaled(by: factors)) - $0.up).length }
    residualG = (errors.reduce(0) { $0 + $1 * $1 } / 6).squareRoot()
    worst = zip(Face.known, errors).max { $0.1 < $1.1 }?.0 ?? .unknown
    guard residualG <= Self.greatestResidualG else { throw .residual(g: residualG, worst: worst) }
  }

  private static func check(_ offset: Vector, _ factors: Vector) throws(Problem) {
    for (axis, g) in [(Axis.x, offset.x), (.y, offset.y), (.z, offset.z)] where !offsetsG.contains(g) {
      throw .offset(axis, g: g)
    }
    for (axis, factor) in [(Axis.x, factors.x), (.y, factors.y), (.z, factors.z)] where !scales.contains(factor) {
      throw .scale(axis, factor)
    }
  }

  /// The section to paste into node.toml, one line each.
  public var configuration: [String] {
    [
      "[accelerometer]",
      "mount_matrix = \"\(mount.description)\"",
      "scale_correction = \"\(Self.text(correction.scale))\"",
      "offset_g = \"\(Self.text(correction.offsetG))\"",
    ]
  }

  private static func text(_ vector: Vector) -> String {
    [vector.x, vector.y, vector.z].map { Decimal.text($0, decimals: 5) }.joined(separator: ", ")
  }
}

extension MountMatrix {
  /// A rotation to five digits, which is what a configuration file holds.
  fileprivate init?(_ rotation: Matrix) {
    let rows = [rotation.x, rotation.y, rotation.z].map { row in
      [row.x, row.y, row.z].map { Decimal.text($0, decimals: 5) }.joined(separator: ", ")
    }
    guard let mount = try? MountMatrix(parsing: rows.joined(separator: "; ")) else { return nil }
    self = mount
  }
}
