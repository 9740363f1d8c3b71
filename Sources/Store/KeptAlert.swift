public import Telemetry

/// Names an alert: one rule about one subject.
public struct AlertIdentity: Hashable, Sendable {
  /// The name of the rule.
  public var rule: String
  /// What it is about: a node's name, `@` and the name of a site, or `@fleet`.
  public var subject: String

  public init(rule: String, subject: String) {
    self.rule = rule
    self.subject = subject
  }
}

/// Says that an alert was told.
public struct ToldAlert: Equatable, Sendable {
  /// Which.
  public var identity: AlertIdentity
  /// Which of the things there were to tell: the record's `telling` then. Another one leaves the record untold.
  public var telling: UInt64

  public init(_ identity: AlertIdentity, telling: UInt64) {
    self.identity = identity
    self.telling = telling
  }
}

/// An alert as it outlasts a restart.
public struct KeptAlert: Equatable, Sendable {
  /// What it is just now.
  public enum Phase: String, CaseIterable, Sendable {
    case pending, firing, clearing
    /// Over. It is kept until that was told.
    case resolved
    /// Nothing is going on, and something is remembered: no alert for people.
    case quiet
  }

  /// Which.
  public var identity: AlertIdentity
  /// What it is just now.
  public var phase: Phase
  /// Since when the condition has held.
  public var since: WallTime
  /// When the record was made; what `leftS` counts from.
  public var changed: WallTime
  /// How long until it fires, lapses or resolves by itself [s]; nil when it does not.
  public var leftS: Double?
  /// How often the condition was seen.
  public var count: Int
  /// What the rule is about; nil when unknown.
  public var value: Double?
  /// The last shake that was counted: the run of the node, and its id there.
  public var shakeBoot: BootID?, shakeID: Int?
  /// Rises with each thing that there is to tell of this alert; 0 while nothing was.
  public var telling: UInt64
  /// Sinks and subscribers were told of `telling`. One that is not is to be told after a restart.
  public var isTold: Bool
  /// Anything else of the owner's, with the owner's own version in it; empty: nothing.
  public var details: [UInt8]

  public init(
    _ identity: AlertIdentity, phase: Phase, since: WallTime, changed: WallTime, leftS: Double? = nil,
    count: Int = 1, value: Double? = nil, shakeBoot: BootID? = nil, shakeID: Int? = nil, telling: UInt64 = 0,
    isTold: Bool = false, details: [UInt8] = []
  ) {
    self.identity = identity
    self.phase = phase
    self.since = since
    self.changed = changed
    self.leftS = leftS
    self.count = count
    self.value = value
    self.shakeBoot = shakeBoot
    self.shakeID = shakeID
    self.telling = telling
    self.isTold = isTold
    self.details = details
  }
}
