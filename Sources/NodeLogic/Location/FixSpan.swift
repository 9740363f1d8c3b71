internal import Telemetry

/// The time from one fix to another, for what a vehicle may have done in it.
enum FixSpan {
  /// A receiver's own time counts when it is so close to the monotonic one [s].
  static let toleranceS = 2.0

  /// Seconds from `a` to `b`; >= 0.
  ///
  /// By monotonic receipt, because a garbled sentence may carry any time: 74 km and two days at once were seen, which
  /// would be a leisurely ride. After a hang fixes come within milliseconds of one another and their own times are
  /// right: those count where they are longer and close to the receipt's.
  static func seconds(from a: Fix, to b: Fix) -> Double {
    let received = max(0, b.receivedAt - a.receivedAt)
    guard a.device == b.device, let from = a.time, let to = b.time else { return received }
    let own = to.seconds - from.seconds
    return own > received && own - received <= toleranceS ? own : received
  }
}
