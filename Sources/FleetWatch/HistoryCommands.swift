internal import Daemon
internal import FleetLogic
internal import Telemetry

/// The commands that read the history, for the command line's table.
enum HistoryCommands {
  static let names = commands.map(\.name)

  static let commands: [Command] = [
    Command(
      "nodes", "list the nodes that the history knows",
      details: [
        "A line a node, as of the last receipt: which is online, said good-bye, was lost or fell silent by then."
      ], operands: [.init("PATTERN", isOptional: true)]),
    Command("node", "show all that is known of a node", operands: [.init("NODE")]),
    Command(
      "events", "list events, the newest of them last",
      details: [
        "Times are those of measurement; in brackets the receipt, where nothing vouches for the other. Without "
          + "--since and --limit the last 100."
      ]),
    Command("alerts", "list the alerts that are not over, or with --all every decision about alerts"),
    Command("track", "list the positions of a node, and where it had none and why", operands: [.init("NODE")]),
    Command(
      "why", "show every decision about an alert, with its reason",
      details: ["Rule and node may stand in either order. Instead of a node it may be @SITE or @fleet."],
      operands: [.init("RULE"), .init("NODE")]),
    Command(
      "rules", "list the rules that are in force, or with test try them on the history",
      details: [
        "test runs the events of --since to --until through the rules of the configuration, as if they came again, and "
          + "shows what would have fired. It tells nobody. Rules about what the history does not keep (silence, "
          + "connections, sensors, clocks, spools, names, rates) are named, and not tried."
      ], operands: [.init("test", isOptional: true)]),
    Command(
      "silences", "list the silences that hold or will hold, or with --all those that are over, too"),
    Command("wishes", "list the commands that wait for their nodes, or with --all what became of others, too"),
    Command(
      "export", "write events in a format of other programs",
      details: [
        "csv: every event. gpx, kml: the nodes' tracks. geojson: positions and crossings of fences. mseed: the "
          + "waveforms of shakes. A time that nothing vouches for is left out, and waveforms without one are not "
          + "written."
      ]),
  ]

  private static let periods = ["events", "alerts", "track", "why", "export", "rules"]
  private static let filtered = ["events", "alerts", "export", "rules"]

  static let options: [CommandOption] = [
    .value("store", "FILE", .file, commands: names, "the database; default store.file, else \(defaultStore)")
      .setting("store.file"),
    .value("node", "PATTERN", commands: filtered + ["silence"], "only these nodes, * and ? as in file names"),
    .value(
      "state", "STATES", commands: ["nodes", "alerts"],
      "only these states, with commas: of nodes online, stopped, lost, silent, unknown; of alerts pending, firing, "
        + "clearing, resolved, with --all flapping for clearing"),
    .value("sort", "BY", .choice(NodeOrder.allCases.map(\.rawValue)), commands: ["nodes"], "name, state or seen"),
    .flag("quarantine", commands: ["nodes"], "those that spoke and were not taken in (fleet.admit)"),
    .value(
      "stream", "STREAMS", commands: ["events", "export"], "only these streams, with commas, for example shake,impact"),
    .value("since", "TIME", commands: periods, "from then on: 90s, 15m, 2h or 7d ago, or RFC 3339"),
    .value(
      "until", "TIME", commands: periods + ["silence"], "up to then, likewise; of a silence until when, RFC 3339"),
    .value("limit", "N", .integer(1...1_000_000_000), commands: ["events", "track", "why", "alerts"], "the newest N"),
    .flag("late", commands: ["events", "export"], "only what was no news when it came"),
    .flag(
      "all", commands: ["alerts", "silences", "wishes", "silence"],
      "all there is: every decision, what is over, too; of a silence every alert"),
    .value("rule", "NAME", commands: ["alerts", "rules", "silence"], "only this rule's; of a silence a pattern"),
    .value("format", "FORMAT", .choice(ExportCommand.formats), commands: ["export"], "what to write; default csv"),
    .value("output", short: "o", "FILE", .file, commands: ["export"], "where to; - is standard output, the default"),
  ]

  /// Where systemd has it.
  static let defaultStore = "/var/lib/judder-fleet/fleet.db"

  static func run(
    _ command: String, _ invocation: Invocation, _ output: StandardOutput, _ configuration: Configuration,
    _ environment: [String: String]
  ) throws(Termination) {
    if command == "rules", invocation.operands.isEmpty {
      for option in ["since", "until", "node", "site", "group"] where invocation.isGiven(option) {
        throw Termination(.usage, ["--\(option) means nothing without rules test"])
      }
      return try RulesCommand.list(configuration, invocation, output)
    }
    let history = try History(invocation, output, configuration, environment)
    switch command {
    case "nodes": try NodesCommand.run(history)
    case "node": try NodeCommand.run(history)
    case "events": try EventsCommand.run(history)
    case "alerts": try AlertsCommand.run(history)
    case "track": try EventsCommand.track(history)
    case "rules": try RulesCommand.run(history)
    case "silences": try SilencesCommand.run(history)
    case "wishes": try SilencesCommand.wishes(history)
    case "why": try WhyCommand.run(history)
    default: try ExportCommand.run(history)
    }
  }
}
