internal import FleetLogic
internal import Telemetry

/// What waits to be on the disk, and what waits for that before anybody hears of it. In order, bounded, and pure: the
/// shell says when the writer is idle and what it has written.
///
/// While the writer does not get on, alerts go out all the same after a while: they matter more than their record.
/// Events are still taken to it then, as many as there is room for; of the others nothing is acknowledged, so that
/// their nodes keep them and send them again.
struct HoldingQueue {
  /// A batch is closed at so many events, or when it is this old [s].
  static let mostEvents = 1000, collectS = 0.2
  /// What nobody but its node waits for is collected for so long, though the writer is idle [s], or up to so many
  /// events: a sync of the disk for each message wears the disk. A node that delivers what it kept has 20 events under
  /// way, and is not to wait.
  static let gatherS = 0.02, gatherEvents = 16
  /// Alerts wait this long for the writer [s].
  static let patienceS = 2.0
  /// Nothing more is read while so many events wait.
  static let mostBehind = 2000
  /// Rows besides events that wait at the most, where more could come.
  private static let mostRows = 50_000

  private(set) var collecting = HeldBatch()
  /// With the writer, oldest first.
  private var underWay: [(id: UInt64, batch: HeldBatch)] = []
  private var nextID: UInt64 = 1
  /// When the writer got on last.
  private var progressed: Instant?
  /// The writer does not get on: nothing is held back.
  private(set) var isBypassed = false
  /// Events that found no room while it did not, since the start.
  private(set) var dropped = 0

  /// Nothing waits.
  var isEmpty: Bool { collecting.isEmpty && underWay.isEmpty }
  /// Events that wait.
  var waiting: Int { underWay.reduce(collecting.events.count) { $0 + $1.batch.events.count } }
  /// The source is to be left alone for a while.
  var isBehind: Bool { !isBypassed && waiting > Self.mostBehind }

  /// Takes what an input led to, and answers what may go out at once.
  mutating func take(_ effects: [Effect], at now: Instant) -> [Effect] {
    for case .keep(let keep) in effects { take(keep, at: now) }
    return effects.filter { effect in
      switch effect {
      case .keep: return false
      case .change, .link, .log: return true
      case .answer: return isBypassed || !hold(effect, at: now)
      case .alert, .publish: return isBypassed || !hold(effect, at: now)
      }
    }
  }

  private mutating func take(_ keep: Keep, at now: Instant) {
    if case .event = keep, isBypassed, collecting.events.count >= Self.mostEvents {
      dropped += 1
      return
    }
    if case .latest = keep, collecting.latest.count >= Self.mostRows { return }
    if case .boot = keep, collecting.notes.count >= Self.mostRows { return }
    if case .decision = keep, collecting.decisions.count >= Self.mostRows { return }
    collecting.add(keep)
    if collecting.since == nil { collecting.since = now }
  }

  /// Puts it behind what it follows from; false when nothing waits.
  private mutating func hold(_ effect: Effect, at now: Instant) -> Bool {
    if !collecting.isEmpty {
      collecting.held.append(effect)
      return true
    }
    guard let last = underWay.indices.last else { return false }
    underWay[last].batch.held.append(effect)
    return true
  }

  /// The next batch for the writer; nil when it is not time yet. One for which something is held back is not delayed.
  /// - Parameters:
  ///   - isIdle: it has nothing to do.
  ///   - isLast: nothing comes any more.
  mutating func close(isIdle: Bool, isLast: Bool = false, at now: Instant) -> (id: UInt64, batch: HeldBatch)? {
    guard !collecting.isEmpty, let since = collecting.since else { return nil }
    let isDue = isLast || collecting.events.count >= Self.mostEvents || now - since >= Self.collectS
    let isGathered = collecting.events.count >= Self.gatherEvents || now - since >= Self.gatherS
    let isRipe = isDue || isGathered || !collecting.held.isEmpty
    guard isIdle && isRipe || isDue && !isBypassed else { return nil }
    let closed = (id: nextID, batch: collecting)
    nextID += 1
    underWay.append(closed)
    collecting = HeldBatch()
    return closed
  }

  /// The writer had no room: the batch waits again.
  mutating func reopen(_ id: UInt64) {
    guard let index = underWay.lastIndex(where: { $0.id == id }) else { return }
    collecting.putBefore(underWay.remove(at: index).batch)
  }

