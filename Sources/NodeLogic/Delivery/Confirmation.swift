internal import Telemetry

/// Events that the broker has taken and no fleet tool has acknowledged yet: what is missing of them, and when to ask.
///
/// Nothing is sent again because time passed. The fleet tool gets messages in the order in which they were sent, so
/// that an acknowledgement of something that was sent after others proves those missing which it does not name. To
/// tell what was sent after what, there are two generations; the newer becomes part of the older every ten seconds at
/// the most. What was proved missing is sent again, once at once; what is still missing then waits a minute, and twice
/// as long each time up to an hour, so that an event which the fleet tool cannot take costs little.
///
/// When no acknowledgement comes, the oldest event is sent once more as a probe: after 60 s, and after twice as long
/// each time up to an hour. A new connection brings it forward to a sixth of that wait, the first one to at once. The
/// fleet tool acknowledges a duplicate again, and by the rule above that proves what it lost. So a fleet tool that is
/// away for days, behind a link that flaps, costs at most an event every ten minutes.
///
/// An acknowledgement names numbers of one run, and proves nothing about those of another: theirs may have been lost.
/// But the fleet tool is there: the oldest event of each other run goes out as a probe of that run ten seconds later,
/// then a minute after that, and after twice as long each time up to an hour, for as long as the fleet tool says
/// anything in between.
struct Confirmation: Sendable {
  private static let firstWaitS = 60.0
  private static let longestWaitS = 3600.0
  private static let hurry = 6.0
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
  /// When the oldest goes out once more; nil: nothing waits.
  private var probeAt: Instant?
  /// The probe that nobody has answered.
  private var probedAt: Instant?
  private var waitS = Confirmation.firstWaitS
  /// Runs of which nothing was said while another was acknowledged.
  private var doubts: [BootID: Doubt] = [:]
  /// When a fleet tool acknowledged something last.
  private var heardAt = Instant.start
  private var isConnected = false

  /// When a run is probed.
  private struct Doubt: Sendable {
    var dueAt: Instant
    var waitS = Confirmation.firstWaitS
    /// The last probe of it, and when it was asked for.
    var probe: (sequence: UInt64, at: Instant)?
  }

  var count: Int { older.count + newer.count + parked.count }

  func contains(_ key: EventKey) -> Bool { older.contains(key) || newer.contains(key) || parked.contains(key) }

  /// When to look at `due`.
  var nextDeadline: Instant? {
    guard isConnected else { return nil }
    let probe = undoubted.isEmpty ? nil : probeAt
    let doubt = doubts.values.map(\.dueAt).min()
    return [probe, doubt, parked.isEmpty ? nil : parkedUntil].compactMap { $0 }.min()
  }

  /// The broker has taken an event.
  mutating func add(_ key: EventKey, handedOverAt: Instant, at now: Instant) {
    if undoubted.isEmpty, probedAt == nil { probeAt = now + Self.firstWaitS }
    if handedOverAt < rotatedAt { older.insert(key) } else { newer.insert(key) }
  }

  /// These have reached their end otherwise.
  mutating func remove(_ runs: SequenceRuns, of boot: BootID) {
    older.remove(runs, of: boot)
    newer.remove(runs, of: boot)
    resent.remove(runs, of: boot)
    parked.remove(runs, of: boot)
    if let doubt = doubts[boot], !holds(boot), doubt.probe.map({ runs.contains($0.sequence) }) ?? true {
      doubts[boot] = nil
    }
  }

  private func holds(_ boot: BootID) -> Bool { !older[boot].isEmpty || !newer[boot].isEmpty || !parked[boot].isEmpty }

