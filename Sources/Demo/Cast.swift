internal import Foundation
internal import Rig
internal import Telemetry

/// Everything that takes part: a broker, a gpsd with a receiver on a drive, three nodes, the fleet tool twice, and
/// mosquitto_sub, which hears it all.
final class Cast {
  static let nodes = ["pallet-7", "pump-2", "crate-3"]
  static let killed = "crate-3"
  /// Seconds of the drive without a fix.
  static let withoutFix = 12.0..<21.0
  private static let settings = "config/demo"

  let broker: Broker
  private(set) var ledger = Ledger()
  private let workplace: Workplace
  private let gpsd: GpsdRig
  private let player: RoutePlayer
  private let listener: ChildProcess
  private var fleet: ChildProcess
  private let picture: FleetPicture
  private var processes: [String: ChildProcess] = [:]
  private var environment: [String: String]
  private var heard = LineFile()
  private var told = LineFile()

  /// Starts everything.
  init(columns: Int) throws {
    guard FileManager.default.fileExists(atPath: "\(Cast.settings)/fleet.toml") else {
      throw RigError("no \(Cast.settings) here: start the demo in the project's folder, by `make demo`")
    }
    workplace = try Workplace("judder-demo")
    broker = try Broker(in: workplace)
    try broker.start()
    gpsd = try GpsdRig(in: workplace, opensAtOnce: true)
    guard gpsd.waitUntilOpen() else { throw RigError("gpsd did not open its receiver: \(gpsd.log().suffix(400))") }
    player = RoutePlayer(NMEARoute(withoutFix: [Cast.withoutFix]), to: gpsd)
    environment = [
      "JUDDER_BROKER_PORT": "\(broker.port)", "JUDDER_GPSD_PORT": "\(gpsd.port)",
      "JUDDER_ACCELEROMETER_RECORDING_FILE": try workplace.write("shaken.csv", ShakenRecording.csv()),
    ]
    listener = try broker.subscribe("judder/#", arguments: ["-t", "judder-fleet/#", "-F", "%t %p", "-W", "86400"])
    // Each program is told only what it can use: an unknown key would be refused.
    let link = ["JUDDER_BROKER_PORT": "\(broker.port)"]
    let program = try Cast.program("judder-fleet")
    let config = "\(Cast.settings)/fleet.toml"
    fleet = try Cast.fleet(in: workplace, environment: link)
    picture = try FleetPicture(program, config: config, columns: columns, in: workplace, environment: link)
    for node in Cast.nodes { try start(node) }
  }

  /// Starts a node, for the first time or again. What it keeps lies in a folder of its own, as systemd would have it.
  func start(_ node: String) throws {
    let folder = try Cast.stateFolder(node, in: workplace)
    processes[node] = try ChildProcess(
      try Cast.program("judder-node"), ["run", "--config", "\(Cast.settings)/\(node).toml"], name: node,
      in: workplace.folder, environment: environment.merging(["STATE_DIRECTORY": folder]) { $1 })
  }

  /// Starts the fleet tool again; its output goes on in the same file.
  func startFleet() throws {
    fleet = try Cast.fleet(in: workplace, environment: ["JUDDER_BROKER_PORT": "\(broker.port)"])
  }

  func killFleet() { fleet.stop(signal: SIGKILL) }

  private static func fleet(in workplace: Workplace, environment: [String: String]) throws -> ChildProcess {
    let folder = try stateFolder("judder-fleet", in: workplace)
    return try ChildProcess(
      try program("judder-fleet"), ["run", "--config", "\(settings)/fleet.toml"], name: "judder-fleet-run",
      in: workplace.folder, environment: environment.merging(["STATE_DIRECTORY": folder]) { $1 })
  }

  private static func stateFolder(_ name: String, in workplace: Workplace) throws -> String {
    let folder = workplace.path("\(name).state")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Ends a node as a power cut does.
  func kill(_ node: String) { processes[node]?.stop(signal: SIGKILL) }

  /// Takes in what was heard since the last time. Answers what is new: fences entered, and the alerts that
  /// `judder-fleet run` printed.
  func listen() -> [String] {
    for line in heard.newLines(of: listener.output) { ledger.take(line) }
    picture.update()
    // Without the time in front: the show has its own.
    return ledger.takeNews() + told.newLines(of: fleet.output).map { String($0.drop { $0 != " " }.dropFirst()) }
  }

  /// The fleet's table, when it has changed.
  func table() -> [String]? { picture.changed() }

  /// Which program is no longer there though it should be, and what it said.
  func casualty() -> String? {
    let all = [fleet, listener] + processes.values
    if let dead = all.first(where: { !$0.isRunning }) {
      return "\(dead.name) ended: \(dead.errorText().suffix(600))"
    }
    if !broker.isRunning { return "mosquitto ended: \(broker.log.suffix(600))" }
    if !gpsd.isRunning { return "gpsd ended: \(gpsd.log().suffix(600))" }
    return picture.isRunning ? nil : "judder-fleet watch ended"
  }

  /// Asks the nodes to end. Answers which of them did so by themselves, with success.
  func stopNodes() -> [String: Bool] {
    for process in processes.values { process.send(signal: SIGTERM) }
    // A second signal would tell them not to wait for anything, the good-bye included.
    let statuses = processes.mapValues { $0.wait(seconds: 8) == 0 }
    // What they said last is on its way through the broker.
    _ = waitUntil(seconds: 3) {
      _ = listen()
      return ledger.lastStates.values.allSatisfy { $0 == .stopped } && ledger.delivery.stored == ledger.delivery.events
    }
    return statuses
  }

  /// Ends everything that is left.
  func close() {
    for process in processes.values { process.send(signal: SIGTERM) }
    picture.stop()
    fleet.stop()
    for process in processes.values { process.stop() }
    player.stop()
    listener.stop()
    gpsd.stop()
    broker.stop()
  }

  /// What the programs logged as wrong, for a demo that missed something.
  func complaints() -> [String] {
    ([fleet] + Cast.nodes.compactMap { processes[$0] }).flatMap { process in
      process.errorText().split(separator: "\n").suffix(5).map { "  \(process.name): \($0)" }
    }
  }

  /// A program that was built beside this one.
  private static func program(_ name: String) throws -> String {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent(name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw RigError("\(path) is missing: build it first, by `make demo`")
    }
    return path
  }
}

/// A file that grows by lines.
private struct LineFile {
  private var offset: UInt64 = 0

  /// The whole lines that were added since the last time.
  mutating func newLines(of file: URL) -> [Substring] {
    guard let handle = try? FileHandle(forReadingFrom: file), (try? handle.seek(toOffset: offset)) != nil,
      let data = try? handle.readToEnd(), let end = data.lastIndex(of: UInt8(ascii: "\n"))
    else { return [] }
    let whole = data[...end]
    offset += UInt64(whole.count)
    return String(decoding: whole, as: UTF8.self).split(separator: "\n")
  }
}
