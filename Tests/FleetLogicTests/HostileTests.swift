import FleetLogic
import Rig
import Telemetry
import Testing

/// Messages that nobody should send, each with what it must be counted under.
private struct Hostile {
  /// Nil: an unknown stream.
  var reason: Rejection?
  var topic: [UInt8]
  var payload: [UInt8]

  init(_ reason: Rejection?, _ topic: String, _ payload: String) {
    self.reason = reason
    self.topic = Array(topic.utf8)
    self.payload = Array(payload.utf8)
  }

  init(_ reason: Rejection?, topic: [UInt8], payload: [UInt8]) {
    self.reason = reason
    self.topic = topic
    self.payload = payload
  }
}

/// Texts that harm a terminal or a reader that shows them as they are.
private let nasty: [String] =
  (0..<32).map { String(Unicode.Scalar(UInt8($0))) }
  + [
    "\u{7F}", "\u{80}", "\u{9B}31m", "\u{9D}0;x\u{9C}", "\u{1B}[2J\u{1B}[H", "\u{1B}]0;title\u{7}",
    "\u{1B}]52;c;AAAA\u{7}",
    "\u{202E}gnp.exe", "\u{2066}x\u{2069}", "\u{200B}", "\u{FEFF}", "\u{2028}", "\u{2029}",
    "\r\nlevel=fatal msg=forged",
    "<script>alert(1)</script>", "'; DROP TABLE nodes; --", "=cmd|' /C calc'!A0", "$(reboot)", "`reboot`",
    "../../etc/passwd",
    "%n%n%n%s", String(repeating: "\u{0301}", count: 500), "\u{1F4A9}", "\u{E0041}",
  ]

