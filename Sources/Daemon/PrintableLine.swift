/// The text as one line that any terminal or log may take: every control character is shown as an escape, so that a
/// line stays one line and a terminal is not steered.
///
/// The last filter before something is printed. It leaves backslashes alone, so that text which was escaped before
/// (`SafeText` of Telemetry) stays as it is. Text longer than `limit` characters is cut, and ends in `...`.
public func printableLine(_ text: String, limit: Int = 2000) -> String {
  if text.utf8.count <= limit, !text.unicodeScalars.contains(where: isControl) { return text }
  var result = ""
  var count = 0
  for scalar in text.unicodeScalars {
    guard count < limit else { return result + "..." }
    count += 1
    if isControl(scalar) { result += escape(scalar) } else { result.unicodeScalars.append(scalar) }
  }
  return result
}

/// Whether a terminal or a log could take the character for something other than text: C0, DEL, C1, separators of
/// lines, marks of writing direction, invisible characters.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0: true
  case 0xAD, 0x061C, 0x180E, 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F: true
  case 0xFEFF, 0xFFF9...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE007F: true
  default: false
  }
}

private func escape(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\n": "\\n"
  case "\t": "\\t"
  case "\r": "\\r"
  default: "\\u{\(String(scalar.value, radix: 16))}"
  }
}
