import Foundation
import Rig
import Telemetry
import Testing

/// What judder-fleet answers over HTTP, and who it takes in.
@Suite(.serialized) struct FleetHTTPTests {
  private static let promtool = ChildProcess.find("promtool")
  private static let token = ["Authorization: Bearer s3cret"]

  private func start(_ broker: Broker, _ place: Workplace, port: Int) throws -> ChildProcess {
    let file = try place.write(
      "fleet.toml",
      """
      [fleet]
      admit = "listed"
      allow = ["pump-*"]
      [store]
      file = "\(place.path("fleet.db"))"
      [http]
      port = \(port)
      token_file = "\(try place.write("token", "s3cret"))"
      per_node = true

      """)
    return try ChildProcess(
      Programs.fleet, ["run", "--config", file, "-h", "127.0.0.1", "-p", "\(broker.port)"], name: "tool",
      in: place.folder, environment: ["SWIFT_BACKTRACE": "enable=no"])
  }

  private func online(_ boot: UInt32) -> String {
    var envelope = Envelope(boot: BootID(boot))
    (envelope.time, envelope.clock, envelope.uptime) = (WallTime(seconds: Date().timeIntervalSince1970), .ntp, 10)
    return String(decoding: Telegram(envelope, .status(StatusMessage(.online))).encode(), as: UTF8.self)
  }

  @Test func theFleetIsToldToWhoeverShowsTheToken() throws {
    let place = try Workplace("e2e-http")
    let broker = try Broker(in: place)
    try broker.start()
    let port = try Workplace.freePort()
    let tool = try start(broker, place, port: port)
    defer { tool.stop(signal: SIGKILL) }
    func ask(_ path: String) -> String { WebClient.ask(port: port, "GET \(path)", Self.token) }
    #expect(waitUntil(seconds: 15) { ask("/healthz").hasSuffix("\r\n\r\nok\n") }, "\(tool.errorText())")
    #expect(WebClient.ask(port: port, "GET /metrics").hasPrefix("HTTP/1.1 401 "))
    try broker.publish("judder/pump-1/status", online(1))
    try broker.publish("judder/rogue/status", online(1))
    try broker.publish("judder/rogue/shake", "{")
    let refused = "judder_fleet_messages_rejected_total{reason=\"not_listed\"} 2\n"
    #expect(waitUntil(seconds: 10) { ask("/metrics").contains(refused) }, "\(ask("/metrics"))")
    let text = ask("/metrics")
    for line in [
      "judder_fleet_link_up 1", "judder_fleet_store_up 1", "judder_fleet_nodes{presence=\"online\"} 1",
      "judder_fleet_quarantine_nodes 1", "judder_node_up{node=\"pump-1\"} 1",
    ] { #expect(text.contains("\(line)\n"), "\(line)") }
    #expect(!text.contains("rogue") && text.contains("process_resident_memory_bytes "))
    let list = try outcome(
      of: Programs.fleet, ["nodes", "--quarantine", "--config", place.path("fleet.toml")], in: place)
    #expect(list.outputLines.count == 2 && list.output.contains("rogue"), "\(list.output)\(list.errors)")
    try checkFormat(text, in: place)
    broker.kill()
    #expect(waitUntil(seconds: 15) { ask("/healthz").contains("no link to the broker") }, "\(ask("/healthz"))")
    #expect(ask("/healthz").hasPrefix("HTTP/1.1 503 ") && ask("/metrics").contains("judder_fleet_link_up 0\n"))
    #expect(tool.stop(signal: SIGTERM) == 0)
  }

  private func checkFormat(_ answer: String, in place: Workplace) throws {
    guard Self.promtool != nil, let head = answer.range(of: "\r\n\r\n") else { return }
    let file = try place.write("metrics.txt", String(answer[head.upperBound...]))
    let child = try ChildProcess("/bin/sh", ["-c", "exec promtool check metrics < \"$0\"", file], in: place.folder)
    #expect(child.wait(seconds: 20) == 0 && child.errorText() == "", "\(child.errorText())")
  }

  @Test func aPortThatIsTakenEndsTheRunWithOneLine() throws {
    let place = try Workplace("e2e-http")
    let broker = try Broker(in: place)
    try broker.start()
    let tool = try start(broker, place, port: broker.port)
    #expect(tool.wait(seconds: 10) == 69)
    let lines = tool.errorText().split(separator: "\n")
    #expect(lines.last?.contains("cannot listen on 127.0.0.1:\(broker.port): Address already in use") == true)
  }
}
