internal import BrokerLink
internal import Daemon
internal import FleetLogic
internal import Sinks
internal import Store
internal import Telemetry

/// Every key of fleet.toml.
enum FleetSchema {
  static let schema = ConfigurationSchema(
    heading: [
      "Configuration of judder-fleet: every key, with its type, unit, range and default.",
      "As it stands this file changes nothing; take the # away from what you set. A flag (--set KEY=VALUE) goes before "
        + "an environment variable (JUDDER_SECTION_KEY), that before this file, this before the default. "
        + "judder-fleet check reads all of it and says what is wrong.",
    ],
    sections: [
      fleet,
      BrokerSection.section(
        clientID: "judder-fleet- and the host name, for watch and check 8 random digits", reconnectSpreadS: 0),
      StoreSettings.section, rule, SinkSettings.section, WaveformKeeping.section, log,
    ])

  private static let fleet = ConfigurationSection(
    "fleet", summary: "Which nodes are watched.",
    [
      .text("prefix", default: "judder", "First levels of the nodes' topics; a level may be +, for any.").checked {
        value in
        guard case .text(let text) = value else { return nil }
        do throws(PrefixProblem) {
          _ = try PrefixPattern(text)
          return nil
        } catch {
          return "must be one or more levels, for example +/judder: \(error)"
        }
      },
      .text("alerts_prefix", default: "judder-fleet", "First levels of the topics for alerts and the fleet's status.")
        .checked { value in
          guard case .text(let text) = value else { return nil }
          do throws(PrefixProblem) {
            _ = try TopicPrefix(text)
            return nil
          } catch {
            return "must be one or more levels without wildcards: \(error)"
          }
        },
      .integer(
        "max_nodes", 1...1_000_000, default: 20_000, "Nodes kept at the most. Further ones are refused, and counted."),
      .number(
        "grace_s", 0...3600, unit: "s", default: 30,
        "After the connection to the broker is made, silence does not count for so long: nodes come back one by one."),
    ])

  private static let rule = ConfigurationSection(
    "rule", .list,
    summary:
      "What raises an alert. Without any of these there is one rule of each kind but geofence, named like it, for "
      + "every node.",
    [
      .choice(
        "kind", Rule.Kind.allCases.map(\.rawValue),
        "shake: a node shook. lost-fix: a node says that it has no position. silent: nothing comes from a node. "
          + "geofence: a node left a fence of its own configuration."
      ).required,
      .text("name", note: "the kind", "Name in topics, lines and logs: a to z, 0 to 9 and -, at most 63.").checked {
        value in
        guard case .text(let text) = value, !FleetTopic.isLevel(text) else { return nil }
        return "must be a to z, 0 to 9 and -, at most 63 characters, and not begin with -"
      },
      .text("nodes", default: "*", "The nodes that it concerns: a name, with * for any characters and ? for one."),
      .choice(
        "severity", Rule.Severity.allCases.map(\.rawValue), note: "critical for silent, else warning",
        "How much it matters."),
      .number(
        "for_s", 0...604_800, unit: "s",
        note: "shake and geofence 0; lost-fix 60; silent two and a half times the node's health.interval_s",
        "How long the condition must hold before the alert fires. For lost-fix it counts from the node's message that "
          + "it has no position, which comes some time after the last one; the alert says how long that is ago."),
      .number(
        "clear_for_s", 0...604_800, unit: "s", note: "shake and silent 10; lost-fix 30; geofence 0",
        "How long the condition must be over before the alert resolves."),
      .number(
        "hold_s", 0...86_400, unit: "s", note: "30",
        "Only silent: how long a node whose connection broke may take to come back before the alert fires."),
      .number("min_peak_g", 0...10_000, unit: "g", note: "0", "Only shake: weaker shakes do not count."),
      .number(
        "max_age_s", 0...604_800, unit: "s", note: "300",
        "Only shake: one that is older when it arrives, by clocks that can be trusted, does not fire."),
      .text(
        "fence", note: "any: the one crossed last counts",
        "Only geofence: the fence's name in the nodes' configuration. The alert fires when it is left, and resolves "
          + "when it is entered."),
    ])

  private static let log = ConfigurationSection(
    "log", summary: "What the fleet tool says on standard error.",
    [
      .choice(
        "level", LogLevel.allCases.map(\.rawValue), default: LogLevel.info.rawValue,
        "The least important level that is printed. debug has the reason of every decision.")
    ])
}
