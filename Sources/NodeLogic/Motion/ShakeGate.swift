/// Whether the sampling rate is enough for a preset.
///
/// The rate is taken from the timestamps. A twentieth below the minimum is still allowed, because a sensor set to 20 Hz
/// may well run at 19.3; what was too slow is enough again a little above that, so that noise does not make it flap.
/// The first few spacings, which jitter moves by a tenth and more, only tell what is far too slow.
public struct ShakeGate: Equatable, Sendable {
  /// What has just changed.
  public enum Change: Equatable, Sendable {
    case tooSlow(rateHz: Double)
    case fastEnough(rateHz: Double)
  }

  private static let enough = 0.95
  private static let enoughAgain = 0.96
  private static let farTooSlow = 0.75

  /// The preset, which sets the minimum.
  public let preset: ShakePreset
  /// The rate was too low when it was judged last; an unknown one is not.
  public private(set) var isTooSlow = false

  /// Begins with no rate known.
  public init(_ preset: ShakePreset) {
    self.preset = preset
  }

  /// No shakes are looked for: the rate is too low for them.
  public var isClosed: Bool { isTooSlow && preset.needsMinimumRate }

  /// Judges the rate that was measured so far, and answers what changed.
  public mutating func judge(_ rate: RateEstimator) -> Change? {
    guard let rateHz = rate.rateHz else { return nil }
    let share = rateHz / preset.minimumRateHz
    if !isTooSlow, share < (rate.isSettled ? Self.enough : Self.farTooSlow) {
      isTooSlow = true
      return .tooSlow(rateHz: rateHz)
    }
    if isTooSlow, rate.isSettled, share >= Self.enoughAgain {
      isTooSlow = false
      return .fastEnough(rateHz: rateHz)
    }
    return nil
  }
}
