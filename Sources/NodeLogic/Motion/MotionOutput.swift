/// What `MotionPipeline` asks the shell to do.
public enum MotionOutput: Equatable, Sendable {
  /// Publish a phase of a shake.
  case shake(ShakeEvent)
  /// Publish that something hit.
  case impact(ImpactEvent)
  /// Publish that it fell.
  case freeFall(FreeFallEvent)
  /// Publish that another side is up.
  case orientation(OrientationChange)
  /// Publish a window.
  case acceleration(AccelerationWindow)
  /// Publish a piece of a shake's waveform.
  case waveform(WaveformChunk)
  /// Tell people.
  case warning(MotionWarning)
}

/// Something about the sensor that people should know; said once per change, or at each doubling of a count.
public enum MotionWarning: Equatable, Sendable, CustomStringConvertible {
  /// The measured rate is below what the preset needs; a preset that cannot do without looks for no shakes.
  case tooSlow(rateHz: Double, preset: ShakePreset)
  /// The rate is high enough again.
  case fastEnough(rateHz: Double)
  /// Samples were promised and do not come, for so long [s].
  case stalled(ageS: Double)
  /// The sensor cannot be read.
  case failed(reason: String)
  /// Samples come again, after so long [s].
  case recovered(afterS: Double)
  /// Samples were lost; the count since the start.
  case gaps(Int)
  /// Samples were not used: not finite, impossibly large, or dated in the future; the count since the start.
  case unusable(Int)
  /// Samples were not used because their time did not rise; the count since the start.
  case outOfOrder(Int)
  /// The sensor's range ends below what opens an impact.
  case narrowRange(fullScaleG: Double, thresholdG: Double)
  /// Impacts were not told because there were too many in a minute; the count since the start.
  case impactsHeldBack(Int, perMinute: Int)
  /// A waveform ends before its shake.
  case waveformCut(shake: Int, WaveformRecorder.Cut)
  /// Shakes are published without their waveform, because that hour has had enough; the count since the start.
  case waveformsWithheld(Int, perHour: Int)
  /// The driver left something out or tried again; the count since the start.
  case faulty(AccelerometerFaults.Kind, count: Int)

  /// Whether it tells of a problem, rather than of the end of one.
  public var isProblem: Bool {
    switch self {
    case .fastEnough, .recovered: false
    default: true
    }
  }

  public var description: String {
    switch self {
    case .tooSlow(let rateHz, let preset):
      "\(tenths(rateHz)) samples/s are fewer than the \(tenths(preset.minimumRateHz)) that the preset"
        + " \(preset.rawValue) needs; "
        + (preset.needsMinimumRate ? "no shakes are looked for" : "shakes may be found late, or missed")
        + "; raise accelerometer.rate_hz"
    case .fastEnough(let rateHz): "\(tenths(rateHz)) samples/s are enough again"
    case .stalled(let ageS): "no sample for \(tenths(ageS)) s"
    case .failed(let reason): "cannot be read: \(reason)"
    case .recovered(let afterS): "samples come again, after \(tenths(afterS)) s"
    case .gaps(let count): "samples were lost; \(count) times since the start"
    case .unusable(let count):
      "samples that are not finite, impossibly large or dated in the future are not used; \(count) since the start"
    case .faulty(let kind, let count): "\(kind.words); \(count) times since the start"
    case .outOfOrder(let count): "samples whose time does not rise are not used; \(count) since the start"
    case .narrowRange(let fullScaleG, let thresholdG):
      "its range of \(tenths(fullScaleG)) g ends below the \(tenths(thresholdG)) g that open an impact; none will be"
        + " seen; lower impact.threshold_g or widen the sensor's range"
    case .impactsHeldBack(let count, let perMinute):
      "more than \(perMinute) impacts a minute; \(count) since the start are not sent; raise impact.threshold_g or"
        + " impact.per_minute"
    case .waveformCut(let shake, .tooLong):
      "the waveform of shake \(shake) ends before the shake: waveform.max_s is over"
    case .waveformCut(let shake, .tooManyChunks):
      "the waveform of shake \(shake) ends before the shake: it has \(WaveformRecorder.mostChunks) chunks; lower "
        + "accelerometer.rate_hz or raise waveform.chunk_bytes"
    case .waveformsWithheld(let count, let perHour):
      "shakes are published without waveform, since this hour has had \(perHour) (waveform.max_per_hour); "
        + "\(count) since the start"
    }
  }
}

/// The number with one decimal.
func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
