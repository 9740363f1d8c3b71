import Foundation
import Rig
import Telemetry
import Testing

/// Debian's Alertmanager, told by a judder-fleet that is killed and set up anew.
@Suite(.serialized) struct AlertmanagerTests {
  /// Debian's package prometheus-alertmanager.
  private static let isThere =
    ChildProcess.find("prometheus-alertmanager") != nil && ChildProcess.find("amtool") != nil

  private let place: Workplace
  private let broker: Broker
  private let port: Int
  private let node: RawPublisher

  init() throws {
    place = try Workplace("e2e-alertmanager")
    broker = try Broker(in: place)
    try broker.start()
    port = try Workplace.freePort()
    node = RawPublisher(port: broker.port)
    try place.write(
      "am.yml",
      "global:\n  resolve_timeout: 2s\nroute:\n  receiver: none\nreceivers:\n- name: none\n")
  }

  // MARK: The programs

  /// With nothing from an earlier run.
  private func startAlertmanager(_ name: String) throws -> ChildProcess {
    let process = try ChildProcess(
      "prometheus-alertmanager",
      [
        "--config.file=\(place.path("am.yml"))", "--storage.path=\(place.path("\(name).data"))",
        "--web.listen-address=127.0.0.1:\(port)", "--cluster.listen-address=",
      ], name: name, in: place.folder)
    let isUp = waitUntil(seconds: 10) {
      WebClient.ask(port: port, "GET /-/ready", ["Connection: close"]).contains(" 200 ")
    }
    guard isUp else { throw RigError("Alertmanager is not ready: \(process.errorText().suffix(500))") }
    return process
  }

  private static let tipped = "[[rule]]\nkind = \"tipped\"\nfor_s = 0\nclear_for_s = 0.2\nfaces = [\"z+\"]\n"
  private static let geofence = "[[rule]]\nkind = \"geofence\"\nseverity = \"critical\"\n"

  private func startFleet(_ name: String, rules: String) throws -> ChildProcess {
    let file = try place.write(
      "fleet.toml",
      """
      [fleet]
      grace_s = 0
      [broker]
      host = "127.0.0.1"
      port = \(broker.port)
      [store]
      file = "\(place.path("fleet.db"))"
      [node."van-3"]
      site = "north"
      group = "vans"
      \(rules)
      [[sink]]
      kind = "alertmanager"
      urls = ["http://127.0.0.1:\(port)"]
      resend_s = 1
      retry_max_s = 1

      """)
    let tool = try ChildProcess(
      Programs.fleet, ["run", "--config", file], name: name, in: place.folder,
      environment: ["SWIFT_BACKTRACE": "enable=no"])
    let isUp = waitUntil(seconds: 15) { tool.errorText().contains("connected to the broker") }
    guard isUp else { throw RigError("judder-fleet has no connection: \(tool.errorText())") }
    return tool
  }

  /// A crossing of a fence by van-3.
  private func cross(_ event: GeofenceMessage.Event, seq: UInt64) {
    var envelope = Envelope(boot: BootID(1))
    (envelope.time, envelope.clock) = (WallTime(seconds: Date().timeIntervalSince1970), .ntp)
    (envelope.uptime, envelope.sequence) = (100 + Double(seq), seq)
    let crossing = GeofenceMessage(
      fence: "depot", event, isFirst: false, latitude: 47, longitude: 8, accuracyM: 4, ageS: 0, edgeM: 12, insideS: nil)
    let telegram = Telegram(envelope, .geofence(crossing))
    #expect(node.publish(Array("judder/van-3/geofence".utf8), telegram.encode()))
  }

  // MARK: What Alertmanager says

  private struct Status {
    var state: String
    var labels: [String: String]
    var annotations: [String: String]
    var updatedAt: String
    var endsAt: String
  }

  /// The alerts that are not over.
  private func alerts() -> [Status] {
    let answer = WebClient.ask(port: port, "GET /api/v2/alerts", ["Connection: close"])
    guard let head = answer.range(of: "\r\n\r\n"),
      let list = try? JSONSerialization.jsonObject(with: Data(answer[head.upperBound...].utf8)) as? [[String: Any]]
    else { return [] }
    return list.map { alert in
      let status = alert["status"] as? [String: Any]
      return Status(
        state: status?["state"] as? String ?? "", labels: alert["labels"] as? [String: String] ?? [:],
        annotations: alert["annotations"] as? [String: String] ?? [:],
        updatedAt: alert["updatedAt"] as? String ?? "", endsAt: alert["endsAt"] as? String ?? "")
    }
  }

