/// How a program ended: the codes of sysexits.h that both programs use.
public enum ExitCode: Int32, CaseIterable, Sendable {
  case success = 0
  /// A check found something; not a failure of the program.
  case findings = 1
  /// The command line is wrong.
  case usage = 64
  /// Something the program needs is not there: a broker, a sensor, a file.
  case unavailable = 69
  /// A failure that may go away by itself.
  case temporary = 75
  /// The system refuses access.
  case permission = 77
  /// The configuration is wrong or missing.
  case configuration = 78

  /// One line for help texts and manual pages.
  public var summary: String {
    switch self {
    case .success: "all went well"
    case .findings: "a check found something to mend"
    case .usage: "the command line is wrong"
    case .unavailable: "something needed is not there"
    case .temporary: "a failure that may go away by itself"
    case .permission: "the system refuses access"
    case .configuration: "the configuration is wrong or missing"
    }
  }
}

/// Why a program ends: thrown up to `main`, which prints the lines to standard error and exits with the code.
public struct Termination: Error, Equatable, Sendable {
  /// What the process exits with.
  public var code: ExitCode
  /// What to print, one line each, without the program's name. May be empty.
  public var lines: [String]

  public init(_ code: ExitCode, _ lines: [String] = []) {
    self.code = code
    self.lines = lines
  }
}
