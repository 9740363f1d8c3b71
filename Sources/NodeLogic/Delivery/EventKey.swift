internal import Telemetry

/// What names an event over restarts: its run, and its number in it.
struct EventKey: Hashable, Sendable {
  var boot: BootID
  var sequence: UInt64
}

/// Sets of numbers, by run.
struct EventSet: Equatable, Sendable {
  private(set) var byBoot: [BootID: SequenceRuns] = [:]

  var isEmpty: Bool { byBoot.isEmpty }
  var count: Int { byBoot.values.reduce(0) { $0 + $1.count } }

  subscript(boot: BootID) -> SequenceRuns {
    get { byBoot[boot] ?? SequenceRuns() }
    set { byBoot[boot] = newValue.isEmpty ? nil : newValue }
  }

  func contains(_ key: EventKey) -> Bool { byBoot[key.boot]?.contains(key.sequence) ?? false }

  mutating func insert(_ key: EventKey) { byBoot[key.boot, default: SequenceRuns()].insert(key.sequence) }

  mutating func insert(_ runs: SequenceRuns, of boot: BootID) {
    if !runs.isEmpty { byBoot[boot, default: SequenceRuns()].formUnion(runs) }
  }

  mutating func remove(_ key: EventKey) { remove(SequenceRuns([key.sequence...key.sequence]), of: key.boot) }

  mutating func remove(_ runs: SequenceRuns, of boot: BootID) {
    byBoot[boot]?.subtract(runs)
    if byBoot[boot]?.isEmpty == true { byBoot[boot] = nil }
  }

  mutating func formUnion(_ other: EventSet) {
    for (boot, runs) in other.byBoot { insert(runs, of: boot) }
  }
}
