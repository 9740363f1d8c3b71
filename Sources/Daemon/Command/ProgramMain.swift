internal import Glibc

extension CommandTable {
  /// What `main` does: reads the command line, prints the texts that it asks for, and hands any other command to `run`.
  /// What that throws is printed to standard error and becomes the exit code.
  public func main(_ run: (Invocation, StandardOutput) throws(Termination) -> Void) {
    // The clock counts from its first use.
    _ = MonotonicClock.process
    do throws(Termination) {
      let output = StandardOutput()
      let invocation = try parseForMain()
      if case .print(let text) = invocation.request { try output.write(text) } else { try run(invocation, output) }
      try output.flush()
    } catch {
      error.exit(program: program)
    }
  }

  private func parseForMain() throws(Termination) -> Invocation {
    do throws(UsageError) {
      return try parse(programArguments())
    } catch {
      throw error.termination
    }
  }
}

/// Where a program's configuration comes from: its file, the environment, the flags.
public struct ConfigurationSource: Sendable {
  /// The keys that the file may have.
  public let schema: ConfigurationSchema
  /// What is read when no file is named; it may be missing.
  public let defaultFile: String
  public let environment: [String: String]

  public init(_ schema: ConfigurationSchema, defaultFile: String, environment: [String: String]) {
    self.schema = schema
    self.defaultFile = defaultFile
    self.environment = environment
  }

  /// The file that `--config` names, or the default one where it exists; nil: there is none.
  public func file(_ invocation: Invocation) -> String? {
    invocation.text("config") ?? (access(defaultFile, F_OK) == 0 ? defaultFile : nil)
  }

  /// Reads and checks everything.
  ///
  /// - Parameter flags: what the command line sets.
  /// - Throws: all that is wrong, one line each.
  public func read(
    file: String?, flags: [ConfigurationOverride]
  ) throws(ConfigurationFailure) -> Configuration {
    try Configuration.load(schema, file: file, environment: environment, flags: flags)
  }

  /// `check --print-config`: what is in force and where each value comes from, secrets masked.
  public func print(
    file: String?, flags: [ConfigurationOverride], to output: StandardOutput
  ) throws(Termination) {
    let lines: [String]
    do throws(ConfigurationFailure) {
      lines = try read(file: file, flags: flags).describe()
    } catch {
      throw error.termination
    }
    for line in lines { try output.line(line) }
  }
}
