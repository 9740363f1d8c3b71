/// A message that nobody should send.
public struct HostileMessage: Sendable {
  /// Bytes that may be no UTF-8.
  public let topic: [UInt8]
  /// Anything.
  public let payload: [UInt8]
  /// The broker is to keep it.
  public let isRetained: Bool

  init(_ topic: String, _ payload: String, isRetained: Bool = false) {
    self.init(topic: Array(topic.utf8), payload: Array(payload.utf8), isRetained: isRetained)
  }

  /// - Parameter topic: bytes that may be no UTF-8.
  public init(topic: [UInt8], payload: [UInt8], isRetained: Bool = false) {
    (self.topic, self.payload, self.isRetained) = (topic, payload, isRetained)
  }

  /// A name for it in a test's output.
  public var sample: String {
    let text = String(decoding: topic + Array(" ".utf8) + payload.prefix(100), as: UTF8.self)
    return text.unicodeScalars.map { $0.value < 0x7F && $0.value >= 0x20 ? String($0) : "." }.joined()
  }
}

/// Several hundred of them, always the same for a seed and a time.
///
/// None of them is a sound message of `pump-7`: what a fleet knows of that node must not change.
public struct HostileCorpus: Sendable {
  /// The texts that it puts wherever a text goes.
  public let texts: HostileTexts
  /// Seconds since 1970 that sound messages carry.
  public let time: Int
  private let seed: UInt64

  /// - Parameters:
  ///   - canary: as in `HostileTexts`.
  ///   - time: seconds since 1970.
  public init(canary: String, time: Int, seed: UInt64 = 20_261_201) {
    texts = HostileTexts(canary: canary, seed: seed)
    (self.time, self.seed) = (time, seed)
  }

  /// What the broker may have kept under the fleet's own prefix.
  public var retained: [HostileMessage] {
    texts.all.enumerated().map { number, text in
      let evil = Self.quoted(text)
      return HostileMessage(
        "judder-fleet/alerts/geofence/kept-\(number)",
        "{\"v\":1,\"rule\":\"geofence\",\"node\":\"kept-\(number)\",\"state\":\"firing\",\"t\":\(time - 60),"
          + "\"since_t\":\(time - 60),\"count\":1,"
          + "\"id\":\(evil),\"summary\":\(evil),\"site\":\(evil),\"group\":\(evil),"
          + "\"title\":\(evil),\"acknowledged_by\":\(evil)}", isRetained: true)
    } + forgedAlerts
  }

  /// Everything else, in its order.
  public var messages: [HostileMessage] { topics + words + places + payloads + broken }

