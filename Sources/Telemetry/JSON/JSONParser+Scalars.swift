/// Numbers and texts.
extension JSONParser {
  // MARK: Numbers

  /// The grammar of RFC 8259, section 6. The current byte is `-` or a digit.
  mutating func number() throws(JSONProblem) -> Double {
    let start = index
    var decimal = Decimal()
    if next == UInt8(ascii: "-") {
      decimal.isNegative = true
      index += 1
    }
    if next == UInt8(ascii: "0") {
      index += 1
      if let digit = next, isDigit(digit) { throw unexpected("no digit after a leading 0") }
    } else {
      try digits { decimal.append($0) }
    }
    if next == UInt8(ascii: ".") {
      index += 1
      try digits { decimal.appendFractional($0) }
    }
    if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
      index += 1
      let isNegative = next == UInt8(ascii: "-")
      if isNegative || next == UInt8(ascii: "+") { index += 1 }
      var exponent = 0
      try digits { exponent = min(exponent * 10 + $0, 100_000) }
      decimal.exponent += isNegative ? -exponent : exponent
    }
    let value = decimal.exact ?? inexact(from: start)
    guard value.isFinite else { throw JSONProblem(.notFinite, at: start, "a number too large to represent") }
    return value
  }

  /// One digit or more.
  private mutating func digits(_ take: (Int) -> Void) throws(JSONProblem) {
    guard let first = next, isDigit(first) else { throw unexpected("a digit") }
    while let digit = next, isDigit(digit) {
      take(Int(digit) - 48)
      index += 1
    }
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// The correctly rounded value of any number, by the standard library.
  private func inexact(from start: Int) -> Double {
    Double(String(decoding: bytes[start..<index], as: UTF8.self)) ?? .nan
  }

  /// Collects a number whose value needs at most one rounding.
  private struct Decimal {
    var isNegative = false
    var exponent = 0
    private var mantissa: UInt64 = 0
    private var isExact = true

    mutating func append(_ digit: Int) {
      guard mantissa < (1 << 53) / 10 else {
        isExact = false
        return
      }
      mantissa = mantissa * 10 + UInt64(digit)
    }

    mutating func appendFractional(_ digit: Int) {
      append(digit)
      exponent -= 1
    }

    /// The nearest `Double`, or nil where that takes more care. Up to 2^53 the mantissa is exact, and so is 10^22, so
    /// that one multiplication or division rounds once (W. D. Clinger, "How to read floating point numbers
    /// accurately", PLDI 1990).
    var exact: Double? {
      guard isExact, exponent.magnitude <= 22 else { return nil }
      var power = 1.0
      for _ in 0..<exponent.magnitude { power *= 10 }
      let magnitude = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
      return isNegative ? -magnitude : magnitude
    }
  }

  // MARK: Texts

  /// A text in quotes, with its escapes resolved. The current byte is the opening quote.
  mutating func string() throws(JSONProblem) -> String {
    index += 1
    let start = index
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { try plain(byte) }
    if next == UInt8(ascii: "\"") {
      defer { index += 1 }
      return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self)
    }
    return try escapedString(from: start)
  }

  /// The same once there is an escape: collected in pieces.
  private mutating func escapedString(from start: Int) throws(JSONProblem) -> String {
    var text = Array(bytes[start..<index])
    while let byte = next, byte != UInt8(ascii: "\"") {
      if byte == UInt8(ascii: "\\") {
        let scalar = try escape()
        for unit in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { text.append(unit) }
      } else {
        let from = index
        try plain(byte)
        text.append(contentsOf: bytes[from..<index])
      }
    }
    guard next != nil else { throw unexpected("a closing '\"'") }
    index += 1
    return String(decoding: text, as: UTF8.self)
  }

  /// Steps over one character that stands for itself.
  private mutating func plain(_ byte: UInt8) throws(JSONProblem) {
    if byte < 0x80 {
      guard byte >= 0x20 else { throw unexpected("an escape instead of a control character") }
      index += 1
      return
    }
    guard let scalar = scanScalar(bytes, at: index) else {
      throw JSONProblem(.notUTF8, at: index, "a byte that is not UTF-8")
    }
    index += scalar.length
  }

  /// An escape, from its backslash.
  private mutating func escape() throws(JSONProblem) -> Unicode.Scalar {
    let start = index
    index += 1
    let plain: Unicode.Scalar
    switch next {
    case UInt8(ascii: "\""): plain = "\""
    case UInt8(ascii: "\\"): plain = "\\"
    case UInt8(ascii: "/"): plain = "/"
    case UInt8(ascii: "b"): plain = "\u{8}"
    case UInt8(ascii: "f"): plain = "\u{C}"
    case UInt8(ascii: "n"): plain = "\n"
    case UInt8(ascii: "r"): plain = "\r"
    case UInt8(ascii: "t"): plain = "\t"
    case UInt8(ascii: "u"): return try unicodeEscape(from: start)
    default: throw unexpected("one of \" \\ / b f n r t u after '\\'")
    }
    index += 1
    return plain
  }

  /// `\uXXXX`, or two of them for a character above U+FFFF.
  private mutating func unicodeEscape(from start: Int) throws(JSONProblem) -> Unicode.Scalar {
    let first = try fourHexDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    if first < 0xDC00, index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"),
      bytes[index + 1] == UInt8(ascii: "u")
    {
      index += 1
      let second = try fourHexDigits()
      if (0xDC00...0xDFFF).contains(second),
        let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
      {
        return scalar
      }
    }
    throw JSONProblem(.loneSurrogate, at: start, "half of a surrogate pair")
  }

  /// Steps over the `u` and four hexadecimal digits.
  private mutating func fourHexDigits() throws(JSONProblem) -> UInt32 {
    index += 1
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
        throw unexpected("four hexadecimal digits after '\\u'")
      }
      value = value << 4 | UInt32(digit)
      index += 1
    }
    return value
  }
}
