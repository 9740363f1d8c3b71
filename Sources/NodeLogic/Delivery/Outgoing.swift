public import Telemetry

/// One message that the session is asked to publish now.
public struct Outgoing: Equatable, Sendable {
  public var telegram: Telegram
  /// The broker keeps it for late subscribers.
  public var isRetained: Bool
  /// Comes back with `delivered` or `refused`; nil for messages nobody waits for.
  public var token: UInt64?

  public init(telegram: Telegram, isRetained: Bool, token: UInt64? = nil) {
    self.telegram = telegram
    self.isRetained = isRetained
    self.token = token
  }
}
