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
  /// The mean time from one sample to the next [s], > 0; 0 for a single sample.
  public var stepS: Double
  /// What one count is worth [g].
  public var unitG: Double
  /// Counts along each axis, equally many, at least one.
  public var x: [Int32]
  public var y: [Int32]
  public var z: [Int32]

  public init(
    shake: Int, index: Int, isLast: Bool = false, start: Instant, stepS: Double, unitG: Double, x: [Int32],
    y: [Int32], z: [Int32]
  ) {
    self.shake = shake
    self.index = index
    self.isLast = isLast
    self.start = start
    self.stepS = stepS
    self.unitG = unitG
    self.x = x
    self.y = y
    self.z = z
  }

  /// Samples in it.
  public var count: Int { x.count }

  /// When the last sample was measured.
  public var end: Instant { start + Double(count - 1) * stepS }
}

extension WaveformChunk {
  /// The chunk as it is published.
  public func message(clock: ClockState, in convention: Convention) -> WaveformMessage {
    var message = WaveformMessage(
      id: shake, chunk: index, isLast: isLast, start: clock.wall(at: start), periodS: stepS, unitG: unitG, x: x, y: y,
      z: z)
    if convention == .apple {
      // No count is so low that it has no opposite: the strongest sample that is taken is 2e9 counts.
      for index in x.indices {
        message.x[index] = -x[index]
        message.y[index] = -y[index]
        message.z[index] = -z[index]
      }
    }
    return message
  }
}
