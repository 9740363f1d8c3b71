public import Telemetry

/// The slow part of the acceleration: which way is up, and how strong.
///
/// A one-pole low-pass filter, `g += k (a - g)` with `k = 1 - exp(-2 pi fc dt)` from the measured `dt`. The first
/// sample is taken for gravity, because starting from zero would show a step of 1 g that nobody made.
public struct GravityFilter: Equatable, Sendable {
  /// The estimate [g]; nil before the first sample.
  public private(set) var gravity: Vector?
  private var smoothing: Smoothing

  /// - Parameter cornerHz: what is slower is gravity [Hz], > 0.
  public init(cornerHz: Double) {
    smoothing = Smoothing(cornerHz: cornerHz)
  }

  /// Takes the next sample [g], `stepS` [s] >= 0 after the one before, and answers the new estimate [g].
  @discardableResult
  public mutating func feed(_ g: Vector, after stepS: Double) -> Vector {
    guard let before = gravity else {
      gravity = g
      return g
    }
    let now = before + (g - before) * smoothing.weight(after: stepS)
    gravity = now
    return now
  }

  /// Forgets the past: the next sample is gravity again.
  public mutating func reset() {
    gravity = nil
  }
}

/// The quick part of the acceleration: the sample minus gravity, then a one-pole low-pass filter as a band limit.
///
/// The band limit makes the answer the same at every sampling rate that can represent the band, and takes the clicks.
public struct HighPass: Equatable, Sendable {
  /// Acceleration without gravity, band limited [g]; zero at the first sample.
  public private(set) var linear = Vector.zero
  private var gravityFilter: GravityFilter
  private var smoothing: Smoothing

  /// - Parameters:
  ///   - highPassHz: what is slower is gravity [Hz], > 0.
  ///   - lowPassHz: what is quicker is left out [Hz], > `highPassHz`.
  public init(highPassHz: Double, lowPassHz: Double) {
    gravityFilter = GravityFilter(cornerHz: highPassHz)
    smoothing = Smoothing(cornerHz: lowPassHz)
  }

  /// The gravity that is taken off [g]; nil before the first sample.
  public var gravity: Vector? { gravityFilter.gravity }

  /// Takes the next sample [g], `stepS` [s] >= 0 after the one before, and answers `linear`.
  @discardableResult
  public mutating func feed(_ g: Vector, after stepS: Double) -> Vector {
    let quick = g - gravityFilter.feed(g, after: stepS)
    linear = linear + (quick - linear) * smoothing.weight(after: stepS)
    return linear
  }

  /// Forgets the past: the next sample is gravity again.
  public mutating func reset() {
    gravityFilter.reset()
    linear = .zero
  }
}
