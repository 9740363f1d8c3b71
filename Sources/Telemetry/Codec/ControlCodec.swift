extension ControlMessage {
  /// The longest silence or wish [s]: ten years.
  public static let longestS = 315_360_000.0

  /// The payload: one line of compact JSON, as docs/MESSAGES.md describes it.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.integer("v", Envelope.version)
      json.string("id", id)
      json.string("command", verb.rawValue)
      json.number("t", time.seconds, decimals: Decimals.time)
      json.number("expires_t", expires.seconds, decimals: Decimals.time)
      json.text("author", author)
      json.text("comment", comment)
      json.text("rule", matchers.rule)
      json.text("node", matchers.node)
      json.text("site", matchers.site)
      json.text("group", matchers.group)
      json.text("severity", matchers.severity)
      json.text("kind", matchers.kind)
      json.boolean("all", isForAll ? true : nil)
      json.number("start_t", start?.seconds, decimals: Decimals.time)
      json.number("end_t", end?.seconds, decimals: Decimals.time)
      json.number("duration_s", durationS, decimals: Decimals.time)
      json.text("target", target)
      json.string("verb", command?.verb.rawValue)
      json.number("for_s", command?.forS, decimals: Decimals.time)
      json.string("key", command?.setting?.key)
      json.setting("value", command?.setting?.value)
    }
    return json.bytes
  }

  /// Reads a payload that may be anything.
  public static func decode(payload: [UInt8]) throws(DecodingProblem) -> ControlMessage {
    let reader = try MessageReader(payload: payload)
    let id = try reader.text("id")
    guard (1...64).contains(id.utf8.count) else { throw reader.outOfRange("id", "1 to 64 bytes") }
    var message = ControlMessage(
      id: id, try reader.word("command"), author: try reader.text("author"), time: try reader.time("t"),
      expires: try reader.time("expires_t"))
    message.comment = try reader.textIfPresent("comment")
    message.matchers = try matchers(reader)
    message.isForAll = try reader.flag("all")
    message.start = try reader.timeIfPresent("start_t")
    message.end = try reader.timeIfPresent("end_t")
    message.durationS = try reader.numberIfPresent("duration_s", in: 0...longestS)
    message.target = try reader.textIfPresent("target")
    let verb = try reader.wordIfPresent("verb", CommandMessage.Verb.self)
    let forS = try CommandMessage.forS(reader, verb)
    let setting = try CommandMessage.setting(reader, verb)
    message.command = verb.map { NodeCommand($0, forS: forS, setting: setting) }
    try message.demandWhatItNeeds(reader)
    return message
  }

  private static func matchers(_ reader: MessageReader) throws(DecodingProblem) -> Matchers {
    var matchers = Matchers(rule: try reader.textIfPresent("rule"), node: try reader.textIfPresent("node"))
    matchers.site = try reader.textIfPresent("site")
    matchers.group = try reader.textIfPresent("group")
    matchers.severity = try reader.textIfPresent("severity")
    matchers.kind = try reader.textIfPresent("kind")
    return matchers
  }

  private func demandWhatItNeeds(_ reader: MessageReader) throws(DecodingProblem) {
    switch verb {
    case .acknowledge, .unacknowledge: break
    case .silence: try demandAnEnd(reader)
    case .unsilence, .unwish: if target == nil { throw reader.missing("target", "the id of what is to end") }
    case .wish:
      try demandAnEnd(reader)
      if matchers.node == nil { throw reader.missing("node", "a node's name") }
      if command == nil { throw reader.missing("verb", "a command for a node") }
    }
  }

  private func demandAnEnd(_ reader: MessageReader) throws(DecodingProblem) {
    if end == nil, durationS == nil { throw reader.missing("duration_s", "seconds, or end_t in its place") }
  }
}

extension ControlReply {
  /// Alerts that are named at the most.
  public static let mostAlerts = 100

  /// The payload: one line of compact JSON, as docs/MESSAGES.md describes it.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.integer("v", Envelope.version)
      json.string("id", id)
      json.string("command", verb?.rawValue)
      json.number("t", time.seconds, decimals: Decimals.time)
      json.string("result", result.rawValue)
      json.text("text", text)
      if !alerts.isEmpty { json.array("alerts") { json in for alert in alerts { json.string(alert) } } }
    }
    return json.bytes
  }

  /// Reads a payload that may be anything.
  public static func decode(payload: [UInt8]) throws(DecodingProblem) -> ControlReply {
    let reader = try MessageReader(payload: payload)
    var reply = ControlReply(
      id: try reader.textIfPresent("id"), try reader.wordIfPresent("command"), time: try reader.time("t"),
      try reader.word("result"), try reader.text("text"))
    for element in try reader.elementsIfPresent("alerts", "an array of texts") ?? [] {
      guard let text = element.string, text.utf8.count <= Bounds.textBytes, reply.alerts.count < mostAlerts else {
        throw reader.outOfRange("alerts", "\(mostAlerts) texts at most")
      }
      reply.alerts.append(text)
    }
    return reply
  }
}
