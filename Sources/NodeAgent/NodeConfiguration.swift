internal import BrokerLink
internal import Daemon
internal import MQTT
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// The configuration in the shapes that the parts take.
struct NodeConfiguration {
  var prefix: TopicPrefix
  var name: NodeName
  var logic: NodeSettings
  /// How waveforms are recorded, where they are: `logic` has it too when they are to be published.
  var waveform: WaveformSettings
  var accelerometer: AccelerometerSettings
  /// Nil: location is off.
  var gpsd: GpsdAddress?
  /// What is kept of the location over a restart; nil: nothing is.
  var recordFile: String?
  /// Where events are kept; nil: in memory alone.
  var spool: SpoolSettings?
  var broker: BrokerSettings
  /// Do what comes on the node's command topic.
  var takesCommands: Bool
  var logLevel: LogLevel
  /// What is doubtful, one line each.
  var warnings: [String]

  /// Where gpsd is, and how to talk to it.
  struct GpsdAddress: Equatable {
    var host: String
    var port: Int
    var session: GpsdSession.Settings

    /// As people write it.
    var endpoint: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
  }

  /// - Parameter environment: where passwords may be.
  /// - Parameter hostName: what the node is called when the configuration does not say.
  init(
    _ configuration: Configuration, environment: [String: String], hostName: String
  ) throws(ConfigurationFailure) {
    name = try NodeConfiguration.name(configuration, hostName)
    prefix = try NodeConfiguration.prefix(configuration)
    logic = NodeConfiguration.logic(configuration)
    waveform = WaveformSettings(keysOf: configuration)
    accelerometer = NodeConfiguration.accelerometer(configuration)
    try NodeConfiguration.check(accelerometer, logic.motion, configuration)
    gpsd = NodeConfiguration.gpsd(configuration)
    logic.gpsd = gpsd?.endpoint
    let fences = try Geofence.all(configuration)
    logic.location?.fences = fences
    recordFile = NodeConfiguration.recordFile(configuration, environment)
    spool = SpoolSettings(configuration, environment)
    logic.outbox = OutboxSettings(configuration, spool)
    broker = try BrokerSettings(configuration, clientID: "judder-node-\(name)", environment: environment)
    takesCommands = configuration.flag("node.commands")
    logic.budget = NodeConfiguration.budget(
      configuration, broker, topicBytes: "\(prefix)/\(name)/".utf8.count)
    warnings = BrokerSection.warnings(configuration, environment: environment)
    if gpsd == nil, !fences.isEmpty { warnings.append("gpsd.enabled is false: no geofence is watched") }
    logLevel = LogLevel(rawValue: configuration.text("log.level")) ?? .info
    listen()
  }

  /// Subscribes to what the node has to hear, under the name that it has now.
  mutating func listen() {
    let acknowledgements = AckTopic(prefix: prefix, node: name).description
    broker.subscriptions = [BrokerSettings.Subscription(acknowledgements)]
    if takesCommands {
      broker.subscriptions.append(BrokerSettings.Subscription(CommandTopic(prefix: prefix, node: name).description))
    }
  }

  /// What does not go together in the sensor's part.
  static func check(
    _ accelerometer: AccelerometerSettings, _ motion: MotionSettings?, _ configuration: Configuration
  ) throws(ConfigurationFailure) {
    if accelerometer.source == .recording, accelerometer.recordingFile == nil {
      throw ConfigurationFailure([configuration.problem("accelerometer.recording_file", "is needed for a recording")])
    }
    if let problem = motion?.shake.problems.first {
      throw ConfigurationFailure([configuration.problem("shake.preset", "with the other values: \(problem)")])
    }
    if let problem = motion?.freeFall.problems.first {
      throw ConfigurationFailure([configuration.problem("freefall.max_s", "with the other values: \(problem)")])
    }
  }

  static func name(_ configuration: Configuration, _ hostName: String) throws(ConfigurationFailure) -> NodeName {
    if let name = configuration.optionalText("node.id").flatMap({ NodeName($0) }) { return name }
    if let name = NodeName(fromHostName: hostName) { return name }
    let text = "is not set, and the host name '\(hostName)' holds no letter or digit to make it of; set it"
    throw ConfigurationFailure([configuration.problem("node.id", text)])
  }

  static func prefix(_ configuration: Configuration) throws(ConfigurationFailure) -> TopicPrefix {
    do throws(PrefixProblem) {
      return try TopicPrefix(configuration.text("node.prefix"))
    } catch {
      throw ConfigurationFailure([configuration.problem("node.prefix", "is no prefix: \(error)")])
    }
  }

  static func logic(_ configuration: Configuration) -> NodeSettings {
    var settings = NodeSettings()
    settings.convention = Convention(rawValue: configuration.text("node.convention")) ?? .standard
    if configuration.text("accelerometer.source") != AccelerometerSettings.Source.none.rawValue {
      settings.motion = motion(configuration)
    }
    if configuration.flag("gpsd.enabled") { settings.location = location(configuration) }
    settings.healthIntervalS = configuration.number("health.interval_s")
    return settings
  }

