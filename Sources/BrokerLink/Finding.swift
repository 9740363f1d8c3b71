public import Daemon

/// One thing that `check` found: a line, with what to do about it.
public struct Finding: Equatable, Sendable, CustomStringConvertible {
  /// Whether something has to be done.
  public enum Severity: String, Sendable {
    /// As it should be.
    case good = "ok     "
    /// It works, and could be better.
    case warning
    /// It does not work.
    case problem
  }

  public var severity: Severity
  /// What it is about, for example `broker`.
  public var subject: String
  public var text: String
  /// Nil when there is nothing to do.
  public var remedy: String?

  /// `remedy` says what to do, in words for the person in front of the device.
  public init(_ severity: Severity, _ subject: String, _ text: String, remedy: String? = nil) {
    self.severity = severity
    self.subject = subject
    self.text = text
    self.remedy = remedy.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// `problem broker: ...; what to do`, columns aligned.
  public var description: String {
    "\(severity.rawValue) \(subject): \(text)" + (remedy.map { "; \($0)" } ?? "")
  }
}

/// Prints findings as they come, and remembers whether any of them is a flaw.
public struct CheckReport {
  private let output: StandardOutput
  private var isFlawless = true

  public init(_ output: StandardOutput) {
    self.output = output
  }

  /// Prints a finding, and remembers whether it was bad.
  public mutating func add(_ finding: Finding) throws(Termination) {
    if finding.severity != .good { isFlawless = false }
    try output.line("\(finding)")
    try output.flush()
  }

  /// Prints what is wrong with the configuration, without which nothing else can be checked, and ends.
  public mutating func end(_ failure: ConfigurationFailure) throws(Termination) -> Never {
    for problem in failure.problems { try add(Finding(.problem, "configuration", "\(problem)")) }
    throw Termination(failure.code)
  }

  /// - Throws: `findings` when there was any warning or problem.
  public func end() throws(Termination) {
    if !isFlawless { throw Termination(.findings) }
  }
}
