import Telemetry

/// Where seeds come from: the examples of docs/MESSAGES.md, and hostile ones written by hand.
enum SeedSource {
  typealias Seeds = [(name: String, bytes: [UInt8])]

  /// By target; the names are those of the files.
  static func all(of document: String) -> [(FuzzTarget, Seeds)] {
    let examples = examples(in: document)
    let telegrams = examples.filter { Stream(rawValue: $0.section) != nil }
    let messages = examples.filter { Stream(rawValue: $0.section) == nil }
    return [
      (.json, named("example", telegrams.prefix(4).map(\.text)) + named("hostile", HostileInputs.json)),
      (
        .telegrams,
        named("example", telegrams.map { "\($0.section) \($0.text)" })
          + named("hostile", HostileInputs.telegrams)
      ),
      (
        .messages,
        named("example", messages.map { "\(kind($0.section)) \($0.text)" })
          + named("hostile", HostileInputs.messages)
      ),
      (.topics, named("hostile", HostileInputs.topics)),
      (.gpsd, named("lines", HostileInputs.gpsd)),
      (.nodeConfiguration, named("text", HostileInputs.node)),
      (.fleetConfiguration, named("text", HostileInputs.fleet)),
      (.recording, named("text", HostileInputs.recordings)),
      (.spool, HostileInputs.spool.enumerated().map { ("bytes-\($0.offset + 1)", $0.element) }),
      (
        .fleet,
        [("example", Array(telegrams.map { "judder/pump-7/\($0.section) \($0.text)\n" }.joined().utf8).prefix4K)]
          + named("hostile", HostileInputs.rows)
      ),
    ]
  }

  private static func named(_ name: String, _ texts: [String]) -> Seeds {
    texts.enumerated().map { ("\(name)-\($0.offset + 1)", Array($0.element.utf8)) }
  }

  private static func kind(_ section: String) -> String {
    switch section {
    case "Commands": "command"
    case "judder-fleet/status": "status"
    case "judder-fleet/command": "control"
    case "judder-fleet/reply": "answer"
    case "ack", "Acknowledgements", "`ack`": "ack"
    default: "alert"
    }
  }

  private static func examples(in document: String) -> [(section: String, text: String)] {
    var section = ""
    var isInExample = false
    var found: [(String, String)] = []
    for line in document.split(separator: "\n") {
      if line.hasPrefix("```") {
        isInExample = line == "```json"
      } else if isInExample {
        found.append((section, String(line)))
      } else if line.hasPrefix("#") {
        section = line.drop { $0 == "#" || $0 == " " }.filter { $0 != "`" }
      }
    }
    return found
  }
}

extension [UInt8] {
  /// Whole lines of at most 4096 bytes.
  fileprivate var prefix4K: [UInt8] {
    guard count > 4096, let end = self[..<4096].lastIndex(of: UInt8(ascii: "\n")) else { return self }
    return Array(self[...end])
  }
}
