internal import Daemon
internal import Glibc
internal import Telemetry

/// judder-node: the agent on a field device.
@main
enum Program {
  static func main() {
    // The clock counts from its first use.
    _ = MonotonicClock.process
    do throws(Termination) {
      try run()
    } catch {
      error.exit(program: NodeCommands.table.program)
    }
  }

  private static func run() throws(Termination) {
    let invocation: Invocation
    do throws(UsageError) {
      invocation = try NodeCommands.table.parse(programArguments())
    } catch {
      throw error.termination
    }
    let output = StandardOutput()
    switch invocation.request {
    case .print(let text):
      try output.write(text)
      try output.flush()
    case .run("config"):
      try output.write(NodeSchema.schema.commentedFile())
      try output.flush()
    case .run("check"): try check(invocation, output)
    case .run("replay"): try replay(invocation, output)
    case .run:
      try Agent(log: Log(environment: processEnvironment()), environment: processEnvironment()) {
        () throws(ConfigurationFailure) in try load(invocation)
      }.run()
    }
  }

  private static func check(_ invocation: Invocation, _ output: StandardOutput) throws(Termination) {
    if invocation.isGiven("print-config") {
      do throws(ConfigurationFailure) {
        for line in try read(invocation).describe() { try print(line, output) }
      } catch {
        throw error.termination
      }
      try output.flush()
      return
    }
    let command = CheckCommand(output: output)
    try command.run(file: configurationFile(invocation)) { () throws(ConfigurationFailure) in try load(invocation) }
  }

  private static func print(_ line: String, _ output: StandardOutput) throws(ConfigurationFailure) {
    do throws(Termination) {
      try output.line(line)
    } catch {
      error.exit(program: NodeCommands.table.program)
    }
  }

  private static func replay(_ invocation: Invocation, _ output: StandardOutput) throws(Termination) {
    let configuration: NodeConfiguration
    do throws(ConfigurationFailure) {
      // The defaults, unless a file is named: a recording has nothing to do with the node that happens to be here.
      let file = invocation.text("config")
      configuration = try NodeConfiguration(
        Configuration.load(
          NodeSchema.schema, file: file, environment: processEnvironment(), flags: invocation.overrides),
        environment: processEnvironment(), hostName: hostName())
    } catch {
      throw error.termination
    }
    var command = ReplayCommand(configuration, file: invocation.operands.first ?? "", output: output)
    try command.run()
  }

  /// The file that is named, or the default one where it exists.
  private static func configurationFile(_ invocation: Invocation) -> String? {
    if let file = invocation.text("config") { return file }
    return access(NodeCommands.defaultFile, F_OK) == 0 ? NodeCommands.defaultFile : nil
  }

  private static func read(_ invocation: Invocation) throws(ConfigurationFailure) -> Configuration {
    try Configuration.load(
      NodeSchema.schema, file: configurationFile(invocation), environment: processEnvironment(),
      flags: invocation.overrides)
  }

  private static func load(_ invocation: Invocation) throws(ConfigurationFailure) -> NodeConfiguration {
    try NodeConfiguration(read(invocation), environment: processEnvironment(), hostName: hostName())
  }

  /// gethostname(2); empty when it fails.
  private static func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
