/// What one scan of an accelerometer held, as the kernel stored it.
public struct RawScan: Equatable, Sendable {
  /// Counts, signed and shifted as the format says.
  public var x: Int64
  public var y: Int64
  public var z: Int64
  /// Of the clock that `current_timestamp_clock` names [ns]; nil where the scan has none.
  public var timestampNs: Int64?

  public init(x: Int64, y: Int64, z: Int64, timestampNs: Int64? = nil) {
    self.x = x
    self.y = y
    self.z = z
    self.timestampNs = timestampNs
  }
}

/// Where the channels lie in a scan.
///
/// As the kernel packs it (iio_compute_scan_bytes in drivers/iio/industrialio-buffer.c): the enabled channels in the
/// order of their index, each at a multiple of its own size, and the whole padded to a multiple of the largest.
public struct ScanLayout: Equatable, Sendable {
  /// What a channel of a scan is.
  public enum Role: Hashable, Sendable {
    case x, y, z
    case timestamp
    /// Another channel that is enabled, and takes room.
    case other(String)
  }

  /// An enabled channel.
  public struct Channel: Equatable, Sendable {
    public var role: Role
    /// The attribute `scan_elements/in_*_index`.
    public var index: Int
    public var element: ScanElement

    public init(_ role: Role, index: Int, _ element: ScanElement) {
      self.role = role
      self.index = index
      self.element = element
    }
  }

  /// Why channels do not make a layout.
  public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
    case missing(Role)
    case twice(Role)
    case sameIndex(Int)
    case tooLarge(bytes: Int)

    public var description: String {
      switch self {
      case .missing(let role): "the scan has no channel \(role.name); expected x, y and z to be enabled"
      case .twice(let role): "the scan has the channel \(role.name) twice"
      case .sameIndex(let index): "two channels of the scan have the index \(index)"
      case .tooLarge(let bytes): "a scan of \(bytes) bytes; expected at most \(ScanLayout.largestSize)"
      }
    }
  }

  /// Bytes that a scan may have here; real ones have 8 to 32.
  public static let largestSize = 65_536

  /// Bytes of one scan.
  public let size: Int
  private let x: Place
  private let y: Place
  private let z: Place
  private let timestamp: Place?

  private struct Place: Equatable {
    var offset: Int
    var element: ScanElement
  }

  /// - Parameter channels: the channels whose `scan_elements/in_*_en` reads 1, in any order.
  public init(_ channels: [Channel]) throws(Problem) {
    var places: [Role: Place] = [:]
    var end = 0
    var largest = 1
    var lastIndex: Int?
    for channel in channels.sorted(by: { $0.index < $1.index }) {
      guard channel.index != lastIndex else { throw .sameIndex(channel.index) }
      lastIndex = channel.index
      let length = channel.element.size
      let place = Place(offset: Self.aligned(end, to: length), element: channel.element)
      guard places.updateValue(place, forKey: channel.role) == nil else { throw .twice(channel.role) }
      end = place.offset + length
      largest = max(largest, length)
      guard end <= Self.largestSize else { throw .tooLarge(bytes: end) }
    }
    size = Self.aligned(end, to: largest)
    guard let x = places[.x] else { throw .missing(.x) }
    guard let y = places[.y] else { throw .missing(.y) }
    guard let z = places[.z] else { throw .missing(.z) }
    (self.x, self.y, self.z) = (x, y, z)
    timestamp = places[.timestamp]
  }

  /// The elements of the three axes.
  public var axes: (x: ScanElement, y: ScanElement, z: ScanElement) { (x.element, y.element, z.element) }

  /// Whether the kernel adds the time of each scan.
  public var hasTimestamp: Bool { timestamp != nil }

  /// The scan that starts at `offset`; nil when it isn't whole.
  public func decode(_ bytes: UnsafeRawBufferPointer, at offset: Int = 0) -> RawScan? {
    guard offset >= 0, offset <= bytes.count - size else { return nil }
    return RawScan(
      x: x.element.value(in: bytes, at: offset + x.offset), y: y.element.value(in: bytes, at: offset + y.offset),
      z: z.element.value(in: bytes, at: offset + z.offset),
      timestampNs: timestamp.map { $0.element.value(in: bytes, at: offset + $0.offset) })
  }

  /// The scan at the start of `bytes`; nil when it isn't whole.
  public func decode(_ bytes: [UInt8]) -> RawScan? {
    bytes.withUnsafeBytes { decode($0) }
  }

  private static func aligned(_ offset: Int, to length: Int) -> Int { (offset + length - 1) / length * length }
}

extension ScanLayout.Role {
  var name: String {
    switch self {
    case .x: "accel_x"
    case .y: "accel_y"
    case .z: "accel_z"
    case .timestamp: "timestamp"
    case .other(let name): name
    }
  }
}
