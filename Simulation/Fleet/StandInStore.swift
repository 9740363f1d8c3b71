import FleetLogic
import Telemetry

/// Stands in for the fleet tool's database: what is committed outlasts everything, and an acknowledgement is made of
/// that alone. The rules are the database's: an event is there once, and the first stays.
struct StandInStore {
  /// A run of a node.
  struct BootKey: Hashable, Comparable {
    var node: NodeName
    var boot: BootID

    static func < (a: BootKey, b: BootKey) -> Bool { (a.node, a.boot.value) < (b.node, b.boot.value) }
  }

  /// What is settled of a run.
  struct Coverage {
    var stored: Set<UInt64> = []
    var evicted: Set<UInt64> = []
    /// All from 1 to here are settled.
    var upTo: UInt64 = 0
    /// In the order in which they were heard of.
    var order: Int
    var clock: ClockState?
    var interleavings = 0
    var conflicts = 0
    var replays = 0

    func isSettled(_ number: UInt64) -> Bool { stored.contains(number) || evicted.contains(number) }

    mutating func advance() { while isSettled(upTo + 1) { upTo += 1 } }
  }

  private(set) var coverage: [BootKey: Coverage] = [:]
  private var latest: [NodeName: [String: KeptMessage]] = [:]
  private var alerts: [String: KeptAlert] = [:]
  private var lastReceived: WallTime?

  /// Commits a batch.
  /// - Returns: the events of it, each with whether it was new, and what may be acknowledged.
  mutating func commit(
    _ batch: [Keep], storesTwice: Bool = false
  ) -> (events: [(KeptEvent, isNew: Bool)], acks: [(NodeName, AckMessage)]) {
    var events: [(KeptEvent, Bool)] = []
    var touched: [BootKey: [UInt64]] = [:]
    for keep in batch {
      switch keep {
      case .event(let event):
        let key = BootKey(node: event.node, boot: event.boot)
        events.append((event, insert(event, key) || storesTwice))
        touched[key, default: []].append(event.sequence)
      case .latest(let message): latest[message.node, default: [:]][message.place] = message
      case .boot(let note): add(note)
      // As it comes back from a disk.
      case .alert(let alert): alerts["\(alert.subject)/\(alert.rule)"] = KeptAlert(decoding: alert.encode())
      case .alertOver(let rule, let subject): alerts["\(subject)/\(rule)"] = nil
      case .decision, .silence, .wish, .note: break
      }
    }
    for key in coverage.keys { coverage[key]?.advance() }
    let acks = touched.keys.sorted().compactMap { key in
      coverage[key].map { (key.node, acknowledgement(key.boot, $0, touched[key] ?? [])) }
    }
    return (events, acks)
  }

  private mutating func run(_ key: BootKey) -> Coverage { coverage[key] ?? Coverage(order: coverage.count) }

  private mutating func insert(_ event: KeptEvent, _ key: BootKey) -> Bool {
    var run = run(key)
    let isNew = run.stored.insert(event.sequence).inserted
    coverage[key] = run
    lastReceived = max(lastReceived ?? event.received, event.received)
    if isNew, let eviction = event.eviction, let runs = eviction.runs {
      let other = BootKey(node: event.node, boot: eviction.boot)
      var run = self.run(other)
      for range in runs { run.evicted.formUnion(range) }
      coverage[other] = run
    }
    return isNew
  }

  private mutating func add(_ note: KeptNote) {
    let key = BootKey(node: note.node, boot: note.boot)
    var run = run(key)
    run.clock = note.clock ?? run.clock
    run.interleavings += note.interleavings
    run.replays += note.replays
    coverage[key] = run
  }

  private func acknowledgement(_ boot: BootID, _ run: Coverage, _ numbers: [UInt64]) -> AckMessage {
    var runs: [ClosedRange<UInt64>] = []
    for number in numbers.sorted() where number > run.upTo && runs.last?.contains(number) != true {
      var (low, high) = (number, number)
      while run.isSettled(low - 1) { low -= 1 }
      while run.isSettled(high + 1) { high += 1 }
      runs.append(low...high)
    }
    return AckMessage(boot: boot, sequence: run.upTo, also: Array(runs.prefix(AckMessage.mostRuns)))
  }

  /// All of it, for a fleet tool that starts.
  var kept: KeptFleet {
    let names = Set(coverage.keys.map(\.node)).union(latest.keys)
    let nodes = names.sorted().map { name in
      let boots = coverage.filter { $0.key.node == name }.sorted { $0.value.order < $1.value.order }.map { key, run in
        var boot = KeptBoot(boot: key.boot, settled: Self.ranges(run.stored.union(run.evicted)), clock: run.clock)
        (boot.interleavings, boot.conflicts, boot.replays) = (run.interleavings, run.conflicts, run.replays)
        return boot
      }
      return KeptNode(
        name: name, boots: boots, latest: (latest[name] ?? [:]).sorted { $0.key < $1.key }.map(\.value))
    }
    return KeptFleet(nodes: nodes, alerts: alerts.sorted { $0.key < $1.key }.map(\.value), lastReceived: lastReceived)
  }

  private static func ranges(_ numbers: Set<UInt64>) -> [ClosedRange<UInt64>] {
    var ranges: [ClosedRange<UInt64>] = []
    for number in numbers.sorted() {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ranges
  }
}
