import Telemetry

@testable import NodeLogic

/// A spool that keeps its events in a dictionary, and does what a disk does: takes its time, fails, forgets at a power
/// cut what it had not reported, and gives up for want of room.
struct ModelSpool {
  private struct Kept {
    var event: StoredEvent
    var note: UInt64?
    var isStored = false
  }

  private(set) var boots: [BootID] = []
  private var kept: [SpoolMark: Kept] = [:]
  private var notes: [UInt64: SpoolEviction] = [:]
  private var lastNote: UInt64 = 0
  private var fleetAcknowledges = false
  /// What it says, in order, when it gets round to it.
  var words: [SpoolWord] = []
  var isBroken = false
  /// Events that it has room for.
  var capEvents = Int.max
  /// Everything that was released, in order.
  private(set) var released: [(boot: BootID, run: ClosedRange<UInt64>)] = []
  private(set) var appended: [(lane: EventLane, boot: BootID, sequence: UInt64)] = []
  private(set) var fetches = 0

  var count: Int { kept.count }

  func holds(_ boot: BootID, _ sequence: UInt64) -> Bool { mark(boot, sequence).map { kept[$0] != nil } ?? false }
  func isStored(_ boot: BootID, _ sequence: UInt64) -> Bool {
    mark(boot, sequence).flatMap { kept[$0]?.isStored } ?? false
  }

  /// Whether it was given up and nobody was told for good.
  func isNoted(_ boot: BootID, _ sequence: UInt64) -> Bool {
    notes.values.contains { note in
      note.boot == boot && note.runs.contains { $0.contains(sequence) }
        || note.tellings.contains { Self.tells($0, of: EventKey(boot: boot, sequence: sequence)) }
    }
  }

  /// Whether an event that outlasts a power cut tells that it was given up.
  func tells(of key: EventKey) -> Bool {
    kept.values.contains { $0.isStored && $0.event.stream == .evicted && Self.tells($0.event.payload, of: key) }
  }

  private static func tells(_ payload: [UInt8], of key: EventKey) -> Bool {
    guard let telegram = try? Telegram.decode(stream: .evicted, payload: payload),
      case .evicted(let message) = telegram.body, (message.boot ?? telegram.envelope.boot) == key.boot
    else { return false }
    return message.exactRuns?.contains { $0.contains(key.sequence) } ?? false
  }

  private func mark(_ boot: BootID, _ sequence: UInt64) -> SpoolMark? {
    boots.firstIndex(of: boot).map { SpoolMark(bootOrdinal: UInt32($0), sequence: sequence) }
  }

  /// Another run begins; what was not reported stored may be gone.
  mutating func open(_ boot: BootID, forgetting isForgotten: (StoredEvent) -> Bool = { _ in false }) {
    for (mark, record) in kept where !record.isStored && isForgotten(record.event) { kept[mark] = nil }
    for mark in kept.keys { kept[mark]?.isStored = true }
    for record in kept.values { if let note = record.note { notes[note] = nil } }
    var contents = SpoolContents()
    contents.events = kept.count
    contents.bytes = kept.values.reduce(0) { $0 + $1.event.payload.count }
    contents.boots = boots.filter { boot in kept.values.contains { $0.event.boot == boot } }
    contents.bootOrdinal = UInt32(boots.count)
    contents.fleetAcknowledges = fleetAcknowledges
    contents.evictions = notes.values.sorted { $0.id < $1.id }
    boots.append(boot)
    isBroken = false
    words = [.opened(contents)]
  }

  mutating func handle(_ wish: SpoolWish) {
    switch wish {
    case .append(let event, let note, _):
      appended.append((EventLane(event.stream), event.boot, event.sequence))
      if isBroken { return words.append(.notStored(boot: event.boot, [event.sequence])) }
      if let mark = mark(event.boot, event.sequence) { kept[mark] = Kept(event: event, note: note) }
      evict()
    case .fetch(let id, let isWaveform, let after, let limit, let limitBytes):
      fetches += 1
      fetch(id, isWaveform, after, limit, limitBytes)
    case .release(let boot, let run):
      released.append((boot, run))
      for (mark, record) in kept where record.event.boot == boot && run.contains(record.event.sequence) {
        if !record.isStored { words.append(.stored(boot: boot, [record.event.sequence])) }
        if let note = record.note { notes[note] = nil }
        kept[mark] = nil
      }
    case .fleetAcknowledges: fleetAcknowledges = true
    case .clock: break
    }
  }

  private mutating func fetch(
    _ id: UInt64, _ isWaveform: Bool, _ after: SpoolMark?, _ limit: Int, _ limitBytes: Int
  ) {
    let all = kept.filter { mark, record in
      (record.event.stream == .waveform) == isWaveform && (after.map { mark > $0 } ?? true)
    }
    var found: [(key: SpoolMark, value: Kept)] = []
    var bytes = 0
    for next in all.sorted(by: { $0.key < $1.key }).prefix(limit) {
      bytes += next.value.event.payload.count
      if !found.isEmpty, bytes > limitBytes { break }
      found.append(next)
    }
    words.append(
      .fetched(id: id, found.map(\.value.event), last: found.last?.key, isEnd: found.count == all.count))
  }

  /// The disk is synced.
  mutating func commit() {
    guard !isBroken else { return }
    for (mark, record) in kept.sorted(by: { $0.key < $1.key }) where !record.isStored {
      kept[mark]?.isStored = true
      if let note = record.note { notes[note] = nil }
      words.append(.stored(boot: record.event.boot, [record.event.sequence]))
    }
    let bytes = kept.values.reduce(0) { $0 + $1.event.payload.count }
    let former = kept.values.count { $0.event.boot != boots.last }
    words.append(.state(SpoolCondition(formerEvents: former, bytes: bytes)))
  }

  mutating func repair() {
    isBroken = false
    words.append(.state(SpoolCondition()))
  }

  /// Gives up the oldest of the lowest lane, a few at a time.
  private mutating func evict() {
    while kept.count > capEvents {
      let order = kept.sorted { a, b in
        let (one, other) = (EventLane(a.value.event.stream), EventLane(b.value.event.stream))
        return one == other ? a.key < b.key : one < other
      }
      guard let first = order.first?.value.event else { return }
      let gone = order.prefix(5).filter {
        $0.value.event.boot == first.boot && EventLane($0.value.event.stream) == EventLane(first.stream)
      }
      lastNote += 1
      let counts = Dictionary(gone.map { ($0.value.event.stream, 1) }, uniquingKeysWith: +)
      let runs = SequenceRuns(gone.map { $0.key.sequence...$0.key.sequence }).runs
      let note = SpoolEviction(
        id: lastNote, boot: first.boot, runs: runs, events: gone.count, counts: counts, reason: .cap,
        tellings: gone.filter { $0.value.note != nil }.map(\.value.event.payload))
      notes[lastNote] = note
      for (mark, _) in gone { kept[mark] = nil }
      words.append(.evicted(note))
    }
  }
}
