internal import Telemetry

extension WallTime {
  /// Whole microseconds since 1970: a `Double` of this century resolves a quarter of one.
  var microseconds: Int { Int((seconds * 1e6).rounded()) }
}

/// A time as SEED writes it: year, day of the year, and fractions in steps of 100 us with the rest apart.
struct SEEDTime: Equatable {
  private static let microsecondsPerDay = 86_400_000_000

  let year: Int
  /// 1 is the first of January.
  let dayOfYear: Int
  let hour: Int
  let minute: Int
  let second: Int
  /// Steps of 100 us within the second.
  let tenthsOfMilliseconds: Int
  /// What is left [us], -50...49, as the manual recommends for blockette 1001.
  let remainder: Int

  init(_ time: WallTime) {
    let microseconds = time.microseconds
    // Rounded to the nearest step, which may be in the next second, or year.
    let steps = Self.floorDivide(microseconds + 50, 100)
    remainder = microseconds - steps * 100
    let day = Self.floorDivide(steps * 100, Self.microsecondsPerDay)
    let within = steps - day * (Self.microsecondsPerDay / 100)
    tenthsOfMilliseconds = within % 10_000
    second = within / 10_000 % 60
    minute = within / 600_000 % 60
    hour = within / 36_000_000
    year = Self.year(ofDay: day)
    dayOfYear = day - Self.firstDay(of: year) + 1
  }

  /// Days from 1970-01-01 to the first day of a year, in the Gregorian calendar.
  static func firstDay(of year: Int) -> Int {
    let before = year - 1
    return 365 * (year - 1970) + floorDivide(before, 4) - floorDivide(before, 100) + floorDivide(before, 400) - 477
  }

  private static func year(ofDay day: Int) -> Int {
    // At most one off: a year has 365.2425 days in the mean.
    var year = 1970 + floorDivide(day * 10_000, 3_652_425)
    while firstDay(of: year) > day { year -= 1 }
    while firstDay(of: year + 1) <= day { year += 1 }
    return year
  }

  private static func floorDivide(_ a: Int, _ b: Int) -> Int { a / b - (a % b < 0 ? 1 : 0) }
}
