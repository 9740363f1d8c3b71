public import Telemetry

/// What is published of the acceleration, and how often.
public struct AccelerationSettings: Equatable, Sendable {
  /// What the published mean, and live samples, are filtered to.
  public var filter = AccelerationMessage.Filter.raw
  /// The length of a window, which is the update interval [s], 0.001...3600. Below the spacing of the samples, each
  /// sample is a window.
  public var windowS = 10.0
  /// What is slower is gravity [Hz], 0.01...10.
  public var cutoffHz = 0.7
  /// The length that a window is stretched to at rest [s], 0.001...3600; nothing is stretched up to `windowS`.
  public var restWindowS = 300.0
  /// What is measured of each window beyond the plain.
  public var measures: Set<AccelerationMeasure> = []
  /// The highest rate of live samples [Hz], 1...400; less where the sensor gives less, or at no whole part of it.
  public var liveHz = 25.0
  /// How many seconds of live samples make a message [s], 0.1...60; fewer where that is more than 200 samples.
  public var liveBatchS = 1.0

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
    /// No window of its own: samples for somebody who watches.
    case live
    /// The samples stopped coming.
    case silence
    /// The sensor failed or was started anew.
    case interrupted
    /// The agent stops.
    case stopped
  }

  /// The first sample.
  public var start: Instant
  /// The last sample. Live: the moment that the last of `samples` belongs to.
  public var end: Instant
  public var closing: Closing
  public var filter: AccelerationMessage.Filter
  /// Mean of the filtered samples [g]. Where windows shorter than 1 s are a series, its latest value without aliases.
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
  /// What was asked for beyond these.
  public var measures = AccelerationMessage.Measures()
  /// Live: the filtered samples [g], evenly `samplePeriodS` [s] apart.
  public var samples: [Vector]?
  public var samplePeriodS: Double?

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
    message.measures = measures
    message.samples = samples
    message.samplePeriodS = samplePeriodS
    return convention.published(message)
  }
}
