internal import Daemon
internal import FleetLogic

extension LogEntry.Level {
  /// The same in the words of the log.
  var logLevel: LogLevel {
    switch self {
    case .debug: .debug
    case .information: .info
    case .warning: .warning
    }
  }
}
