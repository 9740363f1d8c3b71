internal import Telemetry

/// Seconds that count only while something is so: a stopwatch over the monotonic clock that can be paused.
///
/// The fleet's timers run on such clocks, so that the time without a link to the broker, in which no node could be
/// heard, is not held against any node.
struct PausableClock: Equatable, Sendable {
  /// What had been counted when it last resumed or paused [s].
  private var counted = 0.0
  /// From when on it counts; nil while paused. It may lie in the future: a grace.
  private var resumesAt: Instant?

  /// The reading [s]: rises while the clock runs, stands while it is paused.
  func reading(at now: Instant) -> Double {
    guard let resumesAt else { return counted }
    return counted + max(0, now - resumesAt)
  }

  /// Stops counting. Harmless when it is paused already.
  mutating func pause(at now: Instant) {
    counted = reading(at: now)
    resumesAt = nil
  }

  /// Counts again from `start` on. What was counted until `now` stays.
  mutating func resume(at now: Instant, countingFrom start: Instant) {
    counted = reading(at: now)
    resumesAt = max(now, start)
  }

  /// When it will show `reading`, if nothing pauses it before; nil while it is paused.
  func moment(of reading: Double) -> Instant? {
    resumesAt.map { $0 + max(0, reading - counted) }
  }
}
