import NodeLogic
import Spool
import Telemetry

/// Sees everything that happens and holds it against what must be.
final class Oracle {
  unowned let world: World
  var events: [EventKey: EventFate] = [:]
  /// Numbers of each boot that were not released, given up or left to the broker yet.
  private var open: [BootKey: Set<UInt64>] = [:]
  private var lastAppended: [BootKey: UInt64] = [:]
  private var boots: [BootKey: Int] = [:]
  private(set) var lives: [Int: Int] = [:]
  /// The events that were sent and tell of an event.
  private(set) var publishedTellers: [EventKey: Set<EventKey>] = [:]
  /// Evictions that the spool told, by note.
  private var notes: [EvictionKey: EvictionNote] = [:]
  /// Of the events, so many were stored, released and so on: for the summary.
  private(set) var counts = Counts()

  /// Live events go out within this [s]; a round trip over the slowest link, and some more.
  private static let liveS = 5.0
  /// Runs of a node that the fleet tool keeps in memory.
  private static let runsRemembered = 8

  struct BootKey: Hashable {
    var node: Int
    var boot: UInt32
  }

  struct EvictionKey: Hashable {
    var node: Int
    var id: UInt64
  }

  struct Counts {
    var made = 0, stored = 0, released = 0, evicted = 0, published = 0, committed = 0, recoveries = 0, torn = 0
    var alerts = 0
    var live = 0

    mutating func add(_ other: Counts) {
      made += other.made
      stored += other.stored
      released += other.released
      evicted += other.evicted
      published += other.published
      committed += other.committed
      recoveries += other.recoveries
      torn += other.torn
      alerts += other.alerts
      live += other.live
    }
  }

  init(_ world: World) { self.world = world }

  // MARK: Runs

  func began(_ boot: UInt32, of node: Int) {
    let key = BootKey(node: node, boot: boot)
    world.expect(boots[key] == nil, .i3Sequence, "the boot \(BootID(boot)) was there before")
    lives[node, default: 0] += 1
    boots[key] = lives[node]
    open[key] = []
  }

  // MARK: What the node says

  func wished(_ wish: SpoolWish, of node: Int, knowsFleet: Bool) {
    switch wish {
    case .append(let event, _, _): appended(event, of: node)
    case .release(let boot, let range): released(BootKey(node: node, boot: boot.value), range, knowsFleet: knowsFleet)
    case .fetch, .fleetAcknowledges, .clock: return
    }
  }

  private func appended(_ event: StoredEvent, of node: Int) {
    let key = EventKey(node, event.boot.value, event.sequence)
    let boot = BootKey(node: node, boot: event.boot.value)
    world.expect(boots[boot] == lives[node], .i3Sequence, "an event of another run is kept")
    guard events[key] == nil else { return }
    let last = lastAppended[boot] ?? 0
    world.expect(event.sequence > last, .i3Sequence, "event \(event.sequence) after \(last)")
    lastAppended[boot] = event.sequence
    make(key, event.stream, event.payload.count)
  }

  private func make(_ key: EventKey, _ stream: Telemetry.Stream, _ size: Int) {
    counts.made += 1
    events[key] = EventFate(stream: stream, madeAtS: world.nowS, life: lives[key.node] ?? 0, size: size)
    open[BootKey(node: key.node, boot: key.boot), default: []].insert(key.sequence)
  }

  private func released(_ boot: BootKey, _ range: ClosedRange<UInt64>, knowsFleet: Bool) {
    for number in numbers(in: range, of: boot) {
      let key = EventKey(boot.node, boot.boot, number)
      guard let fate = events[key] else { continue }
      open[boot]?.remove(number)
      counts.released += 1
      let isSettled = fate.isCommitted || fate.toldEvicted || fate.isEvicted
      let wasRefused = fate.answers.contains(.denied)
      if knowsFleet {
        // One that the broker took before the node knew of a fleet tool is done with.
        world.expect(
          isSettled || wasRefused || fate.isLeftToBroker, .i4Cursor,
          "\(key) is released, and the fleet tool has not got it")
      } else {
        let isTaken = fate.answers.contains(.success)
        world.expect(isSettled || isTaken || wasRefused, .i4Cursor, "\(key) is released, and nobody has got it")
        events[key]?.isLeftToBroker = !isSettled
      }
      events[key]?.isReleased = true
    }
  }

  private func numbers(in range: ClosedRange<UInt64>, of boot: BootKey) -> [UInt64] {
    (open[boot] ?? []).filter { range.contains($0) }.sorted()
  }

  func published(
    _ telegram: Telegram, _ payload: [UInt8], token: UInt64, of node: Int, measuredAtS: Double, connectedAtS: Double
  ) -> EventKey? {
    guard let sequence = telegram.envelope.sequence else {
      world.violated(.i3Sequence, "an event without a number is published")
      return nil
    }
    let key = EventKey(node, telegram.envelope.boot.value, sequence)
    world.expect(boots[BootKey(node: node, boot: key.boot)] != nil, .i2Prefix, "\(key) is of no run that ever was")
    if events[key] == nil { make(key, telegram.body.stream, payload.count) }
    world.expect(events[key]?.stream == telegram.body.stream, .i2Prefix, "\(key) is of another stream now")
    counts.published += 1
    events[key]?.publications += 1
    if case .evicted(let message) = telegram.body { noteTelling(message, by: key) }
    // One that waited before it was offered to the spool was made earlier than anybody heard.
    if let madeAtS = events[key]?.madeAtS { events[key]?.madeAtS = min(madeAtS, measuredAtS) }
    if let fate = events[key], fate.publications == 1 { checkLive(key, fate, connectedAtS: connectedAtS) }
    return key
  }

