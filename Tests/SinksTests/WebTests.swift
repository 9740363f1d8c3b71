import Daemon
import FleetLogic
import Foundation
import Rig
import Telemetry
import Testing

@testable import Sinks

@Suite struct WebTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func webhook(
    _ server: HTTPReceiver, _ template: Template? = nil, limitS: Double = 5, retryMaxS: Double = 0.05
  ) throws -> SinkBench {
    let token = try Credentials(environment: [:]).read(try place.write("token", "s3cret\n"))
    let http = HTTPSettings(headers: ["X-Room: 12"], token: token, limitS: limitS)
    let url = "http://127.0.0.1:\(server.port)/hook?key=hidden"
    return try SinkBench(
      .webhook(WebhookSettings(url: url, http: http, template: template)), place: place, retryMaxS: retryMaxS)
  }

  @Test func theAlertIsPosted() throws {
    let server = try HTTPReceiver()
    defer { server.stop() }
    let bench = try webhook(server)
    try bench.sink.deliver(try alert("1", summary: hostile))
    #expect(bench.waitForDelivery(1))
    let request = try #require(server.requests.first)
    #expect(request.head.hasPrefix("POST /hook?key=hidden HTTP/1.1"))
    for line in [
      "Authorization: Bearer s3cret", "X-Room: 12", "Content-Type: application/json", "Judder-Notice-ID: 1/firing",
    ] {
      #expect(request.head.contains(line))
    }
    #expect(try JSONValue.parse(request.body)["summary"]?.string == hostile)
  }

  @Test func whatIsAboutASiteOrTheFleetIsPosted() throws {
    let server = try HTTPReceiver()
    defer { server.stop() }
    let bench = try webhook(server, try Template(#"{"node":"{{node}}","site":"{{site}}"}"#))
    for (id, subject) in [("1", AlertSubject.site("north")), ("2", .fleet)] {
      var wide = try alert(id)
      wide.subject = subject
      try bench.sink.deliver(wide)
    }
    #expect(bench.waitForDelivery(2))
    bench.take()
    #expect(bench.settled == ["1", "2"])
    let bodies = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    #expect(bodies == [#"{"node":"@north","site":"north"}"#, #"{"node":"@fleet","site":""}"#])
  }

  @Test func aTemplateStaysJSONWhateverTheValuesAre() throws {
    let server = try HTTPReceiver()
    defer { server.stop() }
    let template = try Template(#"{"text":"{{node}}: {{summary}}","value":{{value}},"all":{{alert}}}"#)
    let bench = try webhook(server, template)
    try bench.sink.deliver(try alert("1", summary: hostile))
    #expect(bench.waitForDelivery(1))
    let read = try JSONValue.parse(try #require(server.requests.first).body)
    #expect(read["text"]?.string == "pallet-7: \(hostile)")
    #expect(read["value"]?.number == 1.8 && read["all"]?["rule"]?.string == "shake")
    #expect(!(server.requests.first?.body.contains(0x1B) ?? true))
  }

  @Test func aFieldThatDoesNotExistIsAMistake() throws {
    #expect(throws: Template.Problem.self) { try Template("{{nonsense}}") }
    #expect(throws: Template.Problem(line: 2, text: "{{ without }}")) { try Template("a\n{{rule") }
    #expect(try !Template("{\"a\":{{summary}}}").isJSON)
    let form = String(decoding: try Template("t={{summary}}").fill(notice(summary: "a b&c=\n"), .form), as: UTF8.self)
    #expect(form == "t=a%20b%26c%3D%0A")
  }

  @Test func aBusyReceiverIsTriedAgainWhenItSays() throws {
    let server = try HTTPReceiver { number, _ in
      number == 0 ? .init("429 Too Many Requests", headers: ["Retry-After: 1"]) : .init()
    }
    defer { server.stop() }
    let bench = try webhook(server)
    let begin = Date()
    try bench.sink.deliver(try alert("1"))
    #expect(bench.waitForDelivery(1))
    #expect(Date().timeIntervalSince(begin) >= 0.95)
    #expect(bench.lines.first == "sink slow does not deliver: http://127.0.0.1:\(server.port) answers 429", "no secret")
  }

  @Test func whatIsRefusedForGoodIsKeptAndTheNextOneGoes() throws {
    let server = try HTTPReceiver { number, _ in number == 0 ? .init("422 No", body: Array("no\u{1b}".utf8)) : .init() }
    defer { server.stop() }
    let bench = try webhook(server)
    try bench.sink.deliver(try alert("1"))
    try bench.sink.deliver(try alert("2"))
    #expect(bench.waitForDelivery(1))
    #expect(server.requests.count == 2 && bench.state.givenUp == 1 && bench.files("failed").count == 1)
    #expect(bench.lines.allSatisfy { !$0.contains("\u{1b}") })
  }

  /// A token that is being changed, a receiver that is being set up.
  @Test func oneThatDoesNotKnowUsYetIsTriedSeveralTimes() throws {
    let said = ["401 Unauthorized", "403 Forbidden", "404 Not Found"]
    let server = try HTTPReceiver { number, _ in .init(number < 3 ? said[number] : "200 OK") }
    defer { server.stop() }
    let bench = try webhook(server)
    try bench.sink.deliver(try alert("1"))
    #expect(bench.waitForDelivery(1))
    #expect(bench.state.failed == 3 && bench.state.givenUp == 0)
    let never = try HTTPReceiver { _, _ in .init("404 Not Found") }
    defer { never.stop() }
    let url = "http://127.0.0.1:\(never.port)/"
    let other = try SinkBench(.webhook(WebhookSettings(url: url)), place: Workplace(), tries: 3)
    try other.sink.deliver(try alert("1"))
    #expect(eventually { other.state.givenUp == 1 }, "but not for ever")
    #expect(never.requests.count == 3)
  }

  @Test func redirectionsAreNotFollowedAndLongAnswersNotReadToTheirEnd() throws {
    let other = try HTTPReceiver()
    let server = try HTTPReceiver { number, _ in
      number == 0
        ? .init("307 There", headers: ["Location: http://127.0.0.1:\(other.port)/"])
        : .init(body: [UInt8](repeating: 65, count: 5_000_000))
    }
    defer {
      server.stop()
      other.stop()
    }
    let bench = try webhook(server)
    try bench.sink.deliver(try alert("1"))
    #expect(bench.waitForDelivery(1))
    #expect(other.requests.isEmpty && server.requests.count == 2)
  }

  @Test func oneThatHangsDelaysNothingButItself() throws {
    let server = try HTTPReceiver { _, _ in .init(hangs: true) }
    defer { server.stop() }
    let bench = try webhook(server, limitS: 600)
    for number in 0..<3 { try bench.sink.deliver(try alert("\(number)")) }
    #expect(
      eventually {
        bench.take()
        return bench.settled.count == 3
      })
    #expect(bench.sink.stop(withinS: 5))
    #expect(bench.files("new").count == 3)
  }

  @Test func aReceiverThatIsAwayIsTriedUntilItIsThere() throws {
    let port = try Workplace.freePort()
    let settings = WebhookSettings(url: "http://127.0.0.1:\(port)/")
    let bench = try SinkBench(.webhook(settings), place: place, tries: 1)
    try bench.sink.deliver(try alert("1"))
    #expect(
      eventually {
        bench.take()
        return bench.state.failed >= 3
      })
    #expect(bench.state.queued == 1 && bench.state.givenUp == 0 && bench.state.problem != nil)
    #expect(bench.lines.count == 1, "said once")
  }

  @Test func addressesAreJudged() {
    #expect(urlComplaint("https://a.example/x") == nil)
    for bad in ["ftp://a/", "file:///etc/passwd", "https://", "a.example", "http://a b/"] {
      #expect(urlComplaint(bad) != nil, "\(bad)")
    }
  }
}

@Suite struct MailTests {
  @Test func aStormMakesOneMail() throws {
    let place = try Workplace()
    let program = place.path("sendmail")
    try place.write("sendmail", "#!/bin/sh\necho \"$@\" >> \(place.path("args"))\ncat > \(place.path("mail"))\n")
    #expect(chmod(program, 0o755) == 0)
    var settings = SinkSettings(name: "slow", kind: .sendmail)
    settings.work = .mail(MailSettings(program: program, from: "judder@a.example", to: ["ops@b.example"]))
    settings.queue = QueueSettings(folder: place.path("sinks/slow"), collectS: 2)
    let sink = try #require(makeSink(settings) as? QueuedSink)
    defer { sink.stop(withinS: 5) }
    for number in 0..<300 { try sink.deliver(try alert("\(number)", summary: hostile)) }
    #expect(eventually { sink.state?.delivered == 300 })
    #expect(place.text("args") == "-i -t\n")
    let mail = place.text("mail")
    #expect(mail.contains("Auto-Submitted: auto-generated\r\n") && mail.contains("To: ops@b.example\r\n"))
    #expect(!mail.contains("Bcc") && mail.utf8.allSatisfy { $0 < 0x7F && ($0 >= 0x20 || $0 == 13 || $0 == 10) })
  }

  @Test func aMailSaysWhatItIsAndKeepsItsName() throws {
    let settings = MailSettings(from: "judder@a.example", to: ["ops@b.example", "x@b.example"])
    let notices = try [notice("1", summary: "Pumpe über der Grenze \(hostile)")]
    let at = WallTime(seconds: 1_796_000_000)
    let text = String(decoding: MailMessage(settings, notices, at: at).bytes, as: UTF8.self)
    let later = String(decoding: MailMessage(settings, notices, at: at + 60).bytes, as: UTF8.self)
    func header(_ name: String, _ text: String) -> String? {
      text.components(separatedBy: "\r\n").first { $0.hasPrefix(name) }
    }
    #expect(header("Message-ID", text) == header("Message-ID", later))
    #expect(header("Date", text) == "Date: Mon, 30 Nov 2026 00:53:20 +0000")
    let parts = text.components(separatedBy: "\r\n\r\n")
    #expect(parts.count == 2)
    let body = try #require(Data(base64Encoded: parts[1].filter { $0 != "\r\n" }))
    #expect(String(decoding: body, as: UTF8.self).contains("Pumpe über der Grenze a\\r\\nBcc"))
    let subject = try #require(
      parts[0].range(of: "Subject: (=\\?utf-8\\?B\\?[^?]*\\?=(\\r\\n )?)+", options: .regularExpression))
    let words = parts[0][subject].matches(of: #/=\?utf-8\?B\?([^?]*)\?=/#)
    #expect(words.allSatisfy { $0.0.count <= 75 })
    let decoded = words.compactMap { Data(base64Encoded: String($0.1)) }.reduce(Data(), +)
    #expect(String(decoding: decoded, as: UTF8.self).hasPrefix("[judder] firing: Pumpe über der Grenze a\\r\\nBcc"))
  }

  @Test func onlyPlainAddressesAreTaken() {
    for good in ["a@b.example", "root", "a.b+c@d-e.example"] { #expect(mailAddressComplaint(good) == nil) }
    for bad in ["", "a@", "-oX@b", "a@b\r\nBcc: c@d", "a b@c", "a,b@c", "<a@b>"] {
      #expect(mailAddressComplaint(bad) != nil, "\(bad)")
    }
  }
}