  private func waitFor(_ state: String?, seconds: Double = 10) -> Bool {
    waitUntil(seconds: seconds) { alerts().map(\.state) == (state.map { [$0] } ?? []) }
  }

  /// Whether the one alert stays for so long.
  private func stays(_ state: String, seconds: Double) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while Date() < end {
      guard alerts().map(\.state) == [state] else { return false }
      usleep(100_000)
    }
    return true
  }

  // MARK: The tests

  @Test(.enabled(if: isThere, "needs prometheus-alertmanager and amtool"))
  func anAlertFiresIsToldAgainIsSilencedComesBackAndResolves() throws {
    var manager = try startAlertmanager("am-1")
    defer { manager.stop(signal: SIGKILL) }
    var tool = try startFleet("tool-1", rules: Self.geofence)
    defer { tool.stop(signal: SIGKILL) }
    cross(.leave, seq: 1)
    #expect(waitFor("active"), "\(alerts()) \(tool.errorText())")
    let first = try #require(alerts().first)
    #expect(
      first.labels == [
        "alertname": "geofence", "severity": "critical", "node": "van-3", "kind": "geofence", "site": "north",
        "group": "vans",
      ])
    #expect(first.annotations["summary"]?.hasPrefix("van-3 left the fence depot") == true, "\(first.annotations)")
    #expect(first.annotations["count"] == "1" && first.annotations["reason"]?.isEmpty == false)

    // Twice its resolve_timeout, and more.
    #expect(stays("active", seconds: 5), "told again")
    #expect(try #require(alerts().first).updatedAt > first.updatedAt)

    let silencing = try outcome(
      of: "amtool",
      [
        "--alertmanager.url=http://127.0.0.1:\(port)", "silence", "add", "node=van-3", "--duration=1h", "--author=ann",
        "--comment=known",
      ], in: place)
    #expect(silencing.status == 0, "\(silencing.errors)")
    #expect(waitFor("suppressed"))
    #expect(stays("suppressed", seconds: 2.5), "what is told again stays silenced")

    manager.stop(signal: SIGKILL)
    manager = try startAlertmanager("am-2")
    #expect(waitFor("active"), "it lost everything, and is told again")

    tool.stop(signal: SIGKILL)
    #expect(waitFor(nil), "nobody tells it again, and it lapses")
    tool = try startFleet("tool-2", rules: Self.geofence)
    #expect(waitFor("active"), "it is told again after the restart")
    cross(.enter, seq: 2)
    #expect(waitFor(nil, seconds: 1.9), "by its end, before it could lapse")
    #expect(tool.stop(signal: SIGTERM) == 0)
  }

  @Test(.enabled(if: isThere, "needs prometheus-alertmanager and amtool"))
  func anAlertWhoseRuleIsTakenOutIsNotToldForEver() throws {
    let manager = try startAlertmanager("am")
    defer { manager.stop(signal: SIGKILL) }
    var tool = try startFleet("tool-1", rules: Self.geofence + Self.tipped)
    defer { tool.stop(signal: SIGKILL) }
    cross(.leave, seq: 1)
    #expect(waitFor("active"), "\(tool.errorText())")
    let queue = place.path("sinks/alertmanager/firing")
    #expect(try FileManager.default.contentsOfDirectory(atPath: queue).count == 1)
    #expect(tool.stop(signal: SIGTERM) == 0)

    tool = try startFleet("tool-2", rules: Self.tipped)
    let isForgotten = waitUntil(seconds: 10) {
      (try? FileManager.default.contentsOfDirectory(atPath: queue))?.isEmpty == true
    }
    #expect(isForgotten && waitFor(nil), "\(alerts()) \(tool.errorText())")
    #expect(!stays("active", seconds: 2.5) && alerts().isEmpty, "it does not come back")
    #expect(tool.errorText().contains("no rule stands for it any more"))
    let why = try outcome(
      of: Programs.fleet, ["why", "geofence", "van-3", "--config", place.path("fleet.toml")], in: place)
    #expect(why.output.contains("forgotten"), "\(why.output)\(why.errors)")
    #expect(tool.stop(signal: SIGTERM) == 0)
  }
}
