/// A moment on the monotonic clock: seconds since this process started.
///
/// It never jumps and says nothing about the date. The origin is the start of the process, so that a `Double` keeps
/// better than a microsecond for decades; the envelope's `up` is this number.
public struct Instant: Comparable, Hashable, Sendable {
  /// Seconds since the process started; >= 0 for anything that the process saw itself.
  public var seconds: Double

  /// The moment `seconds` after the start.
  public init(seconds: Double) {
    self.seconds = seconds
  }

  /// When this process started.
  public static let start = Instant(seconds: 0)

  /// Whether `a` came before `b`.
  public static func < (a: Instant, b: Instant) -> Bool { a.seconds < b.seconds }

  /// The moment `seconds` later.
  public static func + (a: Instant, seconds: Double) -> Instant { Instant(seconds: a.seconds + seconds) }

  /// The moment `seconds` earlier.
  public static func - (a: Instant, seconds: Double) -> Instant { Instant(seconds: a.seconds - seconds) }

  /// Seconds from `b` to `a`.
  public static func - (a: Instant, b: Instant) -> Double { a.seconds - b.seconds }
}
