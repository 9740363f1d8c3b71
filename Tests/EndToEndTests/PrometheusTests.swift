import Foundation
import Rig
import Telemetry
import Testing

/// Debian's Prometheus reads /metrics of a judder-fleet.
@Suite(.serialized) struct PrometheusTests {
  private static let isThere = ChildProcess.find("prometheus") != nil && ChildProcess.find("promtool") != nil

  @Test(.enabled(if: isThere, "needs prometheus and promtool"))
  func prometheusTakesWhatTheFleetSays() throws {
    let place = try Workplace("e2e-prometheus")
    let broker = try Broker(in: place)
    try broker.start()
    let (port, own) = (try Workplace.freePort(), try Workplace.freePort())
    let file = try place.write("fleet.toml", "[http]\nport = \(port)\nper_node = true\n")
    let tool = try ChildProcess(
      Programs.fleet, ["run", "--config", file, "-h", "127.0.0.1", "-p", "\(broker.port)"], name: "tool",
      in: place.folder)
    defer { tool.stop(signal: SIGKILL) }
    try place.write(
      "prometheus.yml",
      """
      global:
        scrape_interval: 1s
      scrape_configs:
        - job_name: judder
          static_configs:
            - targets: ["127.0.0.1:\(port)"]

      """)
    let prometheus = try ChildProcess(
      "prometheus",
      [
        "--config.file=\(place.path("prometheus.yml"))", "--storage.tsdb.path=\(place.path("tsdb"))",
        "--web.listen-address=127.0.0.1:\(own)",
      ], name: "prometheus", in: place.folder)
    defer { prometheus.stop(signal: SIGKILL) }
    func value(_ query: String) -> String? {
      let answer = WebClient.ask(port: own, "GET /api/v1/query?query=\(query)", ["Connection: close"])
      guard let head = answer.range(of: "\r\n\r\n"),
        let json = try? JSONValue.parse(Array(answer[head.upperBound...].utf8))
      else { return nil }
      return json["data"]?["result"]?.array?.first?["value"]?.array?.last?.string
    }
    #expect(waitUntil(seconds: 15) { value("judder_fleet_link_up") == "1" }, "\(prometheus.errorText().suffix(500))")
    var envelope = Envelope(boot: BootID(1))
    (envelope.time, envelope.clock) = (WallTime(seconds: Date().timeIntervalSince1970), .ntp)
    envelope.uptime = 10
    let online = Telegram(envelope, .status(StatusMessage(.online))).encode()
    try broker.publish("judder/pump-7/status", String(decoding: online, as: UTF8.self))
    try broker.publish("judder/pump-7/shake", "{")
    #expect(value("up") == "1")
    for query in [
      "judder_fleet_nodes%7Bpresence=%22online%22%7D", "judder_node_up%7Bnode=%22pump-7%22%7D",
      "judder_fleet_messages_rejected_total%7Breason=%22payload_syntax%22%7D",
    ] { #expect(waitUntil(seconds: 10) { value(query) == "1" }, "\(query): \(value(query) ?? "nothing")") }
    let page = WebClient.ask(port: port, "GET /metrics")
    let body = try #require(page.range(of: "\r\n\r\n")).upperBound
    let text = try place.write("metrics.txt", String(page[body...]))
    let check = try ChildProcess(
      "/bin/sh", ["-c", "exec promtool check metrics < \"$0\"", text], name: "check", in: place.folder)
    #expect(check.wait(seconds: 20) == 0 && check.errorText() == "", "\(check.errorText())")
  }
}
