import FleetLogic
import Foundation
import FoundationXML
import Rig
import Telemetry
import Testing

/// Several hundred hostile messages through a real broker, every sink and every command that reads the history: nothing
/// is run, nothing raw is shown, nothing stops, and each is counted.
@Suite(.serialized) struct HostileTests {
  @Test func hostileMessagesAreCountedAndShownAndNeverRun() throws {
    let run = try HostileRun()
    defer { run.tool.stop(signal: SIGKILL) }
    let isThere = waitUntil(seconds: 15) { run.tool.errorText().contains("connected to the broker") }
    #expect(isThere, "\(run.tool.errorText())")
    let refused = run.attack()
    #expect(run.taken.count >= 300 && refused > 0, "\(run.taken.count) taken, \(refused) refused by the broker")
    let expected = run.expected()
    try #require(waitUntil(seconds: 20) { run.lines("alerts.json").count >= expected.alerts.count }, "\(alerts(run))")
    #expect(alerts(run) == expected.alerts.sorted())
    checkCounts(run, expected.tally.rejected.reduce(into: [:]) { $0[$1.key.description] = $1.value })
    let count = expected.alerts.count
    let isDelivered = waitUntil(seconds: 30) {
      run.lines("stdin").count >= count && run.hook.requests.count >= count && mails(run).joined().contains("pump-7")
    }
    #expect(isDelivered, "\(run.lines("stdin").count) and \(run.hook.requests.count) of \(count)")
    try checkSinks(run, count)
    try checkHistory(run)
    #expect(run.tool.stop(signal: SIGTERM) == 0, "\(run.tool.errorText().suffix(2000))")
    #expect(!run.tool.errorText().contains("Fatal"))
    show(run.tool.errorText(), "log")
    #expect(run.tool.errorText().contains(" not used (payload_"), "the last lines have the account")
    show(run.tool.outputText(), "console")
    let canaries = try FileManager.default.contentsOfDirectory(atPath: run.place.path("canary"))
    #expect(canaries.isEmpty, "something was run: \(canaries)")
  }

  private func alerts(_ run: HostileRun) -> [String] {
    run.lines("alerts.json").compactMap { line in
      guard let json = try? JSONValue.parse(Array(line.utf8)), let rule = json["rule"]?.string,
        let node = json["node"]?.string, let state = json["state"]?.string
      else { return "no alert: \(line)" }
      return "\(rule) \(node) \(state)"
    }.sorted()
  }

  private func checkCounts(_ run: HostileRun, _ rejected: [String: Int]) {
    var text = ""
    var counted: [String: Int] = [:]
    // The page is made anew once a second.
    _ = waitUntil(seconds: 10) {
      text = WebClient.ask(port: run.port, "GET /metrics")
      counted = HostileRun.metrics("judder_fleet_messages_rejected_total", text).filter { $0.value > 0 }
      return counted == rejected
    }
    #expect(counted == rejected)
    #expect(counted.count >= 8, "\(counted)")
    let received = HostileRun.metrics("judder_fleet_messages_received_total", text)[""] ?? 0
    let sum = ["total", "passed_over_total", "rejected_total"].reduce(0) { sum, name in
      sum + HostileRun.metrics("judder_fleet_messages_\(name)", text).values.reduce(0, +)
    }
    #expect(received == sum && received > 300, "\(received) received, \(sum) accounted for")
  }

  private func checkSinks(_ run: HostileRun, _ count: Int) throws {
    for name in ["alerts.json", "stdin", "env", "mails"] {
      #expect(String(validating: run.bytes(name), as: UTF8.self) != nil, "\(name)")
      show(run.text(name).replacingOccurrences(of: "\r\n", with: "\n"), name)
    }
    #expect(run.lines("stdin").sorted() == run.lines("alerts.json").sorted())
    #expect(Set(run.lines("argv")) == ["one", "$(touch \(run.place.path("canary"))/argv)"])
    let plain = CharacterSet(charactersIn: "@._:/-=_").union(.alphanumerics)
    for line in run.lines("env") {
      #expect(line.unicodeScalars.allSatisfy { $0.isASCII && plain.contains($0) }, "\(line)")
    }
    #expect(Set(run.lines("mailargv")) == ["-i", "-t"])
    #expect(run.hook.requests.count == count)
    for request in run.hook.requests {
      show(request.head.replacingOccurrences(of: "\r\n", with: "\n"), "a webhook's head")
      show(String(decoding: request.body, as: UTF8.self), "a webhook's body")
      #expect((try? JSONSerialization.jsonObject(with: Data(request.body))) != nil)
    }
    let names: Set<String> = [
      "From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted", "MIME-Version", "Content-Type",
      "Content-Transfer-Encoding",
    ]
    for line in run.lines("mails") where line.contains(":") {
      #expect(names.contains(String(line.prefix { $0 != ":" })), "a header: \(line)")
    }
    for body in mails(run) { show(body.replacingOccurrences(of: "\r\n", with: "\n"), "a mail's body") }
  }

  /// The bodies of all mails, out of base64.
  private func mails(_ run: HostileRun) -> [String] {
    let mails = run.text("mails").replacingOccurrences(of: "\r\n", with: "\n").components(separatedBy: "\nFrom: ")
    return mails.compactMap { mail in mail.range(of: "\n\n").flatMap { body(String(mail[$0.upperBound...])) } }
  }

  private func body(_ text: String) -> String? {
    let lines = text.split(separator: "\n").prefix { !$0.contains(":") }
    return Data(base64Encoded: lines.joined()).map { String(decoding: $0, as: UTF8.self) }
  }

  private func checkHistory(_ run: HostileRun) throws {
    func ask(_ arguments: [String]) throws -> String {
      let answer = try outcome(of: Programs.fleet, arguments + ["--config", run.file], in: run.place)
      #expect(answer.status == 0, "\(arguments): \(answer.errors)")
      let text = answer.output.replacingOccurrences(of: "\r\n", with: "\n")
      show(text, "\(arguments)")
      show(answer.errors, "\(arguments)")
      guard arguments.contains("--json") else { return text }
      for line in text.split(separator: "\n") {
        #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(arguments): \(line)")
      }
      return text
    }
    for command in [["nodes"], ["events", "--since", "1h"], ["alerts", "--all"], ["alerts"]] {
      #expect(try ask(command).contains("\n"))
      #expect(try ask(command + ["--json"]).contains("\n"))
    }
    for node in ["evil-1", "evil-5", "evil-23", "evil-50", "kept-3", "pump-7", "when-0"] {
      _ = try ask(["node", node])
      _ = try ask(["node", node, "--json"])
    }
    _ = try ask(["why", "geofence", "evil-2"])
    _ = try ask(["track", "when-0"])
    let csv = try ask(["export", "--format", "csv"])
    #expect(csv.split(separator: "\n").count > 100)
    let geojson = try ask(["export", "--format", "geojson"])
    #expect((try? JSONSerialization.jsonObject(with: Data(geojson.utf8))) != nil)
    for format in ["gpx", "kml"] {
      let parser = XMLParser(data: Data(try ask(["export", "--format", format]).utf8))
      #expect(parser.parse(), "\(format): \(String(describing: parser.parserError))")
    }
  }

  /// Nothing in it may steer a terminal, or hide.
  private func show(_ text: String, _ name: String) {
    for line in text.split(separator: "\n") where !line.description.unshowable.isEmpty {
      Issue.record("\(name): \(line.debugDescription.prefix(300))")
    }
  }
}
