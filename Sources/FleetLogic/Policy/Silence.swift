public import Telemetry

/// Which alerts something concerns: those that fit each part that says anything. Patterns know `*` and `?`.
public struct Matchers: Equatable, Sendable {
  /// The rule's name; nil: any.
  public var rule: NamePattern?
  /// The node's name, `@SITE` or `@fleet`; nil: any.
  public var subject: NamePattern?
  /// The site of the node; nil: any, or none.
  public var site: NamePattern?
  /// The group of the node, likewise.
  public var group: NamePattern?
  /// Nil: any.
  public var severity: Rule.Severity?
  /// Nil: any.
  public var kind: Rule.Kind?

  /// - Parameters: those that matter; at least one, or it concerns every alert.
  public init(
    rule: NamePattern? = nil, subject: NamePattern? = nil, site: NamePattern? = nil, group: NamePattern? = nil,
    severity: Rule.Severity? = nil, kind: Rule.Kind? = nil
  ) {
    self.rule = rule
    self.subject = subject
    self.site = site
    self.group = group
    self.severity = severity
    self.kind = kind
  }

  /// Whether an alert of `rule` about `subject` is meant.
  func match(_ rule: Rule, _ subject: AlertSubject, _ label: Label?) -> Bool {
    self.rule?.matches(rule.name) ?? true && self.subject?.matches(subject.description) ?? true
      && fits(site, label?.site ?? subject.site) && fits(group, label?.group)
      && (severity == nil || severity == rule.severity) && (kind == nil || kind == rule.kind)
  }

  private func fits(_ pattern: NamePattern?, _ text: String?) -> Bool {
    guard let pattern else { return true }
    return text.map { pattern.matches($0) } ?? false
  }
}

/// Alerts that are not told for a while, since somebody said so.
public struct Silence: Equatable, Sendable {
  /// Names it.
  public var id: String
  /// Which alerts.
  public var matchers: Matchers
  /// From when on.
  public var start: WallTime
  /// Until when.
  public var end: WallTime
  /// Who said so.
  public var author: String
  /// Why.
  public var comment: String
  /// When it was said.
  public var made: WallTime
  /// When it was ended before its time; nil: it was not.
  public var ended: WallTime?

  public init(
    id: String, _ matchers: Matchers, start: WallTime, end: WallTime, author: String, comment: String, made: WallTime
  ) {
    self.id = id
    self.matchers = matchers
    self.start = start
    self.end = end
    self.author = author
    self.comment = comment
    self.made = made
  }

  /// Whether it holds at `time`.
  public func holds(at time: WallTime) -> Bool { ended == nil && start <= time && time < end }

  /// Whether it will never hold again.
  public func isOver(at time: WallTime) -> Bool { ended != nil || end <= time }
}

/// Somebody has seen an alert, and looks after it: it is not told again while it stays as it is.
public struct AlertAcknowledgement: Equatable, Sendable {
  /// Who.
  public var author: String
  /// What they said; may be empty.
  public var comment: String
  /// When.
  public var at: WallTime

  public init(author: String, comment: String, at: WallTime) {
    self.author = author
    self.comment = comment
    self.at = at
  }
}