  static func motion(_ configuration: Configuration) -> MotionSettings {
    var motion = MotionSettings(ShakePreset(rawValue: configuration.text("shake.preset")) ?? .handheld)
    for key in ShakeSettings.Key.allCases {
      let path = "shake.\(key.rawValue)"
      if key == .reversals {
        if let value = configuration.optionalInteger(path) { motion.shake[key] = Double(value) }
      } else if let value = configuration.optionalNumber(path) {
        motion.shake[key] = value
      }
    }
    motion.waveform = WaveformSettings(configuration)
    motion.impact = ImpactSettings(configuration)
    motion.freeFall = FreeFallSettings(configuration)
    motion.orientation.enterDeg = configuration.number("orientation.enter_deg")
    motion.orientation.leaveDeg = configuration.number("orientation.leave_deg")
    motion.orientation.settleS = configuration.number("orientation.settle_s")
    motion.acceleration.filter =
      AccelerationMessage.Filter(rawValue: configuration.text("acceleration.filter")) ?? .raw
    motion.acceleration.windowS = configuration.number("acceleration.window_s")
    motion.acceleration.restWindowS = configuration.number("acceleration.rest_window_s")
    motion.acceleration.cutoffHz = configuration.number("acceleration.cutoff_hz")
    motion.acceleration.measures = (try? AccelerationMeasure.parse(configuration.text("acceleration.measures"))) ?? []
    motion.acceleration.liveHz = configuration.number("acceleration.live_hz")
    motion.acceleration.liveBatchS = configuration.number("acceleration.live_batch_s")
    return motion
  }

  private static func budget(
    _ configuration: Configuration, _ broker: BrokerSettings, topicBytes: Int
  ) -> DataBudget.Settings? {
    let limitMB = configuration.number("node.budget_mb_per_month")
    guard limitMB > 0 else { return nil }
    return DataBudget.Settings(
      limitBytes: limitMB * 1_000_000, topicBytes: topicBytes, keepaliveS: Double(broker.keepaliveS),
      isEncrypted: broker.security != .none)
  }

  private static func location(_ configuration: Configuration) -> LocationTracker.Settings {
    var settings = LocationTracker.Settings(
      distanceFilterM: configuration.number("location.distance_filter_m"),
      intervalS: configuration.number("location.interval_s"),
      maxAccuracyM: configuration.number("location.max_accuracy_m"),
      lostAfterS: configuration.number("location.lost_after_s"),
      device: configuration.optionalText("gpsd.device"))
    settings.maxSpeedMPS = configuration.number("location.max_speed_mps")
    settings.maxAccelerationMPS2 = configuration.number("location.max_acceleration_mps2")
    settings.tripPauseS = configuration.number("location.trip_pause_s")
    return settings
  }

  /// As configured, or in the first folder that systemd gives this service for its state; see systemd.exec(5).
  static func recordFile(_ configuration: Configuration, _ environment: [String: String]) -> String? {
    if let file = configuration.optionalText("location.record_file") { return file }
    guard let folder = environment["STATE_DIRECTORY"]?.split(separator: ":").first else { return nil }
    return "\(folder)/location.json"
  }

  static func gpsd(_ configuration: Configuration) -> GpsdAddress? {
    guard configuration.flag("gpsd.enabled") else { return nil }
    return GpsdAddress(
      host: configuration.text("gpsd.host"), port: configuration.integer("gpsd.port"),
      session: GpsdSession.Settings(
        device: configuration.optionalText("gpsd.device"), lostAfterS: configuration.number("location.lost_after_s")))
  }

  static func accelerometer(_ configuration: Configuration) -> AccelerometerSettings {
    var settings = AccelerometerSettings()
    settings.source = AccelerometerSettings.Source(rawValue: configuration.text("accelerometer.source")) ?? .iio
    settings.device = configuration.optionalText("accelerometer.device")
    settings.rateHz = configuration.number("accelerometer.rate_hz")
    settings.sysfsRoot = configuration.text("accelerometer.sysfs_root")
    settings.inputRoot = configuration.text("accelerometer.input_root")
    settings.devRoot = configuration.text("accelerometer.dev_root")
    settings.evdevUnitsPerG = configuration.optionalNumber("accelerometer.evdev_units_per_g")
    settings.wake = configuration.flag("accelerometer.wake")
    settings.wakeThresholdG = configuration.optionalNumber("accelerometer.wake_threshold_g")
    settings.idleAfterS = configuration.number("accelerometer.idle_after_s")
    // A sleeping sensor is read as often as a resting one is published, and not all the time.
    settings.idleReadingS = max(10, configuration.number("acceleration.rest_window_s"))
    settings.mountMatrix = configuration.optionalText("accelerometer.mount_matrix").flatMap {
      try? MountMatrix(parsing: $0)
    }
    if let text = configuration.optionalText("accelerometer.scale_correction"),
      let scale = try? AxisCorrection.scale(parsing: text)
    {
      settings.correction.scale = scale
    }
    if let text = configuration.optionalText("accelerometer.offset_g"),
      let offsetG = try? AxisCorrection.offsetG(parsing: text)
    {
      settings.correction.offsetG = offsetG
    }
    settings.recordingFile = configuration.optionalText("accelerometer.recording_file")
    if let scenario = MotionScenario(rawValue: configuration.text("accelerometer.scenario")) {
      settings.scenario = scenario
    }
    settings.seed = UInt64(configuration.integer("accelerometer.seed"))
    return settings
  }
}
