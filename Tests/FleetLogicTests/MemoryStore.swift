import FleetLogic
import Telemetry

/// What the store does, in memory: keeps what it is told to, the first of each event, and says it again.
struct MemoryStore {
  struct Key: Hashable {
    var node: NodeName
    var boot: BootID
    var sequence: UInt64
  }

  private(set) var events: [Key: KeptEvent] = [:]
  private(set) var latest: [String: KeptMessage] = [:]
  private(set) var alerts: [String: KeptAlert] = [:]
  private var boots: [String: [BootID]] = [:]
  private var notes: [String: KeptBoot] = [:]
  private var evicted: [String: [ClosedRange<UInt64>]] = [:]
  private var lastReceived: WallTime?
  private(set) var decisions: [Decision] = []
  private var silences: [String: Silence] = [:]
  private(set) var wishes: [String: Wish] = [:]
  var texts: [String: KeptText] = [:]

  mutating func take(_ effects: [Effect]) {
    for case .keep(let keep) in effects {
      switch keep {
      case .event(let event): take(event)
      case .latest(let message):
        latest["\(message.node)/\(message.place)"] = message
        note(message.received)
      case .alert(let alert):
        // Through its line, as on the disk.
        alerts["\(alert.rule)/\(alert.subject)"] = KeptAlert(decoding: alert.encode())
      case .alertOver(let rule, let subject): alerts["\(rule)/\(subject)"] = nil
      case .decision(let decision): decisions.append(decision)
      case .silence(let silence): silences[silence.id] = silence
      case .wish(let wish): wishes[wish.id] = wish
      case .note(let text): texts[text.key] = text
      case .boot(let note):
        var boot = notes["\(note.node)/\(note.boot)"] ?? KeptBoot(boot: note.boot, settled: [])
        boot.clock = note.clock ?? boot.clock
        boot.interleavings += note.interleavings
        boot.replays += note.replays
        notes["\(note.node)/\(note.boot)"] = boot
        know(note.node, note.boot)
      }
    }
  }

  private mutating func take(_ event: KeptEvent) {
    note(event.received)
    know(event.node, event.boot)
    let key = Key(node: event.node, boot: event.boot, sequence: event.sequence)
    if events[key] == nil { events[key] = event }
    if let eviction = event.eviction { evicted["\(event.node)/\(eviction.boot)", default: []] += eviction.runs ?? [] }
  }

  private mutating func note(_ time: WallTime) { lastReceived = max(time, lastReceived ?? time) }

  private mutating func know(_ node: NodeName, _ boot: BootID) {
    if boots[node.description]?.contains(boot) != true { boots[node.description, default: []].append(boot) }
  }

  var kept: KeptFleet {
    let names = Set(boots.keys).union(latest.values.map(\.node.description)).sorted()
    let nodes = names.compactMap { name in NodeName(name) }.map { name in
      KeptNode(
        name: name, boots: (boots[name.description] ?? []).map { boot($0, of: name) },
        latest: latest.values.filter { $0.node == name })
    }
    var kept = KeptFleet(
      nodes: nodes, alerts: Array(alerts.values), silences: Array(silences.values), notes: Array(texts.values),
      lastReceived: lastReceived)
    kept.wishes = Array(wishes.values)
    return kept
  }

  private func boot(_ boot: BootID, of name: NodeName) -> KeptBoot {
    var kept = notes["\(name)/\(boot)"] ?? KeptBoot(boot: boot, settled: [])
    let numbers = events.keys.filter { $0.node == name && $0.boot == boot }.map { $0.sequence...$0.sequence }
    for range in (numbers + (evicted["\(name)/\(boot)"] ?? [])).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = kept.settled.last, range.lowerBound <= last.upperBound + 1 {
        kept.settled[kept.settled.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        kept.settled.append(range)
      }
    }
    return kept
  }
}

extension Bench {
  /// The fleet tool ends without warning and is started anew, `seconds` later, with what the store has.
  mutating func restart(_ store: MemoryStore, after seconds: Double = 1, connected: Bool = true) -> [Effect] {
    let wall = Bench.epoch + now.seconds + seconds
    now = now + seconds
    // Its own clock starts anew; the nodes' go on.
    fleet = FleetState(
      fleet.configuration, clock: ClockState(wallAtStart: WallTime(seconds: wall - now.seconds), quality: .ntp))
    let told = fleet.restore(store.kept, at: now)
    return told + (connected ? fleet.handle(.connected, at: now) : [])
  }
}

extension [Effect] {
  var keeps: [Keep] { compactMap { if case .keep(let keep) = $0 { keep } else { nil } } }
  var keptEvents: [KeptEvent] { keeps.compactMap { if case .event(let event) = $0 { event } else { nil } } }
}
