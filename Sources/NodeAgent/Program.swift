internal import Daemon
internal import Glibc
internal import Telemetry
internal import Waveforms

/// judder-node: the agent on a field device.
@main
enum Program {
  static func main() {
    NodeCommands.table.main { (invocation, output) throws(Termination) in try run(invocation, output) }
  }

  private static func run(_ invocation: Invocation, _ output: StandardOutput) throws(Termination) {
    let environment = processEnvironment()
    let source = ConfigurationSource(
      NodeSchema.schema, defaultFile: NodeCommands.defaultFile, environment: environment)
    let file = source.file(invocation)
    let node = NodeSource(source: source, file: file, flags: invocation.overrides, hostName: hostName())
    switch invocation.command {
    case "config": try output.write(NodeSchema.schema.commentedFile())
    case "check" where invocation.isGiven("print-config"):
      try source.print(file: file, flags: invocation.overrides, to: output)
    case "check": try CheckCommand.run(file: file, to: output, load: node.load)
    case "replay": try replay(invocation, source, output)
    case "simulate": try simulate(invocation, source, output)
    case "tap", "fix", "record", "calibrate":
      try SensorTools(invocation, source, output, hostName: hostName()).run()
    default: try Agent(log: Log(environment: environment), node).run()
    }
  }

  private static func replay(
    _ invocation: Invocation, _ source: ConfigurationSource, _ output: StandardOutput
  ) throws(Termination) {
    let configuration: NodeConfiguration
    do throws(ConfigurationFailure) {
      // The defaults, unless a file is named: a recording has nothing to do with the node that happens to be here.
      let found = try source.read(file: invocation.text("config"), flags: invocation.overrides)
      configuration = try node(found, source.environment)
    } catch {
      throw error.termination
    }
    var waveforms: WaveformFiles?
    if let folder = invocation.text("waveforms") {
      waveforms = try WaveformFiles(folder: folder, network: try network(invocation))
    }
    var command = ReplayCommand(
      configuration, file: invocation.operands.first ?? "", waveforms: waveforms, output: output)
    try command.run()
  }

  private static func simulate(
    _ invocation: Invocation, _ source: ConfigurationSource, _ output: StandardOutput
  ) throws(Termination) {
    var environment = source.environment
    if let password = invocation.text("pw") { environment["JUDDER_PASSWORD"] = password }
    let found: Configuration
    let configuration: NodeConfiguration
    do throws(ConfigurationFailure) {
      // The defaults, unless a file is named: a crowd has nothing to do with the node that happens to be here.
      found = try source.read(file: invocation.text("config"), flags: invocation.overrides)
      configuration = try node(found, environment)
    } catch {
      throw error.termination
    }
    try SimulateCommand(invocation, found, configuration, environment: environment, output: output).run()
  }

  private static func network(_ invocation: Invocation) throws(Termination) -> String {
    guard let network = invocation.text("network") else { return SEEDNames.unassignedNetwork }
    guard SEEDNames.isNetwork(network) else {
      throw Termination(.usage, ["--network must be one or two of A to Z and 0 to 9, not '\(network)'"])
    }
    return network
  }

  private static func node(
    _ configuration: Configuration, _ environment: [String: String]
  ) throws(ConfigurationFailure) -> NodeConfiguration {
    try NodeConfiguration(configuration, environment: environment, hostName: hostName())
  }

  /// gethostname(2); empty when it fails.
  private static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
