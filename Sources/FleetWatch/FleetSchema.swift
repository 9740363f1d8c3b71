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
      StoreSettings.section, Label.section, Rule.section, FleetState.Flapping.section, Window.section,
      SinkSettings.section, WaveformKeeping.section, HTTPFace.section, log,
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
    ] + Admission.keys + [
      .number(
        "grace_s", 0...3600, unit: "s", default: 30,
        "After the connection to the broker is made, silence does not count for so long: nodes come back one by one."),
      .flag(
        "commands", default: false,
        "Do what comes on <alerts_prefix>/command: acknowledge, silence and their like, and commands that wait for "
          + "their nodes. Who may publish there is up to the broker."),
    ])

  private static let log = ConfigurationSection(
    "log", summary: "What the fleet tool says on standard error.",
    [
      .choice(
        "level", LogLevel.allCases.map(\.rawValue), default: LogLevel.info.rawValue,
        "The least important level that is printed. debug has the reason of every decision.")
    ])
}
