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
  /// Nil: nothing is answered over HTTP.
  var http: HTTPFace?
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
      rules: [], publishes: sinks.contains { $0.kind == .mqtt })
    fleet.labels = try Label.all(configuration)
    fleet.admission = try Admission(configuration)
    fleet.windows = try Window.list(configuration)
    fleet.rules = try Rule.list(configuration, sinks: sinks.map(\.name), windows: fleet.windows)
    fleet.control = configuration.flag("fleet.commands") ? .allowed : .refused
    fleet.flapping = FleetState.Flapping(configuration)
    var environment = environment
    if let password { environment["JUDDER_PASSWORD"] = password }
    broker = try BrokerSettings(configuration, clientID: clientID, environment: environment)
    if let password { broker.password = Array(password.utf8) }
    waveforms = WaveformKeeping(configuration)
    store = StoreSettings(configuration, environment: environment)
    http = try HTTPFace(configuration, environment: environment)
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
    if let warning = http?.warning { warnings.append(warning) }
  }

  /// What `watch` does not: it keeps nothing, and publishes nothing.
  mutating func watch() {
    store = nil
    http = nil
    fleet.control = .none
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
