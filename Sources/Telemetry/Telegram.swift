/// What every message of a node says about itself.
public struct Envelope: Equatable, Sendable {
  /// The version of the contract this package speaks.
  public static let version = 1

  /// The run of the node that this comes from.
  public var boot: BootID
  /// Rises by one with each event of this boot; nil on what is not an event.
  public var sequence: UInt64?
  /// When the content was measured; nil in a will, which was written before the loss it reports.
  public var time: WallTime?
  /// What `time` is worth.
  public var clock: ClockQuality?
  /// Monotonic seconds from the start of the node to `time`, so that a receiver can repair `time` later.
  public var uptime: Double?

  /// A message's own account of itself; only a will leaves out the times.
  public init(
    boot: BootID, sequence: UInt64? = nil, time: WallTime? = nil, clock: ClockQuality? = nil, uptime: Double? = nil
  ) {
    self.boot = boot
    self.sequence = sequence
    self.time = time
    self.clock = clock
    self.uptime = uptime
  }
}

/// One message of a node: its envelope and its content.
public struct Telegram: Equatable, Sendable {
  /// What it says about itself.
  public var envelope: Envelope
  /// What it is about.
  public var body: Body

  /// A message of this content.
  public init(_ envelope: Envelope, _ body: Body) {
    self.envelope = envelope
    self.body = body
  }

  /// The content of a message, by stream.
  public enum Body: Equatable, Sendable {
    case status(StatusMessage)
    case acceleration(AccelerationMessage)
    case shake(ShakeMessage)
    case waveform(WaveformMessage)
    case impact(ImpactMessage)
    case freeFall(FreeFallMessage)
    case orientation(OrientationMessage)
    case location(LocationMessage)
    case geofence(GeofenceMessage)
    case health(HealthMessage)
    case reply(ReplyMessage)
    case evicted(EvictedMessage)

    /// The stream that carries this content.
    public var stream: Stream {
      switch self {
      case .status: .status
      case .acceleration: .acceleration
      case .shake: .shake
      case .waveform: .waveform
      case .impact: .impact
      case .freeFall: .freeFall
      case .orientation: .orientation
      case .location: .location
      case .geofence: .geofence
      case .health: .health
      case .reply: .reply
      case .evicted: .evicted
      }
    }
  }
}
