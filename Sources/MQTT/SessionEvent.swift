/// What a session has to tell, in the order in which it happened.
public enum SessionEvent: Sendable, Equatable {
  /// A try to connect begins.
  case connecting(version: ProtocolVersion)
  /// The broker has taken us in; publications are accepted from now on.
  case connected(Connection)
  /// There is no connection, and `problem` says why. Publications handed over and not settled are in `unsettled`, in
  /// order: they may or may not have arrived. The next try comes in `retryInS`; nil after `stop`.
  case disconnected(problem: LinkProblem, retryInS: Double?, unsettled: [UInt64])
  /// The publication has left us for good.
  case delivered(token: UInt64, Delivery)
  /// The publication was not taken.
  case refused(token: UInt64, Refusal)
  /// A message came for one of the subscriptions. libmosquitto acknowledges it to the broker before it hands it over:
  /// one that waits here to be drained when the program dies is not sent again.
  case message(Message)
  /// The broker's answer to a subscription: the QoS it grants, or why not.
  case subscribed(filter: String, Result<QoS, Refusal>)
}

/// A version of MQTT as spoken.
public enum ProtocolVersion: Sendable, Equatable, CustomStringConvertible {
  case v5
  case v311

  public var description: String {
    switch self {
    case .v5: return "5"
    case .v311: return "3.1.1"
    }
  }
}

/// What the broker said when it took us in.
public struct Connection: Sendable, Equatable {
  /// The version of MQTT that the broker took.
  public var version: ProtocolVersion
  /// The broker still had our session.
  public var hasSession: Bool
  /// The highest QoS it takes; 2 unless it says otherwise.
  public var maximumQoS = 2
  /// It keeps retained messages.
  public var retains = true
  /// Publications with QoS 1 it takes at a time; nil: it did not say.
  public var receiveMaximum: Int?
  /// The largest packet it takes, in bytes; nil: it did not say.
  public var maximumPacketBytes: Int?
  /// The keepalive it wants, in place of ours.
  public var keepaliveS: Int?
  /// The client id it gave us, where we had none.
  public var clientID: String?
}

/// How far a publication is known to have come.
public enum Delivery: Sendable, Equatable {
  /// QoS 0: written to the socket, and that is all that is known.
  case written
  /// QoS 1: the broker has it. On MQTT 3.1.1 it says the same of what its access list drops, of what is too large, and
  /// of what nobody subscribes to.
  case acknowledged
  /// QoS 1 on MQTT 5: the broker had it, and nobody subscribes to the topic.
  case withoutSubscribers
}

/// Why a publication or a subscription was not taken.
public struct Refusal: Error, Sendable, Equatable, CustomStringConvertible {
  /// What somebody would do about it.
  public enum Kind: String, Sendable, CaseIterable {
    /// The access list says no. Who runs the broker can change that; until then it will say so again.
    case denied
    /// Larger than the broker takes. Who runs the broker can change that.
    case tooLarge
    /// The topic or the payload is not what MQTT, or this broker, allows: nobody can mend it.
    case invalid
    /// The broker does not do that at all: retained messages, this QoS, such a subscription. It may after a change of
    /// its configuration.
    case unsupported
    /// Not now: a quota is used up, or something went wrong at the broker or here. The same may be taken later.
    case busy
  }

  public let kind: Kind
  /// The MQTT 5 reason code (128 and above), or nil when it never left us.
  public let code: Int?
  /// In one line.
  public let description: String
  /// Trying the same again cannot help, unless somebody changes something at the broker first.
  public var isPermanent: Bool { kind != .busy }

  public init(_ kind: Kind, code: Int?, _ description: String) {
    self.kind = kind
    self.code = code
    self.description = description
  }
}

/// What came of handing a publication over.
public enum Acceptance: Sendable, Equatable {
  /// A `delivered`, `refused` or `disconnected` event settles it later.
  case accepted
  /// There is no connection, or the session is stopping; nothing was kept.
  case offline
  /// `queueCapacity` publications wait already; nothing was kept.
  case full
}

/// What a session has done since its start.
public struct SessionStatistics: Sendable, Equatable {
  /// Tries to connect.
  public var attempts = 0
  /// Tries that the broker took in.
  public var connects = 0
  public var isConnected = false
  /// Publications handed to the broker, by what became of them.
  public var accepted = 0
  public var delivered = 0
  public var withoutSubscribers = 0
  public var refused = 0
  public var unsettled = 0
  /// Publications not taken over, by reason.
  public var refusedOffline = 0
  public var refusedFull = 0
  public var messages = 0
  public var messageBytes = 0
  /// Messages left out because their topic was no UTF-8.
  public var messagesMalformed = 0
}
