internal import Daemon
internal import Glibc
internal import Telemetry

/// judder-fleet: watches a fleet of nodes.
@main
enum Program {
  static func main() {
    FleetCommands.table.main { (invocation, output) throws(Termination) in try run(invocation, output) }
  }

  private static func run(_ invocation: Invocation, _ output: StandardOutput) throws(Termination) {
    let environment = processEnvironment()
    let source = ConfigurationSource(
      FleetSchema.schema, defaultFile: FleetCommands.defaultFile, environment: environment)
    let file = source.file(invocation)
    let runs = !(["watch", "check", "config"] + ControlCommands.names).contains(invocation.command)
    // For run the same at each start, so that the broker keeps what comes meanwhile. Otherwise one for the whole run:
    // a reload does not change it.
    let clientID =
      runs ? FleetConfiguration.clientID(hostName: hostName()) : "judder-fleet-\(try RandomSource.bootID())"
    let load = { () throws(ConfigurationFailure) in
      try FleetConfiguration(
        source.read(file: file, flags: flags(invocation)), clientID: clientID, password: invocation.text("pw"),
        environment: environment)
    }
    if let command = invocation.command, HistoryCommands.names.contains(command) {
      let configuration: Configuration
      do throws(ConfigurationFailure) {
        configuration = try source.read(file: file, flags: flags(invocation))
      } catch {
        throw error.termination
      }
      return try HistoryCommands.run(command, invocation, output, configuration, environment)
    }
    if let command = invocation.command, ControlCommands.names.contains(command) {
      let configuration: FleetConfiguration
      do throws(ConfigurationFailure) {
        configuration = try load()
      } catch {
        throw error.termination
      }
      return try ControlCommands.run(command, invocation, output, environment, host: hostName(), configuration)
    }
    switch invocation.command {
    case "config": try output.write(FleetSchema.schema.commentedFile())
    case "check" where invocation.isGiven("print-config"):
      try source.print(file: file, flags: flags(invocation), to: output)
    case "check": try CheckCommand.run(file: file, to: output, load: load)
    case "watch": try start(invocation, viewer(invocation, output), environment, load)
    default: try start(invocation, nil, environment, load)
    }
  }

  private static func start(
    _ invocation: Invocation, _ viewer: Viewer?, _ environment: [String: String],
    _ load: @escaping () throws(ConfigurationFailure) -> FleetConfiguration
  ) throws(Termination) {
    try Watcher(viewer, log: Log(environment: environment), environment: environment) {
      () throws(ConfigurationFailure) in
      var configuration = try load()
      if viewer == nil { configuration.run() } else { configuration.watch() }
      if viewer == nil, invocation.isGiven("json") { configuration.writeJSON() }
      return configuration
    }.run()
  }

  private static func viewer(_ invocation: Invocation, _ output: StandardOutput) -> Viewer {
    if invocation.isGiven("json") { return Viewer(.json, output) }
    let environment = processEnvironment()
    guard output.isTerminal, Terminal.canDraw(environment: environment) else { return Viewer(.lines, output) }
    let wantsColour = Terminal.wantsColour(environment: environment) && !invocation.isGiven("no-color")
    guard let terminal = KeyboardTerminal() else { return Viewer(.table(isColoured: wantsColour), output) }
    let isUnicode = Terminal.isUnicode(environment: environment)
    let author = (try? ControlRequest.author(nil, environment, host: hostName())) ?? "watch"
    let run = (try? RandomSource.bootID()).map { "\($0)" } ?? "0"
    return Viewer(
      .screen(LiveScreen(terminal, isColoured: wantsColour, isUnicode: isUnicode, author: author, run: run)), output)
  }

  /// gethostname(2); empty when it fails.
  private static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// What the command line sets; mosquitto_sub's names of the versions are not those of the configuration.
  private static func flags(_ invocation: Invocation) -> [ConfigurationOverride] {
    guard let version = invocation.text("protocol-version"), let text = FleetCommands.versions[version] else {
      return invocation.overrides
    }
    let flag = ConfigurationOverride(path: "broker.version", text: text, flag: "--protocol-version")
    return invocation.overrides + [flag]
  }
}
