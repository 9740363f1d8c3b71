/// Everything that decides how a session reaches its broker. Durations are seconds.
public struct BrokerSettings: Sendable, Equatable {
  /// Which MQTT version to speak.
  public enum Version: Sendable, Equatable {
    /// MQTT 5, and 3.1.1 where the broker refuses it.
    case automatic
    case v5
    case v311
  }

  /// What protects the connection.
  public enum Security: Sendable, Equatable {
    case none
    case certificates(Certificates)
    /// A shared key; `key` in hexadecimal digits.
    case sharedKey(identity: String, key: String)
  }

  /// TLS with certificates.
  public struct Certificates: Sendable, Equatable {
    /// Who may vouch for the broker.
    public enum Authority: Sendable, Equatable {
      /// The authorities this system trusts.
      case system
      /// A PEM file of authorities.
      case file(String)
      /// A folder of PEM files, hashed by `openssl rehash`.
      case folder(String)
    }

    public var authority: Authority
    /// This client's own certificate chain and its key, PEM files without a passphrase; both or none.
    public var certificateFile: String?
    public var keyFile: String?
    /// The name the broker's certificate has to carry. libmosquitto 2.0 checks the host it connects to and nothing
    /// else, so anything but the host is refused by `check()`.
    public var serverName: String?
    /// Takes a certificate whatever name it carries; it still has to come from the authority.
    public var acceptsAnyName: Bool

    public init(
      authority: Authority = .system, certificateFile: String? = nil, keyFile: String? = nil,
      serverName: String? = nil, acceptsAnyName: Bool = false
    ) {
      self.authority = authority
      self.certificateFile = certificateFile
      self.keyFile = keyFile
      self.serverName = serverName
      self.acceptsAnyName = acceptsAnyName
    }
  }

  /// What to subscribe to on every connect.
  public struct Subscription: Sendable, Equatable {
    /// A topic filter, with `+` and `#`.
    public var filter: String
    public var qos: QoS

    public init(_ filter: String, _ qos: QoS = .atLeastOnce) {
      self.filter = filter
      self.qos = qos
    }
  }

  /// A name, or an IPv4 or IPv6 address.
  public var host: String
  /// nil: 1883, or 8883 with TLS.
  public var port: Int?
  public var version = Version.automatic
  /// Empty: the broker gives one. Two clients with the same id throw each other out.
  public var clientID = ""
  public var username: String?
  /// As the broker expects it, without a NUL byte.
  public var password: [UInt8]?
  public var security = Security.none
  /// The longest silence before the client pings; 5 to 65535.
  public var keepaliveS = 120
  /// How long the broker keeps subscriptions and what waits for them once the link is lost; 0: not at all. MQTT 3.1.1
  /// knows no such limit: anything but 0 keeps them for as long as the broker likes.
  public var sessionExpiryS: UInt32 = 0
  /// What the broker publishes for us when we go without a word.
  public var will: Will?
  public var subscriptions: [Subscription] = []
  /// At most this many publications with QoS 1 wait for the broker's word at a time.
  public var window = 20
  /// At most this many publications wait for a place in the window.
  public var queueCapacity = 64
  /// Finding the address and connecting may take this long.
  public var connectDeadlineS = 15.0
  /// The TLS handshake and the broker's answer to our greeting may take this long.
  public var connackDeadlineS = 15.0
  /// A publication with QoS 1 may wait this long for its acknowledgement; then the link counts as dead. Nil: as long as
  /// the keepalive in use, which may be the broker's.
  public var acknowledgementDeadlineS: Double?
  public var backoff = Backoff.Settings()

  public init(host: String) {
    self.host = host
  }

  /// The port in use.
  public var effectivePort: Int {
    if let port { return port }
    return security == .none ? 1883 : 8883
  }

  /// Host and port as people write them: `broker.example:1883`, `[::1]:1883`.
  public var endpoint: String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(effectivePort)" : "\(host):\(effectivePort)"
  }

  /// How long MQTT 5 keeps the session: at least as long as the will is delayed, which would come at once otherwise.
  var expiryOnTheWireS: UInt32 { max(sessionExpiryS, will?.delayS ?? 0) }
}
