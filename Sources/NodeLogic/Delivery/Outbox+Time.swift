internal import Telemetry

// Times that were given before the clock was known.

extension Outbox {
  /// Of so many numbers it is known by which clock their times were put right.
  private static let mostRepairs = 4096

  /// The number of the newest event of a stream, for who publishes it once more with times by this clock: somebody
  /// outside may know it from now on, and acknowledge it. Nil where there is none, or it was given up.
  mutating func nameNewest(of stream: Stream, by clock: ClockState) -> UInt64? {
    guard let sequence = newest[stream] else { return nil }
    if !handedOver.contains(sequence), settings.hasSpool, repairs.count < Self.mostRepairs { repairs[sequence] = clock }
    handedOver.insert(sequence)
    return sequence
  }

  /// Puts the times of an event of this run right that nobody outside has seen yet. One that was handed over before
  /// and comes from the disk again gets the times that it had then.
  mutating func repair(_ token: UInt64, _ sequence: UInt64, by clock: ClockState?, _ sleeps: SleepLog) {
    guard var entry = entries[token] else { return }
    let isKnown = handedOver.contains(sequence)
    let used = isKnown ? repairs[sequence] : clock.map { sleeps.clock($0, at: entry.madeAt) }
    guard let used, let repaired = entry.telegram.repaired(by: used) else { return }
    entry.telegram = repaired.judgedAnew
    if !isKnown, settings.hasSpool, repairs.count < Self.mostRepairs { repairs[sequence] = used }
    let change = entry.telegram.encode().count - entry.bytes
    entry.bytes += change
    if !entry.isFetched { memoryBytes += change }
    if entry.keeping != .stored { unsavedBytes += change }
    if entry.isBulk { pace.change(by: change) }
    entries[token] = entry
  }
}

extension Telegram {
  /// Whether the receiver's time was off, told by the clock that the envelope has now.
  fileprivate var judgedAnew: Telegram {
    guard case .location(.fixed(var position)) = body, let quality = envelope.clock else { return self }
    position.judgeFixTime(by: quality)
    return Telegram(envelope, .location(.fixed(position)))
  }
}
