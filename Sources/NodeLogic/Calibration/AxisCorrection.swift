public import Telemetry

/// What a calibration found wrong with each of the sensor's own axes: taken off before the mount matrix.
///
/// An axis that shows `s` [g] measures `(s - offsetG) * scale`.
public struct AxisCorrection: Equatable, Sendable {
  /// What a reading is multiplied by after its offset was taken off; `scaleRange` on each axis.
  public var scale: Vector
  /// What each axis shows where there is nothing to measure [g]; `offsetRangeG` on each axis.
  public var offsetG: Vector

  /// The sensor is believed as it is.
  public static let none = AxisCorrection()

  /// What is beyond is no error of a sensor, but of whoever measured it.
  public static let scaleRange = 0.5...2.0
  /// The same [g].
  public static let offsetRangeG = -1.0...1.0

  /// What is not said is left as the sensor has it.
  public init(scale: Vector = Vector(1, 1, 1), offsetG: Vector = .zero) {
    self.scale = scale
    self.offsetG = offsetG
  }

  /// Why a text is no correction.
  public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    case count(Int)
    case number(axis: Axis, text: String)
    case range(axis: Axis, value: Double, ClosedRange<Double>)

    public var description: String {
      switch self {
      case .count(let count): "\(count) numbers; expected 3, for x, y, z, with commas between them"
      case .number(let axis, let text): "\(axis.rawValue): \(SafeText.quoted(text)) is not a number"
      case .range(let axis, let value, let range):
        "\(axis.rawValue): \(value) is not within \(range.lowerBound) to \(range.upperBound)"
      }
    }
  }

  /// Reads `1.002, 0.998, 1.01`: the factors of x, y and z.
  public static func scale(parsing text: some StringProtocol) throws(Problem) -> Vector {
    try vector(parsing: text, within: scaleRange)
  }

  /// Reads `0.012, -0.004, 0.031`: the offsets of x, y and z [g].
  public static func offsetG(parsing text: some StringProtocol) throws(Problem) -> Vector {
    try vector(parsing: text, within: offsetRangeG)
  }

  /// The same scale of an axis, with the correction in it, so that a sample costs nothing more.
  func corrected(_ axis: AccelerationScale.AxisScale, _ path: KeyPath<Vector, Double>) -> AccelerationScale.AxisScale {
    guard self != .none else { return axis }
    // ((raw + o) s / g0 - b) k  =  (raw + o - b g0 / s) (s k) / g0
    let counts = offsetG[keyPath: path] * standardGravity / axis.scale
    return AccelerationScale.AxisScale(scale: axis.scale * scale[keyPath: path], offset: axis.offset - counts)
  }

  private static func vector(
    parsing text: some StringProtocol, within range: ClosedRange<Double>
  ) throws(Problem) -> Vector {
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == 3 else { throw .count(fields.count) }
    return Vector(
      try number(fields[0], .x, range), try number(fields[1], .y, range), try number(fields[2], .z, range))
  }

  private static func number(
    _ text: some StringProtocol, _ axis: Axis, _ range: ClosedRange<Double>
  ) throws(Problem) -> Double {
    var bytes = Array(text.utf8)[...]
    while bytes.first == UInt8(ascii: " ") { bytes.removeFirst() }
    while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    guard let value = decimal(bytes) else {
      throw .number(axis: axis, text: String(decoding: bytes, as: UTF8.self))
    }
    guard range.contains(value) else { throw .range(axis: axis, value: value, range) }
    return value
  }
}
