internal import Daemon
internal import FleetLogic
internal import Telemetry

// What the configuration says about nodes.
extension Label {
  /// The section of fleet.toml.
  static let section = ConfigurationSection(
    "node", .keyed(by: "ID"), summary: "What people call a node, and where it belongs.",
    [
      .text("title", note: "none", "What people call it, in alerts and tables."),
      .text("site", note: "none", "Where it is: a to z, 0 to 9 and -. Rules, silences and groups of alerts go by it.")
        .checked { levelComplaint($0) },
      .text("group", note: "none", "What it belongs to, likewise.").checked { levelComplaint($0) },
    ])

  private static func levelComplaint(_ value: ConfigurationValue) -> String? {
    guard case .text(let text) = value else { return nil }
    if text == "fleet" { return "must be another word: fleet is what all nodes are" }
    return FleetTopic.isLevel(text) ? nil : "must be a to z, 0 to 9 and -, at most 63 characters, and not begin with -"
  }

  /// Those of all nodes.
  static func all(_ configuration: Configuration) throws(ConfigurationFailure) -> [NodeName: Label] {
    var labels: [NodeName: Label] = [:]
    for table in configuration.rows("node") {
      guard let id = table.id, let name = NodeName(id) else {
        throw ConfigurationFailure([
          ConfigurationProblem(
            place: table.place ?? "configuration",
            text: "\(table.label) is no node's name: those are a to z, 0 to 9 and -, at most 63 characters")
        ])
      }
      labels[name] = Label(
        title: table.optionalText("title"), site: table.optionalText("site"), group: table.optionalText("group"))
    }
    return labels
  }
}

// What the configuration says about alerts in general.
extension FleetState.Flapping {
  /// The section of fleet.toml.
  static let section = ConfigurationSection(
    "alerts", summary: "What holds for all alerts about conditions that last.",
    [
      .integer(
        "flap_count", 0...100, default: 5,
        "An alert that fires so often within flap_window_s comes and goes: told once, and then as one. 0: never."
      ),
      .number("flap_window_s", 60...86_400, unit: "s", default: 3600, "See flap_count."),
      .number(
        "flap_calm_s", 10...86_400, unit: "s", default: 1800,
        "After so long without a change it is calm, and what it is then is told."),
    ])

  init(_ configuration: Configuration) {
    self.init()
    count = configuration.integer("alerts.flap_count")
    windowS = configuration.number("alerts.flap_window_s")
    calmS = configuration.number("alerts.flap_calm_s")
  }
}
