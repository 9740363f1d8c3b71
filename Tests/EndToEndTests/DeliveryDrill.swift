import FleetLogic
import Foundation
import Rig
import Store
import Telemetry
import Testing

/// A number that a drill does often only on demand.
func drillCount(_ variable: String, orInTests count: Int) -> Int {
  ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? count
}

/// A whole delivery for drills: a receiver that is far too busy, one node, a broker, and a fleet tool with a database.
final class DeliveryDrill {
  let place: Workplace
  let broker: Broker
  let receiver: BusyReceiver
  let database: String
  let nodeFolder: String
  private let keys: Keys
  private let nodeClock: SteppedClock?
  private let fleetClock: SteppedClock?
  private(set) var fleet: ChildProcess?
  private var fleets = 0

  /// Starts everything but the node.
  ///
  /// - Parameters:
  ///   - rateHz: events a second.
  ///   - nodePort: where the node finds its broker; nil: the broker itself.
  ///   - nodeClock: what tells the node the time; nil: the machine.
  ///   - fleetClock: the same of the fleet tool.
  init(
    _ name: String, rateHz: Double, nodePort: Int? = nil, brokerPort: Int? = nil, keys more: Keys = [:],
    nodeClock: SteppedClock? = nil, fleetClock: SteppedClock? = nil
  ) throws {
    self.nodeClock = nodeClock
    self.fleetClock = fleetClock
    place = try Workplace(name)
    var options = Broker.Options()
    options.lines = ["max_queued_messages 200000", "max_inflight_messages 100"]
    broker = try Broker(options, in: place, port: brokerPort)
    try broker.start()
    receiver = try BusyReceiver(rateHz: rateHz)
    database = place.path("fleet/fleet.db")
    nodeFolder = place.path("node")
    for folder in ["fleet", "node"] {
      try FileManager.default.createDirectory(atPath: place.path(folder), withIntermediateDirectories: true)
    }
    keys =
      port(nodePort ?? broker.port) + [
        "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(receiver.port)",
        "location.distance_filter_m": "0", "broker.reconnect_spread_s": "0", "broker.retry_max_s": "2",
        "spool.directory": "\"\(nodeFolder)/spool\"", "location.record_file": "\"\(nodeFolder)/location.json\"",
      ] + more
    try startFleet()
    // What the broker acknowledges before there was ever a fleet tool is delivered by its word alone.
    guard waitForFleet() else {
      throw RigError("the fleet tool has no subscription: \(fleet?.errorText().suffix(400) ?? "")")
    }
  }

  deinit {
    fleet?.stop(signal: SIGKILL)
    broker.kill()
  }

  func startNode(_ more: Keys = [:]) throws -> NodeRun {
    try NodeRun(keys + more, in: place, environment: nodeClock?.environment ?? [:])
  }

  func startFleet() throws {
    fleets += 1
    let text = """
      [fleet]
      grace_s = 3600
      [broker]
      host = "127.0.0.1"
      port = \(broker.port)
      retry_max_s = 2
      [store]
      file = "\(database)"

      """
    let file = try place.write("fleet-drill.toml", text)
    fleet = try ChildProcess(
      Programs.fleet, ["run", "--config", file], name: "fleet-\(fleets)", in: place.folder,
      environment: fleetClock?.environment ?? [:])
  }

  /// Waits until the broker that runs now has the fleet tool's subscription. What it acknowledges before goes nowhere,
  /// and is only sent again when a later event or the first probe, after a minute, proves it missing.
  func waitForFleet() -> Bool {
    waitUntil(seconds: 20) {
      let log = broker.log.components(separatedBy: " starting").last ?? ""
      return log.contains("Sending SUBACK to judder-fleet-")
    }
  }

  func killFleet() {
    fleet?.send(signal: SIGKILL)
    _ = fleet?.wait(seconds: 5)
  }

  /// The node's last word about its spool.
  func spool(_ watcher: Watcher) -> HealthMessage.Spool? { watcher.healths.last?.spool }

  /// Waits until the node says that nothing waits any more.
  func waitUntilDrained(seconds: Double) throws -> HealthMessage.Spool? {
    let watcher = try Watcher(broker, "judder/e2e/health", seconds: Int(seconds) + 60)
    _ = waitUntil(seconds: seconds) {
      guard let spool = spool(watcher) else { return false }
      return spool.events == 0 && (spool.unconfirmed ?? 0) == 0
    }
    return spool(watcher)
  }

  /// Ends the fleet tool in order, and opens what it left.
  func history() throws -> HistoryStore {
    #expect(fleet?.stop(seconds: 10) == 0, "\(fleet?.errorText().suffix(600) ?? "")")
    return try HistoryStore(StoreSettings(file: database))
  }
}

/// What is in a database about node `e2e`, run by run.
struct StoredEvents {
  private(set) var numbers: [BootID: Set<UInt64>] = [:]
  let rows: Int
  let gaps: [String]
  let conflicts: Int
  let defects: [String]

  init(_ history: HistoryStore) throws {
    let node = try #require(NodeName("e2e"))
    let events = try history.events(HistoryStore.Query(node: node, limit: 10_000_000))
    rows = events.count
    for event in events { numbers[event.boot, default: []].insert(event.sequence) }
    gaps = try numbers.keys.flatMap { boot in try history.gaps(node: node, boot: boot).map { "\(boot) \($0)" } }
    conflicts = try history.conflicts().count
    defects = try history.defects()
  }

  /// Different events; less than `rows` if any were there twice.
  var count: Int { numbers.values.reduce(0) { $0 + $1.count } }

  /// Those of a broker's messages that are not there.
  func missing(of telegrams: [Telegram]) -> [String] {
    telegrams.compactMap { telegram in
      guard let sequence = telegram.envelope.sequence else { return nil }
      let isThere = numbers[telegram.envelope.boot]?.contains(sequence) == true
      return isThere ? nil : "\(telegram.envelope.boot) \(sequence)"
    }
  }
}
