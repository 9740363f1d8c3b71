internal import Daemon
internal import FleetLogic
internal import Store
internal import Telemetry

/// `judder-fleet silences` and `judder-fleet wishes`: what people asked for, from the database.
enum SilencesCommand {
  static func run(_ history: History) throws(Termination) {
    let all = try history.stored { () throws(StoreProblem) in try history.reader.silences() }
    for kept in all {
      guard let silence = Silence(kept), history.invocation.isGiven("all") || !silence.isOver(at: history.now) else {
        continue
      }
      if history.isJSON { try history.json(json(silence)) } else { try history.line(text(silence, history.now)) }
    }
  }

  static func text(_ silence: Silence, _ now: WallTime) -> String {
    let period =
      silence.ended.map { "ended \($0.second)" }
      ?? (now < silence.start
        ? "from \(silence.start.second) until \(silence.end.second)" : "until \(silence.end.second)")
    let comment = silence.comment.isEmpty ? "" : ": \(SafeText.escaped(silence.comment, limit: 1024))"
    let author = SafeText.escaped(silence.author, limit: 100)
    return "\(SafeText.escaped(silence.id)) \(period): \(silence.matchers.text), by \(author)\(comment)"
  }

  private static func json(_ silence: Silence) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.string("kind", "silence")
      json.string("id", silence.id)
      json.number("start_t", silence.start.seconds, decimals: 3)
      json.number("end_t", silence.end.seconds, decimals: 3)
      json.number("made_t", silence.made.seconds, decimals: 3)
      json.number("ended_t", silence.ended?.seconds, decimals: 3)
      json.string("author", silence.author)
      json.string("comment", silence.comment)
      json.json("matchers", silence.matchers.encode())
    }
    return json.bytes
  }

  static func wishes(_ history: History) throws(Termination) {
    let all = try history.stored { () throws(StoreProblem) in try history.reader.wishes() }
    for wish in all.compactMap({ Wish($0) }) where history.invocation.isGiven("all") || wish.state == .waiting {
      if history.isJSON { try history.json(json(wish)) } else { try history.line(text(wish)) }
    }
  }

  static func text(_ wish: Wish) -> String {
    let argument = ReplyText.argument(wish.command)
    let state =
      wish.state == .waiting ? "waiting until \(wish.expires.second)" : "\(wish.state.rawValue) \(wish.changed.second)"
    return "\(SafeText.escaped(wish.id)) \(wish.node) \(wish.command.verb.rawValue)\(argument): \(state), "
      + "by \(SafeText.escaped(wish.author, limit: 100))"
  }

  private static func json(_ wish: Wish) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.string("kind", "wish")
      json.string("id", wish.id)
      json.string("node", wish.node.description)
      json.string("command", wish.command.verb.rawValue)
      json.number("for_s", wish.command.forS, decimals: 3)
      json.string("key", wish.command.setting?.key)
      json.setting("value", wish.command.setting?.value)
      json.number("made_t", wish.made.seconds, decimals: 3)
      json.number("expires_t", wish.expires.seconds, decimals: 3)
      json.string("author", wish.author)
      json.string("state", wish.state.rawValue)
      json.number("state_t", wish.changed.seconds, decimals: 3)
    }
    return json.bytes
  }
}