  /// A fleet tool has stored these. Answers what it must have missed, which is to be sent again.
  mutating func confirm(_ runs: SequenceRuns, of boot: BootID, at now: Instant) -> SequenceRuns {
    let isProof = runs.runs.contains { !newer[boot].intersection($0).isEmpty }
    if runs.runs.contains(where: { !parked[boot].intersection($0).isEmpty }) { parkS = Self.firstWaitS }
    remove(runs, of: boot)
    (probeAt, probedAt, waitS) = (now + Self.firstWaitS, nil, Self.firstWaitS)
    (heardAt, doubts[boot]) = (now, nil)
    for other in Set(older.byBoot.keys).union(newer.byBoot.keys) where other != boot && doubts[other] == nil {
      doubts[other] = Doubt(dueAt: now + Self.rotateS)
    }
    var missing = SequenceRuns()
    if isProof {
      missing = older[boot]
      older[boot] = SequenceRuns()
      park(&missing, of: boot, at: now)
    }
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

  /// What is to be sent again though nobody said so: the oldest as a probe, and what was parked.
  ///
  /// - Parameter oldest: which of two runs is the older.
  mutating func due(at now: Instant, isOlder: (BootID, BootID) -> Bool) -> EventSet {
    var due = EventSet()
    guard isConnected else { return due }
    if !parked.isEmpty, now >= parkedUntil {
      due = parked
      parked = EventSet()
      parkS = min(parkS * 2, Self.longestWaitS)
    }
    if let probeAt, now >= probeAt, let key = oldest(isOlder) {
      takeProbe(key, into: &due, at: now)
      waitS = min(waitS * 2, Self.longestWaitS)
      (probedAt, self.probeAt) = (now, now + waitS)
    }
    for (boot, doubt) in doubts where now >= doubt.dueAt { probe(boot, doubt, into: &due, at: now) }
    return due
  }

  /// Sends the oldest of a run once more, unless the fleet tool has gone silent, which is no matter of this run. Where
  /// the last probe is still under way, that is enough.
  private mutating func probe(_ boot: BootID, _ doubt: Doubt, into due: inout EventSet, at now: Instant) {
    if let probe = doubt.probe, heardAt <= probe.at {
      doubts[boot] = nil
      return
    }
    var doubt = doubt
    if let key = oldest(of: boot) {
      takeProbe(key, into: &due, at: now)
      doubt.probe = (key.sequence, now)
    }
    doubt.dueAt = now + doubt.waitS
    doubt.waitS = min(doubt.waitS * 2, Self.longestWaitS)
    doubts[boot] = doubt
  }

  private mutating func takeProbe(_ key: EventKey, into due: inout EventSet, at now: Instant) {
    rotate(at: now)
    older.remove(key)
    due.insert(key)
  }

  private func oldest(_ isOlder: (BootID, BootID) -> Bool) -> EventKey? {
    undoubted.min(by: isOlder).flatMap { oldest(of: $0) }
  }

  /// The runs of which something waits, and which are not probed by themselves.
  private var undoubted: Set<BootID> {
    Set(older.byBoot.keys).union(newer.byBoot.keys).subtracting(doubts.keys)
  }

  private func oldest(of boot: BootID) -> EventKey? {
    [older[boot].first, newer[boot].first].compactMap { $0 }.min().map { EventKey(boot: boot, sequence: $0) }
  }

  private mutating func rotate(at now: Instant) {
    older.formUnion(newer)
    newer = EventSet()
    rotatedAt = now
  }

  mutating func connect(at now: Instant) {
    isConnected = true
    guard let probeAt else { return }
    self.probeAt = min(probeAt, probedAt.map { $0 + waitS / Self.hurry } ?? now)
  }

  mutating func disconnect() { isConnected = false }

  /// Everything ends at the broker from now on: answers all of it.
  mutating func dissolve() -> EventSet {
    var all = older
    all.formUnion(newer)
    all.formUnion(parked)
    (older, newer, parked, resent) = (EventSet(), EventSet(), EventSet(), EventSet())
    doubts = [:]
    (probeAt, probedAt, waitS) = (nil, nil, Self.firstWaitS)
    return all
  }
}
