internal import Telemetry

/// Events that the broker has taken and no fleet tool has acknowledged yet: what is missing of them, and when to ask.
///
/// Nothing is sent again because time passed. The fleet tool gets messages in the order in which they were sent, so
/// that an acknowledgement of something that was sent after others proves those missing which it does not name. To
/// tell what was sent after what, there are two generations; the newer becomes part of the older every ten seconds at
/// the most. What was proved missing is sent again, once at once; what is still missing then waits a minute, and twice
/// as long each time up to an hour, so that an event which the fleet tool cannot take costs little.
///
/// When no acknowledgement of a run comes, one of its events is sent once more as a probe (`ProbeSchedule`), each time
/// the next, since the fleet tool may be unable to take one of them. It acknowledges a duplicate again, and by the rule
/// above that proves what it lost. An acknowledgement names numbers of one run and proves nothing about another, of
/// which it may have been lost: each run is asked about by itself.
struct Confirmation: Sendable {
  private static let firstWaitS = 60.0
  private static let longestWaitS = 3600.0
  private static let rotateS = 10.0

  private var older = EventSet()
  private var newer = EventSet()
  private var rotatedAt = Instant.start
  /// Sent again already because they were missing.
  private var resent = EventSet()
  /// Missing again.
  private var parked = EventSet()
  private var parkedUntil = Instant.start
  private var parkS = Confirmation.firstWaitS
  private var schedule = ProbeSchedule()
  private var isConnected = false

  var count: Int { older.count + newer.count + parked.count }

  func contains(_ key: EventKey) -> Bool { older.contains(key) || newer.contains(key) || parked.contains(key) }

  /// When to look at `due`.
  var nextDeadline: Instant? {
    guard isConnected else { return nil }
    return [schedule.nextDeadline, parked.isEmpty ? nil : parkedUntil].compactMap { $0 }.min()
  }

  /// The broker has taken an event.
  mutating func add(_ key: EventKey, handedOverAt: Instant, at now: Instant) {
    if handedOverAt < rotatedAt { older.insert(key) } else { newer.insert(key) }
    schedule.expect(key.boot, at: now)
  }

  /// These have reached their end otherwise.
  mutating func remove(_ runs: SequenceRuns, of boot: BootID) {
    older.remove(runs, of: boot)
    newer.remove(runs, of: boot)
    resent.remove(runs, of: boot)
    parked.remove(runs, of: boot)
    if !isAnswerAwaited(boot) { schedule.forget(boot) }
  }

  private func isAnswerAwaited(_ boot: BootID) -> Bool { !older[boot].isEmpty || !newer[boot].isEmpty }

  /// A fleet tool has stored these. Answers what it must have missed, which is to be sent again.
  mutating func confirm(_ runs: SequenceRuns, of boot: BootID, at now: Instant) -> SequenceRuns {
    let isProof = runs.runs.contains { !newer[boot].intersection($0).isEmpty }
    if runs.runs.contains(where: { !parked[boot].intersection($0).isEmpty }) { parkS = Self.firstWaitS }
    let asked = schedule.hear(runs, of: boot, at: now)
    remove(runs, of: boot)
    var missing = SequenceRuns()
    if isProof {
      missing = older[boot]
    } else {
      for run in asked.runs { missing.formUnion(older[boot].intersection(run)) }
    }
    if !missing.isEmpty {
      older.remove(missing, of: boot)
      park(&missing, of: boot, at: now)
    }
    if isAnswerAwaited(boot) { schedule.expect(boot, at: now) }
    if now - rotatedAt >= Self.rotateS { rotate(at: now) }
    return missing
  }

  /// Of what is missing, takes out what was sent again before, and keeps it for later.
  private mutating func park(_ missing: inout SequenceRuns, of boot: BootID, at now: Instant) {
    var again = SequenceRuns()
    for run in missing.runs { again.formUnion(resent[boot].intersection(run)) }
    missing.subtract(again)
    resent.insert(missing, of: boot)
    guard !again.isEmpty else { return }
    if parked.isEmpty { parkedUntil = now + parkS }
    parked.insert(again, of: boot)
  }

  /// What is to be sent again though nobody said so: probes, and what was parked.
  ///
  /// - Parameter isOlder: which of two runs is the older.
  mutating func due(at now: Instant, isOlder: (BootID, BootID) -> Bool) -> EventSet {
    var due = EventSet()
    guard isConnected else { return due }
    if !parked.isEmpty, now >= parkedUntil {
      due = parked
      parked = EventSet()
      parkS = min(parkS * 2, Self.longestWaitS)
    }
    while let boot = schedule.due(at: now, isOlder: isOlder) {
      guard let sequence = next(of: boot, after: schedule.lastProbe(of: boot)) else {
        schedule.forget(boot)
        continue
      }
      rotate(at: now)
      older.remove(EventKey(boot: boot, sequence: sequence))
      due.insert(EventKey(boot: boot, sequence: sequence))
      schedule.probe(boot, sequence, before: older[boot], at: now)
    }
    return due
  }

  /// The next event of a run that waits for an answer; after the last the first again.
  private func next(of boot: BootID, after last: UInt64?) -> UInt64? {
    func first(_ range: ClosedRange<UInt64>) -> UInt64? {
      [older[boot].intersection(range).first, newer[boot].intersection(range).first].compactMap { $0 }.min()
    }
    let ahead = last.flatMap { $0 < .max ? first(($0 + 1)...UInt64.max) : nil }
    return ahead ?? first(0...UInt64.max)
  }

  private mutating func rotate(at now: Instant) {
    older.formUnion(newer)
    newer = EventSet()
    rotatedAt = now
  }

  mutating func connect(at now: Instant, isOlder: (BootID, BootID) -> Bool) {
    isConnected = true
    schedule.connect(at: now, isOlder: isOlder)
  }

  mutating func disconnect() { isConnected = false }

  /// Everything ends at the broker from now on: answers all of it.
  mutating func dissolve() -> EventSet {
    var all = older
    all.formUnion(newer)
    all.formUnion(parked)
    (older, newer, parked, resent) = (EventSet(), EventSet(), EventSet(), EventSet())
    schedule.removeAll()
    return all
  }
}
