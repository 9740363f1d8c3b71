internal import Telemetry

/// What would be told as a loss, and when, if nothing better came.
struct LossOutlook: Equatable, Sendable {
  var reason: LocationMessage.Loss.Reason
  var due: Instant
}

extension LocationTracker {
  /// A good fix that is younger is nothing to worry about [s].
  private static let freshS = 3.0

  /// The loss, or the next reason for one; nil where all is well.
  func lossOutlook(at now: Instant) -> LossOutlook? {
    switch phase {
    case .lost:
      return candidate.map { LossOutlook(reason: $0.reason, due: $0.since + settings.reasonHoldS) }
    case .acquiring, .fixed:
      if let lastGood, now - lastGood.receivedAt <= LocationTracker.freshS { return nil }
      let reason = evidence.reason(at: now, settings) ?? .stalled
      return LossOutlook(reason: reason, due: lossDue(because: reason))
    }
  }
}
