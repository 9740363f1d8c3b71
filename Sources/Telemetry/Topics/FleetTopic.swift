/// A topic of the fleet tool, under its own prefix (`judder-fleet`).
public enum FleetTopic: Hashable, Sendable {
  /// `<prefix>/status`
  case status
  /// `<prefix>/command`: what the fleet tool is asked to do
  case command
  /// `<prefix>/reply`: what became of that
  case reply
  /// `<prefix>/alerts/<rule>/<subject>`: a node's name, or `@` and what is about several nodes
  case alert(rule: String, subject: String)

  /// As it is given to the broker. `rule` must be a level, see `isLevel`, and
  /// `subject` one, or `@` and one.
  public func text(under prefix: TopicPrefix) -> String {
    switch self {
    case .status: "\(prefix)/status"
    case .command: "\(prefix)/command"
    case .reply: "\(prefix)/reply"
    case .alert(let rule, let subject): "\(prefix)/alerts/\(rule)/\(subject)"
    }
  }

  /// Reads a topic; nil if it is none of the fleet tool's.
  public init?(_ text: some StringProtocol, under prefix: TopicPrefix) {
    let levels = topicLevels(text)
    guard levels.starts(with: prefix.levels) else { return nil }
    let rest = Array(levels.dropFirst(prefix.levels.count))
    switch rest.count {
    case 1 where rest[0] == "status": self = .status
    case 1 where rest[0] == "command": self = .command
    case 1 where rest[0] == "reply": self = .reply
    case 3 where rest[0] == "alerts" && Self.isLevel(rest[1]) && Self.isSubject(rest[2]):
      self = .alert(rule: rest[1], subject: rest[2])
    default: return nil
    }
  }

  /// What to subscribe to for every alert.
  public static func alertSubscription(under prefix: TopicPrefix) -> String { "\(prefix)/alerts/+/+" }

  private static func isSubject(_ level: String) -> Bool {
    isLevel(level.first == "@" ? level.dropFirst() : level[...])
  }

  /// Whether a rule may be called so: the same characters as in a node's name.
  public static func isLevel(_ name: some StringProtocol) -> Bool { NodeName(name) != nil }
}
