internal import Daemon
internal import FleetLogic
internal import Glibc
internal import MQTT
internal import Telemetry

/// From a command line to a request to the running fleet tool, and its answer.
enum ControlRequest {
  /// How long an answer is waited for [s].
  static func timeoutS(_ invocation: Invocation, default seconds: Int = 10) -> Double {
    Double(invocation.integer("timeout") ?? seconds)
  }

  /// - Parameter now: by this machine's clock; only how long the request may wait depends on it.
  static func message(
    _ command: String, _ invocation: Invocation, id: String, author: String, now: WallTime
  ) throws(Termination) -> ControlMessage {
    let verb: ControlMessage.Verb =
      switch command {
      case "ack": .acknowledge
      case "unack": .unacknowledge
      case "silence": .silence
      case "unsilence": .unsilence
      case "unwish": .unwish
      default: .wish
      }
    var message = ControlMessage(
      id: id, verb, author: author, time: now, expires: now + timeoutS(invocation))
    message.comment = try invocation.text("comment").map { (text) throws(Termination) in try plain(text, "--comment") }
    let operands = invocation.operands
    switch verb {
    case .acknowledge, .unacknowledge: message.matchers = .init(rule: operands[0], node: operands[1])
    case .silence: try addSilence(invocation, now: now, to: &message)
    case .unsilence, .unwish: message.target = operands[0]
    case .wish: try addWish(invocation, to: &message)
    }
    return message
  }

  private static func addSilence(
    _ invocation: Invocation, now: WallTime, to message: inout ControlMessage
  ) throws(Termination) {
    message.matchers = .init(rule: invocation.text("rule"), node: invocation.text("node"))
    message.matchers.site = invocation.text("site")
    message.matchers.group = invocation.text("group")
    message.matchers.severity = invocation.text("severity")
    message.matchers.kind = invocation.text("kind")
    message.isForAll = invocation.isGiven("all")
    guard message.matchers.isEmpty == message.isForAll else {
      let text =
        message.isForAll
        ? "--all means every alert: leave it out, or what says which alerts"
        : "this would silence every alert: say which, with --rule, --node, --site, --group, --severity or --kind; or "
          + "--all"
      throw Termination(.usage, [text])
    }
    message.start = try moment("start", invocation)
    message.end = try moment("until", invocation)
    message.durationS = try duration("for", invocation)
    guard (message.end == nil) != (message.durationS == nil) else {
      throw Termination(.usage, ["say until when: --for DURATION or --until TIME"])
    }
    if let end = message.end, end <= max(message.start ?? now, now) {
      throw Termination(.usage, ["--until is over already, or before --start"])
    }
  }

  private static func addWish(_ invocation: Invocation, to message: inout ControlMessage) throws(Termination) {
    guard !invocation.isGiven("nodes") else {
      throw Termination(.usage, ["--when-online takes one node, not --nodes"])
    }
    guard !invocation.isGiven("yes") else { throw Termination(.usage, ["--yes goes with --nodes"]) }
    let (node, command) = try SendCommand.parse(invocation.operands, isPattern: false)
    message.matchers.node = node
    message.command = command
    message.durationS = try duration("expires", invocation) ?? 86_400
  }

  // MARK: Values

  private static func moment(_ option: String, _ invocation: Invocation) throws(Termination) -> WallTime? {
    guard let text = invocation.text(option) else { return nil }
    if let time = TimeOption.moment(text) { return time }
    throw Termination(
      .usage, ["--\(option) \(SafeText.quoted(text)): expected a time such as 2026-11-30T04:00:00Z"])
  }

  private static func duration(_ option: String, _ invocation: Invocation) throws(Termination) -> Double? {
    guard let text = invocation.text(option) else { return nil }
    if let seconds = TimeOption.duration(text), seconds > 0, seconds <= ControlMessage.longestS { return seconds }
    throw Termination(.usage, ["--\(option) \(SafeText.quoted(text)): expected 90s, 15m, 2h or 7d"])
  }

  /// A text that shows as it is, in 1 to 100 bytes for a name, 1000 for anything else.
  private static func plain(_ text: String, _ option: String, bytes: Int = 1000) throws(Termination) -> String {
    guard (1...bytes).contains(text.utf8.count) else {
      throw Termination(.usage, ["\(option) has \(text.utf8.count) bytes, expected 1 to \(bytes)"])
    }
    let shown = SafeText.escaped(text.replacing("\\", with: "/"), limit: bytes)
    guard shown == text.replacing("\\", with: "/") else {
      throw Termination(.usage, ["\(option) \(SafeText.quoted(text)): expected no control or invisible characters"])
    }
    return text
  }

  /// Who asks: as given, or USER@host.
  static func author(
    _ given: String?, _ environment: [String: String], host: String
  ) throws(Termination) -> String {
    if let given { return try plain(given, "--author", bytes: 100) }
    let user = [environment["USER"], environment["LOGNAME"]].compactMap { $0 }.first { !$0.isEmpty }
    let name = "\(user ?? "uid\(getuid())")@\(host.isEmpty ? "localhost" : host)"
    return try plain(name, "USER@host; use --author:", bytes: 100)
  }

  // MARK: The answer

  /// Asks the running fleet tool, and waits for its answer.
  static func ask(
    _ message: ControlMessage, _ configuration: FleetConfiguration, timeoutS: Double
  ) throws(Termination) -> ControlReply {
    let prefix = configuration.fleet.alertsPrefix
    let (replies, statuses) = (FleetTopic.reply.text(under: prefix), FleetTopic.status.text(under: prefix))
    let call = try ControlCall(configuration.broker, filters: [replies, statuses])
    defer { call.close() }
    try call.open(withinS: timeoutS)
    let topic = FleetTopic.command.text(under: prefix)
    _ = call.publish(topic, message.encode())
    var reply: ControlReply?
    var status: FleetStatusMessage?
    var isUnheard = false
    var refusal: String?
    try call.wait(
      timeoutS, until: { reply != nil || isUnheard || refusal != nil },
      take: { answer in
        switch answer {
        case .message(let found) where found.topic == replies && !found.isRetained:
          let read = try? ControlReply.decode(payload: found.payload)
          if read?.id == message.id { reply = read }
        case .message(let found) where found.topic == statuses:
          status = try? FleetStatusMessage.decode(payload: found.payload)
        case .message: break
        case .unheard: isUnheard = true
        case .refused(_, let reason): refusal = reason
        }
      })
    if let reply { return reply }
    if let refusal {
      throw Termination(.permission, ["may not publish to \(topic): \(refusal); allow it in the broker's access list"])
    }
    throw Termination(.unavailable, [silence(topic, status, isUnheard: isUnheard, timeoutS: timeoutS)])
  }

  private static func silence(
    _ topic: String, _ status: FleetStatusMessage?, isUnheard: Bool, timeoutS: Double
  ) -> String {
    let what = isUnheard ? "nobody listens on \(topic)" : "no fleet tool answered within \(Int(timeoutS)) s"
    let known =
      switch status?.state {
      case nil: "none has said here that it runs"
      case .online: "it says that it runs"
      case .stopped: "it was stopped"
      case .lost: "it is lost"
      }
    return
      "\(what); \(known): see whether judder-fleet run runs, fleet.commands is true and fleet.alerts_prefix the same, "
      + "and the broker's access list lets it read \(topic) and write its reply"
  }
}
