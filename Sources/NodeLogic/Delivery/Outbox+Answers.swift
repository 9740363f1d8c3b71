public import Telemetry

// What the broker says of an event.

extension Outbox {
  /// Whose word ends the duty to keep an event: the fleet tool's, or the broker's.
  public var isFleet: Bool {
    switch settings.delivery {
    case .auto: fleetAcknowledges
    case .broker: false
    case .fleet: true
    }
  }

  /// The broker acknowledged an event. Answers false for one that is not known (any more).
  @discardableResult
  public mutating func deliver(_ token: UInt64, at now: Instant) -> Bool {
    guard let entry = answer(token, at: now) else { return false }
    if entry.key.boot == boot { crossings.remove(entry.key.sequence) }
    let opened = gates.open(entry.stream)
    if opened.isNews { notices.append(.open(entry.stream)) }
    if opened.wasClosed { reopen(entry.stream) }
    guard isFleet, !entry.isSettled else {
      settle(token)
      return true
    }
    confirmation.add(entry.key, handedOverAt: entry.handedOverAt, at: now)
    entries[token]?.phase = .unconfirmed
    if entry.keeping == .stored { drop(token, isWanted: false) }
    return true
  }

  /// The broker acknowledged an event, and says that nobody subscribes to it: that is no delivery.
  public mutating func leaveUnheard(_ token: UInt64, at now: Instant) {
    guard let entry = answer(token, at: now) else { return }
    if entry.isSettled {
      if entry.isLate { gates.takeBackProbe(entry.stream) }
      return settle(token)
    }
    if gates.close(entry.stream, isLate: entry.isLate, at: now) { notices.append(.unheard(entry.stream)) }
    setAside(token)
  }

  /// The broker does not let this node publish to the stream.
  public mutating func deny(_ token: UInt64, at now: Instant) {
    guard let entry = answer(token, at: now) else { return }
    if entry.isSettled { return settle(token) }
    if gates.deny(entry.stream, at: now) { notices.append(.denied(entry.stream)) }
    setAside(token)
  }

  /// The broker refused an event: for good, then it is given up; or for now, then nothing is sent for `retryS`, and it
  /// goes out again in its place.
  public mutating func refuse(_ token: UInt64, isPermanent: Bool, retryS: Double = 5, at now: Instant) {
    guard let entry = answer(token, at: now) else { return }
    if entry.isLate { gates.takeBackProbe(entry.stream) }
    if entry.isSettled { return settle(token) }
    guard isPermanent else {
      enqueue(token, entry)
      resumeAt = now + retryS
      return
    }
    // What tells of losses must not be lost for being refused, and that be told by another one for ever.
    if entry.stream == .evicted {
      if gates.deny(entry.stream, at: now) { notices.append(.denied(entry.stream)) }
      return setAside(token)
    }
    giveUp(token, .refused, at: now)
  }

  /// The session did not take an event: nobody outside has seen it, and it goes out again after `retryS`.
  public mutating func takeBack(_ token: UInt64, retryS: Double, at now: Instant) {
    guard var entry = entries[token], entry.phase == .underWay else { return }
    underWay.remove(token)
    if entry.isLate { gates.takeBackProbe(entry.stream) }
    if entry.isBulk { pace.end(entry.bytes) }
    (entry.isBulk, entry.phase) = (false, .waiting)
    entries[token] = entry
    if entry.isSettled { return settle(token) }
    if !entry.wasKnown {
      handedOver.remove(entry.key.sequence)
      repairs[entry.key.sequence] = nil
    }
    enqueue(token, entry)
    resumeAt = now + retryS
  }

  /// An event that was under way has its answer: it waits again, in no queue.
  private mutating func answer(_ token: UInt64, at now: Instant) -> OutboxEntry? {
    guard underWay.remove(token) != nil, var entry = entries[token] else { return nil }
    if entry.isBulk { pace.end(entry.bytes) }
    pace.acknowledge(entry.bytes, afterS: now - entry.handedOverAt, at: now)
    poison.answer(entry.key)
    (entry.isBulk, entry.phase) = (false, .waiting)
    entries[token] = entry
    return entry
  }

  /// Keeps an event out of the way until its stream is open.
  mutating func setAside(_ token: UInt64) {
    guard let entry = entries[token] else { return }
    if gates.isDenied(entry.stream) { asides[entry.stream, default: EventSet()].insert(entry.key) }
    endTrial(of: entry.key)
    entries[token]?.phase = .aside
    entries[token]?.isLate = true
    if entry.keeping == .stored { drop(token, isWanted: false) }
  }

  /// A stream may be sent to again, or be tried: what was kept out of the way comes back.
  mutating func reopen(_ stream: Stream) {
    asides[stream] = nil
    for token in entries.keys.sorted() {
      guard var entry = entries[token], entry.phase == .aside, entry.stream == stream else { continue }
      entry.phase = .waiting
      entries[token] = entry
      enqueue(token, entry)
    }
    guard disk.isOpen else { return }
    if stream == .waveform { waveformReader.revisit(after: nil) } else { routineReader.revisit(after: nil) }
  }

  /// Events that the broker does not let this node publish.
  public var setAsideCount: Int { min(count, asides.values.reduce(0) { $0 + $1.count }) }

  /// From now on the broker's word counts: what it has is done with.
  mutating func endAtBroker() {
    for (boot, runs) in confirmation.dissolve().byBoot {
      for run in runs.runs { end(run, of: boot) }
    }
    if trial.end(isHeard: false) { readAgain() }
  }
}
