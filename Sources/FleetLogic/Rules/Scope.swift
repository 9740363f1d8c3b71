public import Telemetry

/// What the fleet's configuration says about one node, for people and for rules.
public struct Label: Equatable, Sendable {
  /// What people call it; nil: its name.
  public var title: String?
  /// Where it is, one word: a to z, 0 to 9 and -.
  public var site: String?
  /// What it belongs to, likewise.
  public var group: String?

  public init(title: String? = nil, site: String? = nil, group: String? = nil) {
    self.title = title
    self.site = site
    self.group = group
  }
}

/// Which nodes something concerns: those that fit each part that says anything.
public struct Scope: Equatable, Sendable {
  /// One of these fits the name; empty: any name does.
  public var nodes: [NamePattern]
  /// The node's site is one of these; empty: any, or none.
  public var sites: [NamePattern]
  /// The node's group is one of these; empty: any, or none.
  public var groups: [NamePattern]

  public init(nodes: [NamePattern] = [], sites: [NamePattern] = [], groups: [NamePattern] = []) {
    self.nodes = nodes
    self.sites = sites
    self.groups = groups
  }

  /// Whether a node belongs to it.
  public func contains(_ name: NodeName, _ label: Label?) -> Bool {
    Self.fits(nodes, name.description) && Self.fits(sites, label?.site) && Self.fits(groups, label?.group)
  }

  static func fits(_ patterns: [NamePattern], _ text: String?) -> Bool {
    guard !patterns.isEmpty else { return true }
    guard let text else { return false }
    return patterns.contains { $0.matches(text) }
  }
}
