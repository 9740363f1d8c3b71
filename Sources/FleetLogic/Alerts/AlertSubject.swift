public import Telemetry

/// Whose condition an alert is about.
public enum AlertSubject: Hashable, Sendable, CustomStringConvertible {
  case node(NodeName)
  /// The nodes of one site together.
  case site(String)
  /// All nodes together.
  case fleet

  /// One level of a topic: a node's name, `@` and a site's name, or `@fleet`. No node is called so.
  public var description: String {
    switch self {
    case .node(let name): name.description
    case .site(let name): "@\(name)"
    case .fleet: "@fleet"
    }
  }

  /// Reads what `description` wrote; nil for anything else. A site cannot be called `fleet`.
  public init?(_ text: some StringProtocol) {
    if text == "@fleet" {
      self = .fleet
    } else if text.first == "@" {
      guard FleetTopic.isLevel(text.dropFirst()) else { return nil }
      self = .site(String(text.dropFirst()))
    } else {
      guard let name = NodeName(text) else { return nil }
      self = .node(name)
    }
  }

  /// The node, where it is one.
  public var node: NodeName? { if case .node(let name) = self { name } else { nil } }

  /// The site, where it is one.
  public var site: String? { if case .site(let name) = self { name } else { nil } }
}

/// Whose, by place: in the list of nodes, or in that of sites.
enum AlertPlace: Hashable, Comparable, Sendable {
  case node(Int)
  case site(Int)
  case fleet
}

/// One rule about one subject, both by place.
struct AlertKey: Hashable, Comparable, Sendable {
  var rule: Int
  var place: AlertPlace

  init(rule: Int, place: AlertPlace) {
    self.rule = rule
    self.place = place
  }

  init(rule: Int, node: Int) { self.init(rule: rule, place: .node(node)) }

  /// The node's place, where it is about one.
  var node: Int? { if case .node(let index) = place { index } else { nil } }

  /// By the subject's place, then the rule's.
  static func < (a: AlertKey, b: AlertKey) -> Bool { (a.place, a.rule) < (b.place, b.rule) }
}
