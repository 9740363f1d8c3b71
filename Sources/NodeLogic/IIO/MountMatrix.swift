public import Telemetry

/// How the sensor sits in the node: the matrix that turns the sensor's axes into the node's.
///
/// The kernel gives it as nine numbers, `a, b, c; d, e, f; g, h, i` (`mount_matrix` in
/// Documentation/ABI/testing/sysfs-bus-iio); a row makes one axis of the node.
public struct MountMatrix: Equatable, Sendable, CustomStringConvertible {
  /// What makes the node's x, y and z of the sensor's.
  public let rows: (x: Vector, y: Vector, z: Vector)

  /// The node's axes are the sensor's.
  public static let identity = MountMatrix(rows: (Vector(1, 0, 0), Vector(0, 1, 0), Vector(0, 0, 1)))

  /// Below this determinant a direction is lost.
  private static let smallestDeterminant = 0.001

  /// Why a matrix can't be used.
  public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    case rows(Int)
    case columns(row: Int, count: Int)
    case number(row: Int, column: Int, text: String)
    case singular

    public var description: String {
      switch self {
      case .rows(let count): "mount matrix: \(count) rows; expected 3, with semicolons between them"
      case .columns(let row, let count):
        "mount matrix, row \(row): \(count) numbers; expected 3, with commas between them"
      case .number(let row, let column, let text):
        "mount matrix, row \(row), column \(column): \"\(text)\" is not a number"
      case .singular: "mount matrix: its determinant is 0, so a direction would be lost; expected a rotation"
      }
    }
  }

  private init(rows: (x: Vector, y: Vector, z: Vector)) {
    self.rows = rows
  }

  /// Reads `a, b, c; d, e, f; g, h, i`. Blanks and a line feed anywhere around the numbers are all right.
  public init(parsing text: some StringProtocol) throws(Problem) {
    let lines = text.split(separator: ";", omittingEmptySubsequences: false)
    guard lines.count == 3 else { throw .rows(lines.count) }
    self.init(rows: (try Self.row(lines[0], 1), try Self.row(lines[1], 2), try Self.row(lines[2], 3)))
    let largest = [rows.x, rows.y, rows.z].map(\.length).max() ?? 0
    // Relative to the largest row, so that a matrix in other units than 1 is judged by its shape.
    guard largest > 0, largest.isFinite,
      (determinant / (largest * largest * largest)).magnitude >= Self.smallestDeterminant
    else { throw .singular }
  }

  private static func row(_ text: some StringProtocol, _ row: Int) throws(Problem) -> Vector {
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == 3 else { throw .columns(row: row, count: fields.count) }
    return Vector(try number(fields[0], row, 1), try number(fields[1], row, 2), try number(fields[2], row, 3))
  }

  private static func number(_ text: some StringProtocol, _ row: Int, _ column: Int) throws(Problem) -> Double {
    let blanks: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
    var bytes = Array(text.utf8)[...]
    while let byte = bytes.first, blanks.contains(byte) { bytes.removeFirst() }
    while let byte = bytes.last, blanks.contains(byte) { bytes.removeLast() }
    guard let value = decimal(bytes) else {
      throw .number(row: row, column: column, text: String(decoding: bytes.prefix(40), as: UTF8.self))
    }
    return value
  }

  /// The vector along the node's axes that `sensor` is along the sensor's.
  public func callAsFunction(_ sensor: Vector) -> Vector {
    Vector(rows.x.dot(sensor), rows.y.dot(sensor), rows.z.dot(sensor))
  }

  /// 1 for a rotation; 0 where a direction is lost.
  public var determinant: Double { rows.x.dot(rows.y.cross(rows.z)) }

  /// Whether it turns only, within one part in a hundred: one that mirrors or stretches is used as it is, but deserves
  /// a warning.
  public var isRotation: Bool {
    let products = [rows.x.dot(rows.y), rows.y.dot(rows.z), rows.z.dot(rows.x)]
    let lengths = [rows.x.length, rows.y.length, rows.z.length]
    return determinant > 0 && products.allSatisfy { $0.magnitude < 0.01 }
      && lengths.allSatisfy { ($0 - 1).magnitude < 0.01 }
  }

  public var description: String {
    [rows.x, rows.y, rows.z].map { "\($0.x), \($0.y), \($0.z)" }.joined(separator: "; ")
  }

  public static func == (a: MountMatrix, b: MountMatrix) -> Bool { a.rows == b.rows }
}
