/// A condition over the state of nodes that people want to hear of, and how. Pure data.
public struct Rule: Equatable, Sendable {
  /// What is looked at.
  public typealias Kind = Condition.Kind

  /// How much an alert matters.
  public enum Severity: String, CaseIterable, Sendable {
    case information, warning, critical
  }

  /// One level of the alert's topic, and what people call it: like a node's name.
  public var name: String
  /// What it looks at.
  public var condition: Condition
  /// The nodes that it concerns.
  public var scope: Scope
  /// How much its alerts matter.
  public var severity: Severity
  /// The condition must hold this long before the alert fires [s]. For `silent`: nothing was heard for this long, nil
  /// being two and a half times what the node promised.
  public var forS: Double?
  /// The condition must be over this long before the alert resolves [s].
  public var clearForS: Double
  /// An alert that still fires is told again after this, until somebody acknowledges it [s]; nil: never.
  public var repeatS: Double?
  /// When it counts.
  public var times = Times()
  /// The sinks that it is told to, by name; empty: all.
  public var sinks: [String] = []
  /// Alerts of several nodes of a site that are told as one; nil: each by itself.
  public var grouping: Grouping?

  /// What it looks at.
  public var kind: Kind { condition.kind }

  /// A rule of `kind` with the defaults of that kind.
  public init(name: String, kind: Kind, nodes: NamePattern = .everything) {
    self.init(name: name, Condition(kind), scope: Scope(nodes: nodes == .everything ? [] : [nodes]))
  }

  /// A rule about `condition`, with the defaults of its kind.
  public init(name: String, _ condition: Condition, scope: Scope = Scope()) {
    self.name = name
    self.condition = condition
    self.scope = scope
    let kind = condition.kind
    severity = Self.defaultSeverity(kind)
    forS = Self.defaultForS(kind)
    clearForS = Self.defaultClearForS(kind)
    grouping = kind == .silent ? Grouping() : nil
  }

  /// How much it matters when nothing else is said.
  public static func defaultSeverity(_ kind: Kind) -> Severity {
    switch kind {
    case .silent, .clone: .critical
    case .together: .critical
    default: .warning
    }
  }

  /// How long the condition must hold when nothing else is said [s]; nil where the node decides.
  public static func defaultForS(_ kind: Kind) -> Double? {
    switch kind {
    case .silent: nil
    case .shake, .impact, .geofence, .flapping, .moved, .clone, .together: 0
    case .tipped: 10
    case .lostFix, .spool: 60
    case .poorFix, .sensorFault, .rate: 300
    case .clockWrong: 900
    }
  }

  /// How long the condition must be over when nothing else is said [s].
  public static func defaultClearForS(_ kind: Kind) -> Double {
    switch kind {
    case .shake, .impact, .silent, .tipped: 10
    case .lostFix: 30
    case .poorFix, .sensorFault, .clockWrong, .spool, .rate: 60
    case .geofence, .flapping, .moved, .clone, .together: 0
    }
  }

  /// What holds when the configuration names no rule: what concerns every fleet, for every node. What needs to know
  /// what the nodes are there for is left out: fences, parking places, sides.
  public static let defaults = [Kind.shake, .lostFix, .silent, .sensorFault, .clockWrong, .spool, .clone].map {
    Rule(name: $0.rawValue, kind: $0)
  }

  /// Alerts that are told as one.
  public struct Grouping: Equatable, Sendable {
    /// From so many nodes of a site on.
    public var leastNodes = 3
    /// And from this share of the site's nodes on, 0 to 1.
    public var leastShare = 0.5
    /// A node of a site that has `leastNodes` is told of only after this, in which the others may follow [s].
    public var waitS = 60.0

    public init() {}

    /// From how many nodes on those of a site of `size` count as one.
    public func needed(of size: Int) -> Int { max(leastNodes, Int((Double(size) * leastShare).rounded(.up))) }
  }
}
