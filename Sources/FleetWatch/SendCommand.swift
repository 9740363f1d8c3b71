internal import Daemon
internal import FleetLogic
internal import MQTT
internal import Telemetry

/// `judder-fleet send`: commands for nodes, and their answers.
enum SendCommand {
  /// How long statuses are waited for [s]: of one node whose prefix is not known, and of all after the last came.
  private static let statusS = 3.0, quietS = 0.7
  /// The most nodes at a time.
  private static let mostNodes = 100_000

  /// One node that is asked.
  private struct Asked {
    var node: NodeName
    var id: String
    var reply: ReplyMessage?
    /// Why there can be none.
    var trouble: String?
    var isOpen: Bool { reply == nil && trouble == nil }
  }

  /// A node as the broker tells of it.
  private struct Found {
    var prefix: TopicPrefix
    var state: StatusMessage.State?
  }

  /// The words of the command line.
  static func parse(
    _ operands: [String], isPattern: Bool
  ) throws(Termination) -> (node: String, command: ControlMessage.NodeCommand) {
    let words = isPattern ? [""] + operands : operands
    let known = "locate, live SECONDS, arm, disarm, set KEY=VALUE or calibrate"
    if !isPattern, NodeName(words[0]) == nil {
      throw Termination(
        .usage, ["\(SafeText.quoted(words[0])) is no node's name; for several there is --nodes PATTERN"])
    }
    guard words.count > 1 else { throw Termination(.usage, ["expected a command: \(known)"]) }
    guard let verb = CommandMessage.Verb(rawValue: words[1]) else {
      throw Termination(.usage, ["\(SafeText.quoted(words[1])) is no command for a node: expected \(known)"])
    }
    return (words[0], try command(verb, Array(words.dropFirst(2))))
  }

  private static func command(
    _ verb: CommandMessage.Verb, _ arguments: [String]
  ) throws(Termination) -> ControlMessage.NodeCommand {
    let seconds = arguments.count == 1 ? Double(arguments[0]) : nil
    switch verb {
    case .live:
      guard let seconds, (0...CommandMessage.longestLiveS).contains(seconds) else {
        throw Termination(.usage, ["live takes the seconds it lasts, 0 to 3600"])
      }
      return .init(.live, forS: seconds)
    case .calibrate:
      if arguments.isEmpty { return .init(.calibrate, forS: usualCalibrationS) }
      guard let seconds, CommandMessage.calibrationS.contains(seconds) else {
        throw Termination(.usage, ["calibrate takes the seconds that the node lies still, 10 to 300; default 30"])
      }
      return .init(.calibrate, forS: seconds)
    case .set:
      guard arguments.count == 1, let setting = setting(arguments[0]) else {
        throw Termination(
          .usage, ["set takes KEY=VALUE, for example shake.on_g=0.9; KEY= takes it back to what the node's file says"])
      }
      return .init(.set, setting: setting)
    case .arm, .disarm, .locate:
      guard let extra = arguments.first else { return .init(verb) }
      throw Termination(.usage, ["\(verb.rawValue) takes no \(SafeText.quoted(extra))"])
    }
  }

  /// How long a calibration lasts where nothing is said [s].
  private static let usualCalibrationS = 30.0

