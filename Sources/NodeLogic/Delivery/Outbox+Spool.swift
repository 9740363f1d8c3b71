public import Telemetry

/// A message about losses that is to become an event.
struct Telling: Equatable, Sendable {
  var message: EvictedMessage
  /// The eviction that it tells of; 0: of one that another message ends.
  var note: UInt64?

  init(message: EvictedMessage, note: UInt64? = nil) {
    self.message = message
    self.note = note
  }

  /// Tells of what cannot be read; only its bounds are known.
  init(ofDamage eviction: SpoolEviction, _ boot: BootID) {
    message = EvictedMessage(
      boot: eviction.boot == boot ? nil : eviction.boot, first: eviction.runs.first?.lowerBound ?? 0,
      last: eviction.runs.last?.upperBound ?? 0, count: eviction.events, counts: eviction.counts,
      bytes: eviction.bytes, .damaged)
    note = eviction.id
  }
}

// The spool's side of the outbox.

extension Outbox {
  /// The spool can be asked for what it holds.
  var isSpoolReady: Bool { settings.hasSpool && disk.isOpen }

  /// Whether a message about losses has somewhere to go.
  var canTell: Bool { isConnected || (isSpoolReady && disk.trouble == nil) }
  /// When losses may be told of next. What tells of them must not push out what is left: while memory is full it comes
  /// every ten minutes at the most.
  var tellingDue: Instant? {
    guard canTell, let due = losses.nextDeadline else { return nil }
    guard memoryBytes > settings.memoryBytes / 4 * 3, let toldAt else { return due }
    return max(due, toldAt + 600)
  }

  /// What the spool is to do, in order.
  public mutating func takeWishes(at now: Instant) -> [SpoolWish] {
    guard settings.hasSpool else { return [] }
    var all = wishes
    wishes = []
    guard disk.isOpen else {
      // What was asked before it opened is not lost.
      wishes = all
      return []
    }
    offer(&all, at: now)
    if !releases.isEmpty {
      for (boot, runs) in releases.byBoot { all += runs.runs.map { .release(boot: boot, $0) } }
      releases = EventSet()
    }
    if isConnected {
      lastQuestion += 1
      if let wish = routineReader.ask(id: lastQuestion, at: now) { all.append(wish) }
      lastQuestion += 1
      if let wish = waveformReader.ask(id: lastQuestion, at: now) { all.append(wish) }
    }
    return all
  }

  /// The clock by which the spool judges ages; a step of a second is worth telling. One that nobody disciplines may be
  /// off by years, and nothing is given up by it.
  public mutating func note(_ clock: ClockState) {
    guard settings.hasSpool else { return }
    let known = Self.judgesAges(clock.quality) ? clock : nil
    let stepS = known.flatMap { known in toldClock.map { (known.wallAtStart - $0.wallAtStart).magnitude } }
    guard known == nil ? toldClock != nil : stepS.map({ $0 > 1 }) ?? true else { return }
    toldClock = known
    wishes.append(.clock(known))
  }

  private static func judgesAges(_ quality: ClockQuality) -> Bool { quality == .ntp || quality == .gps }

  private mutating func offer(_ wishes: inout [SpoolWish], at now: Instant) {
    while let sequence = feed.next(at: now) {
      guard let token = tokens[EventKey(boot: boot, sequence: sequence)], let entry = entries[token] else { continue }
      entries[token]?.keeping = .offered
      let event = StoredEvent(
        boot: boot, sequence: sequence, stream: entry.stream, payload: entry.telegram.encode())
      let envelope = entry.telegram.envelope
      let isTimed = envelope.clock.map(Self.judgesAges) ?? false
      let note = entry.note ?? (entry.stream == .evicted ? 0 : nil)
      wishes.append(.append(event, note: note, born: isTimed ? envelope.time : nil))
    }
  }

