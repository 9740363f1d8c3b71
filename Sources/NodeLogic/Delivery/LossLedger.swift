internal import Telemetry

/// What the outbox gave up and has not told yet: exact numbers, gathered so that one message tells of many.
struct LossLedger: Sendable {
  /// How long losses are gathered before they are told [s].
  private static let gatherS = 10.0

  private struct Heading: Hashable {
    var boot: BootID
    var reason: EvictedMessage.Reason
  }

  /// Numbers, and how many of them are of each stream.
  private struct Part {
    var runs: SequenceRuns
    var counts: [Stream: Int]

    /// Takes another part in, as far as one message holds both.
    mutating func take(_ other: Part) -> Bool {
      let shared = other.runs.runs.reduce(0) { $0 + runs.intersection($1).count }
      // Told twice, and counted once.
      if shared == other.runs.count { return true }
      var both = runs
      both.formUnion(other.runs)
      guard both.runs.count <= EvictedMessage.mostRuns else { return false }
      runs = both
      if shared == 0 { counts.merge(other.counts) { $0 + $1 } }
      return true
    }
  }

  private struct Tally {
    var byStream: [Stream: SequenceRuns] = [:]
    /// Of these only the sums are known.
    var parts: [Part] = []
    /// What is said of damage, of which only bounds are known.
    var damages: [EvictedMessage] = []

    mutating func insert(_ part: Part) {
      for index in parts.indices where parts[index].take(part) { return }
      parts.append(part)
    }

    /// At most so many that are told one by one; bounds may be widened.
    mutating func insert(damage: EvictedMessage) {
      if damages.contains(damage) { return }
      guard damages.count >= 16, let last = damages.indices.last else { return damages.append(damage) }
      damages[last].first = min(damages[last].first, damage.first)
      damages[last].last = max(damages[last].last, damage.last)
      damages[last].count = damages[last].count.flatMap { one in damage.count.map { one + $0 } }
      damages[last].bytes = damages[last].bytes.flatMap { one in damage.bytes.map { one + $0 } }
      damages[last].counts.merge(damage.counts) { $0 + $1 }
    }
  }

  private var tallies: [Heading: Tally] = [:]
  private var order: [Heading] = []
  private var dueAt: Instant?

  var isEmpty: Bool { tallies.isEmpty }
  /// When to tell what was gathered.
  var nextDeadline: Instant? { dueAt }

  /// An event was given up.
  mutating func note(_ key: EventKey, _ stream: Stream, _ reason: EvictedMessage.Reason, at now: Instant) {
    change(Heading(boot: key.boot, reason: reason), at: now) {
      $0.byStream[stream, default: SequenceRuns()].insert(key.sequence)
    }
  }

  /// A message that would have told of losses was given up itself: they are to be told by another one.
  mutating func absorb(_ message: EvictedMessage, of boot: BootID, at now: Instant) {
    change(Heading(boot: message.boot ?? boot, reason: message.reason), at: now) { tally in
      guard let runs = message.exactRuns else { return tally.insert(damage: message) }
      if message.counts.count == 1, let (stream, count) = message.counts.first, count == message.count {
        for run in runs { tally.byStream[stream, default: SequenceRuns()].insert(run) }
      } else {
        tally.insert(Part(runs: SequenceRuns(runs), counts: message.counts))
      }
    }
  }

  private mutating func change(_ heading: Heading, at now: Instant, _ change: (inout Tally) -> Void) {
    if tallies[heading] == nil { order.append(heading) }
    change(&tallies[heading, default: Tally()])
    dueAt = dueAt ?? now + Self.gatherS
  }

  /// What is to be told now, in messages of at most 256 runs.
  mutating func take(for boot: BootID, at now: Instant, isForced: Bool) -> [EvictedMessage] {
    guard let dueAt, isForced || now >= dueAt else { return [] }
    defer { (tallies, order, self.dueAt) = ([:], [], nil) }
    return order.flatMap { heading -> [EvictedMessage] in
      guard let tally = tallies[heading] else { return [] }
      return messages(heading, tally, for: boot)
    }
  }

  private func messages(_ heading: Heading, _ tally: Tally, for boot: BootID) -> [EvictedMessage] {
    let about = heading.boot == boot ? nil : heading.boot
    var parts = Tally()
    for runs in EvictedMessage.pieces(tally.byStream.values.reduce(into: SequenceRuns()) { $0.formUnion($1) }.runs) {
      let counts = tally.byStream.mapValues { numbers in runs.reduce(0) { $0 + numbers.intersection($1).count } }
      parts.insert(Part(runs: SequenceRuns(runs), counts: counts.filter { $0.value > 0 }))
    }
    for part in tally.parts { parts.insert(part) }
    let exact = parts.parts.map { part in
      var message = EvictedMessage(part.runs.runs, of: about, heading.reason)
      message.counts = part.counts
      return message
    }
    return exact
      + tally.damages.map { damage in
        var message = damage
        message.boot = about
        return message
      }
  }
}

extension EvictedMessage {
  /// Runs of numbers, so many at a time as one message may tell of.
  static func pieces(_ runs: [ClosedRange<UInt64>]) -> [[ClosedRange<UInt64>]] {
    stride(from: 0, to: runs.count, by: mostRuns).map { Array(runs[$0..<min($0 + mostRuns, runs.count)]) }
  }

  /// Tells of exactly these, at least one.
  init(_ runs: [ClosedRange<UInt64>], of boot: BootID?, _ reason: Reason) {
    self.init(
      boot: boot, first: runs.first?.lowerBound ?? 0, last: runs.last?.upperBound ?? 0,
      runs: runs.count > 1 ? runs : [], count: runs.reduce(0) { $0 + $1.count }, reason)
  }
}
