internal import Telemetry

/// Which of the alerts that fire the broker has, so that after a restart nothing is published that everybody knows.
///
/// What it kept comes within moments of each subscription. What has not come by then, it has lost.
struct RetainedAlerts: Equatable, Sendable {
  /// After the link is made, what the broker kept is waited for [s].
  static let waitS = 5.0

  /// When what the broker has not is to be published; nil while nothing is waited for.
  private(set) var due: Instant?
  private var present: Set<AlertKey> = []

  mutating func expect(at now: Instant) {
    due = now + Self.waitS
    present = []
  }

  /// Something that it kept came: there may be more.
  mutating func expectMore(at now: Instant) { if due != nil { due = now + Self.waitS } }

  /// The broker has this one as it is now, or will in a moment.
  mutating func note(_ key: AlertKey) { present.insert(key) }

  mutating func forget(_ key: AlertKey) { present.remove(key) }

  func has(_ key: AlertKey) -> Bool { present.contains(key) }

  /// Whether it is time to publish what the broker has not. Once.
  mutating func isDue(at now: Instant) -> Bool {
    guard let due, due <= now else { return false }
    self.due = nil
    return true
  }
}
