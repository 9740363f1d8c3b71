/// The text with every control character shown as an escape, so that whatever came from outside can be printed:
/// a line stays one line, and a terminal is not steered.
///
/// C0, DEL, C1 and the characters that change the direction or the separation of lines become `\n`, `\t` or
/// `\u{XX}`; text longer than `limit` characters is cut, and ends in `...`.
public func safeText(_ text: String, limit: Int = 4096) -> String {
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

/// Whether a terminal or a log could take the character for something other than text.
func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0: true
  // Line and paragraph separators, marks and embeddings of writing direction.
  case 0x2028, 0x2029, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
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