  /// Sound words that end what was kept.
  public var ends: [HostileMessage] {
    texts.all.indices.map { number in
      HostileMessage("judder/kept-\(number)/geofence", "{\(envelope(2)),\(Self.crossing("\"x\"", "enter"))}")
    }
  }

  private func envelope(_ seq: Int?, boot: String = "\"0badf00d\"") -> String {
    "\"v\":1,\"boot\":\(boot),\(seq.map { "\"seq\":\($0)," } ?? "")\"t\":\(time),\"clk\":\"ntp\",\"up\":5"
  }

  private var online: String { "{\(envelope(nil)),\"state\":\"online\"}" }

  private static func crossing(_ fence: String, _ event: String) -> String {
    "\"fence\":\(fence),\"event\":\"\(event)\",\"lat\":47,\"lon\":8,\"age_s\":0,\"edge_m\":3"
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x22, 0x5C: quoted += "\\\(scalar)"
      case 0..<0x20: quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

// MARK: Kinds of attacks

extension HostileCorpus {
  private var forgedAlerts: [HostileMessage] {
    ["", "{", "[]", "null", "{\"v\":1}", "{\"v\":9}", "\u{1B}[2J", String(repeating: "[", count: 5000)].enumerated()
      .flatMap {
        [
          HostileMessage("judder-fleet/alerts/shake/forged-\($0.offset)", $0.element, isRetained: true),
          HostileMessage("judder-fleet/alerts/none-such/@x\($0.offset)", $0.element, isRetained: true),
        ]
      }
  }

  private var topics: [HostileMessage] {
    var messages: [HostileMessage] = []
    for text in texts.all {
      messages.append(HostileMessage("judder/\(text)/status", online))
      messages.append(HostileMessage("judder/evil/\(text)", online))
      messages.append(HostileMessage("judder-fleet/alerts/\(text)/\(text)", online, isRetained: true))
    }
    let odd = [
      "", "/", "judder", "judder//status", "judder/evil/status/", "/judder/evil/status", "judder/+/status", "judder/#",
      "#", "$SYS/broker/x", "judder/EVIL/status", "judder/\u{430}/status", "judder/-x/status", "other/evil/status",
      "judder/\(String(repeating: "a", count: 64))/status", "judder-fleet/status", "judder-fleet/command",
    ]
    messages += odd.map { HostileMessage($0, online) }
    for bytes in Self.notUTF8 {
      messages.append(
        HostileMessage(topic: Array("judder/".utf8) + bytes + Array("/status".utf8), payload: Array(online.utf8)))
    }
    return messages
  }

  /// Sound messages whose texts are hostile, and words that there are not.
  private var words: [HostileMessage] {
    texts.all.enumerated().flatMap { number, text -> [HostileMessage] in
      let evil = Self.quoted(text)
      return [
        HostileMessage(
          "judder/evil-\(number)/status",
          "{\(envelope(nil)),\"state\":\"online\",\"agent\":\(evil),\"accelerometer\":\(evil),\"firmware\":\(evil)}",
          isRetained: true),
        HostileMessage("judder/evil-\(number)/geofence", "{\(envelope(1)),\(Self.crossing(evil, "leave"))}"),
        HostileMessage(
          "judder/evil-\(number)/location", "{\(envelope(3)),\"fix\":0,\"why\":\"lost\",\"reason\":\(evil)}"),
        HostileMessage("judder/pump-7/status", "{\(envelope(nil, boot: evil)),\"state\":\"online\"}"),
      ]
    }
  }

  /// Positions and times at and beyond the edges of what there is.
  private var places: [HostileMessage] {
    let times = [
      "0", "-1", "7258118399", "7258118400", "1e18", "1e999", "NaN", "-Infinity", "\"now\"", "null", "1e-300",
    ]
    let spots = [
      ("90", "180"), ("-90", "-180"), ("90.1", "0"), ("0", "1e300"), ("-0", "-0"), ("\"1\"", "2"), ("1e-320", "1"),
    ]
    return times.enumerated().map { number, time in
      HostileMessage(
        "judder/when-\(number)/location",
        "{\"v\":1,\"boot\":\"0badf00d\",\"seq\":1,\"t\":\(time),\"clk\":\"ntp\",\"up\":5,\"fix\":3,\"lat\":1,\"lon\":2,"
          + "\"age_s\":3e9,\"why\":\"first\"}")
    }
      + spots.enumerated().map { number, spot in
        HostileMessage(
          "judder/where-\(number)/location",
          "{\(envelope(1)),\"fix\":3,\"lat\":\(spot.0),\"lon\":\(spot.1),\"alt_m\":-100000,\"age_s\":0,"
            + "\"why\":\"first\"}"
        )
      }
      + ["-1", "1.5", "18446744073709551615", "18446744073709551616", "1e30", "\"1\"", "null", "[1]"].map { seq in
        HostileMessage(
          "judder/seq/shake", "{\"v\":1,\"boot\":\"0badf00d\",\"seq\":\(seq),\"t\":\(time),\"clk\":\"ntp\",\"up\":5}")
      }
  }

  private var payloads: [HostileMessage] {
    let deep = [
      String(repeating: "[", count: 10_000), String(repeating: "{\"a\":", count: 5000),
      String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000),
      "[" + String(repeating: "0,", count: 20_000) + "0]", String(repeating: " ", count: 100_000),
      "{\"v\":1,\"x\":\"" + String(repeating: "y", count: 200_000) + "\"}",
      "{\"v\":" + String(repeating: "9", count: 5000) + "}",
    ]
    let odd = [
      "", " ", "\u{0}", "{", "}", "[]", "\"\"", "null", "true", "NaN", "Infinity", "-", "01", "{\"v\":1,\"v\":1}",
      "{\"v\":1,}", "{'v':1}", "{\"v\":1}{\"v\":1}", "{\"v\":1e999}", "{\"v\":\"\\ud800\"}",
      "{\"v\":\"\\udc00\\ud800\"}",
      "{\"v\":\"\\x\"}", "{\"\\u0000\":1}", "\u{FEFF}{\"v\":1}", "//{}", "{\"__proto__\":{}}", "{\"v\":2}",
      "{\"v\":-1}",
    ]
    let streams = ["status", "shake", "location", "health", "evicted", "impact"]
    return (deep + odd).enumerated().map { HostileMessage("judder/pump-7/\(streams[$0.offset % 6])", $0.element) }
      + Self.notUTF8.map {
        HostileMessage(
          topic: Array("judder/pump-7/status".utf8),
          payload: Array("{\"v\":1,\"agent\":\"".utf8) + $0 + Array("\"}".utf8))
      }
  }

  /// Overlong forms, surrogates, beyond the last character, cut off, UTF-16.
  private static let notUTF8: [[UInt8]] = [
    [0xFF], [0xC0, 0x80], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xED, 0xA0, 0x80], [0xED, 0xB0, 0x80],
    [0xF4, 0x90, 0x80, 0x80],
    [0xF8, 0x88, 0x80, 0x80, 0x80], [0xE2, 0x82], [0x80], [0xFE, 0xFF, 0, 0x41], [0xC2, 0x9B, 0xFF],
  ]

  /// Sound messages of a node that is no other's, cut and changed by chance.
  private var broken: [HostileMessage] {
    var random = SeededRandom(seed: seed &+ 1)
    let sound = Array("{\(envelope(1)),\(Self.crossing("\"depot\"", "leave"))}".utf8)
    return (0..<60).map { number in
      var bytes = sound
      if number % 3 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &random)) }
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      return HostileMessage(topic: Array("judder/broken-\(number)/geofence".utf8), payload: bytes)
    }
  }
}