private func hostileMessages() -> [Hostile] {
  var messages: [Hostile] = []
  let good = #"{"v":1,"boot":"00000001","t":1796000000,"clk":"ntp","up":5,"state":"online"}"#
  // Names of nodes and topics.
  for text in nasty where !text.contains("/") { messages.append(Hostile(.topic(.node), "judder/\(text)/status", good)) }
  for text in nasty {
    let levels = "x\(text)/a/status".split(separator: "/", omittingEmptySubsequences: false).count
    messages.append(Hostile(levels == 3 ? .topic(.prefix) : .topic(.levels), "x\(text)/a/status", good))
  }
  for text in nasty where !text.contains("/") { messages.append(Hostile(nil, "judder/a/x\(text)", good)) }
  let names = [
    "", "A", "-a", "a_b", "a.b", "a b", "+", "#", "ä", "\u{0430}", String(repeating: "a", count: 64), "$SYS",
  ]
  for name in names { messages.append(Hostile(.topic(.node), "judder/\(name)/status", good)) }
  for topic in [
    "", "/", "judder", "judder/a", "judder/a/status/x", "/judder/a/status", "judder//a/status", "judder/a/status/",
  ] {
    messages.append(Hostile(.topic(.levels), topic, good))
  }
  for bytes: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] {
    messages.append(
      Hostile(.topicNotUTF8, topic: Array("judder/".utf8) + bytes + Array("/status".utf8), payload: Array(good.utf8)))
    messages.append(
      Hostile(
        .payload(.notUTF8), topic: Array("judder/a/status".utf8),
        payload: Array(#"{"v":1,"x":""#.utf8) + bytes + Array(#""}"#.utf8)))
  }
  messages += hostilePayloads()
  return messages
}

private func hostilePayloads() -> [Hostile] {
  func status(_ reason: DecodingProblem.Reason, _ payload: String) -> Hostile {
    Hostile(.payload(reason), "judder/a/status", payload)
  }
  var messages: [Hostile] = []
  let envelope = #""v":1,"boot":"00000001","t":1796000000,"clk":"ntp","up":5"#
  for text in nasty where text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0 != "\"" }) {
    messages.append(status(.unknownWord, "{\(envelope),\"state\":\"\(text)\"}"))
    messages.append(status(.outOfRange, "{\"v\":1,\"boot\":\"\(text)\",\"state\":\"online\"}"))
  }
  for scalar in 0..<32 {
    messages.append(status(.syntax, "{\(envelope),\"state\":\"x\(Unicode.Scalar(UInt8(scalar)))\"}"))
  }
  for text in [
    "{", "nope", "{\"v\":}", "{'v':1}", "{\"v\":1,}", "NaN", "{\"v\":NaN}", "{\"v\":Infinity}", "{\"v\":-}",
    "{\"v\":01}",
  ] {
    messages.append(status(.syntax, text))
  }
  for text in ["[]", "1", "\"x\"", "null", "true"] { messages.append(status(.notAnObject, text)) }
  messages += [
    status(.tooDeep, String(repeating: "[", count: 100_0)),
    status(.tooDeep, String(repeating: "{\"a\":", count: 60_000 / 5)),
    status(.tooLarge, String(repeating: " ", count: 10_000_000)),
    status(.tooManyMembers, "[" + String(repeating: "0,", count: 30_000) + "0]"),
    status(.duplicateKey, "{\"v\":1,\"v\":1}"),
    status(.notFinite, "{\"v\":1e999}"),
    status(.loneSurrogate, "{\"v\":\"\\ud800\"}"),
    status(.trailingText, "{\(envelope),\"state\":\"online\"} x"),
    status(.version, "{\"v\":2}"),
    status(.missing, "{}"),
    status(.wrongType, "{\"v\":null}"),
    status(.wrongType, "{\(envelope),\"state\":5}"),
    status(.missing, "{\(envelope)}"),
    status(.outOfRange, "{\(envelope),\"state\":\"online\",\"health_interval_s\":-1}"),
  ]
  let location = "\(envelope),\"seq\":1,\"fix\":3,\"age_s\":1,\"why\":\"first\""
  for place in ["\"lat\":91,\"lon\":0", "\"lat\":0,\"lon\":-181", "\"lat\":1e300,\"lon\":0"] {
    messages.append(Hostile(.payload(.outOfRange), "judder/a/location", "{\(location),\(place)}"))
  }
  messages.append(Hostile(.payload(.missing), "judder/a/location", "{\(location)}"))
  messages.append(
    Hostile(.payload(.missing), "judder/a/location", "{\(envelope),\"fix\":0,\"why\":\"lost\",\"reason\":\"no_fix\"}"))
  messages.append(Hostile(.payload(.wrongType), "judder/a/location", "{\(location),\"lat\":\"0\",\"lon\":0}"))
  return messages
}

