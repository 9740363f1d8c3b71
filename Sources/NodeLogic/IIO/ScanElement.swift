/// How one channel lies in a scan of the kernel's IIO buffer: `[be|le]:[s|u]bits/storage[Xrepeat][>>shift]`, as the
/// `scan_elements/in_*_type` attributes give it (Documentation/ABI/testing/sysfs-bus-iio).
public struct ScanElement: Equatable, Sendable {
  /// Which end of a number comes first.
  public enum ByteOrder: String, Sendable {
    case big = "be"
    case little = "le"
  }

  public var byteOrder: ByteOrder
  /// Whether the value is in two's complement.
  public var isSigned: Bool
  /// Bits that the value has, 1...`storageBits`.
  public var bits: Int
  /// Bits that it takes: 8, 16, 32 or 64.
  public var storageBits: Int
  /// How often it stands one after another, 1...256; the first is the value.
  public var repeats: Int
  /// Bits below the value, 0...`storageBits - bits`.
  public var shift: Int

  /// Why a type can't be read.
  public struct ParseError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text that is no scan format.
    public var text: String
    /// What was expected instead.
    public var expected: String

    public init(text: String, expected: String) {
      self.text = text
      self.expected = expected
    }

    public var description: String { "scan type \"\(text)\": expected \(expected)" }
  }

  /// Reads a type such as `le:s12/16>>4`. Blanks and a line feed around it are all right.
  public init(parsing text: some StringProtocol) throws(ParseError) {
    var fields = ScanElementFields(text)
    do throws(Expected) {
      guard let byteOrder = ByteOrder(rawValue: fields.take(2)) else { throw Expected("be or le at the start") }
      self.byteOrder = byteOrder
      guard fields.take(1) == ":" else { throw Expected("a colon after \(byteOrder.rawValue)") }
      switch fields.take(1) {
      case "s": isSigned = true
      case "u": isSigned = false
      default: throw Expected("s or u after the colon")
      }
      guard let bits = fields.takeNumber(), bits > 0 else { throw Expected("the number of bits after s or u, above 0") }
      guard fields.take(1) == "/" else { throw Expected("a slash after the number of bits") }
      guard let storageBits = fields.takeNumber(), [8, 16, 32, 64].contains(storageBits) else {
        throw Expected("8, 16, 32 or 64 bits of storage after the slash")
      }
      guard bits <= storageBits else { throw Expected("at most \(storageBits) bits in a storage of \(storageBits)") }
      self.bits = bits
      self.storageBits = storageBits
      (repeats, shift) = try Self.takeRest(&fields, spareBits: storageBits - bits)
    } catch {
      throw ParseError(text: fields.text, expected: error.what)
    }
  }

  private struct Expected: Error {
    var what: String

    init(_ what: String) {
      self.what = what
    }
  }

  private static func takeRest(
    _ fields: inout ScanElementFields, spareBits: Int
  ) throws(Expected) -> (repeats: Int, shift: Int) {
    var repeats = 1
    var shift = 0
    if fields.skip("X") {
      guard let number = fields.takeNumber(), (1...256).contains(number) else {
        throw Expected("a number from 1 to 256 after X")
      }
      repeats = number
    }
    if fields.skip(">>") {
      guard let number = fields.takeNumber(), number <= spareBits else {
        throw Expected("a shift of at most \(spareBits) bits after >>, so that the value fits into its storage")
      }
      shift = number
    }
    guard fields.isEmpty else { throw Expected("nothing, Xrepeat or >>shift after the storage") }
    return (repeats, shift)
  }

  /// Bytes that the element takes in a scan, which is also what it is aligned to.
  public var size: Int { storageBits / 8 * repeats }

  /// The smallest and the largest value.
  public var extremes: ClosedRange<Int64> {
    if isSigned { return (Int64.min >> (64 - bits))...(Int64.max >> (64 - bits)) }
    return 0...(bits >= 63 ? Int64.max : (1 << bits) - 1)
  }

  /// The value in `bytes` from `offset` on; the caller has checked that `size` bytes are there.
  ///
  /// An unsigned value of 64 bits above `Int64.max` gives `Int64.max`: no sensor measures that finely.
  func value(in bytes: UnsafeRawBufferPointer, at offset: Int) -> Int64 {
    // By width rather than byte by byte: this is the sampling path, and that took a sixth of it.
    let stored: UInt64 =
      switch storageBits {
      case 8: UInt64(bytes[offset])
      case 16: UInt64(number(bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
      case 32: UInt64(number(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
      default: number(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
    let unused = 64 - bits
    let top = (stored >> shift) << unused
    if isSigned { return Int64(bitPattern: top) >> unused }
    return Int64(clamping: top >> unused)
  }

  private func number<Stored: FixedWidthInteger>(_ stored: Stored) -> Stored {
    byteOrder == .big ? Stored(bigEndian: stored) : Stored(littleEndian: stored)
  }
}

/// The text of a type, taken from the left.
private struct ScanElementFields {
  let text: String
  private var rest: Substring

  init(_ text: some StringProtocol) {
    var trimmed = Substring(text)
    while trimmed.first?.isWhitespace == true { trimmed.removeFirst() }
    while trimmed.last?.isWhitespace == true { trimmed.removeLast() }
    self.text = String(trimmed.prefix(64))
    rest = trimmed
  }

  var isEmpty: Bool { rest.isEmpty }

  mutating func take(_ count: Int) -> String {
    let taken = rest.prefix(count)
    rest.removeFirst(taken.count)
    return String(taken)
  }

  mutating func skip(_ prefix: String) -> Bool {
    guard rest.hasPrefix(prefix) else { return false }
    rest.removeFirst(prefix.count)
    return true
  }

  /// At most four digits; nil where there is none.
  mutating func takeNumber() -> Int? {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    guard !digits.isEmpty, digits.count <= 4 else { return nil }
    rest.removeFirst(digits.count)
    return Int(digits)
  }
}
