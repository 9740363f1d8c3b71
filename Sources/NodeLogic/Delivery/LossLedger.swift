internal import Telemetry

/// What the outbox gave up and has not told yet: exact numbers, gathered so that one message tells of many.
struct LossLedger: Sendable {
  /// How long losses are gathered before they are told [s].
  private static let gatherS = 10.0

  private struct Heading: Hashable {
    var boot: BootID
    var reason: EvictedMessage.Reason
  }

  private struct Tally {
    var byStream: [Stream: SequenceRuns] = [:]
    /// Of these only the sum is known.
    var others = SequenceRuns()
    var otherCounts: [Stream: Int] = [:]

    var all: SequenceRuns {
      byStream.values.reduce(into: others) { $0.formUnion($1) }
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
    guard let runs = message.exactRuns else { return }
    change(Heading(boot: message.boot ?? boot, reason: message.reason), at: now) { tally in
      if message.counts.count == 1, let (stream, count) = message.counts.first, count == message.count {
        for run in runs { tally.byStream[stream, default: SequenceRuns()].insert(run) }
      } else {
        for run in runs { tally.others.insert(run) }
        tally.otherCounts.merge(message.counts) { $0 + $1 }
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
    let pieces = EvictedMessage.pieces(tally.all.runs)
    return pieces.map { runs in
      var message = EvictedMessage(runs, of: heading.boot == boot ? nil : heading.boot, heading.reason)
      for (stream, numbers) in tally.byStream {
        let count = runs.reduce(0) { $0 + numbers.intersection($1).count }
        if count > 0 { message.counts[stream] = count }
      }
      if pieces.count == 1 { message.counts.merge(tally.otherCounts) { $0 + $1 } }
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
