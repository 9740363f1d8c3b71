internal import Telemetry

/// When the fleet tool is asked about a run of which it says nothing, by sending one of its events once more.
///
/// Each run is asked about by itself: after 60 s, and after twice as long each time up to an hour, so that an event
/// which the fleet tool can never take costs less and less. A new connection brings that forward to a sixth of the
/// wait, the first one to at once. While nobody answers anything, only the oldest run is asked about: a fleet tool that
/// is away for days, behind a link that flaps, costs at most an event every ten minutes, for many runs as for one. When
/// it turns out to have been away, all are asked about anew.
struct ProbeSchedule: Sendable {
  private static let firstWaitS = 60.0
  private static let longestWaitS = 3600.0
  /// A probe is answered within this, if at all.
  private static let answerS = 10.0
  /// A new connection brings the next probe forward to this part of the wait.
  private static let hurry = 6.0

  private struct Question: Sendable {
    var dueAt: Instant
    var waitS = ProbeSchedule.firstWaitS
    /// It came due, and nothing was heard of the run since.
    var isOverdue = false
    var probe: Probe?
  }

  private struct Probe: Sendable {
    var sequence: UInt64
    var at: Instant
    /// What had been sent before it.
    var before: SequenceRuns
  }

  private var questions: [BootID: Question] = [:]
  private var probedAt: Instant?
  private var heardAt: Instant?

  var nextDeadline: Instant? { questions.values.map(\.dueAt).min() }

  /// Something of a run waits for an answer.
  mutating func expect(_ boot: BootID, at now: Instant) {
    if questions[boot] == nil { questions[boot] = Question(dueAt: now + Self.firstWaitS) }
  }

  /// Nothing of a run waits any more.
  mutating func forget(_ boot: BootID) { questions[boot] = nil }

  mutating func removeAll() { questions = [:] }

  /// The fleet tool has named these. Answers what had been sent before the probe that it names, if it names one.
  mutating func hear(_ runs: SequenceRuns, of boot: BootID, at now: Instant) -> SequenceRuns {
    heardAt = now
    guard let question = questions.removeValue(forKey: boot) else { return SequenceRuns() }
    if question.isOverdue {
      // It had been away.
      questions = questions.mapValues { question in
        var question = question
        question.waitS = Self.firstWaitS
        question.dueAt = min(question.dueAt, now + Self.answerS)
        return question
      }
    }
    guard let probe = question.probe, runs.contains(probe.sequence) else { return SequenceRuns() }
    return probe.before
  }

  /// The run to be asked about now, of several the oldest; nil: none. To be called until it answers that.
  /// - Parameter isOlder: which of two runs is the older.
  mutating func due(at now: Instant, isOlder: (BootID, BootID) -> Bool) -> BootID? {
    let due = questions.filter { now >= $0.value.dueAt }.keys.sorted(by: isOlder)
    guard let first = due.first else { return nil }
    for boot in due { questions[boot]?.isOverdue = true }
    // Nothing was heard since the last probe: only the oldest is asked about, the others when its answer is overdue.
    guard let probedAt, heardAt.map({ $0 <= probedAt }) ?? true else { return first }
    let oldest = questions.keys.min(by: isOlder)
    let waitS = oldest.flatMap { questions[$0]?.waitS } ?? Self.firstWaitS
    let answerDueAt = probedAt + Self.answerS
    for boot in due where boot != oldest { questions[boot]?.dueAt = now < answerDueAt ? answerDueAt : now + waitS }
    return first == oldest ? first : nil
  }

  /// The number that the last probe of a run had.
  func lastProbe(of boot: BootID) -> UInt64? { questions[boot]?.probe?.sequence }

  /// A run is asked about.
  mutating func probe(_ boot: BootID, _ sequence: UInt64, before: SequenceRuns, at now: Instant) {
    guard var question = questions[boot] else { return }
    probedAt = now
    question.probe = Probe(sequence: sequence, at: now, before: before)
    question.waitS = min(question.waitS * 2, Self.longestWaitS)
    question.dueAt = now + question.waitS
    questions[boot] = question
  }

  /// A connection was made, the first or another.
  mutating func connect(at now: Instant, isOlder: (BootID, BootID) -> Bool) {
    guard let oldest = questions.keys.min(by: isOlder), let question = questions[oldest] else { return }
    questions[oldest]?.dueAt = min(question.dueAt, question.probe.map { $0.at + question.waitS / Self.hurry } ?? now)
  }
}
