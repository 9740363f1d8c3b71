public import Daemon
public import MQTT

/// Tells the log how the connection to the broker is: once per change, with what to do about it.
public struct LinkJournal: Sendable {
  private static let key = "broker"

  private let log: Log
  private let endpoint: String

  /// - Parameter endpoint: host and port, for people.
  public init(log: Log, endpoint: String) {
    self.log = log
    self.endpoint = endpoint
  }

  /// Writes what an event is worth. The pause before the next try is left out: it changes each time, and the same
  /// trouble is said once.
  public func note(_ event: SessionEvent) {
    switch event {
    case .connecting(let version): log.debug("broker: connecting to \(endpoint), MQTT \(version)")
    case .connected(let connection):
      log.change(LinkJournal.key, .notice, "broker: connected to \(endpoint), MQTT \(connection.version)")
    case .disconnected(let problem, _, _):
      let level: LogLevel = problem.kind == .stopped ? .info : .warning
      log.change(LinkJournal.key, level, "broker: \(problem)")
    case .refused(_, let refusal): log.change("broker refusal", .warning, "broker: \(refusal)")
    case .subscribed(let filter, .failure(let refusal)):
      log.change("subscription \(filter)", .error, "broker: no subscription to \(filter): \(refusal)")
    case .delivered, .message, .subscribed: break
    }
  }
}