  private func noteTelling(_ message: EvictedMessage, by teller: EventKey) {
    for run in message.exactRuns ?? [] {
      for number in run {
        publishedTellers[EventKey(teller.node, message.boot?.value ?? teller.boot, number), default: []].insert(teller)
      }
    }
  }

  /// Once everything works, what happens while there is a connection goes out at once, whatever waits besides.
  private func checkLive(_ key: EventKey, _ fate: EventFate, connectedAtS: Double) {
    guard let quietAtS = world.quietAtS, fate.madeAtS > max(quietAtS + 60, connectedAtS), fate.stream != .waveform,
      world.plan.faults[.brokerDenies] == nil, world.plan.faults[.brokerQuota] == nil
    else { return }
    let delayS = world.nowS - fate.madeAtS
    counts.live += 1
    world.expect(delayS <= Oracle.liveS, .live, "\(key) (\(fate.stream.rawValue)) waited for \(delayS) s")
  }

  /// The broker answered. Where no fleet tool is known its word ends the duty.
  func settled(_ key: EventKey, _ answer: Answer, knowsFleet: Bool) {
    events[key]?.answers.insert(answer)
    if answer == .success, !knowsFleet { events[key]?.isLeftToBroker = true }
  }

  // MARK: What the spool says

  func heard(_ report: SpoolReport, of node: Int) {
    switch report {
    case .opened(let contents): opened(contents, of: node)
    case .stored(let boot, let numbers):
      for number in numbers {
        let key = EventKey(node, boot, number)
        world.expect(events[key] != nil, .i1Recoverable, "\(key) is stored, and nobody made it")
        if events[key]?.isStored == false { counts.stored += 1 }
        events[key]?.isStored = true
      }
    case .notStored, .state, .stopped: return
    case .fetched(let fetched): check(fetched, of: node)
    case .evicted(let note): evicted(note, of: node)
    case .damaged(let damage): if damage.kind == .torn { counts.torn += 1 }
    }
  }

  private func opened(_ contents: Spool.SpoolContents, of node: Int) {
    counts.recoveries += 1
    for note in contents.notes { evicted(note, of: node) }
    let kept = contents.lanes.reduce(0) { $0 + $1.events }
    let expected = events.count { key, fate in
      key.node == node && fate.isStored && !fate.isReleased && !fate.isEvicted && fate.life < lives[node] ?? 0
    }
    world.expect(
      kept >= expected, .i1Recoverable, "\(kept) events are recovered, and \(expected) were reported stored")
  }

  private func check(_ fetched: SpoolFetched, of node: Int) {
    for record in fetched.records {
      let key = EventKey(node, record.boot, record.sequence)
      guard let telegram = decode(record) else {
        world.violated(.i2Prefix, "\(key) is read back as \(String(decoding: record.payload, as: UTF8.self))")
        continue
      }
      world.expect(
        telegram.envelope.sequence == record.sequence && telegram.envelope.boot.value == record.boot, .i2Prefix,
        "\(key) is read back with another number")
      world.expect(events[key] != nil, .i2Prefix, "\(key) is read back, and nobody made it")
    }
    let places = fetched.records.map { (boots[BootKey(node: node, boot: $0.boot)] ?? 0, $0.sequence) }
    for (one, next) in zip(places, places.dropFirst()) {
      world.expect(one < next, .i8Order, "\(one) before \(next) in a fetch")
    }
  }

  private func decode(_ record: SpoolRecord) -> Telegram? {
    Telemetry.Stream(storedNumber: record.kind).flatMap { try? Telegram.decode(stream: $0, payload: record.payload) }
  }

  private func evicted(_ note: EvictionNote, of node: Int) {
    guard notes.updateValue(note, forKey: EvictionKey(node: node, id: note.id)) == nil, note.reason != .damaged else {
      return
    }
    let count = note.runs.reduce(0) { $0 + $1.count }
    world.expect(note.events == count, .i5Cap, "\(count) numbers given up, and \(note.events ?? 0) events")
    world.expect(note.counts.values.reduce(0, +) == count, .i5Cap, "other counts than numbers given up")
    for run in note.runs {
      for number in run {
        let key = EventKey(node, note.boot, number)
        world.expect(events[key] != nil, .i5Cap, "\(key) is given up, and nobody made it")
        world.expect(events[key]?.isEvicted != true, .i5Cap, "\(key) is given up twice")
        events[key]?.isEvicted = true
        open[BootKey(node: node, boot: note.boot)]?.remove(number)
        counts.evicted += 1
      }
    }
  }

  /// The fleet tool says that an event came.
  func counted(_ key: EventKey) {
    guard let fate = events[key] else { return }
    // Of more runs it remembers some; its store has all.
    let isRemembered = (lives[key.node] ?? 0) <= Oracle.runsRemembered
    world.expect(!fate.isCounted || !isRemembered, .countedOnce, "\(key) is counted twice")
    events[key]?.isCounted = true
  }

  func noteCommit() { counts.committed += 1 }
  func noteAlert() { counts.alerts += 1 }
}
