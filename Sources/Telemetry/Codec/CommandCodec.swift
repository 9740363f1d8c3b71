extension CommandMessage {
  /// The longest lease of `live` [s].
  public static let longestLiveS = 3600.0

  /// The payload: one line of compact JSON, as docs/MESSAGES.md describes it.
  public func encode() -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.integer("v", Envelope.version)
      json.string("id", id)
      json.string("command", verb.rawValue)
      json.number("for_s", forS, decimals: Decimals.time)
      json.number("expires_t", expires?.seconds, decimals: Decimals.time)
    }
    return json.bytes
  }

  /// Reads a payload that may be anything.
  public static func decode(payload: [UInt8]) throws(DecodingProblem) -> CommandMessage {
    let reader = try MessageReader(payload: payload)
    let id = try reader.text("id")
    guard (1...64).contains(id.utf8.count) else { throw reader.outOfRange("id", "1 to 64 bytes") }
    let message = CommandMessage(
      id: id, try reader.word("command"), forS: try reader.numberIfPresent("for_s", in: 0...longestLiveS),
      expires: try reader.timeIfPresent("expires_t"))
    if message.verb == .live, message.forS == nil { throw reader.missing("for_s", "0 to 3600 s") }
    return message
  }

  /// The id of a payload that is no command, for the reply; nil where there is none.
  public static func id(ofUnreadable payload: [UInt8]) -> String? {
    guard let id = (try? JSONValue.parse(payload))?["id"]?.string, (1...64).contains(id.utf8.count) else { return nil }
    return id
  }
}

extension ReplyMessage {
  func write(to json: inout JSONWriter) {
    json.string("id", id)
    json.string("command", verb?.rawValue)
    json.boolean("ok", isDone)
    json.text("reason", reason)
    json.number("until_t", until?.seconds, decimals: Decimals.time)
  }

  init(from reader: MessageReader) throws(DecodingProblem) {
    self.init(
      id: try reader.textIfPresent("id"), try reader.wordIfPresent("command"), isDone: try reader.flag("ok"),
      reason: try reader.textIfPresent("reason"), until: try reader.timeIfPresent("until_t"))
    if !isDone, reason == nil { throw reader.missing("reason", "why the command was not done") }
  }
}
