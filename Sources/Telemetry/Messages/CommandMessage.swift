/// What a node is asked to do: topic `<prefix>/<node>/command`, never retained.
public struct CommandMessage: Equatable, Sendable {
  /// What a node can be asked.
  public enum Verb: String, CaseIterable, Sendable {
    /// Publish again what it measures.
    case arm
    /// Measure on, and publish nothing of it.
    case disarm
    /// Publish the samples themselves for a while.
    case live
    /// Publish the location now.
    case locate
  }

  /// Chosen by whoever asks; the reply repeats it. 1 to 64 bytes.
  public var id: String
  public var verb: Verb
  /// With `live`: for how long [s]; 0 ends it.
  public var forS: Double?
  /// The node refuses it after this time, when it knows the time.
  public var expires: WallTime?

  /// A request with this id.
  public init(id: String, _ verb: Verb, forS: Double? = nil, expires: WallTime? = nil) {
    self.id = id
    self.verb = verb
    self.forS = forS
    self.expires = expires
  }
}

/// What became of a command: stream `reply`.
public struct ReplyMessage: Equatable, Sendable {
  /// The command's own; absent where it had none that could be read.
  public var id: String?
  /// As it was asked for; absent where it could not be read.
  public var verb: CommandMessage.Verb?
  /// It was done.
  public var isDone: Bool
  /// Why it was not done.
  public var reason: String?
  /// With `live`: when it ends by itself.
  public var until: WallTime?

  /// An answer to the command of this id.
  public init(id: String?, _ verb: CommandMessage.Verb?, isDone: Bool, reason: String? = nil, until: WallTime? = nil) {
    self.id = id
    self.verb = verb
    self.isDone = isDone
    self.reason = reason
    self.until = until
  }
}
