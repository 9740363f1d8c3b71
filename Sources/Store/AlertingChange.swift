public import Telemetry

/// What is kept about alerts beside the alerts themselves: decisions, and what people asked for.
public enum AlertingChange: Equatable, Sendable {
  /// A step in the life of an alert.
  case decision(KeptDecision)
  /// Takes the place of the silence with the same id.
  case silence(KeptSilence)
  /// Nothing needs to be known any more of the silence with this id.
  case forgetSilence(String)
  /// Takes the place of what the owner kept under this key.
  case note(key: String, text: [UInt8])
  /// Takes the place of the wish with the same id.
  case wish(KeptWish)
  /// Nothing needs to be known any more of the wish with this id.
  case forgetWish(String)
}

/// A step or a decision in the life of an alert, with its reason.
public struct KeptDecision: Equatable, Sendable {
  /// When [calendar of the fleet tool].
  public var time: WallTime
  /// Which rule, and about what.
  public var identity: AlertIdentity
  /// The id of the alert; nil where there is none yet.
  public var alert: String?
  /// What was done, an open word: `pending`, `fired`, `resolved`, `muted`, `told` and so on.
  public var step: String
  /// What the alert was after it; nil where that says nothing.
  public var state: String?
  /// Why, a sentence.
  public var reason: String
  /// The alert's JSON as it was told; nil where nothing was told.
  public var details: [UInt8]?

  public init(
    at time: WallTime, _ identity: AlertIdentity, alert: String? = nil, step: String, state: String? = nil,
    reason: String, details: [UInt8]? = nil
  ) {
    self.time = time
    self.identity = identity
    self.alert = alert
    self.step = step
    self.state = state
    self.reason = reason
    self.details = details
  }
}

/// Somebody's wish not to hear of some alerts for a time.
public struct KeptSilence: Equatable, Sendable {
  public var id: String
  /// From when to when it holds; nil: from its making, and without an end.
  public var start: WallTime?, end: WallTime?
  /// Who made it, and why; nil: not said.
  public var author: String?, comment: String?
  /// Which alerts, JSON of the owner's.
  public var matchers: String
  /// When it was made.
  public var made: WallTime
  /// When somebody ended it before its time; nil: nobody did.
  public var ended: WallTime?

  public init(
    id: String, start: WallTime?, end: WallTime?, author: String?, comment: String?, matchers: String,
    made: WallTime, ended: WallTime? = nil
  ) {
    self.id = id
    self.start = start
    self.end = end
    self.author = author
    self.comment = comment
    self.matchers = matchers
    self.made = made
    self.ended = ended
  }
}

/// A command that is to reach a node, and what became of it.
public struct KeptWish: Equatable, Sendable {
  public var id: String
  /// For whom.
  public var node: NodeName
  /// JSON of the owner's, or its words.
  public var command: String
  /// When it was made, and when it lapses; nil: never.
  public var made: WallTime, expires: WallTime?
  /// Who made it; nil: not said.
  public var author: String?
  /// Where it is, the owner's word, and since when.
  public var state: String, changed: WallTime
  /// The node's answer as it came; nil: there is none.
  public var reply: [UInt8]?

  public init(
    id: String, node: NodeName, command: String, made: WallTime, expires: WallTime?, author: String?, state: String,
    changed: WallTime, reply: [UInt8]? = nil
  ) {
    self.id = id
    self.node = node
    self.command = command
    self.made = made
    self.expires = expires
    self.author = author
    self.state = state
    self.changed = changed
    self.reply = reply
  }
}
