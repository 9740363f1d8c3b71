import BrokerLink
import Daemon
import Foundation
import Rig
import Sinks
import Testing

@testable import FleetWatch

@Suite struct SinkKeysTests {
  private let place: Workplace

  init() throws { place = try Workplace() }

  private func read(_ text: String, _ environment: [String: String] = [:]) throws -> [SinkSettings] {
    try SinkSettings.list(
      Configuration.load(FleetSchema.schema, text: Array(text.utf8), file: "fleet.toml"), environment: environment)
  }

  private func problems(_ text: String) -> [String] {
    do {
      _ = try read(text)
      return []
    } catch let failure as ConfigurationFailure {
      return failure.problems.map(\.description)
    } catch {
      return ["\(error)"]
    }
  }

  @Test func everyKindIsRead() throws {
    let sinks = try read(
      """
      [store]
      file = "/var/lib/judder-fleet/fleet.db"
      [[sink]]
      kind = "command"
      command = ["/usr/local/bin/page", "--now"]
      [[sink]]
      kind = "webhook"
      name = "chat"
      url = "https://chat.example/hook"
      queue = "/srv/queues"
      [[sink]]
      kind = "alertmanager"
      urls = ["http://a:9093", "http://b:9093"]
      [[sink]]
      kind = "sendmail"
      from = "judder@a.example"
      to = ["ops@a.example"]
      """)
    let command = CommandSettings(arguments: ["/usr/local/bin/page", "--now"])
    #expect(sinks[0].work == .command(command) && sinks[0].queue.perMinute == 60)
    #expect(sinks[1].work == .webhook(WebhookSettings(url: "https://chat.example/hook")))
    #expect(sinks[2].work == .alertmanager(AlertmanagerSettings(urls: ["http://a:9093", "http://b:9093"])))
    #expect(sinks[3].work == .mail(MailSettings(from: "judder@a.example", to: ["ops@a.example"])))
    #expect(
      sinks.map(\.queue.folder) == [
        "/var/lib/judder-fleet/sinks/command", "/srv/queues/chat", "/var/lib/judder-fleet/sinks/alertmanager",
        "/var/lib/judder-fleet/sinks/sendmail",
      ])
    #expect(sinks[3].queue.collectS == 30)
  }

  @Test func theQueueGoesWhereTheStateIs() throws {
    let text = "[[sink]]\nkind = \"command\"\ncommand = [\"/bin/x\"]"
    #expect(try read(text, ["STATE_DIRECTORY": "/var/lib/j:/other"]).first?.queue.folder == "/var/lib/j/sinks/command")
    let homeless = try #require(try read(text).first)
    #expect(homeless.queue.folder == nil)
    #expect(homeless.memoryWarning?.contains("in memory only") == true)
    #expect(homeless.findings.map(\.severity) == [.good, .problem, .warning])
  }

  /// Each key with a value that is right for it.
  private static let values = [
    "file": "\"x\"", "queue": "\"x\"", "queue_max": "1", "queue_mb": "1", "retry_max_s": "1", "timeout_s": "1",
    "tries": "1", "url": "\"http://a/\"", "method": "\"PUT\"", "content_type": "\"a/b\"", "headers": "[\"A: b\"]",
    "template": "\"x\"", "token_file": "\"x\"", "ca_file": "\"x\"", "proxy": "\"x\"", "urls": "[\"http://a\"]",
    "resend_s": "1", "command": "[\"/x\"]", "per_minute": "1", "program": "\"/x\"", "from": "\"a@b\"",
    "to": "[\"a@b\"]", "collect_s": "1",
  ]

  @Test(arguments: SinkSettings.Kind.allCases)
  func aKeyOfAnotherKindIsAMistake(_ kind: SinkSettings.Kind) throws {
    #expect(Set(SinkSettings.section.keys.map(\.name)) == Set(SinkSettings.kinds.map(\.key) + ["kind", "name"]))
    for (key, kinds) in SinkSettings.kinds where !kinds.contains(kind) {
      let value = try #require(Self.values[key])
      let found = problems("[[sink]]\nkind = \"\(kind.rawValue)\"\n\(key) = \(value)")
      #expect(
        found.contains { $0.hasPrefix("fleet.toml:3:") && $0.hasSuffix("and this one is \(kind.rawValue); remove it") },
        "\(key)")
    }
  }

  @Test func whatAKindNeedsIsNamed() {
    #expect(problems("[[sink]]\nkind = \"webhook\"") == ["fleet.toml:1:1: sink[1] of the kind webhook needs 'url'"])
    #expect(problems("[[sink]]\nkind = \"sendmail\"").count == 2)
    let command = "[[sink]]\nkind = \"command\"\ncommand = [\"/x\"]\n"
    #expect(problems(command + command).first?.contains("to a second sink with a queue") == true)
    #expect(problems(command + "name = \"../x\"").first?.hasPrefix("fleet.toml:4:8: sink[1].name must be") == true)
    #expect(problems("[[sink]]\nkind = \"command\"\ncommand = [\"ls\"]").count == 1)
  }

  @Test func aTemplateIsReadAtOnce() throws {
    let file = try place.write("t.json", "{\"a\":\n\"{{nobody}}\"}")
    let text = "[[sink]]\nkind = \"webhook\"\nurl = \"http://a/\"\ntemplate = \"\(file)\""
    #expect(problems(text).first?.hasPrefix("fleet.toml:4:12: sink[1].template \(file):2: no field {{nobody}}") == true)
    try place.write("t.json", "{\"a\":{{summary}}}")
    #expect(problems(text).first?.contains("gives no JSON") == true)
    try place.write("t.json", "{\"a\":\"{{summary}}\"}")
    #expect(problems(text) == [])
  }

  @Test func aSecretIsNeitherShownNorSentInTheOpenUnsaid() throws {
    let file = try place.write("token", "abc\n")
    #expect(chmod(file, 0o600) == 0)
    let sinks = try read(
      "[[sink]]\nkind = \"webhook\"\nurl = \"http://a.example/T0/secret\"\ntoken_file = \"\(file)\"\nqueue = \"/tmp\"")
    let findings = try #require(sinks.first).findings
    #expect(findings.map(\.severity) == [.good, .warning, .good])
    #expect(!findings.description.contains("secret"))
    #expect(findings[0].text == "POST to http://a.example with a token")
  }
}
