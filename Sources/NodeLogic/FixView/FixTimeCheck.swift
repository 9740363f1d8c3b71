public import Telemetry

/// A receiver's time of a fix, held against the host's clock.
///
/// The week number of GPS has ten bits (IS-GPS-200, 20.3.3.3.1.1), so that a receiver with old firmware gives dates that
/// are 1024 weeks too early, or a multiple of that.
public struct FixTimeCheck: Equatable, Sendable {
  /// 1024 weeks [s].
  public static let rolloverS = 619_315_200.0
  /// So close to a multiple of 1024 weeks, a difference is one [s].
  public static let toleranceS = 86_400.0
  /// A larger difference from a clock that somebody vouches for is a fault [s].
  public static let farS = 60.0

  /// The receiver's time as it gave it.
  public var time: WallTime
  /// So many times 1024 weeks have to be added to it; 0 as a rule.
  public var rollovers: Int
  /// The receiver's time with them added, less the host's [s].
  public var offsetS: Double

  /// - Parameter host: the host's time when the fix came.
  public init(_ time: WallTime, host: WallTime) {
    self.time = time
    let multiple = ((host - time) / FixTimeCheck.rolloverS).rounded()
    let offsetS = time - host + multiple * FixTimeCheck.rolloverS
    let isRollover = multiple != 0 && multiple.magnitude < 100 && offsetS.magnitude <= FixTimeCheck.toleranceS
    rollovers = isRollover ? Int(multiple) : 0
    self.offsetS = isRollover ? offsetS : time - host
  }

  /// The time with the weeks that it lost.
  public var corrected: WallTime { time + Double(rollovers) * FixTimeCheck.rolloverS }

  /// One line for people: how far it is from the host's clock, and what that clock is worth.
  public func text(clock: ClockQuality) -> String {
    let offset = FixTimeCheck.offset(offsetS)
    let host = clock == .none ? "a host clock that nothing vouches for" : "the host's clock (\(clock.rawValue))"
    guard rollovers != 0 else { return "\(offset) \(host)" }
    let times = rollovers == 1 ? "1024 weeks" : "\(rollovers.magnitude) x 1024 weeks"
    return "\(times) too \(rollovers > 0 ? "early" : "late"), really \(corrected.rfc3339), \(offset) \(host)"
  }

  private static func offset(_ seconds: Double) -> String {
    "\(ViewText.duration(seconds.magnitude)) \(seconds < 0 ? "behind" : "ahead of")"
  }
}
