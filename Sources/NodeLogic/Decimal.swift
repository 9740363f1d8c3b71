/// The finite number that `text` is in decimal notation, correctly rounded; nil for anything else.
///
/// An optional sign, digits with an optional point, an optional exponent. Not `nan`, `inf` or hexadecimal, which
/// `Double(_: String)` would take.
///
/// Up to 15 digits and powers up to 10^22 are exact in a `Double`, so one multiplication or division rounds correctly
/// (Clinger 1990, "How to read floating point numbers accurately"). Longer ones go the slow way.
func decimal(_ text: ArraySlice<UInt8>) -> Double? {
  var digits = DecimalDigits()
  guard digits.scan(text) else { return nil }
  if let value = digits.exact { return value }
  let value = Double(String(decoding: text, as: UTF8.self))
  return value.flatMap { $0.isFinite ? $0 : nil }
}

/// What a decimal number consists of.
private struct DecimalDigits {
  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]

  private var isNegative = false
  private var mantissa: UInt64 = 0
  /// Digits of the mantissa from the first that is not zero.
  private var significant = 0
  private var exponent = 0

  /// Answers whether `text` is a number.
  mutating func scan(_ text: ArraySlice<UInt8>) -> Bool {
    var rest = text
    isNegative = takeSign(&rest)
    let whole = takeDigits(&rest)
    var fraction = 0
    if rest.first == UInt8(ascii: ".") {
      rest.removeFirst()
      fraction = takeDigits(&rest)
      exponent -= fraction
    }
    guard whole + fraction > 0 else { return false }
    if let mark = rest.first, mark | 0x20 == UInt8(ascii: "e") {
      rest.removeFirst()
      return takeExponent(&rest) && rest.isEmpty
    }
    return rest.isEmpty
  }

  /// The value, when one rounding gives it.
  var exact: Double? {
    guard significant <= 15, exponent >= -22, exponent <= 22 else { return nil }
    let whole = Double(mantissa)
    let value = exponent < 0 ? whole / Self.powers[-exponent] : whole * Self.powers[exponent]
    return isNegative ? -value : value
  }

  private func takeSign(_ rest: inout ArraySlice<UInt8>) -> Bool {
    guard let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") else { return false }
    rest.removeFirst()
    return first == UInt8(ascii: "-")
  }

  /// Answers how many there were.
  private mutating func takeDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
    var count = 0
    while let digit = rest.first.map({ $0 &- UInt8(ascii: "0") }), digit <= 9 {
      rest.removeFirst()
      count += 1
      if significant > 0 || digit > 0 { significant += 1 }
      if significant <= 15 { mantissa = mantissa * 10 + UInt64(digit) }
    }
    return count
  }

  private mutating func takeExponent(_ rest: inout ArraySlice<UInt8>) -> Bool {
    let isDown = takeSign(&rest)
    var value = 0
    var count = 0
    while let digit = rest.first.map({ $0 &- UInt8(ascii: "0") }), digit <= 9 {
      rest.removeFirst()
      count += 1
      value = min(value * 10 + Int(digit), 100_000)
    }
    exponent += isDown ? -value : value
    return count > 0
  }
}
