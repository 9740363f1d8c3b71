public import Telemetry

extension LocationTracker {
  /// What the accelerometer says about the node's standing still.
  public enum Stillness: Equatable, Sendable {
    /// There is none, or it does not say.
    case unknown
    /// Nothing but noise since then.
    case still(since: Instant)
    /// It shakes, turns, or was pushed.
    case moving

    /// For how long it has been still at `now` [s]; nil when it is not.
    func duration(at now: Instant) -> Double? {
      if case .still(let since) = self { max(0, now - since) } else { nil }
    }
  }
}
