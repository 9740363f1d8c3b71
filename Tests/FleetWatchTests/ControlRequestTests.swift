import Daemon
import Telemetry
import Testing

@testable import FleetWatch

@Suite("What people type to act on alerts and nodes")
struct ControlRequestTests {
  private let now = WallTime(seconds: 1_796_011_500)

  private func message(_ words: String) throws -> ControlMessage {
    let invocation = try FleetCommands.table.parse(words.split(separator: " ").map(String.init))
    return try ControlRequest.message(
      invocation.command ?? "", invocation, id: "f1", author: "ann@desk", now: now)
  }

  /// The one line of the usage error.
  private func complaint(_ words: String) -> String? {
    do {
      _ = try message(words)
      return nil
    } catch let end as Termination {
      #expect(end.code == .usage && end.lines.count == 1)
      return end.lines.first
    } catch {
      return "\(error)"
    }
  }

  @Test("An alert is named by its rule and node")
  func acknowledge() throws {
    let message = try message("ack shake pump-* --comment seen")
    #expect(message.verb == .acknowledge && message.matchers == .init(rule: "shake", node: "pump-*"))
    #expect(message.comment == "seen" && message.expires - message.time == 10)
    #expect(try self.message("unack shake @north --timeout 3").expires == now + 3)
  }

  @Test("A silence says which alerts, and until when")
  func silence() throws {
    let message = try message("silence --site north --severity warning --kind silent --for 2h")
    #expect(message.matchers.site == "north" && message.matchers.severity == "warning")
    #expect(message.matchers.kind == "silent" && message.durationS == 7200 && message.end == nil && !message.isForAll)
    let later = try self.message("silence --all --start 2026-11-30T05:00:00Z --until 2026-11-30T06:00:00+00:00")
    #expect(later.isForAll && later.end.map { $0 - (later.start ?? now) } == 3600)
  }

  @Test(
    "What is not clear is refused with one line",
    arguments: [
      ("silence --for 2h", "every alert"), ("silence --all --rule shake --for 2h", "--all means"),
      ("silence --rule shake", "until when"), ("silence --rule a --for 1h --until 2030-01-01T00:00:00Z", "until when"),
      ("silence --rule a --for 2x", "90s"), ("silence --rule a --for 0s", "90s"),
      ("silence --rule a --until 2020-01-01T00:00:00Z", "over already"), ("silence --rule a --until 2h", "2026-"),
      ("send pump-7 --when-online", "expected a command"), ("send pump-7 explode --when-online", "no command"),
      ("send pump-7 live --when-online", "seconds"), ("send pump-7 live 9999 --when-online", "seconds"),
      ("send pump-7 arm 9 --when-online", "takes no"), ("send PUMP arm --when-online", "no node's name"),
      ("send --nodes p* arm --when-online", "one node"), ("ack a b --comment \u{1b}[2J", "invisible"),
    ])
  func refuse(words: String, part: String) {
    let complaint = complaint(words)
    #expect(complaint?.contains(part) == true, "\(complaint ?? "nothing")")
    #expect(complaint?.unicodeScalars.contains { $0.value < 32 } == false)
  }

  @Test("A setting is read as a number, a truth value or a text, or as nothing")
  func setting() throws {
    let values: [(String, SettingValue?)] = [
      ("0.9", .number(0.9)), ("1e-3", .number(0.001)), ("true", .flag(true)), ("fixed", .text("fixed")),
      ("\"7\"", .text("7")), ("\"\"", .text("")), ("", nil), ("NaN", .text("NaN")), ("1e999", .text("1e999")),
      ("a=b", .text("a=b")), ("[1]", .text("[1]")), ("null", .text("null")),
    ]
    for (text, value) in values {
      let command = try #require(try message("send pump-7 set shake.on_g=\(text) --when-online").command)
      #expect(command == .init(.set, setting: .init("shake.on_g", value)), "\(text)")
    }
    for wrong in ["send pump-7 set", "send pump-7 set shake.on_g", "send pump-7 set =1"] {
      #expect(complaint("\(wrong) --when-online")?.hasPrefix("set takes KEY=VALUE") == true)
    }
    let long = String(repeating: "k", count: 129)
    #expect(complaint("send pump-7 set \(long)=1 --when-online")?.hasPrefix("set takes KEY=VALUE") == true)
    #expect(try message("send pump-7 calibrate --when-online").command == .init(.calibrate, forS: 30))
    #expect(try message("send pump-7 calibrate 60 --when-online").command == .init(.calibrate, forS: 60))
    #expect(complaint("send pump-7 calibrate 5 --when-online")?.contains("10 to 300") == true)
  }

  @Test("A wish waits for a day unless told otherwise")
  func wish() throws {
    let message = try message("send pump-7 live 60 --when-online")
    #expect(message.verb == .wish && message.command == .init(.live, forS: 60) && message.durationS == 86_400)
    #expect(try self.message("send pump-7 locate --when-online --expires 7d").durationS == 604_800)
    #expect(try self.message("unwish a1").target == "a1")
  }

  @Test("Who asks is said by the option, else by the user and the host")
  func author() throws {
    #expect(try ControlRequest.author("bo", [:], host: "desk") == "bo")
    #expect(try ControlRequest.author(nil, ["USER": "ann"], host: "desk") == "ann@desk")
    #expect(try ControlRequest.author(nil, ["USER": "", "LOGNAME": "cy"], host: "") == "cy@localhost")
    for name in ["", "a\nb", "\u{202e}x", String(repeating: "x", count: 101)] {
      #expect(throws: Termination.self) { try ControlRequest.author(name, [:], host: "desk") }
    }
    #expect(throws: Termination.self) { try ControlRequest.author(nil, ["USER": "a\u{1b}[2J"], host: "desk") }
  }
}
