internal import Telemetry

/// Lets one sample a minute of each kind of bad or odd message into the log, so that nobody can fill it.
struct Complaints<Reason: Hashable & Sendable>: Equatable, Sendable {
  /// Between two samples of one reason [s].
  static var intervalS: Double { 60 }

  private var lastSaid: [Reason: Instant] = [:]
  private var held: [Reason: Int] = [:]

  /// How many samples of `reason` were held back since the last one that was let through; nil if this one is, too.
  mutating func admit(_ reason: Reason, at now: Instant) -> Int? {
    if let last = lastSaid[reason], now - last < Self.intervalS {
      held[reason, default: 0] += 1
      return nil
    }
    lastSaid[reason] = now
    return held.removeValue(forKey: reason) ?? 0
  }
}
