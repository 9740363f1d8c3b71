internal import Telemetry

/// What can be said of samples in a line, and whether they are in the units that a recording has.
public struct RecordingTally: Equatable, Sendable {
  public private(set) var samples = 0
  /// How many samples the timestamps say are missing.
  public private(set) var missed = 0
  /// How many touched the end of the sensor's scale.
  public private(set) var clipped = 0
  /// How many times did not rise.
  public private(set) var unordered = 0

  private var rate = RateEstimator()
  private var first: Double?
  private var last = -Double.infinity
  private var lengthSum = 0.0

  /// Begins with no sample seen.
  public init() {}

  /// From the first sample to the last [s].
  public var durationS: Double { first.map { last - $0 } ?? 0 }
  /// Measured [Hz]; nil until enough samples came.
  public var rateHz: Double? { rate.rateHz }
  /// The mean of the length of the acceleration [g]; nil before the first sample.
  public var meanLengthG: Double? { samples > 0 ? lengthSum / Double(samples) : nil }

  /// Takes the next sample.
  public mutating func count(_ sample: Sample) {
    samples += 1
    lengthSum += sample.g.length
    if sample.isClipped { clipped += 1 }
    let time = sample.at.seconds
    guard time > last else {
      unordered += 1
      return
    }
    if first == nil { first = time }
    missed += rate.feed(time)
    last = time
  }

  /// `3000 samples in 29.99 s, 100.0 Hz, 0 missed`
  public var text: String {
    let rate = rateHz.map { ", \(Decimal.text($0, decimals: $0 < 10 ? 3 : 1)) Hz" } ?? ""
    return "\(samples) sample\(samples == 1 ? "" : "s") in \(Decimal.text(durationS, decimals: 2)) s\(rate),"
      + " \(missed) missed"
  }

  /// What looks as if it were in other units than t in s and x, y, z in g, one line each. Nothing is converted: what
  /// looks like it may still be real.
  public var doubts: [String] {
    var doubts: [String] = []
    if let doubt = meanLengthG.flatMap(MeanLength.doubt) { doubts.append(doubt) }
    if let rateHz, rateHz <= 1 {
      let step = Decimal.text(1 / rateHz, decimals: 3)
      let unit = 1 / rateHz >= 500 ? "us" : "ms"
      doubts.append("t rises by \(step) from line to line: that looks like \(unit); expected s")
    }
    if unordered > 0 {
      doubts.append("t does not rise at \(unordered) of \(samples) samples, which are not used")
    }
    return doubts
  }
}