  /// Takes what the spool tells.
  public mutating func hear(_ word: SpoolWord, at now: Instant) {
    switch word {
    case .opened(let contents): open(contents, at: now)
    case .stored(let boot, let numbers): if boot == self.boot { for number in numbers { store(number) } }
    case .notStored(let boot, let numbers):
      if boot == self.boot { for number in numbers { keepInMemory(number, at: now) } }
      makeRoom(at: now)
    case .fetched(let id, let events, let last, let isEnd): take(id, events, last: last, isEnd: isEnd, at: now)
    case .evicted(let eviction): lose(eviction)
    case .damaged(let damage): note(damage)
    case .state(let condition):
      if condition.trouble != disk.trouble {
        notices.append(condition.trouble.map { .trouble($0, settings.memoryBytes) } ?? .works)
      }
      if condition.untold > disk.untold { notices.append(.untold(condition.untold)) }
      disk.take(condition)
      if condition.trouble == nil { feed.resume() }
    }
  }

  private mutating func open(_ contents: SpoolContents, at now: Instant) {
    disk.open(contents)
    if contents.fleetAcknowledges {
      fleetAcknowledges = true
    }
    for eviction in contents.evictions { tell(of: eviction) }
    for damage in contents.damage { note(damage) }
    // A start that ended before it could tell has mended the rest.
    disk.damaged = max(disk.damaged, contents.evictions.count { $0.reason == .damaged })
    if contents.events > 0 {
      routineReader.revisit(after: nil)
      waveformReader.revisit(after: nil)
    }
    notices.append(.opened(contents.events))
    if let aside = contents.aside { notices.append(.aside(aside)) }
  }

  private mutating func store(_ sequence: UInt64) {
    guard feed.settle(sequence) else { return }
    crossings.remove(sequence)
    guard let token = tokens[EventKey(boot: boot, sequence: sequence)], let entry = entries[token],
      entry.keeping == .offered
    else { return }
    entries[token]?.keeping = .stored
    unsavedBytes -= entry.bytes
    unsavedCount -= 1
    releaseTold(by: entry)
    // Its release is on its way to the disk already, and only the broker's answer is outstanding.
    if entry.isSettled { return }
    disk.store(sequence, bytes: entry.bytes)
    switch entry.phase {
    case .unconfirmed, .aside: drop(token, isWanted: false)
    case .waiting: if !isConnected { drop(token, isWanted: true) }
    case .underWay, .suspect: break
    }
  }

  private mutating func keepInMemory(_ sequence: UInt64, at now: Instant) {
    guard feed.fail(sequence, at: now), let token = tokens[EventKey(boot: boot, sequence: sequence)],
      let entry = entries[token]
    else { return }
    entries[token]?.keeping = .unsaved
    feed.add(sequence, entry.lane)
  }

  private mutating func take(
    _ id: UInt64, _ events: [StoredEvent], last: SpoolMark?, isEnd: Bool, at now: Instant
  ) {
    if let last, events.last?.boot == boot { disk.learn(last) }
    if let before = routineReader.take(id: id, last: last, isEnd: isEnd) {
      for event in events { fetch(event, after: before, at: now) }
    } else if let before = waveformReader.take(id: id, last: last, isEnd: isEnd) {
      for event in events { fetch(event, after: before, at: now) }
    }
  }

  private mutating func fetch(_ event: StoredEvent, after mark: SpoolMark?, at now: Instant) {
    let key = EventKey(boot: event.boot, sequence: event.sequence)
    if key.boot != boot { disk.rank(key.boot) }
    guard tokens[key] == nil, !confirmation.contains(key) else { return }
    if settled.contains(key) {
      // Its release did not reach a disk that was slow, or is on its way.
      if !untold.contains(key) { releases.insert(key) }
      return
    }
    guard gates.mayAdmitLate(event.stream) else {
      if gates.isDenied(event.stream) { asides[event.stream, default: EventSet()].insert(key) }
      return
    }
    if isFleet, key.boot != boot, !trial.admits(key, window: window) { return }
    do throws(DecodingProblem) {
      let telegram = try Telegram.decode(stream: event.stream, payload: event.payload)
      let made = Instant(seconds: telegram.envelope.uptime ?? 0)
      var entry = OutboxEntry(key: key, telegram: telegram, madeAt: made, bytes: event.payload.count)
      (entry.keeping, entry.isFetched, entry.foundAfter, entry.isLate) = (.stored, true, mark, true)
      entry.telegram.envelope.boot = key.boot
      entry.telegram.envelope.sequence = key.sequence
      enqueue(insert(entry), entry)
    } catch {
      settled.insert(key)
      untold.insert(key)
      disk.settle(SequenceRuns([key.sequence...key.sequence]), isOwn: key.boot == boot, count: 1)
      note(SpoolDamage("event \(key.sequence) of \(key.boot) is no message: \(error)", isTorn: false))
      let message = EvictedMessage(
        boot: key.boot == boot ? nil : key.boot, first: key.sequence, last: key.sequence, count: 1,
        counts: [event.stream: 1], bytes: event.payload.count, .damaged)
      tellings.append(Telling(message: message))
    }
  }
}

