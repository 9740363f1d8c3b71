/// The fleet tool about itself: `judder-fleet/status`, retained, with a will.
public struct FleetStatusMessage: Equatable, Sendable {
  /// Whether the fleet tool is there.
  public var state: StatusMessage.State
  /// Absent in the will.
  public var time: WallTime?
  /// The version of the fleet tool; absent in the will.
  public var agent: String?
  /// Nodes known.
  public var nodes: Int?
  /// Alerts firing.
  public var firing: Int?
  /// Whether what comes is kept; absent when there is no store.
  public var store: Store?
  /// Why it is not kept; absent when it is.
  public var trouble: String?

  /// Whether what comes is kept.
  public enum Store: String, CaseIterable, Sendable {
    case kept
    /// Nothing is kept just now, and no node is acknowledged.
    case failed
  }

  /// A status that says no more than this.
  public init(_ state: StatusMessage.State, time: WallTime? = nil) {
    self.state = state
    self.time = time
  }
}

/// An alert: `judder-fleet/alerts/<rule>/<subject>`, retained while it fires.
public struct AlertMessage: Equatable, Sendable {
  /// Where an alert is in its life.
  public enum State: String, CaseIterable, Sendable {
    case pending, firing
    /// It came and went so often that its coming and going is told no more.
    case flapping
    case resolved
  }

  /// The name of the rule that holds.
  public var rule: String
  /// The node that it holds for; absent where it is about several.
  public var node: String?
  /// Where the alert is in its life.
  public var state: State
  /// When this message was made.
  public var time: WallTime
  /// Since when the condition has held.
  public var since: WallTime
  /// One sentence for people.
  public var summary: String
  /// How often the condition was seen during this alert.
  public var count: Int
  /// The number that the rule is about, in the unit of the rule's kind; absent where there is none.
  public var value: Double?
  /// The same in every message about one alert, and in none about another; absent where nobody gives one.
  public var id: String?
  /// What the rule looks at: a word of `[[rule]] kind`; absent when nobody says.
  public var kind: String?
  /// `information`, `warning` or `critical`; absent when nobody says.
  public var severity: String?
  /// Where the node is, or the nodes are; absent when nobody says.
  public var site: String?
  /// What the node belongs to; absent when nobody says.
  public var group: String?
  /// What people call the node; absent when nobody says.
  public var title: String?
  /// Why sinks are not told of it just now; absent when they are.
  public var muted: String?
  /// Who looks after it; absent when nobody does.
  public var acknowledgedBy: String?

  /// An alert at one moment.
  public init(
    rule: String, node: String?, state: State, time: WallTime, since: WallTime, summary: String, count: Int,
    value: Double? = nil, id: String? = nil
  ) {
    self.id = id
    self.rule = rule
    self.node = node
    self.state = state
    self.time = time
    self.since = since
    self.summary = summary
    self.count = count
    self.value = value
  }
}
