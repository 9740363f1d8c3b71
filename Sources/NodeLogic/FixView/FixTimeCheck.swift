public import Telemetry

/// A receiver's time of a fix, held against the host's clock.
public struct FixTimeCheck: Equatable, Sendable {
  /// A larger difference from a clock that is disciplined is a fault [s].
  public static let farS = 60.0

  /// The receiver's time as it gave it.
  public var time: WallTime
  /// So many times 1024 weeks have to be added to it; 0 as a rule.
  public var rollovers: Int
  /// The receiver's time with them added, less the host's [s].
  public var offsetS: Double
  /// What the host's clock is worth.
  public var quality: ClockQuality

  /// - Parameters:
  ///   - host: the host's clock.
  ///   - received: when the fix came.
  public init(_ time: WallTime, host: ClockState, received: Instant) {
    self.time = time
    quality = host.quality
    let wall = host.wall(at: received)
    rollovers = FixTimeVerdict(time, at: (wall, host.quality)).rollovers ?? 0
    offsetS = time - wall
    offsetS = corrected - wall
  }

  /// The time with the weeks that it lost.
  public var corrected: WallTime { time + Double(rollovers) * FixTimeVerdict.rolloverS }

  /// Weeks are missing, or a clock that knows the time says another one.
  public var isOff: Bool {
    switch quality {
    case .ntp, .gps: rollovers != 0 || offsetS.magnitude > FixTimeCheck.farS
    case .rtc, .none: rollovers != 0
    }
  }

  /// One line for people: the weeks that are missing, and how far it is from the host's clock.
  public var text: String {
    let host = quality == .none ? "a host clock that nothing vouches for" : "the host's clock (\(quality.rawValue))"
    let offset = "\(ViewText.duration(offsetS.magnitude)) \(offsetS < 0 ? "behind" : "ahead of") \(host)"
    guard rollovers != 0 else { return offset }
    let times = rollovers.magnitude == 1 ? "1024 weeks" : "\(rollovers.magnitude) x 1024 weeks"
    return "\(times) too \(rollovers > 0 ? "early" : "late"), really \(corrected.rfc3339), \(offset)"
  }
}
