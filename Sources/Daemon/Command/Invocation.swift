/// What somebody asked a program to do.
public struct Invocation: Equatable, Sendable {
  /// What the program is to do.
  public enum Request: Equatable, Sendable {
    /// Run a command of the table.
    case run(String)
    /// Print a text to standard output and end well: help, version, a completion script, the manual page.
    case print(String)
  }

  public internal(set) var request: Request
  /// The values of each option that was given, by its long name, in their order; none for one without a value.
  var values: [String: [String]] = [:]
  /// The arguments that are no options.
  public internal(set) var operands: [String] = []
  /// What options set in the configuration, for `Configuration.load`.
  public internal(set) var overrides: [ConfigurationOverride] = []

  /// The command to run; nil when a text is to be printed.
  public var command: String? { if case .run(let name) = request { name } else { nil } }

  /// Whether an option was given.
  public func isGiven(_ long: String) -> Bool { values[long] != nil }
  /// The value of an option; the last, when it was repeated.
  public func text(_ long: String) -> String? { values[long]?.last }
  /// The values of an option in their order; empty when it was not given.
  public func texts(_ long: String) -> [String] { values[long] ?? [] }
  /// The value of an option that takes whole numbers.
  public func integer(_ long: String) -> Int? { text(long).flatMap { Int($0) } }
  /// The value of an option that takes numbers.
  public func number(_ long: String) -> Double? { text(long).flatMap { Double($0) } }
}

/// What is wrong with a command line: one line that says what to type.
public struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
  public var description: String

  /// The end of the program that follows from it.
  public var termination: Termination { Termination(.usage, [description]) }
}
