internal import Daemon
internal import NodeLogic

/// The commands that look at sensors and need no broker: tap, fix, record, calibrate.
struct SensorTools {
  private let invocation: Invocation
  private let source: ConfigurationSource
  private let output: StandardOutput
  private let hostName: String

  /// - Parameter hostName: what the node is called when the configuration does not say.
  init(_ invocation: Invocation, _ source: ConfigurationSource, _ output: StandardOutput, hostName: String) {
    self.invocation = invocation
    self.source = source
    self.output = output
    self.hostName = hostName
  }

  func run() throws(Termination) {
    switch invocation.command {
    case "record": try record()
    case "calibrate": try calibrate()
    case "fix": try fix()
    default: try tap()
    }
  }

  private func tap() throws(Termination) {
    try TapCommand(
      try configuration(), style, seconds: invocation.number("seconds"), log: log, output: output
    ).run()
  }

  private func fix() throws(Termination) {
    let configuration: FixConfiguration
    do throws(ConfigurationFailure) {
      configuration = try FixConfiguration(read(), environment: source.environment, hostName: hostName)
    } catch {
      throw error.termination
    }
    try FixCommand(configuration, style, seconds: invocation.number("seconds"), log: log, output: output).run()
  }

  private var style: ToolStyle {
    ToolStyle.fitting(
      isJSON: invocation.isGiven("json"), isTerminal: output.isTerminal,
      isColourWanted: Terminal.wantsColour(environment: source.environment), environment: source.environment)
  }

  private func record() throws(Termination) {
    let found = try configuration()
    try RecordCommand(
      invocation.isGiven("sensor-axes") ? found.sensorAxes : found.accelerometer,
      file: invocation.operands.first ?? "-", seconds: invocation.number("seconds"),
      isForced: invocation.isGiven("force"), log: log, output: output
    ).run()
  }

  private func calibrate() throws(Termination) {
    let hasPositions = invocation.isGiven("positions")
    let origin: CalibrateCommand.Origin
    if let file = invocation.text("from") {
      origin = .file(file)
    } else {
      let found = try configuration()
      // Six positions give the whole matrix; at rest the question is what is wrong with the node as it is.
      origin = .sensor(hasPositions ? found.sensorAxes : found.accelerometer, log)
    }
    let command = CalibrateCommand(origin, output: output)
    if hasPositions { return try command.sixPositions(seconds: invocation.number("seconds") ?? 3) }
    try command.rest(seconds: invocation.number("seconds") ?? 30, bandwidthHz: invocation.number("bandwidth"))
  }

  private var log: Log {
    let log = Log(environment: source.environment)
    // What is found goes into the result; only what is wrong is worth a line here.
    log.level = .warning
    return log
  }

  private func configuration() throws(Termination) -> SensorConfiguration {
    do throws(ConfigurationFailure) {
      return try SensorConfiguration(read())
    } catch {
      throw error.termination
    }
  }

  private func read() throws(ConfigurationFailure) -> Configuration {
    try source.read(file: source.file(invocation), flags: invocation.overrides)
  }
}
