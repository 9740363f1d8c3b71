import Foundation
import Rig
import Telemetry
import Testing

/// `judder-node check`: what is there, and what to do about what is not.
@Suite(.serialized) struct CheckTests {
  private let place: Workplace
  private let broker: Broker

  init() throws {
    place = try Workplace("e2e-check")
    broker = try Broker(in: place)
  }

  /// Runs a check with a configuration file of these keys.
  private func check(_ keys: Keys, tables: String = "", environment: [String: String] = [:]) throws -> Outcome {
    let spool = ["spool.directory": "\"\(place.path("spool"))\""]
    let file = try place.write("check.toml", NodeRun.text(port(broker.port) + spool + keys) + tables)
    return try outcome(of: Programs.node, ["check", "--config", file], in: place, environment: environment)
  }

  /// The lines about one part.
  private func lines(_ part: String, _ outcome: Outcome) -> [String] {
    outcome.outputLines.filter { $0.contains(" \(part): ") }
  }

  /// All that was found is good, but for the clock of this machine where nothing disciplines it and no GPS helps.
  private func isWell(_ outcome: Outcome, hasGPS: Bool = false) -> Bool {
    let isClockKnown = hasGPS || lines("clock", outcome).first?.hasPrefix("ok ") == true
    return outcome.status == (isClockKnown ? 0 : 1)
      && outcome.outputLines.allSatisfy { $0.hasPrefix("ok ") || !isClockKnown && $0.hasPrefix("warning clock: ") }
  }

