/// A JSON value (RFC 8259). Objects keep the order of their members.
public enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// Always finite when it was read.
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// One key and its value.
  public struct Member: Equatable, Sendable {
    /// The key, escapes resolved.
    public var key: String
    /// What stands under it.
    public var value: JSONValue

    /// A key with its value.
    public init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The value of the member `key`; nil if there is none or this isn't an object.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The number, or nil if this is something else.
  public var number: Double? {
    if case .number(let value) = self { value } else { nil }
  }

  /// The number if it is whole and within ±2^53, where a `Double` is exact; otherwise nil.
  public var integer: Int? {
    guard case .number(let value) = self, value.magnitude <= 0x1p53 else { return nil }
    return Int(exactly: value)
  }

  /// The text, or nil if this is something else.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The truth value, or nil if this is something else.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The elements, or nil if this is something else.
  public var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members, or nil if this is something else.
  public var members: [Member]? {
    if case .object(let value) = self { value } else { nil }
  }

  /// Whether this is the literal `null`.
  public var isNull: Bool { self == .null }

  /// Reads one value, strictly: RFC 8259 with nothing before or after it but white space. Never traps.
  public static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits = .default
  ) throws(JSONProblem) -> JSONValue {
    var parser = JSONParser(bytes, limits: limits)
    return try parser.document()
  }

  /// Reads one value; see `parse(_:limits:)` of a buffer.
  public static func parse(
    _ bytes: UnsafeRawBufferPointer, limits: JSONLimits = .default
  ) throws(JSONProblem) -> JSONValue {
    try parse(bytes.assumingMemoryBound(to: UInt8.self), limits: limits)
  }

  /// Reads one value; see `parse(_:limits:)` of a buffer.
  public static func parse(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONProblem) -> JSONValue {
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSONProblem) in try parse(buffer, limits: limits) }
  }

  /// Reads one value; offsets in problems count from the start of the slice.
  public static func parse(_ bytes: ArraySlice<UInt8>, limits: JSONLimits = .default) throws(JSONProblem) -> JSONValue {
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSONProblem) in try parse(buffer, limits: limits) }
  }
}
