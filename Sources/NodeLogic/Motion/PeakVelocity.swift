internal import Telemetry

/// The peak particle velocity on each axis, and the frequency of the oscillation that had it.
///
/// The acceleration without gravity is integrated with a leak, which is the integral and a high-pass filter of 1 Hz in
/// one: otherwise the least offset would grow without end. The frequency comes from the zero crossings around the peak,
/// as DIN 4150-3 wants it. An indicator only: that standard wants 1 to 80 Hz, and the sensor at the foundation.
struct PeakVelocity: Equatable, Sendable {
  private static let leakHz = 1.0
  /// What one g, held for one time constant of the leak, comes to [mm/s].
  private static let scaleMMPS = standardGravity * 1000 / (2 * .pi * leakHz)

  private var smoothing = Smoothing(cornerHz: Self.leakHz)
  private var last: Vector?
  private var x = Swing()
  private var y = Swing()
  private var z = Swing()
  private var hasSamples = false

  mutating func feed(_ user: Vector, _ step: SampleStep) {
    defer { last = user }
    guard let last, !step.isBroken else { return reset() }
    hasSamples = true
    let weight = smoothing.weight(after: step.seconds)
    let mean = (last + user) * (0.5 * Self.scaleMMPS)
    x.feed(x.velocity + weight * (mean.x - x.velocity), after: step.seconds)
    y.feed(y.velocity + weight * (mean.y - y.velocity), after: step.seconds)
    z.feed(z.velocity + weight * (mean.z - z.velocity), after: step.seconds)
  }

  /// Forgets the velocity, because nobody knows what happened since; the window's peaks so far stay.
  mutating func reset() {
    last = nil
    x.stop()
    y.stop()
    z.stop()
  }

  /// The window's peaks [mm/s] and their frequencies [Hz], which are nil where one axis' is not known; nil without a
  /// sample.
  mutating func finish() -> (mmps: Vector, hz: Vector?)? {
    defer { hasSamples = false }
    let (peakX, peakY, peakZ) = (x.finish(), y.finish(), z.finish())
    guard hasSamples else { return nil }
    var hz: Vector?
    if let x = peakX.hz, let y = peakY.hz, let z = peakZ.hz { hz = Vector(x, y, z) }
    return (Vector(peakX.mmps, peakY.mmps, peakZ.mmps), hz)
  }
}

/// One axis of it: half an oscillation after the other.
private struct Swing: Equatable {
  private(set) var velocity = 0.0
  /// Since the last zero crossing [s]; nil before the first.
  private var sinceCrossingS: Double?
  /// The peak since then [mm/s], and how long after the crossing it came [s].
  private var peak = 0.0
  private var peakAfterS: Double?
  private var best = 0.0
  private var bestHz: Double?

  mutating func feed(_ next: Double, after stepS: Double) {
    let before = velocity
    velocity = next
    sinceCrossingS = sinceCrossingS.map { $0 + stepS }
    if before < 0 && next >= 0 || before > 0 && next <= 0 {
      let overS = stepS * next / (next - before)
      let half = sinceCrossingS.map { $0 - overS }
      keep(peak, hz: half.flatMap { $0 > 0 ? 1 / (2 * $0) : nil })
      peak = 0
      peakAfterS = nil
      sinceCrossingS = overS
    }
    guard next.magnitude > peak else { return }
    peak = next.magnitude
    peakAfterS = sinceCrossingS
  }

  mutating func stop() {
    keep(peak, hz: quarterHz)
    velocity = 0
    sinceCrossingS = nil
    peak = 0
    peakAfterS = nil
  }

  /// Also what has not swung back yet counts; it goes on in the next window.
  mutating func finish() -> (mmps: Double, hz: Double?) {
    keep(peak, hz: quarterHz)
    defer {
      best = 0
      bestHz = nil
    }
    return (best, bestHz)
  }

  /// From the crossing to the peak is a quarter of an oscillation. Nil while the peak may be yet to come.
  private var quarterHz: Double? {
    guard let peakAfterS, let sinceCrossingS, peakAfterS > 0, peakAfterS < sinceCrossingS else { return nil }
    return 1 / (4 * peakAfterS)
  }

  private mutating func keep(_ peak: Double, hz: Double?) {
    guard peak > best else { return }
    best = peak
    bestHz = hz
  }
}