// MARK: - What the spool has lost

extension Outbox {
  private mutating func lose(_ eviction: SpoolEviction) {
    tell(of: eviction)
    notices.append(.evicted(eviction.reason))
    endTrial(of: SequenceRuns(eviction.runs), eviction.boot)
    // Of what was damaged only the bounds are known: the rest is read as ever.
    guard eviction.reason != .damaged else { return }
    let runs = SequenceRuns(eviction.runs)
    let isOwn = eviction.boot == boot
    for run in runs.runs {
      for key in keysInMemory(run, of: eviction.boot) {
        guard let token = tokens[key], let entry = entries[token] else { continue }
        if entry.phase == .underWay {
          // It may arrive all the same; nobody needs to release it any more.
          entries[token]?.isSettled = true
        } else {
          remove(token)
          forget(entry)
        }
      }
    }
    settled.insert(runs, of: eviction.boot)
    untold.remove(runs, of: eviction.boot)
    confirmation.remove(runs, of: eviction.boot)
    disk.settle(runs, isOwn: isOwn, count: runs.count)
    if isOwn {
      handedOver.formUnion(runs)
      feed.settle(runs)
      newest = newest.filter { !runs.contains($0.value) }
      for run in runs.runs { crossings = crossings.filter { !run.contains($0) } }
    }
    lost[.evicted, default: 0] += runs.count
  }

  /// What it says of itself, and what those events said that told of losses and went with it, in as few messages as
  /// hold it.
  private mutating func tell(of eviction: SpoolEviction) {
    guard !eviction.runs.isEmpty else { return }
    guard eviction.reason != .damaged else { return tellings.append(Telling(ofDamage: eviction, boot)) }
    var all = LossLedger()
    for runs in EvictedMessage.pieces(SequenceRuns(eviction.runs).runs) {
      var message = EvictedMessage(runs, of: eviction.boot, eviction.reason == .cap ? .cap : .age)
      if message.count == eviction.events { message.counts = eviction.counts }
      all.absorb(message, of: eviction.boot, at: .start)
    }
    for payload in eviction.tellings {
      guard let telegram = try? Telegram.decode(stream: .evicted, payload: payload),
        case .evicted(let message) = telegram.body
      else { continue }
      all.absorb(message, of: telegram.envelope.boot, at: .start)
    }
    let messages = all.take(for: boot, at: .start, isForced: true)
    for (index, message) in messages.enumerated() {
      // The note may be forgotten when the last message that tells of it is on the disk.
      tellings.append(Telling(message: message, note: index == messages.count - 1 ? eviction.id : 0))
    }
  }

  /// An event is on the disk or has reached its end; what it tells of need not be kept any more, if it tells of losses.
  mutating func releaseTold(by entry: OutboxEntry) {
    guard !untold.isEmpty, case .evicted(let message) = entry.telegram.body else { return }
    let boot = message.boot ?? entry.key.boot
    let only = message.first == message.last ? [message.first...message.last] : []
    for run in message.exactRuns ?? only {
      let told = untold[boot].intersection(run)
      releases.insert(told, of: boot)
      untold.remove(told, of: boot)
    }
  }

  private mutating func note(_ damage: SpoolDamage) {
    disk.note(damage)
    notices.append(.damaged(damage))
  }

  /// The messages about losses that are due, each to be appended with its note.
  mutating func takeTellings(at now: Instant, isForced: Bool = false) -> [Telling] {
    var due = tellings
    tellings = []
    if canTell, isForced || tellingDue.map({ now >= $0 }) ?? false {
      let messages = losses.take(for: boot, at: now, isForced: isForced)
      if !messages.isEmpty { toldAt = now }
      due += messages.map { Telling(message: $0) }
    }
    return due
  }

  /// What is worth a line, once.
  mutating func takeNotices() -> [OutboxNotice] {
    defer { notices = [] }
    return notices
  }
}
