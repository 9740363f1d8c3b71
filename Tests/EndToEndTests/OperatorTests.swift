import Foundation
import Rig
import Telemetry
import Testing

/// What people do about alerts and nodes from the command line, with a judder-fleet that runs and one that restarts.
@Suite(.serialized) struct OperatorTests {
  private let place: Workplace
  private let broker: Broker
  private let file: String

  init() throws {
    place = try Workplace("e2e-operator")
    broker = try Broker(in: place)
    try broker.start()
    file = try place.write(
      "fleet.toml",
      """
      [fleet]
      commands = true
      grace_s = 0
      [broker]
      host = "127.0.0.1"
      port = \(broker.port)
      [store]
      file = "\(place.path("fleet.db"))"
      [[rule]]
      kind = "silent"
      for_s = 3
      hold_s = 1
      clear_for_s = 0.5

      """)
  }

  private func ask(_ arguments: String...) throws -> Outcome {
    try outcome(of: Programs.fleet, arguments + ["--config", file], in: place, environment: ["USER": "ann"])
  }

  private func startTool(_ name: String) throws -> ChildProcess {
    let tool = try ChildProcess(Programs.fleet, ["run", "--config", file], name: name, in: place.folder)
    let isThere = waitUntil(seconds: 15) { tool.errorText().contains("connected to the broker") }
    #expect(isThere, "\(tool.errorText())")
    return tool
  }

  private var nodeKeys: Keys {
    shakenNode + port(broker.port) + ["node.commands": "true", "broker.version": "\"3.1.1\""]
  }

  /// The last word on the alert of the rule `silent` about the node.
  private func alert(_ watcher: Watcher) -> AlertMessage? {
    let alerts = watcher.messages.filter { $0.topic == "judder-fleet/alerts/silent/e2e" && !$0.payload.isEmpty }
    return alerts.last.flatMap { try? AlertMessage.decode(payload: $0.payload) }
  }

  @Test func alertsAndNodesAreActedOnOverARestartOfTheFleetTool() throws {
    let early = try ask("ack", "silent", "e2e", "--timeout", "2")
    #expect(early.status == 69 && early.errors.contains("fleet.commands"), "\(early.errors)")
    let tool = try startTool("tool")
    let nodes = try Watcher(broker)
    let alerts = try Watcher(broker, "judder-fleet/#")
    let node = try NodeRun(nodeKeys, in: place)
    #expect(nodes.waitFor(.online), "\(node.log)")
    try talk(nodes)

    node.process.stop(signal: SIGKILL)
    #expect(waitUntil(seconds: 10) { alert(alerts)?.state == .firing }, "\(tool.errorText())")
    let taken = try ask("ack", "silent", "e?e", "--comment", "on my way")
    #expect(taken.status == 0 && taken.outputLines == ["1 acknowledged", "  silent e2e"], "\(taken)")
    #expect(waitUntil(seconds: 5) { alert(alerts)?.acknowledgedBy?.hasPrefix("ann@") == true })
    let silenced = try ask("silence", "--node", "e2e", "--for", "1h", "--json")
    let id = try #require(try JSONValue.parse(Array(silenced.output.utf8.dropLast()))["id"]?.string, "\(silenced)")
    #expect(silenced.status == 0)
    #expect(waitUntil(seconds: 5) { alert(alerts)?.muted == "silenced" })
    let wish = try ask("send", "e2e", "disarm", "--when-online")
    #expect(wish.status == 0 && wish.output.contains("waits for e2e"), "\(wish)")
    #expect(try ask("wishes").outputLines.count == 1)

    tool.stop(signal: SIGTERM)
    let second = try startTool("second")
    #expect(try ask("silences").output.hasPrefix("\(id) until "))
    let back = try NodeRun(nodeKeys, in: place, name: "back")
    #expect(waitUntil(seconds: 10) { nodes.statuses.last?.isArmed == false }, "\(back.log) \(second.errorText())")
    #expect(waitUntil(seconds: 5) { (try? ask("wishes").output) == "" })
    #expect(try ask("wishes", "--all").output.contains("e2e disarm: done"))
    #expect(nodes.replies.filter { $0.verb == .disarm && $0.isDone }.count == 2, "once for send, once for the wish")
    #expect(try ask("unsilence", id).status == 0)
    #expect(try ask("silences").output == "")
    let again = try ask("unsilence", id)
    #expect(again.status == 1 && again.errorLines.count == 1, "\(again)")
  }

  /// Commands to a node that is there, and to none.
  private func talk(_ nodes: Watcher) throws {
    let refused = try ask("send", "e2e", "locate")
    #expect(refused.status == 1 && refused.output == "e2e locate: refused: location is off\n", "\(refused)")
    let done = try ask("send", "e2e", "disarm")
    #expect(done.status == 0 && done.output == "e2e disarm: done\n", "\(done)")
    #expect(waitUntil(seconds: 5) { nodes.statuses.last?.isArmed == false })
    let all = try ask("send", "--nodes", "e*", "arm")
    #expect(all.status == 64 && all.errors.contains("means 1 nodes: e2e"), "\(all)")
    #expect(try ask("send", "--nodes", "e*", "arm", "--yes").output == "e2e arm: done\n")
    let nobody = try ask("send", "nobody", "arm", "--timeout", "2", "--json")
    #expect(nobody.status == 69 && nobody.output.contains(#""result":"unanswered""#), "\(nobody)")
  }

  @Test func aToolThatMayNotSaysSo() throws {
    let text = try String(contentsOfFile: file, encoding: .utf8)
    try text.replacing("commands = true", with: "").write(toFile: file, atomically: true, encoding: .utf8)
    let tool = try startTool("tool")
    let refused = try ask("silence", "--all", "--for", "1h")
    #expect(refused.status == 1 && refused.errors.contains("fleet.commands is not set"), "\(refused)")
    tool.stop(signal: SIGTERM)
  }
}
