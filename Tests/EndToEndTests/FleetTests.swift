import Foundation
import Rig
import Telemetry
import Testing

/// Both programs: what a node says becomes an alert, and the alert is over when its cause is.
@Suite(.serialized) struct FleetTests {
  /// Rules that decide within seconds.
  private static let rules = """
    [[rule]]
    kind = "shake"
    clear_for_s = 0.5
    [[rule]]
    kind = "lost-fix"
    for_s = 0.5
    clear_for_s = 0.5
    [[rule]]
    kind = "silent"
    for_s = 3
    hold_s = 1
    clear_for_s = 0.5
    """

  private func fleet(_ broker: Broker, graceS: Int, in place: Workplace) throws -> ChildProcess {
    let file = try place.write("fleet.toml", "[fleet]\ngrace_s = \(graceS)\n\(FleetTests.rules)\n")
    return try ChildProcess(
      Programs.fleet, ["run", "--json", "--config", file, "-h", "127.0.0.1", "-p", "\(broker.port)"], name: "fleet",
      in: place.folder)
  }

  /// What the fleet tool printed of a rule's alert on node `e2e`.
  private func states(_ rule: String, _ fleet: ChildProcess) -> [String] {
    fleet.outputText().split(separator: "\n").compactMap { line in
      guard let value = try? JSONValue.parse(Array(line.utf8)), value["kind"]?.string == "alert",
        value["rule"]?.string == rule, value["node"]?.string == "e2e"
      else { return nil }
      return value["state"]?.string
    }
  }

  @Test func shakeLossAndSilenceAreRaisedAndResolved() throws {
    let place = try Workplace("e2e-fleet")
    let broker = try Broker(in: place)
    try broker.start()
    let alerts = try Watcher(broker, "judder-fleet/#")
    let fleet = try fleet(broker, graceS: 0, in: place)
    defer { fleet.stop() }
    #expect(waitUntil(seconds: 10) { alerts.messages.contains { $0.topic == "judder-fleet/status" } })

    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(withoutFix: [4..<8]), to: gpsd, rateHz: 2)
    defer { player.stop() }
    let keys =
      try shakenAgainAndAgain(in: place) + port(broker.port) + [
        "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(gpsd.port)",
        "location.lost_after_s": "1", "broker.version": "\"3.1.1\"",
      ]
    let node = try NodeRun(keys, in: place)
    for rule in ["shake", "lost-fix"] {
      #expect(waitUntil(seconds: 20) { states(rule, fleet).contains("resolved") }, "\(rule): \(fleet.outputText())")
      #expect(states(rule, fleet).prefix(2) == ["firing", "resolved"], "\(rule)")
    }
    #expect(states("silent", fleet).isEmpty)

    node.process.send(signal: SIGKILL)
    #expect(waitUntil(seconds: 10) { states("silent", fleet) == ["firing"] }, "\(fleet.outputText())")
    let next = try NodeRun(keys, in: place, name: "next")
    #expect(waitUntil(seconds: 10) { states("silent", fleet) == ["firing", "resolved"] }, "\(fleet.outputText())")
    next.process.send(signal: SIGTERM)
    #expect(next.process.wait(seconds: 5) == 0)

