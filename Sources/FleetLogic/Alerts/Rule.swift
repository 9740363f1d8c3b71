/// A condition over the state of a node that people want to hear of. Pure data.
public struct Rule: Equatable, Sendable {
  /// What is looked at.
  public enum Kind: String, CaseIterable, Sendable {
    /// The node shook.
    case shake
    /// The node says that it has no position.
    case lostFix = "lost-fix"
    /// Nothing comes from the node.
    case silent
    /// The node left a fence of its own configuration.
    case geofence
  }

  /// How much an alert matters.
  public enum Severity: String, CaseIterable, Sendable {
    case information, warning, critical
  }

  /// One level of the alert's topic, and what people call it: like a node's name.
  public var name: String
  /// What it looks at.
  public var kind: Kind
  /// The nodes that it concerns.
  public var nodes: NamePattern
  /// How much its alerts matter.
  public var severity: Severity
  /// The condition must hold this long before the alert fires [s]. For `silent`: nothing was heard for this long, nil
  /// being two and a half times what the node promised.
  public var forS: Double?
  /// The condition must be over this long before the alert resolves [s].
  public var clearForS: Double
  /// `silent`: how long a node whose will came has got to come back [s].
  public var holdS: Double
  /// `shake`: weaker shakes don't count [g].
  public var minPeakG: Double
  /// `shake`: a shake older than this when it arrives, by trusted clocks, is history and doesn't fire [s].
  public var maxAgeS: Double
  /// `geofence`: the fence's name; nil for any, where whichever was crossed last counts.
  public var fence: String?

  /// A rule of `kind` with the defaults of that kind.
  public init(name: String, kind: Kind, nodes: NamePattern = .everything) {
    self.name = name
    self.kind = kind
    self.nodes = nodes
    severity = kind == .silent ? .critical : .warning
    forS = Self.defaultForS(kind)
    clearForS = Self.defaultClearForS(kind)
    holdS = 30
    minPeakG = 0
    maxAgeS = 300
  }

  /// How long the condition must hold when nothing else is said [s]; nil where the node decides.
  public static func defaultForS(_ kind: Kind) -> Double? {
    switch kind {
    case .shake, .geofence: 0
    case .lostFix: 60
    case .silent: nil
    }
  }

  /// How long the condition must be over when nothing else is said [s].
  public static func defaultClearForS(_ kind: Kind) -> Double {
    switch kind {
    case .shake: 10
    case .lostFix: 30
    case .silent: 10
    case .geofence: 0
    }
  }

  /// What holds when the configuration names no rule: one of each kind, for every node, but none for fences, which nodes
  /// leave every day.
  public static let defaults = Kind.allCases.filter { $0 != .geofence }.map { Rule(name: $0.rawValue, kind: $0) }
}
