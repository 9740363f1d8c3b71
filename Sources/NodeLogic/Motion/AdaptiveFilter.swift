internal import Telemetry

/// A low-pass filter that hardly lets anything through while little moves, and opens up when more does.
///
/// The adaptive filter of Apple's AccelerometerGraph sample: when the length of the new value differs from the
/// filtered one's by a step of 0.02 g, the filter begins to open, and is open at two. Its corner goes from a third of
/// `cutoff_hz` to `cutoff_hz`, a true corner with its 2 pi (the sample leaves that out, so its 5 Hz are 0.8 Hz), and
/// the weights come from the spacing that was measured. The first sample is the first answer.
///
/// How much it takes off depends on the amplitude: it is not linear, pleasant to look at and nothing to measure with.
struct AdaptiveFilter: Equatable, Sendable {
  private static let stepG = 0.02
  private static let attenuation = 3.0

  /// nil before the first sample.
  private(set) var value: Vector?
  private var open: Smoothing
  private var closed: Smoothing

  /// - Parameter cornerHz: the corner while much moves [Hz], > 0.
  init(cornerHz: Double) {
    open = Smoothing(cornerHz: cornerHz)
    closed = Smoothing(cornerHz: cornerHz / Self.attenuation)
  }

  /// Takes the next sample [g], `stepS` [s] >= 0 after the one before, and answers the filtered value [g].
  @discardableResult
  mutating func feed(_ g: Vector, after stepS: Double) -> Vector {
    guard let before = value else {
      value = g
      return g
    }
    let steps = (before.length - g.length).magnitude / Self.stepG
    let opening = min(max(steps - 1, 0), 1)
    let weight = (1 - opening) * closed.weight(after: stepS) + opening * open.weight(after: stepS)
    let now = before + (g - before) * weight
    value = now
    return now
  }

  /// Forgets the past: the next sample is the first.
  mutating func reset() {
    value = nil
  }
}