  /// When `close` or `losePatience` has something to do without any input.
  /// - Parameter isIdle: as for `close`; nil: the writer's next report brings it on.
  func deadline(isIdle: Bool?) -> Instant? {
    let waitS = isIdle.map { $0 ? Self.gatherS : Self.collectS }
    let closing = isBypassed && isIdle != true ? nil : waitS.flatMap { waitS in collecting.since.map { $0 + waitS } }
    let patience = isBypassed ? nil : patience
    return [closing, patience].compactMap { $0 }.min()
  }

  private var oldest: Instant? { underWay.first?.batch.since ?? collecting.since }

  /// When nothing is held back any more, unless the writer gets on. What waits behind a writer that does may be older.
  private var patience: Instant? { oldest.map { max($0, progressed ?? $0) + Self.patienceS } }

  /// Nothing waits from a time at which the writer did not get on.
  func isCaughtUp(at now: Instant) -> Bool { oldest.map { now - $0 < Self.patienceS } ?? true }

  /// A batch is on the disk: answers it, with the effects that may go out. The writer gets on.
  mutating func committed(_ id: UInt64, at now: Instant) -> HeldBatch? {
    isBypassed = false
    progressed = now
    guard let index = underWay.firstIndex(where: { $0.id == id }) else { return nil }
    return underWay.remove(at: index).batch
  }

  /// The writer has gone, and what it had with it: of that, what is no event is kept for its successor.
  mutating func lostWriter() {
    for (_, batch) in underWay.reversed() {
      var rest = batch
      dropped += rest.events.count
      rest.events = []
      rest.notes = []
      collecting.putBefore(rest)
    }
    underWay = []
  }

  /// Everything that is held back, in order, where it has waited too long or `isHopeless`; from then on nothing is.
  mutating func losePatience(isHopeless: Bool = false, at now: Instant) -> [Effect]? {
    guard !isBypassed, isHopeless || patience.map({ now >= $0 }) == true else { return nil }
    isBypassed = true
    var released: [Effect] = []
    for index in underWay.indices { released += underWay[index].batch.takeHeld() }
    return released + collecting.takeHeld()
  }
}

/// What is written together, and what waits for it.
struct HeldBatch {
  /// One rule about one subject.
  struct AlertPlace: Hashable {
    var rule: String
    var subject: AlertSubject
  }

  /// A node and a place.
  struct LatestPlace: Hashable {
    var node: NodeName
    var place: String
  }

  /// When the first of it came; nil while there is nothing.
  var since: Instant?
  /// In the order in which they came.
  var events: [KeptEvent] = []
  var notes: [KeptNote] = []
  /// The last word on each.
  private(set) var latest: [LatestPlace: KeptMessage] = [:]
  /// Nil: forget it.
  private(set) var alerts: [AlertPlace: KeptAlert?] = [:]
  /// In the order in which they were made.
  var decisions: [Decision] = []
  /// The last word on each.
  private(set) var silences: [String: Silence] = [:]
  private(set) var texts: [String: KeptText] = [:]
  private(set) var wishes: [String: Wish] = [:]
  /// What may go out afterwards, in order.
  var held: [Effect] = []

  var isEmpty: Bool {
    events.isEmpty && notes.isEmpty && latest.isEmpty && alerts.isEmpty && decisions.isEmpty && silences.isEmpty
      && texts.isEmpty && wishes.isEmpty && held.isEmpty
  }

  mutating func add(_ keep: Keep) {
    switch keep {
    case .event(let event): events.append(event)
    case .boot(let note): notes.append(note)
    case .latest(let message): latest[LatestPlace(node: message.node, place: message.place)] = message
    case .alert(let alert): alerts[AlertPlace(rule: alert.rule, subject: alert.subject)] = .some(alert)
    case .alertOver(let rule, let subject): alerts[AlertPlace(rule: rule, subject: subject)] = .some(nil)
    case .decision(let decision): decisions.append(decision)
    case .silence(let silence): silences[silence.id] = silence
    case .note(let text): texts[text.key] = text
    case .wish(let wish): wishes[wish.id] = wish
    }
  }

  mutating func takeHeld() -> [Effect] {
    defer { held = [] }
    return held
  }

  /// Joins what came before; what came later is the last word.
  mutating func putBefore(_ earlier: HeldBatch) {
    since = earlier.since ?? since
    events = earlier.events + events
    notes = earlier.notes + notes
    latest = earlier.latest.merging(latest) { $1 }
    alerts = earlier.alerts.merging(alerts) { $1 }
    decisions = earlier.decisions + decisions
    silences = earlier.silences.merging(silences) { $1 }
    texts = earlier.texts.merging(texts) { $1 }
    wishes = earlier.wishes.merging(wishes) { $1 }
    held = earlier.held + held
  }
}
