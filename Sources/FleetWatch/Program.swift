internal import Daemon
internal import Glibc
internal import Telemetry

/// judder-fleet: watches a fleet of nodes.
@main
enum Program {
  static func main() {
    // The clock counts from its first use.
    _ = MonotonicClock.process
    do throws(Termination) {
      try run()
    } catch {
      error.exit(program: FleetCommands.table.program)
    }
  }

  private static func run() throws(Termination) {
    let invocation: Invocation
    do throws(UsageError) {
      invocation = try FleetCommands.table.parse(programArguments())
    } catch {
      throw error.termination
    }
    let output = StandardOutput()
    switch invocation.request {
    case .print(let text):
      try output.write(text)
      try output.flush()
    case .run("config"):
      try output.write(FleetSchema.schema.commentedFile())
      try output.flush()
    case .run("check"): try check(invocation, output)
    case .run("watch"): try start(invocation, viewer: viewer(invocation, output))
    case .run: try start(invocation, viewer: nil)
    }
  }

  private static func start(_ invocation: Invocation, viewer: Viewer?) throws(Termination) {
    let environment = processEnvironment()
    // One for the whole run, so that a reload does not change it.
    let clientID = "judder-fleet-\(try RandomSource.bootID())"
    let log = Log(environment: environment)
    try Watcher(viewer, log: log, environment: environment) { () throws(ConfigurationFailure) in
      var configuration = try load(invocation, clientID: clientID)
      if viewer == nil, invocation.isGiven("json") { configuration.writeJSON() }
      return configuration
    }.run()
  }

  private static func viewer(_ invocation: Invocation, _ output: StandardOutput) -> Viewer {
    if invocation.isGiven("json") { return Viewer(.json, output) }
    guard output.isTerminal else { return Viewer(.lines, output) }
    let wantsColour = Terminal.wantsColour(environment: processEnvironment()) && !invocation.isGiven("no-color")
    return Viewer(.table(isColoured: wantsColour), output)
  }

  private static func check(_ invocation: Invocation, _ output: StandardOutput) throws(Termination) {
    if invocation.isGiven("print-config") {
      let lines: [String]
      do throws(ConfigurationFailure) {
        lines = try read(invocation).describe()
      } catch {
        throw error.termination
      }
      for line in lines { try output.line(line) }
      return try output.flush()
    }
    let clientID = "judder-fleet-\(try RandomSource.bootID())"
    try CheckCommand(output: output).run(file: configurationFile(invocation)) { () throws(ConfigurationFailure) in
      try load(invocation, clientID: clientID)
    }
  }

  /// The file that is named, or the default one where it exists.
  private static func configurationFile(_ invocation: Invocation) -> String? {
    if let file = invocation.text("config") { return file }
    return access(FleetCommands.defaultFile, F_OK) == 0 ? FleetCommands.defaultFile : nil
  }

  private static func read(_ invocation: Invocation) throws(ConfigurationFailure) -> Configuration {
    var flags = invocation.overrides
    if let version = invocation.text("protocol-version"), let text = FleetCommands.versions[version] {
      flags.append(ConfigurationOverride(path: "broker.version", text: text, flag: "--protocol-version"))
    }
    return try Configuration.load(
      FleetSchema.schema, file: configurationFile(invocation), environment: processEnvironment(), flags: flags)
  }

  private static func load(
    _ invocation: Invocation, clientID: String
  ) throws(ConfigurationFailure) -> FleetConfiguration {
    try FleetConfiguration(
      read(invocation), clientID: clientID, password: invocation.text("pw"), environment: processEnvironment())
  }
}
