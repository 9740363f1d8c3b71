public import Telemetry

/// One step in the life of an alert, with its reason: what `judder-fleet why` shows.
public struct Decision: Equatable, Sendable {
  /// What was decided.
  public enum Step: String, CaseIterable, Sendable {
    /// The condition holds; not for long enough yet.
    case pending
    /// It was over before it fired.
    case dropped
    case fired
    case resolved
    /// It is told to the sinks.
    case told
    /// It is told again.
    case repeated
    /// It fires, or is over, and is not told.
    case muted
    /// Nothing keeps it from being told any more.
    case unmuted
    /// It comes and goes: told once, and then as one.
    case flapping
    /// It has stopped coming and going.
    case calm
    /// Somebody has seen it.
    case acknowledged
    /// Taken over from an earlier run, of which only the broker knew.
    case adopted
    /// No rule stands for it any more.
    case forgotten
  }

  /// When.
  public var at: WallTime
  /// The name of the rule.
  public var rule: String
  /// Whose condition.
  public var subject: AlertSubject
  /// The alert's id; nil before it fired.
  public var alert: String?
  /// What was decided.
  public var step: Step
  /// One sentence; may hold what strangers wrote, escaped.
  public var reason: String
  /// The alert, where it was told.
  public var told: Alert?
}

/// What people do about alerts and nodes.
public enum Order: Equatable, Sendable {
  /// Those that fire and fit are looked after.
  case acknowledge(Matchers, author: String, comment: String)
  /// They are not looked after any more.
  case unacknowledge(Matchers, author: String)
  /// Those that fit are not told for a while.
  case silence(Silence)
  /// Ends a silence.
  case unsilence(id: String, author: String)
  /// A command for a node is kept until the node answers.
  case wish(Wish)
  /// Takes a wish back.
  case unwish(id: String, author: String)
}

/// What became of an order.
public struct OrderAnswer: Equatable, Sendable {
  /// It was carried out.
  public var isDone: Bool
  /// One sentence for who gave it.
  public var text: String
  /// The alerts that it changed, as `rule subject`; a hundred at the most.
  public var alerts: [String]

  init(_ isDone: Bool, _ text: String, alerts: [String] = []) {
    self.isDone = isDone
    self.text = text
    self.alerts = Array(alerts.prefix(100))
  }
}
