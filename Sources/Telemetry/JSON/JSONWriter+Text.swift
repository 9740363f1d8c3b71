/// How names, numbers and texts become bytes.
extension JSONWriter {
  // MARK: Structure

  mutating func separate() {
    if needsComma { append(UInt8(ascii: ",")) }
    needsComma = true
  }

  mutating func enclose(_ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
    append(open)
    needsComma = false
    body(&self)
    append(close)
    needsComma = true
  }

  /// A member's name. Names are the contract's own and need no escapes.
  mutating func name(_ key: StaticString) {
    let length = key.utf8CodeUnitCount
    reserve(length + 4)
    if needsComma { place(UInt8(ascii: ",")) }
    needsComma = true
    place(UInt8(ascii: "\""))
    (storage + count).initialize(from: key.utf8Start, count: length)
    count += length
    place(UInt8(ascii: "\""))
    place(UInt8(ascii: ":"))
  }

  // MARK: Numbers

  mutating func appendInteger(_ value: some BinaryInteger) {
    guard let magnitude = UInt64(exactly: value.magnitude) else {
      var digits = String(value)
      digits.withUTF8 { append($0) }
      return
    }
    if value < 0 { append(UInt8(ascii: "-")) }
    appendDigits(magnitude)
  }

  /// `value`, which is finite, rounded to `decimals` digits after the point, without trailing zeros and without "-0".
  mutating func appendFixed(_ value: Double, decimals: Int) {
    let magnitude = value.magnitude
    guard magnitude < 0x1p53 else { return appendHuge(value) }
    let places = min(max(decimals, 0), 15)
    var scale: UInt64 = 1
    for _ in 0..<places { scale *= 10 }
    // The whole part is split off first: what remains is exact, so that a large number keeps its decimals.
    var whole = UInt64(magnitude)
    var fraction = UInt64(((magnitude - Double(whole)) * Double(scale)).rounded())
    if fraction >= scale {
      whole += 1
      fraction = 0
    }
    if value < 0, whole != 0 || fraction != 0 { append(UInt8(ascii: "-")) }
    appendDigits(whole)
    if fraction != 0 { appendFraction(fraction, places: places) }
  }

  /// The point and `places` digits, the trailing zeros taken off.
  private mutating func appendFraction(_ fraction: UInt64, places: Int) {
    var rest = fraction
    var digits = places
    while rest % 10 == 0 {
      rest /= 10
      digits -= 1
    }
    reserve(digits + 1)
    storage[count] = UInt8(ascii: ".")
    for index in stride(from: count + digits, to: count, by: -1) {
      storage[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += digits + 1
  }

  private mutating func appendDigits(_ value: UInt64) {
    reserve(20)
    var digits = 1
    var bound: UInt64 = 10
    while value >= bound {
      digits += 1
      if digits == 20 { break }
      bound *= 10
    }
    var rest = value
    for index in stride(from: count + digits - 1, through: count, by: -1) {
      storage[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += digits
  }

  /// A number of 2^53 and more has no decimals: its shortest digits ("1.5e+300"), with zeros in place of the exponent.
  private mutating func appendHuge(_ value: Double) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var digits: [UInt8] = []
    var afterPoint: Int?
    var exponent = 0
    var isExponent = false
    for byte in value.magnitude.description.utf8 {
      switch byte {
      case UInt8(ascii: "."): afterPoint = 0
      case UInt8(ascii: "e"): isExponent = true
      case UInt8(ascii: "+"): continue
      default:
        let digit = Int(byte) - 48
        if isExponent {
          exponent = exponent * 10 + digit
        } else {
          digits.append(byte)
          afterPoint = afterPoint.map { $0 + 1 }
        }
      }
    }
    let zeros = exponent - (afterPoint ?? 0)
    if zeros < 0 { digits.removeLast(min(-zeros, digits.count - 1)) }
    digits.withUnsafeBufferPointer { append($0) }
    for _ in 0..<max(zeros, 0) { append(UInt8(ascii: "0")) }
  }

  // MARK: Text

  /// In quotes, with everything escaped that JSON wants escaped or that a terminal might obey.
  mutating func appendString(_ value: String) {
    var value = value
    append(UInt8(ascii: "\""))
    value.withUTF8 { appendEscaped($0) }
    append(UInt8(ascii: "\""))
  }

  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    reserve(text.count)
    var index = 0
    while index < text.count {
      let start = index
      while index < text.count, standsForItself(text[index]) { index += 1 }
      append(UnsafeBufferPointer(rebasing: text[start..<index]))
      guard index < text.count else { return }
      // A String is always valid UTF-8; the replacement character would stand for a byte that is not.
      let scalar = scanScalar(text, at: index) ?? ScannedScalar(value: 0xFFFD, length: 1)
      appendScalar(scalar.value)
      index += scalar.length
    }
  }

  private func standsForItself(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte <= 0x7E && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
  }

  private mutating func appendScalar(_ scalar: UInt32) {
    switch scalar {
    case 0x22: append("\\\"")
    case 0x5C: append("\\\\")
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0A: append("\\n")
    case 0x0C: append("\\f")
    case 0x0D: append("\\r")
    case let scalar where isUnsafeToShow(scalar): appendEscape(scalar)
    default: appendUTF8(scalar)
    }
  }

  private mutating func appendEscape(_ scalar: UInt32) {
    guard scalar < 0x1_0000 else {
      appendEscape(0xD800 + (scalar - 0x1_0000) >> 10)
      appendEscape(0xDC00 + (scalar - 0x1_0000) & 0x3FF)
      return
    }
    append("\\u")
    for shift in [12, 8, 4, 0] as [UInt32] { append(hexDigit(scalar >> shift)) }
  }

  private mutating func appendUTF8(_ scalar: UInt32) {
    guard let scalar = Unicode.Scalar(scalar) else { return }
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { append(byte) }
  }

  // MARK: Bytes

  mutating func append(_ byte: UInt8) {
    reserve(1)
    place(byte)
  }

  /// Appends where room was reserved.
  private mutating func place(_ byte: UInt8) {
    storage[count] = byte
    count += 1
  }

  mutating func append(_ text: StaticString) {
    append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (storage + count).initialize(from: source, count: bytes.count)
    count += bytes.count
  }

  /// Makes sure that `extra` more bytes fit.
  mutating func reserve(_ extra: Int) {
    if capacity - count < extra { grow(extra) }
  }

  @inline(never)
  private mutating func grow(_ extra: Int) {
    capacity = max(capacity * 2, count + extra)
    let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
    larger.moveInitialize(from: storage, count: count)
    storage.deallocate()
    storage = larger
  }
}
