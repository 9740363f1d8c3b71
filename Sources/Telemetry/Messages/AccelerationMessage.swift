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
  }

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

  /// A window of which only this is known.
  public init(windowS: Double, filter: Filter, meanG: Vector, count: Int, missed: Int) {
    self.windowS = windowS
    self.filter = filter
    self.meanG = meanG
    self.count = count
    self.missed = missed
  }
}
