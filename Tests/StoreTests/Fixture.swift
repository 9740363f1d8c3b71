import Foundation
import Glibc
import Rig
import Store
import Telemetry

/// A moment at which the tests take place: 2026-11-30.
let now = WallTime(seconds: 1_796_011_500)
let day = 86_400.0

func node(_ name: String) -> NodeName { NodeName(name)! }

/// An event of a node, `n` seconds after `now`.
func event(
  _ sequence: UInt64, of name: String = "pump-7", boot: UInt32 = 1, stream: Telemetry.Stream = .location,
  at received: WallTime? = nil, text: String? = nil, padding: Int = 0
) -> EventRow {
  let t = now.seconds + Double(sequence % 1_000_000)
  let payload =
    text
      ?? """
      {"v":1,"boot":"\(BootID(boot))","seq":\(sequence),"t":\(t),"clk":"ntp","up":\(sequence),"value":\(sequence * 7),\
      "pad":"\(String(repeating: "x", count: padding))"}
      """
  return EventRow(
    node: node(name), boot: BootID(boot), sequence: sequence, stream: stream, measured: WallTime(seconds: t),
    clock: .ntp, uptimeS: Double(sequence), received: received ?? WallTime(seconds: t + 0.2), isLate: false,
    payload: Array(payload.utf8))
}

func batch(id: UInt64 = 1, _ events: [EventRow], now: WallTime? = now) -> StoreBatch {
  var batch = StoreBatch(id: id, now: now)
  batch.events = events
  return batch
}

func evicted(_ runs: [ClosedRange<UInt64>], boot: UInt32 = 1, sequence: UInt64, reason: String = "cap") -> EvictionRow {
  let range = (runs.first?.lowerBound ?? 1)...(runs.last?.upperBound ?? 1)
  return EvictionRow(
    node: node("pump-7"), ofBoot: BootID(boot), boot: BootID(boot), sequence: sequence, range: range,
    runs: reason == "damaged" ? [] : runs, events: reason == "damaged" ? nil : runs.reduce(0) { $0 + UInt64($1.count) },
    reason: reason, received: now)
}

/// A database in a folder of its own.
final class Shelf {
  let workplace: Workplace
  let file: String

  init() throws {
    workplace = try Workplace("judder-store")
    file = workplace.path("fleet.db")
  }

  func open(_ change: (inout StoreSettings) -> Void = { _ in }) throws -> HistoryStore {
    var settings = StoreSettings(file: file)
    change(&settings)
    return try HistoryStore(settings)
  }

  /// What the sqlite3 program would see: everything, read by a connection of its own.
  func bytes(_ suffix: String = "") throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: file + suffix)))
  }

  func write(_ bytes: [UInt8], _ suffix: String = "") throws {
    try Data(bytes).write(to: URL(fileURLWithPath: file + suffix))
  }

  func clear() {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: workplace.folder.path)) ?? [] {
      try? FileManager.default.removeItem(atPath: workplace.path(name))
    }
  }

  var corruptFiles: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: workplace.folder.path)) ?? [])
      .filter { $0.contains(".corrupt-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
  }
}

/// How often something is done: the number in the environment, or what is enough in CI.
func repetitions(_ variable: String, _ usual: Int) -> Int {
  ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usual
}

func loaded(_ store: HistoryStore) throws -> KeptFleet {
  var all = KeptFleet(nodes: [], alerts: [])
  try store.load { part in
    all.nodes += part.nodes
    all.alerts += part.alerts
    all.silences += part.silences
    all.wishes += part.wishes
  }
  return all
}
