/// Why an alert that fires is not told.
public struct Mute: Equatable, Sendable {
  /// What keeps it from being told.
  public enum Cause: String, CaseIterable, Sendable {
    /// The rule does not count at this time.
    case scheduled
    /// Somebody works there.
    case maintenance
    /// Somebody said so.
    case silenced
    /// Something more urgent explains it: the node is silent.
    case inhibited
    /// It is told with others of its site.
    case grouped
    /// Others of its site may follow, so that it may be told with them.
    case waiting
    /// It comes and goes.
    case flapping
  }

  /// What keeps it from being told.
  public var cause: Cause
  /// A sentence for people.
  public var reason: String

  public init(_ cause: Cause, _ reason: String) {
    self.cause = cause
    self.reason = reason
  }
}
