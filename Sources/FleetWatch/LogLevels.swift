internal import Daemon
internal import FleetLogic

extension LogEntry.Level {
  /// The level in the log's words.
  var logLevel: LogLevel {
    switch self {
    case .debug: .debug
    case .information: .info
    case .warning: .warning
    }
  }
}
