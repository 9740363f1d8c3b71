/// Calendar text of wall times, always UTC (RFC 3339), by arithmetic alone.
extension WallTime {
  /// The time as `2026-11-30T04:05:06.789Z`, rounded to milliseconds.
  /// Outside the years 0 to 9999, the seconds as `@-1e+20`.
  public var rfc3339: String {
    let scaled = (seconds * 1000).rounded()
    guard scaled.isFinite, scaled >= Self.firstMillisecond, scaled <= Self.lastMillisecond else { return "@\(seconds)" }
    let milliseconds = Int64(scaled)
    let days = (Double(milliseconds) / 86_400_000).rounded(.down)
    let rest = Int(milliseconds - Int64(days) * 86_400_000)
    let date = civil(fromDays: Int(days))
    var text = digits(date.year, 4) + "-" + digits(date.month, 2) + "-" + digits(date.day, 2) + "T"
    text += digits(rest / 3_600_000, 2) + ":" + digits(rest / 60_000 % 60, 2) + ":" + digits(rest / 1000 % 60, 2)
    return text + "." + digits(rest % 1000, 3) + "Z"
  }

  /// 0000-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z.
  private static let firstMillisecond = -62_167_219_200_000.0
  private static let lastMillisecond = 253_402_300_799_999.0

  /// Reads `2010-04-30T11:47:43.000Z`: the form that gpsd writes, which is that of RFC 3339 in UTC. The fraction may be
  /// missing or have up to 9 digits; second 60 is the first of the next minute, as in POSIX. Nil for anything else.
  public init?(rfc3339 text: some StringProtocol) {
    var reader = FixedReader(bytes: Array(text.utf8.prefix(40)))
    guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
      let day = reader.number(2), reader.skip("T"), let hour = reader.number(2), reader.skip(":"),
      let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
      let fraction = reader.fraction(), reader.skip("Z"), reader.isAtEnd,
      (1...12).contains(month), day >= 1, day <= lengthOfMonth(month, in: year),
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let whole = days(toYear: year, month: month, day: day) * 86400 + hour * 3600 + minute * 60 + second
    self.init(seconds: Double(whole) + fraction)
  }
}

/// Steps through a text of fixed widths.
private struct FixedReader {
  let bytes: [UInt8]
  private var index = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { index == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  mutating func number(_ width: Int) -> Int? {
    var value = 0
    for _ in 0..<width {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// A point and 1 to 9 digits, or nothing: 0. Nil if the digits are missing or too many.
  mutating func fraction() -> Double? {
    guard skip(".") else { return 0 }
    var value = 0
    var scale = 1
    while let digit = digit() {
      guard scale < 1_000_000_000 else { return nil }
      value = value * 10 + digit
      scale *= 10
    }
    return scale == 1 ? nil : Double(value) / Double(scale)
  }

  private mutating func digit() -> Int? {
    guard index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
    defer { index += 1 }
    return Int(bytes[index]) - 48
  }
}

private func digits(_ value: Int, _ width: Int) -> String {
  let text = String(value)
  return String(repeating: "0", count: max(width - text.count, 0)) + text
}

private func lengthOfMonth(_ month: Int, in year: Int) -> Int {
  switch month {
  case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
  case 4, 6, 9, 11: 30
  default: 31
  }
}

/// Days from 1970-01-01 in the proleptic Gregorian calendar. Years start in March here, so that the leap day is the
/// last; 400 years are one era of 146,097 days.
private func days(toYear year: Int, month: Int, day: Int) -> Int {
  let shifted = month <= 2 ? year - 1 : year
  let era = (shifted >= 0 ? shifted : shifted - 399) / 400
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

/// The inverse of `days(toYear:month:day:)`.
private func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
  let shifted = days + 719_468
  let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let monthFromMarch = (5 * dayOfYear + 2) / 153
  let month = (monthFromMarch + 2) % 12 + 1
  let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
}
