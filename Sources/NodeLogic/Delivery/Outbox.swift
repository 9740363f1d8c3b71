public import Telemetry

/// Decides what to send next: events wait here, in memory, until the broker acknowledged them.
///
/// Live events go first, then the backlog of an outage, oldest first, then the waveforms, whose many chunks would else
/// hold up, or push out, the shakes that they belong to. At most `window` are under way at once, so that
/// a weak link never holds more than it can carry, and nothing is queued where it could not be counted.
public struct Outbox: Sendable {
  /// An event that waits or is under way.
  private struct Entry {
    var telegram: Telegram
    var madeAt: Instant
    var bytes: Int
    /// Whether it was last handed over from the backlog.
    var isLate = false
    /// It was handed over once: the broker may have it, and must not get it again with another time.
    var isKnown = false
  }

  /// Why an event was given up.
  public enum Loss: String, CaseIterable, Sendable {
    /// No room: the oldest chunk of a waveform or, where there is none, the oldest event made place for the newest.
    case evicted
    /// The broker refused it for good.
    case refused
  }

  /// How many events may be under way at once.
  public let window: Int
  /// How many bytes of payload wait at the most.
  public private(set) var capacityBytes: Int

  private var live = Deque<UInt64>()
  private var backlog = Deque<UInt64>()
  private var waveforms = Deque<UInt64>()
  private var underWay: Set<UInt64> = []
  private var entries: [UInt64: Entry] = [:]
  /// Sequences in ascending order; those that were delivered meanwhile are skipped.
  private var order = Deque<UInt64>()
  /// The same of waveforms alone.
  private var waveformOrder = Deque<UInt64>()
  private var newest: [Stream: UInt64] = [:]
  private var resumeAt: Instant?
  private var lastSequence: UInt64 = 0

  public private(set) var isConnected = false
  public private(set) var bytes = 0
  /// Events given up since the start, by reason.
  public private(set) var lost: [Loss: Int] = [:]

  /// - Parameters:
  ///   - capacityBytes: > 0
  ///   - window: 1...100
  public init(capacityBytes: Int, window: Int = 20) {
    self.capacityBytes = max(1, capacityBytes)
    self.window = min(max(1, window), 100)
  }

  /// Whether the newest event of a stream waits or is under way.
  public func holdsNewest(of stream: Stream) -> Bool { newest[stream].map { entries[$0] != nil } ?? false }

  /// Events that wait or are under way.
  public var count: Int { entries.count }
  public var underWayCount: Int { underWay.count }

  /// The age of the oldest event; nil when nothing waits.
  public func oldestAgeS(at now: Instant) -> Double? { oldestAgeS(at: now, sleeps: SleepLog()) }

  func oldestAgeS(at now: Instant, sleeps: SleepLog) -> Double? {
    guard let sequence = order.first(where: { entries[$0] != nil }), let entry = entries[sequence] else { return nil }
    return now - sleeps.aged(entry.madeAt)
  }

  /// When `next` may have something to say though nothing happened.
  public var nextDeadline: Instant? { isConnected && count > underWay.count ? resumeAt : nil }

  /// Takes an event in, gives it its sequence number, and answers what had to make room for it.
  @discardableResult
  public mutating func append(_ telegram: Telegram, at now: Instant) -> [Telegram] {
    lastSequence += 1
    var telegram = telegram
    telegram.envelope.sequence = lastSequence
    let size = telegram.encode().count
    entries[lastSequence] = Entry(telegram: telegram, madeAt: now, bytes: size)
    order.append(lastSequence)
    bytes += size
    newest[telegram.body.stream] = lastSequence
    if telegram.isWaveform { waveformOrder.append(lastSequence) }
    if isConnected { enqueue(lastSequence, telegram) }
    return makeRoom()
  }

  /// Takes another capacity, and answers what had to go.
  @discardableResult
  public mutating func resize(capacityBytes: Int) -> [Telegram] {
    self.capacityBytes = max(1, capacityBytes)
    return makeRoom()
  }

  /// The connection was made: what waits is handed over from now on, and what is appended from now on goes first.
  public mutating func connect() {
    isConnected = true
    resumeAt = nil
    backlog = Deque(order.filter { entries[$0]?.telegram.isWaveform == false })
    waveforms = waveformOrder
  }

  /// The connection is gone: what was under way or waited live becomes backlog, in its order.
  public mutating func disconnect() {
    isConnected = false
    underWay = []
    live = Deque()
    backlog = Deque()
    waveforms = Deque()
  }

  /// Puts an event that is new behind those of its kind.
  private mutating func enqueue(_ sequence: UInt64, _ telegram: Telegram) {
    if telegram.isWaveform { waveforms.append(sequence) } else { live.append(sequence) }
  }

  /// Puts an event that comes back in its place.
  private mutating func restore(_ sequence: UInt64, _ entry: Entry) {
    if entry.telegram.isWaveform {
      waveforms.insert(sequence)
    } else if entry.isLate {
      backlog.insert(sequence)
    } else {
      live.insert(sequence)
    }
  }

  /// The broker acknowledged an event. Answers false for one that is not known (any more).
  @discardableResult
  public mutating func deliver(_ sequence: UInt64) -> Bool {
    underWay.remove(sequence)
    return remove(sequence) != nil
  }

