/// A moment of calendar time: seconds since 1970-01-01T00:00:00Z. It may jump, and may be wrong: see `ClockQuality`.
public struct WallTime: Comparable, Hashable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public var seconds: Double

  /// 2025-01-01T00:00:00Z: a clock that stands before it was never set, and a receiver that does is wrong.
  public static let plausibleFrom = WallTime(seconds: 1_735_689_600)

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
  /// Taken from GPS time, and late by what a fix takes to get here: some 0.1 to 0.7 s.
  case gps
  /// The clock was set once, from a battery-backed clock or from GPS time long ago, and runs freely since.
  case rtc
  /// Nothing vouches for it.
  case none

  /// Whether times of this worth put right those of the other. Neither of `ntp` and `gps` puts the other right.
  public func isWorthMore(than other: ClockQuality) -> Bool { step > other.step }

  private var step: Int {
    switch self {
    case .ntp, .gps: 2
    case .rtc: 1
    case .none: 0
    }
  }
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
