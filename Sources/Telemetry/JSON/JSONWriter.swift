/// Writes compact JSON (RFC 8259), one value, straight into bytes.
///
///     var json = JSONWriter()
///     json.object {
///       $0.number("lat", 47.3769, decimals: 7)
///       $0.string("why", "first")
///     }
///     json.bytes  // {"lat":47.3769,"why":"first"}
///
/// A member whose value is nil or not finite is left out. Structure comes from closures, so that brackets always
/// match; that keys are unique is up to the caller. A raw buffer rather than an array, because appending single bytes
/// to an array costs nearly three times as much as the text itself.
public struct JSONWriter: ~Copyable {
  /// Owned; `count` bytes of it are initialised.
  var storage: UnsafeMutablePointer<UInt8>
  var capacity: Int
  var count = 0
  /// Whether the next member or element stands after another one.
  var needsComma = false

  /// An empty writer with room for `capacity` bytes; it grows as needed.
  public init(capacity: Int = 512) {
    self.capacity = max(capacity, 64)
    storage = .allocate(capacity: self.capacity)
  }

  deinit {
    storage.deallocate()
  }

  /// What was written so far.
  public var bytes: [UInt8] {
    Array(UnsafeBufferPointer(start: storage, count: count))
  }

  /// What was written so far, as text.
  public var text: String {
    String(decoding: UnsafeBufferPointer(start: storage, count: count), as: UTF8.self)
  }

  // MARK: Values: the whole text, or elements of an array

  /// An object whose members `body` writes.
  public mutating func object(_ body: (inout JSONWriter) -> Void) {
    separate()
    enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// An array whose elements `body` writes.
  public mutating func array(_ body: (inout JSONWriter) -> Void) {
    separate()
    enclose(UInt8(ascii: "["), UInt8(ascii: "]"), body)
  }

  /// A number with at most `decimals` (0...15) digits after the point; `null` if it is not finite.
  public mutating func number(_ value: Double, decimals: Int) {
    separate()
    if value.isFinite { appendFixed(value, decimals: decimals) } else { append("null") }
  }

  /// `[x,y,z]`; `null` if any component is not finite.
  public mutating func vector(_ value: Vector, decimals: Int) {
    guard value.isFinite else { return number(.nan, decimals: decimals) }
    array {
      $0.number(value.x, decimals: decimals)
      $0.number(value.y, decimals: decimals)
      $0.number(value.z, decimals: decimals)
    }
  }

  /// A whole number.
  public mutating func integer(_ value: some BinaryInteger) {
    separate()
    appendInteger(value)
  }

  /// A text.
  public mutating func string(_ value: String) {
    separate()
    appendString(value)
  }

  // MARK: Members of an object

  /// A number with at most `decimals` (0...15) digits after the point, never with an exponent.
  public mutating func number(_ key: StaticString, _ value: Double?, decimals: Int) {
    guard let value, value.isFinite else { return }
    name(key)
    appendFixed(value, decimals: decimals)
  }

  /// A whole number.
  public mutating func integer(_ key: StaticString, _ value: (some BinaryInteger)?) {
    guard let value else { return }
    name(key)
    appendInteger(value)
  }

  /// A text.
  public mutating func string(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    name(key)
    appendString(value)
  }

  /// `true` or `false`.
  public mutating func boolean(_ key: StaticString, _ value: Bool?) {
    guard let value else { return }
    name(key)
    append(value ? "true" : "false")
  }

  /// `[x,y,z]`; left out if any component is not finite.
  public mutating func vector(_ key: StaticString, _ value: Vector?, decimals: Int) {
    guard let value, value.isFinite else { return }
    name(key)
    enclose(UInt8(ascii: "["), UInt8(ascii: "]")) {
      $0.number(value.x, decimals: decimals)
      $0.number(value.y, decimals: decimals)
      $0.number(value.z, decimals: decimals)
    }
  }

  /// An object whose members `body` writes.
  public mutating func object(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
    name(key)
    enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// An object under a key that is only known at run time.
  public mutating func object(named key: String, _ body: (inout JSONWriter) -> Void) {
    separate()
    appendString(key)
    append(UInt8(ascii: ":"))
    enclose(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// An array whose elements `body` writes.
  public mutating func array(_ key: StaticString, _ body: (inout JSONWriter) -> Void) {
    name(key)
    enclose(UInt8(ascii: "["), UInt8(ascii: "]"), body)
  }

  /// A value that is already JSON, such as an encoded message.
  public mutating func json(_ key: StaticString, _ json: [UInt8]) {
    name(key)
    json.withUnsafeBufferPointer { append($0) }
  }
}
