import NodeLogic
import Spool
import Telemetry

// Between the node's words for its spool and the spool's own, as the agent has it.

extension SpoolRequest {
  init(_ wish: SpoolWish) {
    switch wish {
    case .append(let event, let note, let born):
      let record = SpoolRecord(
        boot: event.boot.value, sequence: event.sequence,
        lane: SpoolLane(rawValue: EventLane(event.stream).rawValue) ?? .shock, kind: event.stream.kind, note: note,
        payload: event.payload)
      self = .append(record, bornAtS: born?.seconds)
    case .fetch(let id, let isWaveform, let after, let limit, let limitBytes):
      self = .fetch(
        SpoolFetch(
          id: id, isWaveform: isWaveform,
          after: after.map { SpoolPosition(bootOrdinal: $0.bootOrdinal, sequence: $0.sequence) }, limit: limit,
          limitBytes: limitBytes))
    case .release(let boot, let range): self = .release(boot: boot.value, range)
    case .clock(let clock): self = .clock(offsetS: clock?.wallAtStart.seconds)
    case .fleetAcknowledges: self = .fleetAcknowledges
    }
  }
}

extension Telemetry.Stream {
  /// The number that the spool knows it by.
  var kind: UInt8 { UInt8(Self.allCases.firstIndex(of: self) ?? 0) }

  init?(kind: UInt8) {
    guard Self.allCases.indices.contains(Int(kind)) else { return nil }
    self = Self.allCases[Int(kind)]
  }
}

extension SpoolReport {
  /// What the node is told; nil: nothing.
  var word: SpoolWord? {
    switch self {
    case .opened(let contents): .opened(contents.forNode)
    case .stored(let boot, let numbers): .stored(boot: BootID(boot), numbers)
    case .notStored(let boot, let numbers, _): .notStored(boot: BootID(boot), numbers)
    case .fetched(let fetched): fetched.word
    case .evicted(let note): .evicted(note.eviction)
    case .damaged(let damage): .damaged(damage.forNode)
    case .state(let state): .state(state.condition)
    case .stopped: nil
    }
  }
}

extension SpoolFetched {
  fileprivate var word: SpoolWord {
    let events = records.compactMap { record in
      Telemetry.Stream(kind: record.kind).map {
        StoredEvent(boot: BootID(record.boot), sequence: record.sequence, stream: $0, payload: record.payload)
      }
    }
    let mark = last.map { SpoolMark(bootOrdinal: $0.bootOrdinal, sequence: $0.sequence) }
    return .fetched(id: id, events, last: mark, isEnd: isEnd)
  }
}

extension EvictionNote {
  fileprivate var eviction: SpoolEviction {
    var streams: [Telemetry.Stream: Int] = [:]
    for (kind, count) in counts {
      if let stream = Telemetry.Stream(kind: kind) { streams[stream] = count }
    }
    let why: SpoolEviction.Reason =
      switch reason {
      case .cap: .cap
      case .age: .age
      case .damaged: .damaged
      }
    return SpoolEviction(
      id: id, boot: BootID(boot), runs: runs, events: events, counts: streams, bytes: bytes, reason: why)
  }
}

extension Spool.SpoolDamage {
  fileprivate var forNode: NodeLogic.SpoolDamage {
    NodeLogic.SpoolDamage("\(file) at \(offset): \(bytes) bytes", isTorn: kind == .torn)
  }
}

extension Spool.SpoolContents {
  fileprivate var forNode: NodeLogic.SpoolContents {
    var contents = NodeLogic.SpoolContents()
    contents.events = lanes.reduce(0) { $0 + $1.events }
    contents.bytes = lanes.reduce(0) { $0 + $1.bytes }
    contents.oldestBorn = oldestBornAtS.map { WallTime(seconds: $0) }
    contents.boots = boots.map { BootID($0) }
    contents.fleetAcknowledges = fleetAcknowledges
    contents.evictions = notes.map(\.eviction)
    contents.damage = damage.map(\.forNode)
    return contents
  }
}

extension SpoolState {
  fileprivate var condition: SpoolCondition {
    SpoolCondition(
      trouble: trouble?.text, formerEvents: formerEvents, oldestBorn: oldestBornAtS.map { WallTime(seconds: $0) },
      bytes: storedBytes, sizeBytes: sizeBytes)
  }
}

// For the trace, without what is long.

extension SpoolWish {
  var summary: String {
    switch self {
    case .append(let event, let note, _):
      "append \(event.sequence) \(event.stream)\(note.map { " note \($0)" } ?? "")"
    default: "\(self)"
    }
  }
}

extension SpoolReport {
  var summary: String {
    switch self {
    case .fetched(let fetched): fetched.summary
    case .state(let state): "state \(state.lanes.map(\.events)) \(state.trouble?.text ?? "works")"
    default: "\(self)"
    }
  }
}

extension SpoolFetched {
  fileprivate var summary: String {
    let numbers = records.map { "\(BootID($0.boot)) \($0.sequence)" }
    return "fetched \(id) \(numbers)\(isEnd ? " end" : "")"
  }
}
