internal import BrokerLink
internal import Daemon
internal import MQTT
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// `judder-node check`: everything a node needs, tried once; a line for each finding.
enum CheckCommand {
  /// - Parameter file: the configuration that is read; nil: there is none.
  /// - Throws: `findings` when anything is wrong.
  static func run(
    file: String?, to output: StandardOutput, load: () throws(ConfigurationFailure) -> NodeConfiguration
  ) throws(Termination) {
    var report = CheckReport(output)
    let configuration: NodeConfiguration
    do throws(ConfigurationFailure) {
      configuration = try load()
    } catch {
      try report.end(error)
    }
    let topics = "publishes to \(configuration.prefix)/\(configuration.name)/..."
    try report.add(Finding(.good, "configuration", "\(file ?? "defaults, no file"): \(topics)"))
    for warning in configuration.warnings { try report.add(Finding(.warning, "configuration", warning)) }
    for part in [record, clock, accelerometer, gpsd, broker] {
      for finding in part(configuration) { try report.add(finding) }
    }
    try report.end()
  }

  private static func record(_ configuration: NodeConfiguration) -> [Finding] {
    configuration.gpsd == nil ? [] : [LocationRecordCheck.finding(configuration.recordFile)]
  }

  private static func clock(_ configuration: NodeConfiguration) -> [Finding] {
    let state = ClockProbe().read()
    return [clock(state, at: MonotonicClock.process.now(), configuration)]
  }

  /// What the machine's clock is worth to the node.
  static func clock(_ state: ClockState, at now: Instant, _ configuration: NodeConfiguration) -> Finding {
    let wall = state.wall(at: now)
    switch state.quality {
    case .ntp, .gps: return Finding(.good, "clock", "\(wall.rfc3339), disciplined: messages are marked clk ntp")
    case .rtc:
      let better = configuration.gpsd == nil ? "NTP" : "GPS time or NTP"
      return Finding(.good, "clock", "\(wall.rfc3339), set once and not disciplined: clk rtc until \(better)")
    case .none: break
    }
    let better = configuration.gpsd == nil ? "NTP" : "GPS time or NTP"
    var text = "\(wall.rfc3339), nothing vouches for it: timestamps will be marked clk none until \(better)"
    if case .certificates(_) = configuration.broker.security { text += "; TLS certificates may be refused" }
    return Finding(.warning, "clock", text, remedy: "let systemd-timesyncd or chrony set it")
  }

  private static func accelerometer(_ configuration: NodeConfiguration) -> [Finding] {
    AccelerometerProbe.findings(configuration.accelerometer, clock: .process).map {
      Finding($0.severity.asFound, "accelerometer", $0.text, remedy: $0.remedy)
    }
  }

  private static func gpsd(_ configuration: NodeConfiguration) -> [Finding] {
    guard let address = configuration.gpsd else { return [Finding(.good, "gpsd", "location is off")] }
    let clock = MonotonicClock.process
    return GpsdProbe.run(
      host: address.host, port: UInt16(clamping: address.port), device: address.session.device,
      maxAccuracyM: configuration.logic.location?.maxAccuracyM ?? 0, clock: ClockProbe(clock: clock).read(),
      now: clock.now
    ).map {
      let severity = $0.isProblem ? Finding.Severity.problem : $0.isWarning ? .warning : .good
      return Finding(severity, "gpsd", "\(address.endpoint): \($0.text)", remedy: $0.remedy)
    }
  }

  /// Publishes to a topic beside the node's streams.
  private static func broker(_ configuration: NodeConfiguration) -> [Finding] {
    var trial = BrokerTrial(configuration.broker, topic: "\(configuration.prefix)/\(configuration.name)/check")
    return trial.run()
  }
}

extension AccelerometerFinding.Severity {
  fileprivate var asFound: Finding.Severity {
    switch self {
    case .good: .good
    case .warning: .warning
    case .problem: .problem
    }
  }
}
