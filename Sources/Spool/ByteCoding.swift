/// Numbers to bytes, least significant first.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Seven bits a byte, so that small numbers are short: LEB128.
  mutating func appendVarying(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func appendVarying(_ value: Int) { appendVarying(UInt64(clamping: value)) }
}

/// Bytes to numbers; nil beyond the end.
struct ByteReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex
  }

  var isAtEnd: Bool { place == bytes.endIndex }

  mutating func next<Number: FixedWidthInteger>(_: Number.Type) -> Number? {
    let size = Number.bitWidth / 8
    guard bytes.endIndex - place >= size else { return nil }
    defer { place += size }
    return bytes[place..<place + size].reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
  }

  mutating func nextVarying() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = next(UInt8.self) else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// A number that counts or measures something here; nil for one that can't be.
  mutating func nextCount(atMost limit: Int = Int(Int32.max)) -> Int? {
    nextVarying().flatMap { $0 <= UInt64(limit) ? Int($0) : nil }
  }
}