    try checkMessages(alerts)
    fleet.send(signal: SIGTERM)
    #expect(fleet.wait(seconds: 5) == 0)
    #expect(
      waitUntil(seconds: 3) {
        alerts.messages.last { $0.topic == "judder-fleet/status" }?.text.contains("stopped") == true
      })
  }

  /// On each alert's topic: it fires, it is resolved, both retained, and then the topic is cleared.
  private func checkMessages(_ alerts: Watcher) throws {
    for rule in ["shake", "lost-fix", "silent"] {
      let topic = "judder-fleet/alerts/\(rule)/e2e"
      #expect(
        waitUntil(seconds: 3) { alerts.messages.contains { $0.topic == topic && $0.payload.isEmpty } }, "\(topic)")
      let messages = alerts.messages.filter { $0.topic == topic }
      let first = try messages.prefix(2).map { try AlertMessage.decode(payload: $0.payload) }
      #expect(first.map(\.state) == [.firing, .resolved], "\(topic)")
      #expect(first.allSatisfy { $0.rule == rule && $0.node == "e2e" && !$0.summary.isEmpty }, "\(topic)")
      #expect(messages.first?.isRetained == true, "\(topic)")
      #expect(messages.dropFirst(2).first?.payload.isEmpty == true, "\(topic)")
    }
  }

  @Test func nobodyIsCalledSilentWhileTheBrokerIsAway() throws {
    let place = try Workplace("e2e-fleet")
    let broker = try Broker(in: place)
    try broker.start()
    let fleet = try fleet(broker, graceS: 20, in: place)
    defer { fleet.stop() }
    let node = try NodeRun(shakenNode + port(broker.port), in: place)
    #expect(waitUntil(seconds: 15) { states("shake", fleet).contains("firing") }, "\(fleet.outputText())")
    broker.kill()
    // Longer than the rule waits.
    #expect(!waitUntil(seconds: 4.5) { !fleet.isRunning || !node.process.isRunning })
    try broker.start()
    let watcher = try Watcher(broker)
    #expect(watcher.waitFor(.online, seconds: 20))
    #expect(waitUntil(seconds: 20) { broker.log.components(separatedBy: " as judder-fleet-").count >= 3 })
    #expect(waitUntil(seconds: 5) { watcher.healths.count >= 2 })
    #expect(states("silent", fleet).isEmpty, "\(fleet.outputText())")
  }

  @Test func nothingThatArrivesStopsTheTool() throws {
    let place = try Workplace("e2e-fleet")
    let broker = try Broker(in: place)
    try broker.start()
    let fleet = try fleet(broker, graceS: 0, in: place)
    defer { fleet.stop() }
    #expect(waitUntil(seconds: 10) { broker.log.contains("Sending SUBACK to judder-fleet-") })
    for topic in ["judder", "judder/e2e", "judder/E2E/shake", "judder/e2e/unheard-of", "judder/e2e/shake/more"] {
      try broker.publish(topic, "{}")
    }
    let nesting = String(repeating: "[", count: 100_000)
    for text in ["", "{", "null", nesting, "{\"v\":1,\"boot\":\"0badcafe\",\"t\":NaN}", "{\"v\":99}", "\u{1b}[2J"] {
      let file = try place.write("payload", text)
      try publish(file, to: broker)
    }
    let broken = place.folder.appending(path: "broken")
    try Data([0x7B, 0xFF, 0xFE, 0x22]).write(to: broken)
    try publish(broken.path(percentEncoded: false), to: broker)
    try Data(count: 10_000_000).write(to: broken)
    try publish(broken.path(percentEncoded: false), to: broker)

    let node = try NodeRun(try shakenAgainAndAgain(in: place) + port(broker.port), in: place)
    #expect(waitUntil(seconds: 15) { states("shake", fleet).contains("firing") }, "\(fleet.errorText().suffix(800))")
    #expect(node.process.isRunning)
    #expect(fleet.isRunning)
    let printed = Array((fleet.outputText() + fleet.errorText()).utf8)
    #expect(!printed.contains(0x1B), "control characters are shown as escapes")
  }

  private func publish(_ file: String, to broker: Broker) throws {
    let result = try outcome(
      of: "mosquitto_pub",
      ["-h", "127.0.0.1", "-p", "\(broker.port)", "-q", "1", "-t", "judder/e2e/shake", "-f", file],
      in: Workplace("e2e-publisher"))
    #expect(result.status == 0, "\(result.errors)")
  }
}

extension Received {
  fileprivate var text: String { String(decoding: payload, as: UTF8.self) }
}
