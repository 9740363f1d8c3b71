internal import Telemetry

/// The RMS of the acceleration's length in three bands: 0.5 to 2, 2 to 8 and 8 to 30 Hz, -3 dB at the edges and 12 dB
/// per octave beyond them, by a Butterworth high-pass and a low-pass section each.
struct BandLevels: Equatable, Sendable {
  private var low = Band(fromHz: 0.5, toHz: 2)
  private var mid = Band(fromHz: 2, toHz: 8)
  private var high = Band(fromHz: 8, toHz: 30)
  private var last = Vector.zero
  private var periodS = 0.0

  /// Takes the next sample [g], gravity included.
  mutating func feed(_ g: Vector, _ step: SampleStep) {
    guard let periodS = step.periodS else { return }
    let isNew = (periodS - self.periodS).magnitude > 0.02 * self.periodS
    if isNew {
      self.periodS = periodS
      low.prepare(periodS: periodS)
      mid.prepare(periodS: periodS)
      high.prepare(periodS: periodS)
    }
    if isNew || step.isBroken {
      low.settle(at: g)
      mid.settle(at: g)
      high.settle(at: g)
    } else {
      step.bridge(from: last, to: g) {
        low.pass($0)
        mid.pass($0)
        high.pass($0)
      }
      low.count(g)
      mid.count(g)
      high.count(g)
    }
    last = g
  }

  /// The window's levels [g]; nil where the rate cannot represent the band, or no sample came.
  mutating func finish() -> (low: Double?, mid: Double?, high: Double?) {
    (low.finish(), mid.finish(), high.finish())
  }
}

/// One of them.
private struct Band: Equatable {
  /// Up to this part of the sampling rate a sensor represents what it measures; nearer to the half of it, its own
  /// filter and what mirrors back blur it.
  private static let highestPart = 0.4

  private let fromHz: Double
  private let toHz: Double
  private var highPass = Biquad(BiquadCoefficients())
  private var lowPass = Biquad(BiquadCoefficients())
  private var isRepresented = false
  private var samples = 0.0
  private var sum = 0.0

  init(fromHz: Double, toHz: Double) {
    self.fromHz = fromHz
    self.toHz = toHz
  }

  mutating func prepare(periodS: Double) {
    let rateHz = 1 / periodS
    isRepresented = toHz <= Self.highestPart * rateHz
    guard isRepresented else { return }
    highPass = Biquad(.highPass(cornerHz: fromHz, rateHz: rateHz))
    lowPass = Biquad(.lowPass(cornerHz: toHz, rateHz: rateHz))
  }

  mutating func settle(at g: Vector) {
    _ = lowPass.settle(at: highPass.settle(at: g))
  }

  @discardableResult
  mutating func pass(_ g: Vector) -> Vector {
    guard isRepresented else { return .zero }
    return lowPass.feed(highPass.feed(g))
  }

  mutating func count(_ g: Vector) {
    guard isRepresented else { return }
    sum += pass(g).squaredLength
    samples += 1
  }

  mutating func finish() -> Double? {
    defer {
      sum = 0
      samples = 0
    }
    return isRepresented && samples > 0 ? (sum / samples).squareRoot() : nil
  }
}
