/// A moment of calendar time: seconds since 1970-01-01T00:00:00Z. It may jump, and may be wrong: see `ClockQuality`.
public struct WallTime: Comparable, Hashable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public var seconds: Double

  /// The time `seconds` after the start of 1970.
  public init(seconds: Double) {
    self.seconds = seconds
  }

  /// Whether `a` is the earlier date.
  public static func < (a: WallTime, b: WallTime) -> Bool { a.seconds < b.seconds }
  /// The time `seconds` later.
  public static func + (a: WallTime, seconds: Double) -> WallTime { WallTime(seconds: a.seconds + seconds) }
  /// Seconds from `b` to `a`.
  public static func - (a: WallTime, b: WallTime) -> Double { a.seconds - b.seconds }
}

/// What a wall time is worth: the envelope's `clk`.
public enum ClockQuality: String, CaseIterable, Sendable {
  /// The kernel says that something disciplines its clock (adjtimex(2): no STA_UNSYNC).
  case ntp
  /// Taken from GPS time.
  case gps
  /// The clock was set from a battery-backed clock, and nothing disciplines it.
  case rtc
  /// Nothing vouches for it.
  case none
}

/// How to turn an `Instant` into a `WallTime` just now, and what the result is worth.
public struct ClockState: Equatable, Sendable {
  /// The wall time of `Instant.start`.
  public var wallAtStart: WallTime
  /// What such a time is worth.
  public var quality: ClockQuality

  /// A clock that was right when it showed `wallAtStart` at `Instant.start`.
  public init(wallAtStart: WallTime, quality: ClockQuality) {
    self.wallAtStart = wallAtStart
    self.quality = quality
  }

  /// The wall time of a moment, as far as is known now.
  public func wall(at instant: Instant) -> WallTime { wallAtStart + instant.seconds }
}
