/// One character read from bytes that claim to be UTF-8.
struct ScannedScalar {
  /// The code point.
  var value: UInt32
  /// How many bytes it took, 1...4.
  var length: Int
}

/// The scalar that starts at `index`, or nil where the bytes are not UTF-8 (RFC 3629: no overlong forms, no
/// surrogates, nothing above U+10FFFF). `index` must be inside `bytes`.
func scanScalar(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int) -> ScannedScalar? {
  let lead = UInt32(bytes[index])
  if lead < 0x80 { return ScannedScalar(value: lead, length: 1) }
  let length: Int
  var value: UInt32
  let smallest: UInt32
  switch lead {
  case 0xC2...0xDF: (length, value, smallest) = (2, lead & 0x1F, 0x80)
  case 0xE0...0xEF: (length, value, smallest) = (3, lead & 0x0F, 0x800)
  case 0xF0...0xF4: (length, value, smallest) = (4, lead & 0x07, 0x1_0000)
  default: return nil
  }
  guard index + length <= bytes.count else { return nil }
  for offset in 1..<length {
    let byte = UInt32(bytes[index + offset])
    guard byte & 0xC0 == 0x80 else { return nil }
    value = value << 6 | byte & 0x3F
  }
  guard value >= smallest, value <= 0x10FFFF, !(0xD800...0xDFFF).contains(value) else { return nil }
  return ScannedScalar(value: value, length: length)
}

/// Whether a terminal or an editor may do something else than show this character: the control characters C0, DEL and
/// C1, line and paragraph separators, and what changes the direction of text or cannot be seen (Unicode Technical
/// Report 36, "Unicode Security Considerations").
func isUnsafeToShow(_ scalar: UInt32) -> Bool {
  switch scalar {
  case 0x00...0x1F, 0x7F...0x9F: true
  case 0xAD, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F: true
  case 0x2028...0x202E, 0x2060...0x206F: true
  case 0xFEFF, 0xFFF9...0xFFFB: true
  case 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE007F: true
  default: false
  }
}

/// The digits of hexadecimal numbers, lower case.
func hexDigit(_ value: UInt32) -> UInt8 {
  let nibble = UInt8(truncatingIfNeeded: value & 0xF)
  return nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
}