  @Test func allIsWell() throws {
    try broker.start()
    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(), to: gpsd, rateHz: 2)
    defer { player.stop() }
    let tree = try IIOTree(in: place)
    let device = try tree.add(.lis3dh)
    let kernel = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0, 0, 1) }
    defer { kernel.close() }
    let keys = [
      "accelerometer.source": "\"iio\"", "accelerometer.sysfs_root": "\"\(tree.sysfsRoot)\"",
      "accelerometer.dev_root": "\"\(tree.devRoot)\"", "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"",
      "gpsd.port": "\(gpsd.port)",
    ]
    let watcher = try Watcher(broker, "judder/e2e/#")
    let fences = """
      [[geofence]]
      name = "quay"
      lat = 47.3621
      lon = 8.5468
      radius_m = 20000
      [[geofence]]
      name = "customer"
      lat = 48.3621
      lon = 8.5468
      radius_m = 100
      """
    let well = try check(keys, tables: fences)
    #expect(isWell(well, hasGPS: true), "\(well.output) \(well.errors)")
    for part in ["configuration", "spool", "record", "clock", "accelerometer", "gpsd", "broker"] {
      #expect(!lines(part, well).isEmpty, "\(part): \(well.output)")
    }
    #expect(well.output.contains("lis3dh") && well.output.contains("buffered at 100 Hz"), "\(well.output)")
    #expect(well.output.contains("3D fix at"), "\(well.output)")
    #expect(lines("geofence", well).first?.contains("2 fences; inside quay; 1") == true, "\(well.output)")
    #expect(lines("geofence", well).first?.hasSuffix(" km from customer") == true, "\(well.output)")
    // A trial beside the node's own streams, so that nobody takes it for the node.
    #expect(watcher.messages.map(\.topic) == ["judder/e2e/check"])
    #expect(watcher.messages.first?.isRetained == false)
    #expect(broker.log.contains(" as judder-node-e2e-check "), "the node that runs must not be thrown out")
  }

  @Test func nobodyIsThere() throws {
    let (gpsdPort, empty) = (try Workplace.freePort(), place.path("no-devices"))
    try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
    let keys = [
      "accelerometer.source": "\"iio\"", "accelerometer.sysfs_root": "\"\(empty)\"", "gpsd.enabled": "true",
      "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(gpsdPort)",
    ]
    let alone = try check(keys)
    #expect(alone.status == 1, "\(alone.output) \(alone.errors)")
    // One line each, with what to do after a semicolon.
    for (part, words) in [
      ("accelerometer", empty), ("gpsd", "127.0.0.1:\(gpsdPort)"), ("broker", "127.0.0.1:\(broker.port) refuses"),
    ] {
      let said = lines(part, alone)
      #expect(said.count == 1, "\(part): \(alone.output)")
      #expect(said.first?.hasPrefix("problem ") == true, "\(part): \(alone.output)")
      #expect(said.first?.contains(words) == true, "\(part): \(alone.output)")
      #expect(said.first?.contains("; ") == true, "no remedy: \(said)")
    }
    #expect(alone.outputLines.count == 7, "\(alone.output)")
    #expect(lines("spool", alone).count == 1, "\(alone.output)")
    #expect(lines("record", alone).count == 1, "\(alone.output)")
  }

  @Test func theBrokerDoesNotTakeThePassword() throws {
    var options = Broker.Options()
    options.users = [("e2e", "right")]
    let guarded = try Broker(options, in: place)
    try guarded.start()
    let keys = port(guarded.port) + ["broker.username": "\"e2e\""]
    let refused = try check(keys, environment: ["JUDDER_PASSWORD": "wrong"])
    #expect(refused.status == 1)
    #expect(lines("broker", refused).count == 1, "\(refused.output)")
    #expect(lines("broker", refused).first?.contains("'e2e'") == true, "\(refused.output)")
    #expect(lines("broker", refused).first?.contains("; check") == true, "\(refused.output)")
    #expect(!refused.output.contains("wrong"))

    let taken = try check(keys, environment: ["JUDDER_PASSWORD": "right"])
    #expect(isWell(taken), "\(taken.output)")
  }

  @Test func theBrokerForbidsTheTopic() throws {
    var options = Broker.Options()
    options.accessList = "topic read #\n"
    let strict = try Broker(options, in: place)
    try strict.start()
    let refused = try check(port(strict.port))
    #expect(refused.status == 1, "\(refused.output)")
    #expect(refused.output.contains("may not publish to judder/e2e/check"), "\(refused.output)")
  }

  @Test func gpsdHasNoReceiver() throws {
    try broker.start()
    let gpsd = try GpsdRig(in: place)
    try gpsd.unplug()
    let checked = try check([
      "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(gpsd.port)",
    ])
    #expect(checked.status == 1, "\(checked.output)")
    #expect(lines("gpsd", checked).last?.hasPrefix("problem ") == true, "\(checked.output)")
    #expect(lines("gpsd", checked).last?.contains("; ") == true, "\(checked.output)")
  }

  @Test func aFixThatWouldBeRejectedIsAProblem() throws {
    try broker.start()
    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    // Half a year ago: no count of weeks explains it. Without a clock that is worth something that is no finding.
    let player = RoutePlayer(NMEARoute(start: Date() - 180 * 86_400), to: gpsd, rateHz: 2)
    defer { player.stop() }
    let checked = try check([
      "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(gpsd.port)",
      "location.max_accuracy_m": "1",
    ])
    #expect(checked.status == 1, "\(checked.output)")
    let said = lines("gpsd", checked).first { $0.contains("3D fix at 47.3") } ?? ""
    #expect(said.hasPrefix("problem ") && said.contains(" m above the sea"), "\(checked.output)")
    #expect(said.hasSuffix("; raise location.max_accuracy_m or improve the antenna"), "\(checked.output)")
  }

  @Test func recordThatCannotBeKeptIsSaidByTheCheckAndAtTheStart() throws {
    try broker.start()
    let file = place.path("none/location.json")
    let keys =
      port(broker.port) + [
        "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(try Workplace.freePort())",
        "location.record_file": "\"\(file)\"",
      ]
    let checked = try check(keys)
    #expect(lines("record", checked).first?.hasPrefix("problem record: \(file): ") == true, "\(checked.output)")
    let node = try NodeRun(keys, in: place)
    #expect(waitUntil(seconds: 10) { node.log.contains { $0.contains("/e2e, boot ") } }, "\(node.log)")
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 8) == 0)
    let warnings = node.log.filter { $0.contains(" warning: \(file)") }
    #expect(warnings.first?.contains("nothing is kept over a restart meanwhile") == true, "\(node.log)")
  }

  @Test func theConfigurationIsBroken() throws {
    let file = try place.write("broken.toml", "[node]\nid = \"Not A Name\"\n[broker]\nhst = \"x\"\nport = 70000\n")
    let broken = try outcome(of: Programs.node, ["check", "--config", file], in: place)
    #expect(broken.status == 78)
    #expect(broken.outputLines.count == 3, "\(broken.output)")
    #expect(broken.outputLines.allSatisfy { $0.hasPrefix("problem configuration: \(file):") }, "\(broken.output)")
    #expect(broken.output.contains("\(file):4:1: unknown key 'hst' in [broker]; did you mean 'host'?"))
    #expect(broken.output.contains("\(file):5:8: broker.port"), "\(broken.output)")

    let run = try outcome(of: Programs.node, ["run", "--config", file], in: place)
    #expect(run.status == 78)
    #expect(run.errorLines.count == 3, "\(run.errors)")

    let unreadable = try outcome(of: Programs.node, ["check", "--config", place.path("nowhere.toml")], in: place)
    #expect(unreadable.status == 78, "\(unreadable.output) \(unreadable.errors)")
    #expect(unreadable.output.contains(place.path("nowhere.toml")), "\(unreadable.output)")
  }
}
