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
    if !configuration.logic.set.isEmpty {
      let list = configuration.logic.set.map { printableLine($0) }.joined(separator: ", ")
      try report.add(Finding(.good, "settings", "set over the broker, before everything else: \(list)"))
    }
    for warning in configuration.warnings { try report.add(Finding(.warning, "configuration", warning)) }
    try report.add(SpoolFinding.finding(configuration.spool, of: configuration.name.description))
    for finding in record(configuration) + accelerometer(configuration) { try report.add(finding) }
    let (location, fix) = gpsd(configuration)
    for finding in location { try report.add(finding) }
    if let fences = geofence(configuration.logic.location?.fences ?? [], from: fix?.coordinate) {
      try report.add(fences)
    }
    try report.add(clock(configuration, fix))
    for finding in broker(configuration, fix) { try report.add(finding) }
    try report.end()
  }

  private static func record(_ configuration: NodeConfiguration) -> [Finding] {
    configuration.gpsd == nil ? [] : [LocationRecordCheck.finding(configuration.recordFile)]
  }

  private static func clock(_ configuration: NodeConfiguration, _ fix: Fix?) -> Finding {
    clock(ClockProbe().read(), at: MonotonicClock.process.now(), configuration, fix: fix)
  }

  private static func accelerometer(_ configuration: NodeConfiguration) -> [Finding] {
    AccelerometerProbe.findings(configuration.accelerometer, clock: .process).map {
      Finding($0.severity.asFound, "accelerometer", $0.text, remedy: $0.remedy)
    }
  }

  /// What gpsd said, and the fix that it gave.
  private static func gpsd(_ configuration: NodeConfiguration) -> ([Finding], Fix?) {
    guard let address = configuration.gpsd else { return ([Finding(.good, "gpsd", "location is off")], nil) }
    let clock = MonotonicClock.process
    let found = GpsdProbe.run(
      host: address.host, port: UInt16(clamping: address.port), device: address.session.device,
      maxAccuracyM: configuration.logic.location?.maxAccuracyM ?? 0, clock: ClockProbe(clock: clock).read(),
      now: clock.now)
    let findings = found.map {
      let severity = $0.isProblem ? Finding.Severity.problem : $0.isWarning ? .warning : .good
      return Finding(severity, "gpsd", "\(address.endpoint): \($0.text)", remedy: $0.remedy)
    }
    return (findings, found.compactMap(\.fix).first)
  }

  /// Publishes to a topic beside the node's streams.
  private static func broker(_ configuration: NodeConfiguration, _ fix: Fix?) -> [Finding] {
    let time = trustedTimeS(ClockProbe().read(), at: MonotonicClock.process.now(), fix: fix)
    var trial = BrokerTrial(
      configuration.broker, targets: [.init("\(configuration.prefix)/\(configuration.name)/check")],
      trustedTimeS: time)
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
