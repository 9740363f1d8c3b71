internal import Daemon
internal import FleetLogic
internal import Telemetry

// What the configuration says about which nodes are taken in.
extension Admission {
  /// Keys of [fleet].
  static let keys: [ConfigurationKey] = [
    .choice(
      "admit", ["all", "listed"], default: "all",
      "all: every node is watched. listed: only those with a table [node.\"ID\"], and those that allow names; of others "
        + "nothing is kept, acknowledged or told, and judder-fleet nodes --quarantine lists them."),
    .texts(
      "allow", note: "none", "Only with admit listed: patterns of names, such as \"pump-*\"; * and ? as in [[rule]]."
    ).checked {
      guard case .texts(let texts) = $0, let wrong = texts.first(where: { !isPattern($0) }) else { return nil }
      return "must be patterns of a to z, 0 to 9, -, * and ?, which \(SafeText.quoted(wrong)) is not"
    },
    .integer(
      "max_nodes", 1...1_000_000, default: 20_000,
      "Nodes kept at the most, besides those with a table [node.\"ID\"]. Further ones are treated as if not listed."),
  ]

  private static func isPattern(_ text: String) -> Bool {
    (1...63).contains(text.utf8.count)
      && text.allSatisfy { "a"..."z" ~= $0 || "0"..."9" ~= $0 || $0 == "-" || $0 == "*" || $0 == "?" }
  }

  /// What holds.
  init(_ configuration: Configuration) throws(ConfigurationFailure) {
    let patterns = configuration.optionalTexts("fleet.allow")
    guard configuration.text("fleet.admit") == "listed" else {
      guard patterns == nil else {
        throw ConfigurationFailure([
          configuration.problem(
            "fleet.allow", "does nothing while every node is admitted: set fleet.admit to \"listed\"")
        ])
      }
      self = .all
      return
    }
    guard patterns?.isEmpty == false || !configuration.rows("node").isEmpty else {
      throw ConfigurationFailure([
        configuration.problem("fleet.admit", "lets no node in: set fleet.allow, or write a [node.\"ID\"] for each")
      ])
    }
    self = .listed((patterns ?? []).map { NamePattern($0) })
  }
}
