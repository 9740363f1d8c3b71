public import Telemetry

// What goes out next.

extension Outbox {
  /// How long what is in memory waits for what is older and still to be read from the disk [s].
  static let patienceS = 5.0

  /// The connection was made: what waits is handed over from now on, and what is appended from now on goes first.
  public mutating func connect(at now: Instant) {
    isConnected = true
    resumeAt = nil
    pace.connect(at: now)
    poison.connect()
    for stream in gates.connect(at: now) { reopen(stream) }
    let disk = disk
    confirmation.connect(at: now, isOlder: disk.isOlder)
  }

  /// The connection is gone: what was under way or waited live becomes backlog, in its order.
  ///
  /// - Parameter isThrownOut: the broker ended it, for a reason of its own.
  public mutating func disconnect(isThrownOut: Bool = false, at now: Instant) {
    guard isConnected else { return }
    isConnected = false
    let keys = underWay.sorted().compactMap { entries[$0]?.key }
    let poisoned = poison.disconnect(underWay: keys, isThrownOut: isThrownOut)
    for token in underWay { entries[token]?.phase = .waiting }
    underWay = []
    confirmation.disconnect()
    if let token = poisoned.flatMap({ tokens[$0] }) {
      if let stream = entries[token]?.stream { notices.append(.poison(stream)) }
      giveUp(token, .refused, at: now)
    }
    (live, held, waveforms, suspects) = (Deque(), Deque(), Deque(), Deque())
    routineReader.forget()
    waveformReader.forget()
    for token in entries.keys.sorted() { shelveOffline(token) }
  }

  /// What becomes of an event in memory when the connection is gone.
  private mutating func shelveOffline(_ token: UInt64) {
    guard var entry = entries[token] else { return }
    if entry.isSettled { return settle(token) }
    if entry.keeping == .stored { return drop(token, isWanted: entry.phase == .waiting || entry.phase == .suspect) }
    entry.isBulk = false
    if entry.phase == .suspect { entry.phase = .waiting }
    // What nobody has seen while it happened is late, however short the outage.
    entry.isLate = true
    entries[token] = entry
    if entry.phase == .waiting { enqueue(token, entry) }
  }

  /// The events to hand over now, as far as the window and the pace have room.
  ///
  /// - Parameter clock: the node's clock of now. What was made when the clock was worth less, and is handed over for
  ///   the first time, gets its times from it. What was handed over before keeps its times, since the broker may have
  ///   it: two that are the same by `boot` and `seq` are the same.
  public mutating func next(at now: Instant, clock: ClockState? = nil) -> [Outgoing] {
    next(at: now, clock: clock, sleeps: SleepLog())
  }

  /// The same on a machine that sleeps at times: what was made before a sleep gets the time of then.
  mutating func next(at now: Instant, clock: ClockState?, sleeps: SleepLog) -> [Outgoing] {
    lookedAt = now
    guard isConnected else { return [] }
    for stream in gates.due(at: now) { reopen(stream) }
    let disk = disk
    for (boot, runs) in confirmation.due(at: now, isOlder: disk.isOlder).byBoot { sendAgain(runs, of: boot) }
    if let resumeAt, now < resumeAt { return [] }
    resumeAt = nil
    var outgoing: [Outgoing] = []
    while underWay.count < window, let token = pick(at: now) {
      if let next = handOver(token, clock, sleeps, at: now) { outgoing.append(next) }
    }
    return outgoing
  }

  private mutating func pick(at now: Instant) -> UInt64? {
    // A suspect is under way, and is to be alone.
    if underWay.count == 1, let token = underWay.first, entries[token].map({ poison.isSuspect($0.key) }) ?? false {
      return nil
    }
    while let token = popWaiting(&live) { if admits(token) { return token } }
    while let token = firstLate(at: now) {
      guard let entry = entries[token], pace.allows(entry.bytes, underWay: underWay.count, window: window) else {
        return nil
      }
      popLate(token)
      if admits(token) {
        entries[token]?.isBulk = true
        pace.begin(entry.bytes)
        return token
      }
    }
    guard underWay.isEmpty else { return nil }
    while let token = suspects.popFirst() {
      guard let entry = entries[token], entry.phase == .suspect else { continue }
      if gates.admits(entry.stream, isLate: entry.isLate) { return token }
      setAside(token)
    }
    return nil
  }

