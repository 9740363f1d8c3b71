public import Telemetry

/// What the time of a fix is worth.
///
/// GPS counts weeks in ten bits, so that a receiver that has lost count is off by a multiple of 1024 weeks (IS-GPS-200,
/// 20.3.3.3.1.1) and right in everything else. It is told from a clock that knows the time; without one only from the
/// fact that it is too early.
public enum FixTimeVerdict: Equatable, Sendable {
  /// As far as can be told, it is right.
  case plausible
  /// To be right it needs so many times `rolloverS` more; negative where it is too late. Never 0.
  case rolledOver(Int)
  /// It is not right, and no count of weeks explains it: a receiver that was never set, or one that is off by something
  /// else.
  case wrong

  /// 1024 weeks [s].
  public static let rolloverS = 619_315_200.0
  /// A receiver that is off by a multiple of 1024 weeks may be off by this more [s], and the clock as well.
  static let toleranceS = 86_400.0
  /// More than this is no rollover: so many span the whole range of calendar times that a message may have.
  static let mostRollovers = 20

  /// Judges a fix time by the node's clock where that knows the time, and else by the calendar alone: of all times that
  /// are whole multiples of 1024 weeks apart exactly one lies within 1024 weeks from `WallTime.plausibleFrom` on.
  ///
  /// A clock that was set once may be wrong itself. It tells a rollover; against any other time that can be true it is
  /// no evidence.
  ///
  /// - Parameter clock: the wall time when the fix came, and what that is worth.
  public init(_ time: WallTime, at clock: (wall: WallTime, quality: ClockQuality)) {
    let behindS = clock.wall - time
    let weeks = (behindS / FixTimeVerdict.rolloverS).rounded()
    let isMultiple =
      (behindS - weeks * FixTimeVerdict.rolloverS).magnitude <= FixTimeVerdict.toleranceS
      && weeks.magnitude <= Double(FixTimeVerdict.mostRollovers)
    switch clock.quality {
    case .none: self = FixTimeVerdict(byCalendar: time)
    case _ where isMultiple: self = weeks == 0 ? .plausible : .rolledOver(Int(weeks))
    case .rtc: self = FixTimeVerdict.canBeTrue(time) ? .plausible : .wrong
    case .ntp, .gps: self = .wrong
    }
  }

  /// Judges by the calendar alone.
  private init(byCalendar time: WallTime) {
    if FixTimeVerdict.canBeTrue(time) {
      self = .plausible
    } else if time < .plausibleFrom, !FixTimeVerdict.isWeekZero(time) {
      self = .rolledOver(Int(((WallTime.plausibleFrom - time) / FixTimeVerdict.rolloverS).rounded(.up)))
    } else {
      self = .wrong
    }
  }

  /// Not so early, and not so late, that it must be off by 1024 weeks.
  static func canBeTrue(_ time: WallTime) -> Bool {
    time >= .plausibleFrom && time - .plausibleFrom < FixTimeVerdict.rolloverS
  }

  /// In the first week of a count: 1980-01-06, 1999-08-22, 2019-04-07. A cold receiver that does not know the week yet
  /// says so, and what week it is can't be told from it.
  private static func isWeekZero(_ time: WallTime) -> Bool {
    let sinceEpochS = time - WallTime(seconds: 315_964_800)
    return sinceEpochS.truncatingRemainder(dividingBy: rolloverS) < 7 * 86_400
  }

  /// How many times 1024 weeks are missing; nil where none are.
  public var rollovers: Int? { if case .rolledOver(let count) = self { count } else { nil } }
}

extension LocationMessage.Position {
  /// Says whether `fixTime` is off by multiples of 1024 weeks, as told by `received` of a clock of this worth.
  mutating func judgeFixTime(by quality: ClockQuality) {
    guard let fixTime, let received else { return }
    fixTimeRollovers = FixTimeVerdict(fixTime, at: (received, quality)).rollovers
  }
}
