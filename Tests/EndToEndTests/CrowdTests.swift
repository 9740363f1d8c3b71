import Foundation
import Rig
import Telemetry
import Testing

/// 200 nodes of `judder-node simulate`, a broker and a fleet tool: a script says what the nodes go through, and the
/// alerts are exactly those that follow from it. Peer complaints: a restart of the tool or the broker that alerts the
/// whole fleet, alerts that come twice, and a hung node whose connection stays and hides it.
@Suite(.serialized) struct CrowdTests {
  private typealias Key = CrowdScenario.Key

  private static let scenario = CrowdScenario(steps: [
    .init(1, 1...20, .shake), .init(1, 21...30, .loseFix("no_fix")), .init(1.5, 31...35, .loseFix("gpsd_gone")),
    .init(2, 36...40, .loseFix("device_gone")), .init(2, 41...50, .die), .init(2.5, 51...55, .hang),
    .init(3, 56...60, .driveAway), .init(3, 61...65, .leave), .init(3.5, 66...70, .reboot), .init(3.5, 71...75, .burst),
    .init(4, 101...103, .backlog(forS: 1.5)), .init(4.5, 101...103, .shake), .init(5, 104...106, .impact),
    .init(5, 107...109, .tip),
    // The fleet tool is killed here, and what follows finds it away.
    .init(17, 200...200, .mark),
    .init(17.5, 76...80, .shake), .init(17.5, 81...85, .loseFix("no_fix")), .init(17.5, 86...88, .die),
    .init(17.5, 21...23, .regainFix),
    // The broker is killed here.
    .init(34, 200...200, .mark),
    .init(35, 89...92, .shake), .init(35, 93...95, .loseFix("no_fix")), .init(35, 96...96, .die),
    .init(35, 26...30, .regainFix), .init(35, 31...40, .regainFix),
    // Both are there again.
    .init(54, 41...48, .comeBack), .init(54, 51...55, .comeBack), .init(54, 86...88, .comeBack),
    .init(54, 96...96, .comeBack), .init(54, 61...63, .comeBack), .init(50, 81...85, .regainFix),
    .init(50, 93...94, .regainFix), .init(50, 56...59, .driveHome), .init(54, 97...100, .shake),
    .init(54, 1...5, .shake), .init(55, 200...200, .mark),
  ])

  private static func name(_ number: Int) -> String {
    "sim-\(String(repeating: "0", count: 3 - "\(number)".count))\(number)"
  }

  /// Silence and losses are slow enough for a machine that stutters, and quick enough for a test.
  private static let rules = """
    [broker]
    retry_max_s = 1
    [fleet]
    grace_s = 4
    [[rule]]
    kind = "shake"
    clear_for_s = 3
    min_peak_g = 1
    [[rule]]
    kind = "lost-fix"
    for_s = 1
    clear_for_s = 0.5
    [[rule]]
    kind = "silent"
    for_s = 7
    hold_s = 5
    clear_for_s = 0.5
    [[rule]]
    kind = "geofence"
    fence = "home"
    clear_for_s = 0.5
    [[sink]]
    kind = "mqtt"
    """

  private static let nodes = """
    [broker]
    version = "3.1.1"
    reconnect_spread_s = 2
    retry_max_s = 2
    [location]
    lost_after_s = 2
    [health]
    interval_s = 2
    [[geofence]]
    name = "home"
    lat = 47.3769
    lon = 8.5417
    radius_m = 120
    """

  private let place: Workplace
  private let broker: Broker
  /// The nodes' way to the broker.
  private let way: Proxy

  init() throws {
    place = try Workplace("e2e-crowd")
    broker = try Broker(in: place)
    try broker.start()
    way = try Proxy(to: broker.port)
  }

  private func startFleet(_ count: Int) throws -> ChildProcess {
    let text = """
      \(CrowdTests.rules)
      [[sink]]
      kind = "json"
      file = "\(place.path("alerts.json"))"
      [store]
      file = "\(place.path("fleet.db"))"

      """
    let fleet = try ChildProcess(
      Programs.fleet,
      ["run", "--config", place.write("fleet.toml", text), "-h", "127.0.0.1", "-p", "\(broker.port)", "-i", "fleet"],
      name: "fleet-\(count)", in: place.folder)
    #expect(waitUntil(seconds: 15) { connections(of: fleet) == 1 }, "\(fleet.errorText())")
    return fleet
  }