  /// `KEY=VALUE` as a message has it: a number, true, false, or a text, which may stand in quotes; nothing after the
  /// `=` takes the key back. What a key takes only its node knows.
  static func setting(_ text: String) -> CommandMessage.Setting? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    let (key, value) = (String(text[..<equals]), String(text[text.index(after: equals)...]))
    guard (1...CommandMessage.keyBytes).contains(key.utf8.count), value.utf8.count <= 1000 else { return nil }
    guard !value.isEmpty else { return .init(key, nil) }
    switch try? JSONValue.parse(Array(value.utf8)) {
    case .number(let number): return .init(key, .number(number))
    case .bool(let flag): return .init(key, .flag(flag))
    case .string(let text): return .init(key, .text(text))
    case nil, .null, .array, .object: return .init(key, .text(value))
    }
  }

  static func run(
    _ invocation: Invocation, _ output: StandardOutput, _ configuration: FleetConfiguration, id: String,
    author: String
  ) throws(Termination) {
    let pattern = invocation.text("nodes").map { NamePattern($0) }
    let (name, command) = try parse(invocation.operands, isPattern: pattern != nil)
    if pattern == nil, invocation.isGiven("yes") { throw Termination(.usage, ["--yes goes with --nodes"]) }
    if invocation.isGiven("expires") { throw Termination(.usage, ["--expires goes with --when-online"]) }
    // A node that sleeps needs a moment more.
    let timeoutS = ControlRequest.timeoutS(
      invocation, default: 30 + (command.verb == .calibrate ? Int(command.forS ?? 0) : 0))
    let (prefix, level) = (configuration.fleet.prefix, pattern == nil ? name : "+")
    let call = try ControlCall(configuration.broker, filters: ["status", "reply"].map { "\(prefix)/\(level)/\($0)" })
    defer { call.close() }
    try call.open(withinS: timeoutS)
    let found = try nodes(call, prefix, pattern, name)
    if let pattern, found.isEmpty {
      throw Termination(.unavailable, ["the broker knows of no node \(SafeText.quoted(pattern.description))"])
    }
    if let pattern, !invocation.isGiven("yes") {
      let names = found.keys.map(\.description).sorted().prefix(20).joined(separator: " ")
      let more = found.count > 20 ? " ..." : ""
      throw Termination(
        .usage,
        [
          "\(SafeText.quoted(pattern.description)) means \(found.count) nodes: \(names)\(more)",
          "add --yes to send \(command.verb.rawValue) to all of them",
        ])
    }
    guard !found.isEmpty else {
      throw Termination(.unavailable, ["the broker knows no such node under \(prefix): no status is kept there"])
    }
    let asked = try ask(found, command, call, prefix, id: id, author: author, timeoutS: timeoutS)
    for each in asked { try show(each, found[each.node]?.state, command, timeoutS, invocation, output) }
    try output.flush()
    if asked.contains(where: { $0.reply?.isDone == false }) { throw Termination(.findings) }
    if asked.contains(where: { $0.reply == nil }) { throw Termination(.unavailable) }
  }

  /// Who is meant, by the statuses that the broker keeps. Of one node nothing needs to be known but the prefix.
  private static func nodes(
    _ call: ControlCall, _ prefix: PrefixPattern, _ pattern: NamePattern?, _ name: String
  ) throws(Termination) -> [NodeName: Found] {
    var found: [NodeName: Found] = [:]
    func take(_ answer: ControlCall.Answer) {
      guard case .message(let message) = answer, let topic = try? Topic(message.topic, under: prefix),
        topic.stream == .status, pattern?.matches(topic.node.description) != false, found.count < mostNodes,
        let telegram = try? Telegram.decode(stream: .status, payload: message.payload),
        case .status(let status) = telegram.body
      else { return }
      found[topic.node] = Found(prefix: topic.prefix, state: status.state)
    }
    if pattern == nil {
      // A node that was there ever has a status, which comes at once.
      let isKnown = (try? TopicPrefix(prefix.description)) != nil
      try call.wait(isKnown ? quietS : statusS, until: { !found.isEmpty }, take: take)
      if found.isEmpty, let only = try? TopicPrefix(prefix.description), let node = NodeName(name) {
        found[node] = Found(prefix: only)
      }
      return found
    }
    var before = -1
    while before < found.count {
      before = found.count
      try call.wait(quietS, until: { false }, take: take)
    }
    return found
  }

  private static func ask(
    _ found: [NodeName: Found], _ command: ControlMessage.NodeCommand, _ call: ControlCall, _ prefix: PrefixPattern,
    id: String, author: String, timeoutS: Double
  ) throws(Termination) -> [Asked] {
    var asked: [Asked] = []
    var places: [NodeName: Int] = [:]
    for (node, known) in found.sorted(by: { $0.key < $1.key }) {
      let message = command.message(id: "\(id)-\(asked.count)", author: author)
      // Without `expires_t`, which a node refuses that does not know the time.
      _ = call.publish(
        CommandTopic(prefix: known.prefix, node: node).description, message.encode(), expiryS: UInt32(timeoutS))
      places[node] = asked.count
      asked.append(Asked(node: node, id: message.id))
    }
    var open = asked.count
    try call.wait(
      timeoutS, until: { open == 0 },
      take: { answer in
        switch answer {
        case .message(let message):
          guard !message.isRetained, let topic = try? Topic(message.topic, under: prefix), topic.stream == .reply,
            let place = places[topic.node], asked[place].isOpen,
            case .reply(let reply)? = (try? Telegram.decode(stream: .reply, payload: message.payload))?.body,
            reply.id == asked[place].id
          else { return }
          asked[place].reply = reply
          open -= 1
        case .unheard(let number):
          guard asked[number].isOpen else { return }
          asked[number].trouble = "it does not listen: it is away, or its node.commands is not true"
          open -= 1
        case .refused(let number, let reason):
          guard asked[number].isOpen else { return }
          asked[number].trouble = "the broker does not take it: \(reason); allow it in its access list"
          open -= 1
        }
      })
    return asked
  }

  private static func show(
    _ asked: Asked, _ state: StatusMessage.State?, _ command: ControlMessage.NodeCommand, _ timeoutS: Double,
    _ invocation: Invocation, _ output: StandardOutput
  ) throws(Termination) {
    let reason = asked.reply?.reason ?? asked.trouble ?? unanswered(state, timeoutS)
    let isDone = asked.reply?.isDone == true
    let result = isDone ? "done" : asked.reply == nil ? "unanswered" : "refused"
    if invocation.isGiven("json") {
      var json = JSONWriter()
      json.object { json in
        json.string("kind", "reply")
        json.string("node", asked.node.description)
        json.string("id", asked.id)
        json.string("command", command.verb.rawValue)
        json.string("result", result)
        json.string("reason", isDone ? nil : reason)
        json.number("until_t", asked.reply?.until?.seconds, decimals: 3)
        asked.reply.map { write($0, to: &json) }
      }
      return try output.line(json.text)
    }
    let until = asked.reply?.until.map { ", until \($0.rfc3339)" } ?? ""
    let rest = isDone ? until : ": \(SafeText.escaped(reason, limit: 1024))"
    try output.line("\(asked.node) \(command.verb.rawValue): \(result)\(rest)")
    for line in asked.reply.map(ReplyText.lines) ?? [] { try output.line("  \(line)") }
  }

  private static func write(_ reply: ReplyMessage, to json: inout JSONWriter) {
    if let change = reply.change {
      json.string("key", change.key)
      json.setting("before", change.before)
      json.setting("after", change.after)
      json.boolean("kept", change.isKept)
    }
    if let rest = reply.rest { json.object("rest") { rest.write(to: &$0) } }
    json.string("note", reply.note)
  }

  private static func unanswered(_ state: StatusMessage.State?, _ timeoutS: Double) -> String {
    let known =
      switch state {
      case nil: "no status of it is known"
      case .online: "its status is online: see whether its node.commands is true, and the broker's access list"
      case .stopped: "it was stopped; with --when-online the command waits for it"
      case .lost: "it is lost; with --when-online the command waits for it"
      }
    return "no answer within \(Int(timeoutS)) s; \(known)"
  }
}
