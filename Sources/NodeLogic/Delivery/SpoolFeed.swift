internal import Telemetry

/// In which order events are offered to the spool, and how many at a time.
///
/// Strictly by number within each lane, at most 64 without an answer. What the spool could not keep goes back to its
/// place, and nothing is offered until the spool says that it works, or for a wait that grows from 0.5 to 30 s.
struct SpoolFeed: Equatable, Sendable {
  static let mostOutstanding = 64
  private static let firstWaitS = 0.5
  private static let longestWaitS = 30.0

  /// Numbers that were not offered yet, or are to be again, by lane.
  private var waiting: [EventLane: SequenceRuns] = [:]
  private var outstanding: Set<UInt64> = []
  private var resumeAt: Instant?
  private var waitS = SpoolFeed.firstWaitS

  var outstandingCount: Int { outstanding.count }
  /// When there may be something to offer though nothing happened.
  var nextDeadline: Instant? {
    waiting.isEmpty || outstanding.count >= Self.mostOutstanding ? nil : resumeAt
  }

  mutating func add(_ sequence: UInt64, _ lane: EventLane) { waiting[lane, default: SequenceRuns()].insert(sequence) }

  /// An event need not be kept any more.
  mutating func remove(_ sequence: UInt64, _ lane: EventLane) {
    waiting[lane]?.remove(sequence)
    if waiting[lane]?.isEmpty == true { waiting[lane] = nil }
  }

  /// The next number to offer; what was offered is outstanding until it is answered.
  mutating func next(at now: Instant) -> UInt64? {
    guard outstanding.count < Self.mostOutstanding, !waiting.isEmpty else { return nil }
    if let resumeAt, now < resumeAt { return nil }
    resumeAt = nil
    // All lanes by number: what came first, first.
    guard let lane = waiting.min(by: { ($0.value.first ?? .max) < ($1.value.first ?? .max) })?.key,
      let sequence = waiting[lane]?.first
    else { return nil }
    remove(sequence, lane)
    outstanding.insert(sequence)
    return sequence
  }

  /// The spool keeps it. Answers false when it was not asked to.
  mutating func settle(_ sequence: UInt64) -> Bool {
    guard outstanding.remove(sequence) != nil else { return false }
    waitS = Self.firstWaitS
    return true
  }

  /// The spool has given these up.
  mutating func settle(_ runs: SequenceRuns) { outstanding = outstanding.filter { !runs.contains($0) } }

  /// The spool does not keep it. Answers false when it was not asked to.
  mutating func fail(_ sequence: UInt64, at now: Instant) -> Bool {
    guard outstanding.remove(sequence) != nil else { return false }
    if resumeAt == nil {
      resumeAt = now + waitS
      waitS = min(waitS * 2, Self.longestWaitS)
    }
    return true
  }

  /// The spool says that it works.
  mutating func resume() {
    resumeAt = nil
    waitS = Self.firstWaitS
  }
}
