public import NodeLogic
public import Spool
internal import Telemetry

// What the node's logic and its spool say, each in the words of the other.

extension SpoolRequest {
  /// What the node's wish is to its spool; nil for what no spool keeps.
  ///
  /// - Parameter originS: CLOCK_MONOTONIC at `Instant.start` [s].
  public init?(_ wish: SpoolWish, originS: Double) {
    switch wish {
    case .append(let event, let note, let born):
      guard let kind = event.stream.storedNumber else { return nil }
      let record = SpoolRecord(
        boot: event.boot.value, sequence: event.sequence, lane: SpoolLane(EventLane(event.stream)), kind: kind,
        note: note, payload: event.payload)
      self = .append(record, bornAtS: born?.seconds)
    case .fetch(let id, let isWaveform, let after, let limit, let limitBytes):
      let place = after.map { SpoolPosition(bootOrdinal: $0.bootOrdinal, sequence: $0.sequence) }
      self = .fetch(
        SpoolFetch(id: id, isWaveform: isWaveform, after: place, limit: limit, limitBytes: limitBytes))
    case .release(let boot, let run): self = .release(boot: boot.value, run)
    case .clock(let clock): self = .clock(offsetS: clock.map { $0.wallAtStart.seconds - originS })
    case .fleetAcknowledges: self = .fleetAcknowledges
    }
  }
}

extension SpoolLane {
  /// The node's lane.
  public init(_ lane: EventLane) {
    self =
      switch lane {
      case .shock: .shock
      case .routine: .routine
      case .waveform: .waveform
      }
  }
}

extension SpoolWord {
  /// What the spool's report is to the node; nil for what it need not know.
  ///
  /// - Parameter folder: where the spool is, for what people read.
  public init?(_ report: SpoolReport, folder: String) {
    switch report {
    case .opened(let found): self = .opened(NodeLogic.SpoolContents(found, folder: folder))
    case .stored(let boot, let numbers): self = .stored(boot: BootID(boot), numbers)
    case .notStored(let boot, let numbers, _): self = .notStored(boot: BootID(boot), numbers)
    case .fetched(let fetched):
      self = .fetched(
        id: fetched.id, fetched.records.compactMap { StoredEvent($0) }, last: fetched.last.map { SpoolMark($0) },
        isEnd: fetched.isEnd)
    case .evicted(let note): self = .evicted(SpoolEviction(note))
    case .damaged(let damage): self = .damaged(NodeLogic.SpoolDamage(damage, folder: folder))
    case .state(let state): self = .state(SpoolCondition(state, folder: folder))
    case .stopped: return nil
    }
  }
}

extension StoredEvent {
  /// Nil where a later version has written something that this one does not know: it stays where it is.
  fileprivate init?(_ record: SpoolRecord) {
    guard let stream = Stream(storedNumber: record.kind) else { return nil }
    self.init(boot: BootID(record.boot), sequence: record.sequence, stream: stream, payload: record.payload)
  }
}

extension SpoolMark {
  fileprivate init(_ place: SpoolPosition) {
    self.init(bootOrdinal: place.bootOrdinal, sequence: place.sequence)
  }
}

extension NodeLogic.SpoolContents {
  fileprivate init(_ found: Spool.SpoolContents, folder: String) {
    self.init()
    events = found.lanes.reduce(0) { $0 + $1.events }
    bytes = found.lanes.reduce(0) { $0 + $1.bytes }
    oldestBorn = found.oldestBornAtS.map { WallTime(seconds: $0) }
    boots = found.boots.map { BootID($0) }
    bootOrdinal = found.ordinal
    fleetAcknowledges = found.fleetAcknowledges
    evictions = found.notes.map { SpoolEviction($0) }
    aside = found.aside.map { $0.text(in: folder) }
    damage = found.damage.map { NodeLogic.SpoolDamage($0, folder: folder) }
  }
}

extension SpoolAside {
  /// What is there, and what to do with it.
  public func text(in folder: String) -> String {
    "\(events) events of \(owner), another name of this node, are set aside in \(folder)/\(self.folder) and are not "
      + "sent; a node with node.id \(owner) and that folder as spool.directory sends them, or else remove it"
  }
}

extension SpoolEviction {
  fileprivate init(_ note: EvictionNote) {
    var counts: [Stream: Int] = [:]
    for (kind, count) in note.counts {
      if let stream = Stream(storedNumber: kind) { counts[stream, default: 0] += count }
    }
    let reason: Reason =
      switch note.reason {
      case .cap: .cap
      case .age: .age
      case .damaged: .damaged
      }
    self.init(
      id: note.id, boot: BootID(note.boot), runs: note.runs, events: note.events, counts: counts, bytes: note.bytes,
      reason: reason, tellings: note.tellings)
  }
}

extension NodeLogic.SpoolDamage {
  fileprivate init(_ damage: Spool.SpoolDamage, folder: String) {
    let place = "\(folder)/\(damage.file) at \(damage.offset)"
    let text =
      switch damage.kind {
      case .torn: "\(place): the last \(damage.bytes) bytes were not written to the end, and are cut off"
      case .records: "\(place): \(damage.bytes) bytes with \(damage.records) events or more cannot be read"
      case .header: "\(place): the head cannot be read; the events could be"
      case .state: "\(place): what was delivered lately is not known, and is sent again"
      }
    self.init(text, isTorn: damage.kind == .torn)
  }
}

extension SpoolCondition {
  fileprivate init(_ state: SpoolState, folder: String) {
    self.init(
      trouble: state.trouble.map { SpoolTrouble($0, folder: folder).sentence },
      formerEvents: state.formerEvents, oldestBorn: state.oldestBornAtS.map { WallTime(seconds: $0) },
      bytes: state.storedBytes, sizeBytes: state.sizeBytes, untold: state.lostNotes)
  }
}
