public import Telemetry

/// When a position counts as lost.
extension LocationTracker {
  /// When `tick` is due at the latest; nil when time alone changes nothing.
  public var nextDeadline: Instant? {
    [pending.map { $0.receivedAt + settings.settleS }, intervalDeadline, lossDeadline].compactMap { $0 }.min()
  }

  /// An epoch is coming in that may yet be a good fix: whether the position is lost, can wait for it.
  private var isExpectingFix: Bool {
    pending.map { inaccuracy(of: $0) == nil && gate.objection(to: $0, after: lastGood) == nil } ?? false
  }

  private var lossDeadline: Instant? {
    if isExpectingFix { return nil }
    switch phase {
    case .acquiring, .fixed: return lossDue(because: evidence.reason(at: latest, settings) ?? .stalled)
    case .lost:
      let hold = candidate.map { $0.since + settings.reasonHoldS }
      let change = evidence.nextChange(settings).flatMap { $0 > latest ? $0 : nil }
      return [hold, change].compactMap { $0 }.min()
    }
  }

  /// What was said counts after `lostAfterS` without a good fix, what did not come never before `silenceS`.
  func lossDue(because reason: LossEvidence.Reason) -> Instant {
    quietFrom + (reason.isReported ? settings.lostAfterS : settings.silenceS)
  }

  /// Publishes a loss that is due, or another reason for one.
  mutating func review(at now: Instant) -> [LocationOutput] {
    latest = max(latest, now)
    guard !isExpectingFix else { return [] }
    let reason = evidence.reason(at: now, settings)
    switch phase {
    case .acquiring, .fixed:
      let reason = reason ?? .stalled
      return now >= lossDue(because: reason) ? [lose(because: reason, at: now)] : []
    case .lost(let published):
      guard let reason, reason != published else {
        candidate = nil
        return []
      }
      if candidate?.reason != reason { candidate = Candidate(reason: reason, since: now) }
      guard let candidate, now >= candidate.since + settings.reasonHoldS else { return [] }
      return [lose(because: reason, at: now)]
    }
  }

  private mutating func lose(because reason: LossEvidence.Reason, at now: Instant) -> LocationOutput {
    phase = .lost(reason)
    candidate = nil
    return LocationOutput(at: now, .lost(loss(because: reason)))
  }

  func loss(because reason: LossEvidence.Reason) -> LocationLoss {
    var loss = LocationLoss(reason: reason, last: lastGood)
    if reason == .rejected {
      loss.rejection = refused?.rejection
      loss.rejectedAccuracyM = refused?.accuracyM
    }
    return loss
  }
}
