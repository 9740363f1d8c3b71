/// What somebody asks the fleet tool to do: topic `judder-fleet/command`, never retained.
public struct ControlMessage: Equatable, Sendable {
  /// What the fleet tool can be asked.
  public enum Verb: String, CaseIterable, Sendable {
    /// Look after alerts that fire: they are not told again while they stay as they are.
    case acknowledge
    /// Look after them no more.
    case unacknowledge
    /// Tell nobody of some alerts for a while.
    case silence
    /// End a silence.
    case unsilence
    /// Give a command to a node as soon as it is there.
    case wish
    /// Take a wish back.
    case unwish
  }

  /// Which alerts are meant: those that fit each part that is there. Texts are patterns with `*` and `?`.
  public struct Matchers: Equatable, Sendable {
    /// The rule's name.
    public var rule: String?
    /// The node's name, `@` and a site, or `@fleet`.
    public var node: String?
    /// The node's site, and its group.
    public var site: String?, group: String?
    /// `information`, `warning` or `critical`.
    public var severity: String?
    /// A word of `[[rule]] kind`.
    public var kind: String?

    /// Every alert, until a part is set.
    public init(rule: String? = nil, node: String? = nil) { (self.rule, self.node) = (rule, node) }

    /// Nothing is said: every alert is meant.
    public var isEmpty: Bool { self == Matchers() }
  }

  /// A command for a node.
  public struct NodeCommand: Equatable, Sendable {
    /// What it is to do.
    public var verb: CommandMessage.Verb
    /// With `live` and `calibrate`: for how long [s].
    public var forS: Double?
    /// With `set`.
    public var setting: CommandMessage.Setting?

    /// The command without an id: it gets that of the wish.
    public init(_ verb: CommandMessage.Verb, forS: Double? = nil, setting: CommandMessage.Setting? = nil) {
      (self.verb, self.forS, self.setting) = (verb, forS, setting)
    }

    /// What a node is asked, without its id.
    public init(_ message: CommandMessage) {
      self.init(message.verb, forS: message.forS, setting: message.setting)
    }

    /// What is sent to the node. Without an end: it may not know the time.
    public func message(id: String, author: String) -> CommandMessage {
      var message = CommandMessage(id: id, verb, forS: forS, setting: setting)
      message.author = author
      return message
    }
  }

  /// Chosen by whoever asks; the reply repeats it, and a silence or wish is called so. 1 to 64 bytes.
  public var id: String
  /// What is to be done.
  public var verb: Verb
  /// When it was asked.
  public var time: WallTime
  /// It is not done after this time.
  public var expires: WallTime
  /// Which alerts; with `wish`, `node` is the node's name.
  public var matchers = Matchers()
  /// With a silence: every alert is meant, where `matchers` says nothing.
  public var isForAll = false
  /// With `unsilence` and `unwish`: the id of what is to end.
  public var target: String?
  /// With `wish`: the command.
  public var command: NodeCommand?
  /// Who asks.
  public var author: String
  /// Why.
  public var comment: String?
  /// With `silence`: from when on; absent: from now on.
  public var start: WallTime?
  /// With `silence` and `wish`: until when.
  public var end: WallTime?
  /// In place of `end`: for how long from its beginning [s].
  public var durationS: Double?

  /// A request that says no more than this.
  public init(id: String, _ verb: Verb, author: String, time: WallTime, expires: WallTime) {
    self.id = id
    self.verb = verb
    self.author = author
    self.time = time
    self.expires = expires
  }
}

/// What became of a request: topic `judder-fleet/reply`, never retained.
public struct ControlReply: Equatable, Sendable {
  /// What became of it.
  public enum Result: String, CaseIterable, Sendable {
    case done
    /// It was not done, and would not be.
    case refused
    /// It came too late.
    case expired
  }

  /// The request's own; absent where it had none that could be read.
  public var id: String?
  /// As it was asked for; absent where it could not be read.
  public var verb: ControlMessage.Verb?
  /// When this was said.
  public var time: WallTime
  public var result: Result
  /// One sentence for people; may hold what strangers wrote, escaped.
  public var text: String
  /// The alerts that are meant, as `rule subject`; a hundred at the most.
  public var alerts: [String]

  /// An answer to the request of this id.
  public init(
    id: String?, _ verb: ControlMessage.Verb?, time: WallTime, _ result: Result, _ text: String, alerts: [String] = []
  ) {
    self.id = id
    self.verb = verb
    self.time = time
    self.result = result
    self.text = text
    self.alerts = alerts
  }
}
