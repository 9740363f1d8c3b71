internal import BrokerLink
internal import Daemon
internal import FleetLogic
internal import MQTT
internal import Sinks
internal import Store
internal import Telemetry

/// The configuration in the shapes that the parts take.
struct FleetConfiguration {
  var fleet: FleetState.Configuration
  var broker: BrokerSettings
  var sinks: [SinkSettings]
  /// Nil: waveforms are not written.
  var waveforms: WaveformKeeping?
  /// Nil: nothing is kept.
  var store: StoreSettings?
  var logLevel: LogLevel
  /// What is doubtful, one line each.
  var warnings: [String]

  /// - Parameters:
  ///   - clientID: when none is set.
  ///   - password: from the command line; goes before every other place.
  ///   - environment: where passwords may be.
  init(
    _ configuration: Configuration, clientID: String, password: String?, environment: [String: String]
  ) throws(ConfigurationFailure) {
    sinks = try SinkSettings.list(configuration, environment: environment)
    fleet = FleetState.Configuration(
      prefix: try FleetConfiguration.prefix(configuration),
      alertsPrefix: try FleetConfiguration.alertsPrefix(configuration),
      maxNodes: configuration.integer("fleet.max_nodes"), graceS: configuration.number("fleet.grace_s"),
      rules: try FleetConfiguration.rules(configuration), publishes: sinks.contains { $0.kind == .mqtt })
    var environment = environment
    if let password { environment["JUDDER_PASSWORD"] = password }
    broker = try BrokerSettings(configuration, clientID: clientID, environment: environment)
    if let password { broker.password = Array(password.utf8) }
    waveforms = WaveformKeeping(configuration)
    store = StoreSettings(configuration, environment: environment)
    warnings = BrokerSection.warnings(configuration, environment: environment)
    logLevel = LogLevel(rawValue: configuration.text("log.level")) ?? .info
  }

  // The schema has checked both; what it lets through can be read.
  private static func prefix(_ configuration: Configuration) throws(ConfigurationFailure) -> PrefixPattern {
    do throws(PrefixProblem) {
      return try PrefixPattern(configuration.text("fleet.prefix"))
    } catch {
      throw ConfigurationFailure([configuration.problem("fleet.prefix", "is no prefix: \(error)")])
    }
  }

  private static func alertsPrefix(_ configuration: Configuration) throws(ConfigurationFailure) -> TopicPrefix {
    do throws(PrefixProblem) {
      return try TopicPrefix(configuration.text("fleet.alerts_prefix"))
    } catch {
      throw ConfigurationFailure([configuration.problem("fleet.alerts_prefix", "is no prefix: \(error)")])
    }
  }

  // MARK: Rules

  private static func rules(_ configuration: Configuration) throws(ConfigurationFailure) -> [Rule] {
    var problems: [ConfigurationProblem] = []
    var rules: [Rule] = []
    for table in configuration.rows("rule") {
      guard let kind = Rule.Kind(rawValue: table.text("kind")) else { continue }
      problems += misplaced(table, kind)
      let rule = rule(table, kind)
      if rules.contains(where: { $0.name == rule.name }) {
        let key = table.isSet("name") ? "name" : "kind"
        problems.append(table.problem(key, "gives the name '\(rule.name)' to a second rule; set another name"))
      }
      rules.append(rule)
    }
    guard problems.isEmpty else { throw ConfigurationFailure(problems) }
    return rules.isEmpty ? Rule.defaults : rules
  }

  private static func rule(_ table: ConfigurationTable, _ kind: Rule.Kind) -> Rule {
    var rule = Rule(name: table.optionalText("name") ?? kind.rawValue, kind: kind)
    rule.nodes = NamePattern(table.text("nodes"))
    rule.severity = table.optionalText("severity").flatMap { Rule.Severity(rawValue: $0) } ?? rule.severity
    rule.forS = table.optionalNumber("for_s") ?? rule.forS
    rule.clearForS = table.optionalNumber("clear_for_s") ?? rule.clearForS
    rule.holdS = table.optionalNumber("hold_s") ?? rule.holdS
    rule.minPeakG = table.optionalNumber("min_peak_g") ?? rule.minPeakG
    rule.fence = table.optionalText("fence")
    rule.maxAgeS = table.optionalNumber("max_age_s") ?? rule.maxAgeS
    return rule
  }

  /// Keys that mean nothing for a rule of this kind.
  private static func misplaced(_ table: ConfigurationTable, _ kind: Rule.Kind) -> [ConfigurationProblem] {
    let kinds: [(key: String, kind: Rule.Kind)] = [
      ("hold_s", .silent), ("min_peak_g", .shake), ("max_age_s", .shake), ("fence", .geofence),
    ]
    return kinds.filter { table.isSet($0.key) && $0.kind != kind }.map {
      table.problem($0.key, "is for rules of the kind \($0.kind.rawValue), and this one is \(kind.rawValue); remove it")
    }
  }
}

extension FleetConfiguration {
  /// For how long the broker keeps what comes while `run` is away [s]: a day.
  static let sessionExpiryS: UInt32 = 86_400

  /// What only `run` does: it keeps, and the broker keeps for it while it is away.
  mutating func run() {
    broker.sessionExpiryS = FleetConfiguration.sessionExpiryS
    fleet.keeps = store != nil
    if store == nil { warnings.append(StoreSettings.absence) }
    warnings += sinks.compactMap(\.memoryWarning)
  }

  /// What `watch` does not: it keeps nothing, and publishes nothing.
  mutating func watch() {
    store = nil
    fleet.publishes = false
  }

  /// The client id of `run` when none is set: the same at each start.
  static func clientID(hostName: String) -> String { "judder-fleet-\(hostName.isEmpty ? "run" : hostName)" }

  /// `--json`: what goes to standard output is JSON.
  mutating func writeJSON() {
    for index in sinks.indices where sinks[index].kind == .console && sinks[index].file == nil {
      sinks[index].kind = .json
    }
  }
}
