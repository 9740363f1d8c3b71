public import Telemetry

/// Tells since when a sensor has been quiet: nothing but its noise, whichever side is up.
///
/// Quiet is an RMS of the deviation from a slow mean, over half a second, below 20 mg: twice what common sensors' noise
/// is, and far less than a hand, a wheel or a running engine gives. A slow turn shows too, since the mean lags behind.
public struct QuietWatch: Equatable, Sendable {
  /// More is motion [g].
  public static let levelG = 0.02
  private static let meanS = 4.0
  private static let envelopeS = 0.5
  /// After a hole this long what came before says nothing [s].
  private static let holeS = 2.0

  private var meanSmoothing = Smoothing(timeS: Self.meanS)
  private var envelopeSmoothing = Smoothing(timeS: Self.envelopeS)
  private var last: Double?
  private var square = 0.0
  private var lastMotion = 0.0
  /// The slow mean [g].
  public private(set) var mean = Vector.zero

  public init() {}

  /// Takes the next sample.
  public mutating func feed(_ sample: Sample) {
    guard sample.isUsable else { return }
    let now = sample.at.seconds
    guard let last, now - last <= Self.holeS, now > last else {
      self.last = now
      mean = sample.g
      square = 0
      lastMotion = now
      return
    }
    self.last = now
    let deviation = sample.g - mean
    mean = mean + deviation * meanSmoothing.weight(after: now - last)
    square += envelopeSmoothing.weight(after: now - last) * (deviation.squaredLength - square)
    if square > Self.levelG * Self.levelG { lastMotion = now }
  }

  /// How long it has been quiet at the last sample [s].
  public var quietS: Double { last.map { $0 - lastMotion } ?? 0 }

  /// Whether a single reading says that the sensor was moved since, by far more than its noise.
  public func wasMoved(to g: Vector) -> Bool { (g - mean).length > 3 * Self.levelG }

  /// Begins anew.
  public mutating func reset() { self = QuietWatch() }
}
