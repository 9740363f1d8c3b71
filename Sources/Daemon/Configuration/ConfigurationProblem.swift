/// One thing that is wrong with a configuration: one line.
public struct ConfigurationProblem: Equatable, Sendable, CustomStringConvertible {
  /// `node.toml:12:3`, `JUDDER_BROKER_HOST`, `--host`.
  public var place: String
  /// What is wrong, what was expected and what to do.
  public var text: String
  /// Whether the command line is to blame.
  public var isFromFlag: Bool

  public init(place: String, text: String, isFromFlag: Bool = false) {
    self.place = place
    self.text = text
    self.isFromFlag = isFromFlag
  }

  public var description: String { printableLine("\(place): \(text)") }
}

/// Why there is no configuration: everything that is wrong, not just the first.
public struct ConfigurationFailure: Error, Equatable, Sendable {
  /// In the order: file, environment, flags, missing keys.
  public var problems: [ConfigurationProblem]
  /// `configuration`; `permission` when the file may not be read; `usage` when only flags are wrong.
  public var code: ExitCode

  /// A failure with these problems; without a code, the one that follows from them.
  public init(_ problems: [ConfigurationProblem], code: ExitCode? = nil) {
    self.problems = problems
    self.code = code ?? (problems.allSatisfy(\.isFromFlag) ? .usage : .configuration)
  }

  /// The end of the program that follows from it.
  public var termination: Termination { Termination(code, problems.map(\.description)) }
}
