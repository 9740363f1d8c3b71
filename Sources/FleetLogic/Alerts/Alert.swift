public import Telemetry

/// An alert as sinks and people get it: which rule, which node, what became of it and why.
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
  public var node: NodeName
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
  /// It was decided before a restart, and nobody knows whether it was told then.
  public var mayHaveBeenTold = false

  public init(
    id: String, rule: String, kind: Rule.Kind, severity: Rule.Severity, node: NodeName, state: AlertMessage.State,
    previous: AlertMessage.State?, at: Moment, since: WallTime, count: Int, value: Double?, summary: String,
    reason: String
  ) {
    self.id = id
    self.rule = rule
    self.kind = kind
    self.severity = severity
    self.node = node
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
    AlertMessage(
      rule: rule, node: node.description, state: state, time: at.wall, since: since, summary: summary, count: count,
      value: value, id: id)
  }
}

/// What became of one rule at one node: kept for each pair where something is going on.
struct AlertRecord: Equatable, Sendable {
  var life = AlertLife()
  /// Names the alert that fires; nil until one does.
  var id: String?
  /// Since when the condition has held, as far as is known.
  var since: WallTime
  /// `silent`: since when, on the fleet's clock; nil for what was taken over from an earlier run.
  var sinceInstant: Instant?
  var value: Double?
  /// The last shake that was counted.
  var lastShake: ShakeIdentity?
}

/// Which shake of which run.
public struct ShakeIdentity: Equatable, Sendable {
  /// The run.
  public var boot: BootID
  /// The shake's number in it.
  public var id: Int

  public init(boot: BootID, id: Int) {
    self.boot = boot
    self.id = id
  }
}

/// One rule at one node, both by index.
struct AlertKey: Hashable, Sendable {
  var rule: Int
  var node: Int
}
