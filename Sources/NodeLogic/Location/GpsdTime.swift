public import Telemetry

extension WallTime {
  /// Reads gpsd's time: `2022-09-11T19:15:03.010Z`, or a number of epoch seconds as gpsd before 3.0 gave it.
  /// Nil for anything else, and for a year before 1980, when GPS time began.
  public init?(gpsd value: JSONValue) {
    switch value {
    case .number(let seconds): self.init(plausible: seconds)
    case .string(let text): self.init(iso8601: text)
    default: return nil
    }
  }

  /// Reads `yyyy-mm-ddThh:mm:ss[.fraction]Z`, the only form that gpsd writes.
  init?(iso8601 text: String) {
    var reader = DigitReader(Array(text.utf8))
    guard let year = reader.number(digits: 4), reader.skip("-"),
      let month = reader.number(digits: 2), (1...12).contains(month), reader.skip("-"),
      let day = reader.number(digits: 2), (1...31).contains(day), reader.skip("T"),
      let hour = reader.number(digits: 2), hour < 24, reader.skip(":"),
      let minute = reader.number(digits: 2), minute < 60, reader.skip(":"),
      // 60 is a leap second.
      let second = reader.number(digits: 2), second <= 60
    else { return nil }
    let fraction = reader.fraction()
    guard reader.skip("Z"), reader.isAtEnd else { return nil }
    let days = WallTime.daysFromEpoch(year: year, month: month, day: day)
    self.init(plausible: Double(days * 86_400 + hour * 3_600 + minute * 60 + second) + fraction)
  }

  /// Nil unless the time is between the start of GPS time (1980-01-06) and the year 2100.
  private init?(plausible seconds: Double) {
    guard (315_964_800..<4_102_444_800).contains(seconds) else { return nil }
    self.init(seconds: seconds)
  }

  /// Days from 1970-01-01 to a date of the Gregorian calendar. Counts years from March, so that the leap day is the
  /// last of its year.
  private static func daysFromEpoch(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let monthFromMarch = (month + 9) % 12
    let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }
}

/// Reads fixed-width numbers from ASCII.
private struct DigitReader {
  private let bytes: [UInt8]
  private var index = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var isAtEnd: Bool { index == bytes.count }

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  mutating func digit() -> Int? {
    guard index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) else { return nil }
    defer { index += 1 }
    return Int(bytes[index] - UInt8(ascii: "0"))
  }

  mutating func number(digits: Int) -> Int? {
    var value = 0
    for _ in 0..<digits {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  /// What follows a point; 0 where there is none.
  mutating func fraction() -> Double {
    guard skip(".") else { return 0 }
    var value = 0.0
    var unit = 0.1
    while let digit = digit() {
      value += Double(digit) * unit
      unit /= 10
    }
    return value
  }
}
