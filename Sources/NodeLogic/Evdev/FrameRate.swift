internal import Telemetry

/// How often a sensor that tells changes only measures, as far as that can be seen: the samples that are made of what it
/// tells come at any rate that is asked for.
///
/// At rest such a sensor tells little, because the kernel holds small changes back; while something moves, each of its
/// measurements differs from the one before and is told. So only the time between two values counts of which both were
/// large changes. It is a whole number of the samples' periods, which the mean of many makes up for.
public struct FrameRate: Equatable, Sendable {
  /// A smaller change from one value to the next may be followed by one that is held back [g].
  private static let movingG = 0.05
  /// What is further apart was no motion in between [s].
  private static let longestS = 2.0

  /// The rate, for whoever judges it; nothing is known in it before something has moved.
  public private(set) var estimate = RateEstimator()
  private var last: Sample?
  private var wasMoving = false
  /// The times that count, one after another [s].
  private var movingS = 0.0

  public init() {}

  /// The rate at which it measures [Hz]; nil until enough was told while something moved.
  public var rateHz: Double? { estimate.rateHz }

  /// Takes the next sample.
  public mutating func feed(_ sample: Sample) {
    guard !sample.isRepeat else { return }
    defer { last = sample }
    guard let last else { return }
    let isMoving = (sample.g - last.g).length >= Self.movingG
    defer { wasMoving = isMoving }
    let spacingS = sample.at - last.at
    guard isMoving, wasMoving, spacingS > 0, spacingS <= Self.longestS else { return }
    if movingS == 0 { _ = estimate.feed(0) }
    movingS += spacingS
    _ = estimate.feed(movingS)
  }
}