@Suite struct HostileTests {
  @Test func everyHostileMessageIsCountedAndShownSafely() throws {
    let messages = hostileMessages()
    #expect(messages.count >= 200)
    for message in messages {
      var bench = Bench()
      bench.send("a", .online())
      bench.send("a", .fix())
      let before = try #require(bench.node("a"))
      let effects = bench.fleet.handle(
        .message(topic: message.topic, payload: message.payload, retained: false), at: bench.now)
      let sample = SafeText.escaped(message.topic) + " " + SafeText.escaped(Array(message.payload.prefix(80)))
      #expect(bench.node("a") == before, "\(sample)")
      #expect(bench.fleet.nodes.count == 1, "\(sample)")
      if let reason = message.reason {
        #expect(bench.fleet.tally.rejected == [reason: 1], "\(sample)")
        #expect(effects.logLines.count == 1, "\(sample)")
      } else {
        #expect(bench.fleet.tally.unknownStreams == 1, "\(sample)")
      }
      #expect(bench.fleet.tally.accounted == bench.fleet.tally.received)
      for text in effects.shown { #expect(isSafe(text), "\(SafeText.escaped(text, limit: 500))") }
    }
  }

  @Test func whatAHostileNodeMaySayIsShownSafely() {
    for text in nasty {
      var bench = Bench()
      var status = StatusMessage(.online)
      status.agent = text
      status.accelerometer = text
      var shown = bench.send("evil", .status(status)).shown
      _ = bench.fleet.handle(.disconnected(reason: text), at: bench.now)
      shown += FleetTable(width: 80).lines(bench.fleet, at: bench.now)
      let effects = bench.send("evil", .shake(1))
      shown += effects.shown
      for change in effects.changes {
        guard let node = bench.node("evil") else { continue }
        shown.append(String(decoding: FleetJSON.change(change, node, bench.fleet.clock), as: UTF8.self))
      }
      for line in shown { #expect(isSafe(line), "\(SafeText.escaped(line, limit: 500))") }
    }
  }

  @Test func aStormOfAnythingAddsUp() {
    var random = SeededRandom(seed: 20_261_130)
    let hostile = hostileMessages().filter { $0.payload.count < 100_000 }
    var configuration = FleetState.Configuration(maxNodes: 40)
    configuration.flapping.count = 0
    var bench = Bench(configuration)
    var firing: Set<String> = []
    for _ in 0..<30_000 {
      for alert in storm(&bench, hostile, &random).fullAlerts {
        // Every alert fires before it resolves, and resolves before it fires again.
        let key = "\(alert.rule) \(alert.subject)"
        if alert.state == .firing {
          #expect(firing.insert(key).inserted, "\(key) fired twice")
        } else {
          #expect(firing.remove(key) != nil, "\(key) resolved without having fired")
        }
      }
      // What fires was told, unless something keeps it from being told.
      let known = bench.fleet.firingAlerts(at: bench.now)
      let unmuted = Set(known.filter { $0.mute == nil }.map { "\($0.rule) \($0.subject)" })
      let all = Set(known.map { "\($0.rule) \($0.subject)" })
      #expect(bench.fleet.firingCount == known.count)
      #expect(unmuted.isSubset(of: firing) && firing.isSubset(of: all))
      #expect(bench.fleet.tally.accounted == bench.fleet.tally.received)
    }
    #expect(bench.fleet.nodes.count == 40)
    #expect(bench.fleet.tally.rejected.count > 10)
    #expect(FleetTable(width: 80).lines(bench.fleet, at: bench.now).allSatisfy { isSafe($0) })
  }

  /// One random step.
  private func storm(_ bench: inout Bench, _ hostile: [Hostile], _ random: inout SeededRandom) -> [Effect] {
    let node = "n\(Int.random(in: 0..<50, using: &random))"
    let boot = UInt32.random(in: 1...3, using: &random)
    let retained = Int.random(in: 0..<8, using: &random) == 0
    let clock = ClockQuality.allCases.randomElement(using: &random) ?? .none
    let seq = Bool.random(using: &random) ? nil : UInt64.random(in: 1...200, using: &random)
    let phase = ShakeMessage.Phase.allCases.randomElement(using: &random) ?? .began
    let bodies: [Telegram.Body] = [
      .online(healthS: 20), .stopped, .acceleration(), .health, .fix(), .fix(backlog: true), .noFix(),
      .noFix(.stalled, backlog: true), .face(.xUp), .shake(Int.random(in: 1...4, using: &random), phase),
    ]
    switch Int.random(in: 0..<20, using: &random) {
    case 0: return bench.pass(Double.random(in: 0...60, using: &random))
    case 1: return bench.will(node, boot: boot, retained: retained)
    case 2, 3:
      guard let message = hostile.randomElement(using: &random) else { return [] }
      return bench.fleet.handle(
        .message(topic: message.topic, payload: message.payload, retained: retained), at: bench.now)
    case 4 where Int.random(in: 0..<20, using: &random) == 0:
      return bench.fleet.handle(.disconnected(reason: "storm"), at: bench.now)
    case 5: return bench.fleet.handle(.connected, at: bench.now)
    default:
      return bench.send(
        node, bodies.randomElement(using: &random) ?? .health, boot: boot, seq: seq, retained: retained, clock: clock,
        sentAgo: Double.random(in: 0...400, using: &random))
    }
  }

  /// No control characters, no line breaks, nothing that changes the direction of text.
  private func isSafe(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0x200B...0x200F, 0xFEFF: false
      default: true
      }
    }
  }
}
