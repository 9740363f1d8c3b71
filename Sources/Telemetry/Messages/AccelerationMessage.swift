/// One window of acceleration: stream `acceleration`. `Envelope.time` is the window's last sample.
public struct AccelerationMessage: Equatable, Sendable {
  /// What `g` was filtered to.
  public enum Filter: String, CaseIterable, Sendable {
    /// As measured.
    case raw
    /// The slow part: which way is down.
    case gravity
    /// What is left without gravity: the part that a user or a machine causes.
    case user
    /// The slow part as long as little moves, and the quicker the more does: for looking at, not for measuring.
    case adaptive
  }

  /// The most samples that one message has.
  public static let mostSamples = 1024

  /// From the first to the last sample [s]; 0 for one sample.
  public var windowS: Double
  /// What `meanG` was filtered to.
  public var filter: Filter
  /// Mean of the filtered samples [g].
  public var meanG: Vector
  /// Root mean square of the length of the acceleration without gravity [g].
  public var rmsG: Double?
  /// Largest length of the acceleration without gravity [g].
  public var peakG: Double?
  /// Largest minus smallest measured value on each axis [g].
  public var peakToPeakG: Vector?
  /// The measured rate [Hz]; absent when fewer than two samples came.
  public var rateHz: Double?
  /// How many samples the window has.
  public var count: Int
  /// How many samples the timestamps say are missing.
  public var missed: Int
  /// How many samples touched the end of the sensor's scale; absent where that is unknown.
  public var clipped: Int?
  /// What was asked for beyond these.
  public var measures = Measures()
  /// The filtered samples themselves [g], evenly `samplePeriodS` apart, 1...1024: while somebody watches live.
  public var samples: [Vector]?
  /// From one of `samples` to the next [s].
  public var samplePeriodS: Double?

  /// Measures of a window that are only taken when they are asked for; each is nil when it was not, or is unknown.
  public struct Measures: Equatable, Sendable {
    /// Peak by RMS of the acceleration without gravity.
    public var crest: Double?
    /// Vibration dose, without any frequency weighting [m/s^1.75]: not the value that a standard's limit is for.
    public var unweightedDoseMPS175: Double?
    /// Cumulative absolute velocity [g s].
    public var cavGS: Double?
    /// Peak particle velocity on each axis [mm/s]: an indicator, since the sensor's place and band are no standard's.
    public var velocityIndicatorMMPS: Vector?
    /// The frequency of those peaks [Hz].
    public var velocityIndicatorHz: Vector?
    /// Fourth moment by squared second; 3 for noise.
    public var kurtosis: Double?
    /// RMS from 0.5 to 2 Hz [g].
    public var lowBandG: Double?
    /// RMS from 2 to 8 Hz [g].
    public var midBandG: Double?
    /// RMS from 8 to 30 Hz [g].
    public var highBandG: Double?

    /// None of them.
    public init() {}
  }

  /// A window of which only this is known.
  public init(windowS: Double, filter: Filter, meanG: Vector, count: Int, missed: Int) {
    self.windowS = windowS
    self.filter = filter
    self.meanG = meanG
    self.count = count
    self.missed = missed
  }
}
