internal import Telemetry

/// Times and durations on the command line.
enum TimeOption {
  /// `90s`, `15m`, `2h`, `7d` before `now`, or RFC 3339 with `Z` or an offset; nil for anything else.
  static func time(_ text: String, now: WallTime) -> WallTime? {
    duration(text).map { now + -$0 } ?? moment(text)
  }

  /// `90s`, `15m`, `2h`, `7d` in seconds; nil for anything else.
  static func duration(_ text: String) -> Double? {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }) else { return nil }
    return number(text.dropLast()).map { $0 * unit }
  }

  /// RFC 3339 with `Z` or an offset; nil for anything else.
  static func moment(_ text: String) -> WallTime? {
    let capital = text.uppercased()
    if let time = WallTime(rfc3339: capital) { return time }
    return withOffset(capital)
  }

  private static func number(_ text: Substring) -> Double? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ".") }),
      let value = Double(text), value <= 1e6
    else { return nil }
    return value
  }

  /// `2026-11-30T04:00:00+02:00`.
  private static func withOffset(_ text: String) -> WallTime? {
    let bytes = Array(text.utf8.suffix(6))
    guard bytes.count == 6, bytes[3] == UInt8(ascii: ":"),
      let sign = [UInt8(ascii: "+"): 1.0, UInt8(ascii: "-"): -1.0][bytes[0]],
      let local = WallTime(rfc3339: text.dropLast(6) + "Z")
    else { return nil }
    let digits = [bytes[1], bytes[2], bytes[4], bytes[5]].map { Int($0) - 48 }
    guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
    let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
    guard hours < 24, minutes < 60 else { return nil }
    return local + -(sign * Double(hours * 3600 + minutes * 60))
  }
}