  private func connections(of fleet: ChildProcess) -> Int {
    fleet.errorText().components(separatedBy: " connected to the broker;").count - 1
  }

  private func startCrowd() throws -> ChildProcess {
    let script = "[place]\nspread_m = 50\n" + CrowdTests.scenario.script
    return try ChildProcess(
      Programs.node,
      [
        "simulate", "--nodes", "200", "--seed", "7", "--statistics", "-h", "127.0.0.1", "-p", "\(way.port)",
        "--config", place.write("nodes.toml", CrowdTests.nodes), "--script", place.write("script.toml", script),
      ], name: "crowd", in: place.folder)
  }

  /// For each rule and node what the sink was told, in its order.
  private var told: [Key: [String]] {
    let text = (try? String(contentsOfFile: place.path("alerts.json"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").reduce(into: [:]) { told, line in
      guard let value = try? JSONValue.parse(Array(line.utf8)), let rule = value["rule"]?.string,
        let node = value["node"]?.string, let state = value["state"]?.string
      else { return }
      told[Key(rule: rule, node: node), default: []].append(state)
    }
  }

  private func waitForMark(_ number: Int, of crowd: ChildProcess, seconds: Double) -> Bool {
    waitUntil(seconds: seconds) { crowd.errorText().components(separatedBy: ": mark, ").count > number }
  }

  @Test func alertsOf200NodesAreExactlyThoseOfTheScript() throws {
    var fleet = try startFleet(1)
    let crowd = try startCrowd()
    defer { for process in [fleet, crowd] { process.stop(signal: SIGKILL) } }

    #expect(waitForMark(1, of: crowd, seconds: 60), "\(crowd.errorText())")
    fleet.send(signal: SIGKILL)
    #expect(fleet.wait(seconds: 5) == -SIGKILL)
    // What is scripted meanwhile happens.
    #expect(!waitUntil(seconds: 2) { !crowd.isRunning })
    fleet = try startFleet(2)

    #expect(waitForMark(2, of: crowd, seconds: 20), "\(crowd.errorText())")
    // A node that is back before the fleet tool tells a broker that knows of no subscriber, and again a minute later.
    way.behaviour = .refusing
    broker.kill()
    #expect(!waitUntil(seconds: 2.5) { !crowd.isRunning || !fleet.isRunning })
    try broker.start()
    #expect(waitUntil(seconds: 10) { connections(of: fleet) == 2 }, "\(fleet.errorText())")
    way.behaviour = .passing

    #expect(waitForMark(3, of: crowd, seconds: 40), "\(crowd.errorText())")
    let expected = CrowdTests.scenario.alerts(name: CrowdTests.name)
    #expect(expected.values.contains(["firing", "resolved"]) && expected.values.contains(["firing"]))
    _ = waitUntil(seconds: 30) { told == expected }
    // Nothing more comes.
    #expect(
      !waitUntil(seconds: 2) { told != expected },
      "\(difference(told, expected))\n\(fleet.errorText().suffix(1000))")
    #expect(fleet.isRunning)
    try expectRetained(expected)

    crowd.send(signal: SIGTERM)
    #expect(crowd.wait(seconds: 15) == 0, "\(crowd.errorText())")
    let statistics = crowd.outputText()
    #expect(statistics.contains("published "), "\(statistics)")
    #expect(statistics.contains("refused 0"), "\(statistics)")
    fleet.send(signal: SIGTERM)
    #expect(fleet.wait(seconds: 10) == 0)
  }

  /// The broker, which forgot everything once, has each alert that fires, and no other.
  private func expectRetained(_ expected: [Key: [String]]) throws {
    let firing = Set(expected.filter { $0.value.last == "firing" }.keys)
    let watcher = try Watcher(broker, "judder-fleet/alerts/#")
    let retained = {
      Set(
        watcher.messages.filter { !$0.payload.isEmpty }.compactMap { message -> Key? in
          let levels = message.topic.split(separator: "/").map(String.init)
          return levels.count == 4 ? Key(rule: levels[2], node: levels[3]) : nil
        })
    }
    #expect(waitUntil(seconds: 5) { retained() == firing })
  }

  private func difference(_ told: [Key: [String]], _ expected: [Key: [String]]) -> String {
    let keys = Set(told.keys).union(expected.keys).filter { told[$0] != expected[$0] }
    return keys.sorted().prefix(20).map {
      "\($0): told \(told[$0] ?? []), expected \(expected[$0] ?? [])"
    }.joined(separator: "\n")
  }
}
