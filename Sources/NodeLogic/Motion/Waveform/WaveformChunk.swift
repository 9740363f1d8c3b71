public import Telemetry

/// A piece of a shake's waveform: samples that are evenly spaced, as they were measured, with gravity.
///
/// Sample `i` was measured at `start + i * stepS`, to half a step.
public struct WaveformChunk: Equatable, Sendable {
  /// The shake that it belongs to.
  public var shake: Int
  /// Its place in the waveform, from 0.
  public var index: Int
  /// Nothing comes after it.
  public var isLast: Bool
  /// When the first sample was measured.
  public var start: Instant
  /// The mean distance of two samples [s], > 0; of a single sample what it is elsewhere.
  public var stepS: Double
  /// What one count is worth [g].
  public var quantumG: Double
  /// Counts along each axis, equally many, at least one.
  public var x: [Int32]
  public var y: [Int32]
  public var z: [Int32]

  public init(
    shake: Int, index: Int, isLast: Bool = false, start: Instant, stepS: Double, quantumG: Double, x: [Int32],
    y: [Int32], z: [Int32]
  ) {
    self.shake = shake
    self.index = index
    self.isLast = isLast
    self.start = start
    self.stepS = stepS
    self.quantumG = quantumG
    self.x = x
    self.y = y
    self.z = z
  }

  /// Samples in it.
  public var count: Int { x.count }

  /// When the last sample was measured.
  public var end: Instant { start + Double(count - 1) * stepS }
}
