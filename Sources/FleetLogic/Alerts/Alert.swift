public import Telemetry

/// An alert as sinks and people get it: which rule, whose condition, what became of it and why.
public struct Alert: Equatable, Sendable {
  /// The same in everything that is told of this alert, and in nothing that is told of another: rule, node, and when it
  /// fired.
  public var id: String
  /// The name of the rule.
  public var rule: String
  /// What the rule looks at.
  public var kind: Rule.Kind
  /// How much it matters.
  public var severity: Rule.Severity
  /// Whose condition it is.
  public var subject: AlertSubject
  /// What the configuration says about the node; nil when nothing.
  public var label: Label?
  /// What it is now.
  public var state: AlertMessage.State
  /// The state before; nil when there was none.
  public var previous: AlertMessage.State?
  /// When this was decided.
  public var at: Moment
  /// Since when the condition has held.
  public var since: WallTime
  /// How often the condition was seen during this alert.
  public var count: Int
  /// What the rule is about: `shake` the largest peak [g], `lost-fix` seconds since the last position or, once there is
  /// one again, how long there was none, `silent` seconds without a message. Nil for `geofence`, whose `since` says
  /// all, and where it is not known.
  public var value: Double?
  /// One sentence for people.
  public var summary: String
  /// Why it was decided just now.
  public var reason: String
  /// It was told before, and fires still.
  public var isRepeated = false
  /// Why it is not told just now; nil in everything that is.
  public var mute: Mute?
  /// Somebody looks after it.
  public var acknowledgement: AlertAcknowledgement?
  /// The sinks that it is for, by name; empty: all.
  public var sinks: [String] = []
  /// It was decided before a restart, and nobody knows whether it was told then.
  public var mayHaveBeenTold = false

  public init(
    id: String, rule: String, kind: Rule.Kind, severity: Rule.Severity, subject: AlertSubject,
    state: AlertMessage.State,
    previous: AlertMessage.State?, at: Moment, since: WallTime, count: Int, value: Double?, summary: String,
    reason: String
  ) {
    self.id = id
    self.rule = rule
    self.kind = kind
    self.severity = severity
    self.subject = subject
    self.state = state
    self.previous = previous
    self.at = at
    self.since = since
    self.count = count
    self.value = value
    self.summary = summary
    self.reason = reason
  }

  /// As it is published.
  public var message: AlertMessage {
    var message = AlertMessage(
      rule: rule, node: subject.node?.description, state: state, time: at.wall, since: since, summary: summary,
      count: count, value: value, id: id)
    message.kind = kind.rawValue
    message.severity = severity.rawValue
    message.site = label?.site ?? subject.site
    message.group = label?.group
    message.title = label?.title
    message.muted = mute?.cause.rawValue
    message.acknowledgedBy = acknowledgement?.author
    return message
  }
}