  /// The broker refused an event: for good, then it is given up and answered; or for now, then nothing is sent for
  /// `retryS`, and it goes out again in its place.
  @discardableResult
  public mutating func refuse(_ sequence: UInt64, isPermanent: Bool, retryS: Double = 5, at now: Instant) -> Telegram? {
    underWay.remove(sequence)
    guard isPermanent else {
      if let entry = entries[sequence] { restore(sequence, entry) }
      resumeAt = now + retryS
      return nil
    }
    guard let entry = remove(sequence) else { return nil }
    lost[.refused, default: 0] += 1
    return entry.telegram
  }

  /// The events to hand over now, as far as the window has room.
  ///
  /// - Parameter clock: the node's clock of now. What was made when the clock was worth less, and is handed over for
  ///   the first time, gets its times from it. What was handed over before keeps its times, since the broker may have
  ///   it: two that are the same by `boot` and `seq` are the same.
  public mutating func next(at now: Instant, clock: ClockState? = nil) -> [Outgoing] {
    next(at: now, clock: clock, sleeps: SleepLog())
  }

  /// The same on a machine that sleeps at times: what was made before a sleep gets the time of then.
  mutating func next(at now: Instant, clock: ClockState?, sleeps: SleepLog) -> [Outgoing] {
    guard isConnected else { return [] }
    if let resumeAt, now < resumeAt { return [] }
    resumeAt = nil
    var outgoing: [Outgoing] = []
    while underWay.count < window {
      let outcome =
        popWaiting(&live).flatMap { handOver($0, isLate: false, clock, sleeps) }
        ?? popWaiting(&backlog).flatMap { handOver($0, isLate: true, clock, sleeps) }
        ?? popWaiting(&waveforms).flatMap { handOver($0, isLate: false, clock, sleeps) }
      guard let outcome else { break }
      outgoing.append(outcome)
    }
    return outgoing
  }

  /// The queue's first event that still waits; those delivered, evicted or under way meanwhile are passed over.
  private func popWaiting(_ queue: inout Deque<UInt64>) -> UInt64? {
    while let sequence = queue.popFirst() {
      if !underWay.contains(sequence), entries[sequence] != nil { return sequence }
    }
    return nil
  }

  private mutating func handOver(
    _ sequence: UInt64, isLate: Bool, _ clock: ClockState?, _ sleeps: SleepLog
  ) -> Outgoing? {
    if let clock, let madeAt = entries[sequence]?.madeAt { repair(sequence, by: sleeps.clock(clock, at: madeAt)) }
    guard var telegram = entries[sequence]?.telegram else { return nil }
    underWay.insert(sequence)
    entries[sequence]?.isLate = isLate
    entries[sequence]?.isKnown = true
    let stream = telegram.body.stream
    var isRetained = stream.isRetained && newest[stream] == sequence
    if isLate, case .location(let location) = telegram.body {
      // A late position must not look like the present one to whoever subscribes next.
      telegram.body = .location(location.markedAsBacklog)
      isRetained = false
    }
    return Outgoing(telegram: telegram, isRetained: isRetained, token: sequence)
  }

  /// Puts the times of an event right that nobody outside has seen yet.
  private mutating func repair(_ sequence: UInt64, by clock: ClockState) {
    guard var entry = entries[sequence], !entry.isKnown, let repaired = entry.telegram.repaired(by: clock) else {
      return
    }
    entry.telegram = repaired.judgedAnew
    let size = entry.telegram.encode().count
    bytes += size - entry.bytes
    entry.bytes = size
    entries[sequence] = entry
  }

  private mutating func remove(_ sequence: UInt64) -> Entry? {
    guard let entry = entries.removeValue(forKey: sequence) else { return nil }
    bytes -= entry.bytes
    while let first = order.first, entries[first] == nil { _ = order.popFirst() }
    while let first = waveformOrder.first, entries[first] == nil { _ = waveformOrder.popFirst() }
    if order.count > 2 * entries.count + 64 { order = Deque(order.filter { entries[$0] != nil }) }
    return entry
  }

  /// Gives up events until the rest fits: chunks of waveforms, oldest first, be it the one that came just now; then
  /// the oldest of the others, but not the newest. What is under way stays: the broker may have it already.
  private mutating func makeRoom() -> [Telegram] {
    var evicted: [Telegram] = []
    while bytes > capacityBytes, let dispensable, let entry = remove(dispensable) {
      lost[.evicted, default: 0] += 1
      evicted.append(entry.telegram)
    }
    return evicted
  }

  private var dispensable: UInt64? {
    if let chunk = waveformOrder.first(where: isWaiting) { return chunk }
    return order.first(where: isWaiting).flatMap { $0 == lastSequence ? nil : $0 }
  }

  private func isWaiting(_ sequence: UInt64) -> Bool { entries[sequence] != nil && !underWay.contains(sequence) }
}

extension Telegram {
  fileprivate var isWaveform: Bool { body.stream == .waveform }

  /// Whether the receiver's time was off, told by the clock that the envelope has now.
  fileprivate var judgedAnew: Telegram {
    guard case .location(.fixed(var position)) = body, let quality = envelope.clock else { return self }
    position.judgeFixTime(by: quality)
    return Telegram(envelope, .location(.fixed(position)))
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
