internal import Daemon
internal import FleetLogic
internal import Glibc
internal import Telemetry

/// The commands with which people act on alerts and nodes, for the command line's table.
enum ControlCommands {
  static let names = commands.map(\.name)

  private static let alert = [Command.Operand("RULE"), Command.Operand("NODE")]

  static let commands: [Command] = [
    Command(
      "ack", "look after an alert: it is not told again while it stays as it is",
      details: [
        "RULE and NODE are patterns, * and ? as in file names; instead of a node it may be @SITE or @fleet. The "
          + "running judder-fleet run does it, where fleet.commands is true; without its answer this ends with 69, and "
          + "with 1 when it refuses."
      ], operands: alert),
    Command("unack", "look after an alert no more", operands: alert),
    Command(
      "silence", "tell nobody of some alerts for a while",
      details: ["All that is said must fit. Prints the id with which unsilence ends it."]),
    Command("unsilence", "end a silence", operands: [.init("ID")]),
    Command(
      "send", "give a command to a node, and wait for its answer",
      details: [
        "COMMAND is locate, live SECONDS, arm, disarm, set KEY=VALUE or calibrate [SECONDS]; with --nodes the operand "
          + "NODE is left out. The node does it where node.commands is true. It ends with 1 when a node refuses, and "
          + "with 69 when one does not answer.",
        "set gives a key of the node's configuration another value, such as shake.on_g=0.9, which holds before the "
          + "node's file and over its restart; KEY= takes it back. A node that refuses says which keys it takes.",
        "calibrate measures for SECONDS (30) while the node lies still, and prints gravity, tilt and noise.",
        "With --when-online judder-fleet run keeps the command, and gives it to the node when it is there.",
      ], operands: [.init("NODE"), .init("COMMAND", isOptional: true), .init("VALUE", isOptional: true)]),
    Command("unwish", "take a command back that waits for its node", operands: [.init("ID")]),
  ]

  private static let labelled = ["silence", "nodes", "events", "alerts", "export", "rules"]

  static let options: [CommandOption] = [
    .value("site", "PATTERN", commands: labelled, "only nodes of these sites"),
    .value("group", "PATTERN", commands: labelled, "only nodes of these groups"),
    .value(
      "severity", "SEVERITY", .choice(Rule.Severity.allCases.map(\.rawValue)), commands: ["silence"],
      "only alerts of this severity"),
    .value(
      "kind", "KIND", .choice(Rule.Kind.allCases.map(\.rawValue)), commands: ["silence"], "only this kind of rule"),
    .value("for", "DURATION", commands: ["silence"], "for how long: 90s, 15m, 2h or 7d"),
    .value("start", "TIME", commands: ["silence"], "from when on, RFC 3339; default now"),
    .value("comment", "TEXT", commands: ["ack", "silence"], "why"),
    .value("author", "NAME", commands: names, "who; default USER@host"),
    .value(
      "timeout", "SECONDS", .integer(1...3600), commands: names,
      "how long to wait; default 10, for send 30, and calibrate's own"),
    .value("nodes", "PATTERN", commands: ["send"], "to all nodes of these names; lists them unless --yes"),
    .flag("yes", commands: ["send"], "do it for all that --nodes means"),
    .flag("when-online", commands: ["send"], "when the node is there, if need be later"),
    .value("expires", "DURATION", commands: ["send"], "with --when-online: for how long it may wait; default 1d"),
  ]

  static func run(
    _ command: String, _ invocation: Invocation, _ output: StandardOutput, _ environment: [String: String],
    host: String, _ configuration: FleetConfiguration
  ) throws(Termination) {
    let id = "\(try RandomSource.bootID())"
    let author = try ControlRequest.author(invocation.text("author"), environment, host: host)
    if command == "send", !invocation.isGiven("when-online") {
      return try SendCommand.run(invocation, output, configuration, id: id, author: author)
    }
    let message = try ControlRequest.message(command, invocation, id: id, author: author, now: History.calendar())
    let reply = try ControlRequest.ask(message, configuration, timeoutS: ControlRequest.timeoutS(invocation))
    if invocation.isGiven("json") {
      try output.line(String(decoding: reply.encode(), as: UTF8.self))
    } else if reply.result == .done {
      let name = message.verb == .silence ? "\(message.id): " : ""
      try output.line(name + SafeText.escaped(reply.text, limit: 1024))
      for alert in reply.alerts { try output.line("  \(SafeText.escaped(alert, limit: 200))") }
    }
    try output.flush()
    guard reply.result != .done else { return }
    throw Termination(.findings, ["\(reply.result.rawValue): \(SafeText.escaped(reply.text, limit: 1024))"])
  }
}
