public import Telemetry

/// What is published of the acceleration, and how often.
public struct AccelerationSettings: Equatable, Sendable {
  /// What the published mean is filtered to.
  public var filter = AccelerationMessage.Filter.raw
  /// The length of a window, which is the update interval [s], 0.001...3600. Below the spacing of the samples, each
  /// sample is a window.
  public var windowS = 10.0
  /// What is slower is gravity [Hz], 0.01...20.
  public var cutoffHz = 0.7
  /// The length that a window is stretched to at rest [s], 0...3600; nothing is stretched up to `windowS`.
  public var restWindowS = 300.0

  public init() {}
}

/// A window that is complete.
public struct AccelerationWindow: Equatable, Sendable {
  /// Why it was closed.
  public enum Closing: String, Sendable {
    /// It is as long as asked for.
    case full
    /// It is as long as it may get at rest.
    case rest
    /// It was stretched at rest, and motion returned.
    case motion
    /// The samples stopped coming.
    case silence
    /// The sensor failed or was started anew.
    case interrupted
    /// The agent stops.
    case stopped
  }

  /// The first sample.
  public var start: Instant
  /// The last sample.
  public var end: Instant
  public var closing: Closing
  public var filter: AccelerationMessage.Filter
  /// Mean of the filtered samples [g].
  public var meanG: Vector
  /// Root mean square of the length of the acceleration without gravity [g]; nil where gravity was not known yet.
  public var rmsG: Double?
  /// Largest length of the acceleration without gravity [g]; nil where gravity was not known yet.
  public var peakG: Double?
  /// Largest minus smallest measured value on each axis [g]; nil for one sample.
  public var peakToPeakG: Vector?
  /// The measured rate [Hz]; nil for one sample.
  public var rateHz: Double?
  /// How many samples the window has.
  public var count: Int
  /// How many samples the timestamps say are missing.
  public var missed: Int
  /// How many samples touched the end of the sensor's scale; nil where the scale is unknown.
  public var clipped: Int?

  public init(
    start: Instant, end: Instant, closing: Closing, filter: AccelerationMessage.Filter, meanG: Vector, count: Int,
    missed: Int
  ) {
    self.start = start
    self.end = end
    self.closing = closing
    self.filter = filter
    self.meanG = meanG
    self.count = count
    self.missed = missed
  }

  /// The window as it is published.
  public func message(in convention: Convention = .standard) -> AccelerationMessage {
    var message = AccelerationMessage(
      windowS: end - start, filter: filter, meanG: meanG, count: count, missed: missed)
    message.rmsG = rmsG
    message.peakG = peakG
    message.peakToPeakG = peakToPeakG
    message.rateHz = rateHz
    message.clipped = clipped
    return convention.published(message)
  }
}