  /// Whether an event that waits may go now; otherwise it is put where it belongs.
  private mutating func admits(_ token: UInt64) -> Bool {
    guard let entry = entries[token] else { return false }
    if poison.isSuspect(entry.key) {
      entries[token]?.phase = .suspect
      suspects.append(token)
      return false
    }
    if gates.admits(entry.stream, isLate: entry.isLate) { return true }
    setAside(token)
    return false
  }

  /// The oldest of what is late: events, then waveforms.
  private mutating func firstLate(at now: Instant) -> UInt64? {
    if let token = older(first(&routineReader.chunk), first(&held)) {
      let isFromDisk = entries[token]?.isFetched ?? false
      if !isFromDisk, isSpoolReady, routineReader.mayBring(at: now, within: Self.patienceS) { return nil }
      return token
    }
    if isSpoolReady, routineReader.mayBring(at: now, within: Self.patienceS) { return nil }
    return older(first(&waveformReader.chunk), first(&waveforms))
  }

  private mutating func popLate(_ token: UInt64) {
    if routineReader.chunk.first == token {
      _ = routineReader.chunk.popFirst()
    } else if held.first == token {
      _ = held.popFirst()
    } else if waveformReader.chunk.first == token {
      _ = waveformReader.chunk.popFirst()
    } else {
      _ = waveforms.popFirst()
    }
  }

  /// Which of two is to go first: one of a former run, else the lower number.
  private func older(_ read: UInt64?, _ own: UInt64?) -> UInt64? {
    guard let read, let own, let a = entries[read]?.key, let b = entries[own]?.key else { return read ?? own }
    return a.boot != boot || a.sequence < b.sequence ? read : own
  }

  /// The queue's first event that still waits; what has gone meanwhile is let go of.
  private func first(_ queue: inout Deque<UInt64>) -> UInt64? {
    while let token = queue.first {
      if entries[token]?.phase == .waiting { return token }
      _ = queue.popFirst()
    }
    return nil
  }

  private func popWaiting(_ queue: inout Deque<UInt64>) -> UInt64? {
    guard let token = first(&queue) else { return nil }
    _ = queue.popFirst()
    return token
  }

  private mutating func handOver(
    _ token: UInt64, _ clock: ClockState?, _ sleeps: SleepLog, at now: Instant
  ) -> Outgoing? {
    guard let key = entries[token]?.key else { return nil }
    let isOwn = key.boot == boot
    if isOwn { repair(token, key.sequence, by: clock, sleeps) }
    guard var entry = entries[token] else { return nil }
    entry.wasKnown = !isOwn || handedOver.contains(key.sequence)
    entry.phase = .underWay
    entry.handedOverAt = now
    entries[token] = entry
    if isOwn { handedOver.insert(key.sequence) }
    underWay.insert(token)
    var telegram = entry.telegram
    var isRetained = isOwn && entry.stream.isRetained && newest[entry.stream] == key.sequence
    if entry.isLate, case .location(let location) = telegram.body {
      // A late position must not look like the present one to whoever subscribes next.
      telegram.body = .location(location.markedAsBacklog)
      isRetained = false
    }
    return Outgoing(telegram: telegram, isRetained: isRetained, token: token)
  }
}

extension LocationMessage {
  /// The same, marked as published late.
  fileprivate var markedAsBacklog: LocationMessage {
    switch self {
    case .fixed(var position):
      position.isBacklog = true
      return .fixed(position)
    case .lost(var loss):
      loss.isBacklog = true
      return .lost(loss)
    }
  }
}
