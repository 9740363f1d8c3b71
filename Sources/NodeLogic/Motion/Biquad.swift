internal import Telemetry

/// The coefficients of a second-order section, `y = b0 x + b1 x' + b2 x'' - a1 y' - a2 y''`.
///
/// By the bilinear transform with the corner kept in place: Oppenheim and Schafer, "Discrete-Time Signal Processing",
/// and, the same by other names, Bristow-Johnson's "Cookbook formulae for audio equalizer biquad filter coefficients".
struct BiquadCoefficients: Equatable, Sendable {
  private(set) var b0 = 1.0
  private(set) var b1 = 0.0
  private(set) var b2 = 0.0
  private(set) var a1 = 0.0
  private(set) var a2 = 0.0

  /// The quality of a Butterworth section of second order.
  static let butterworth = 0.5.squareRoot()

  /// Passes what is slower than the corner; a constant exactly.
  ///
  /// - Parameters:
  ///   - cornerHz: > 0 and below half of `rateHz`; -3 dB there, for `butterworth`.
  ///   - quality: > 0
  static func lowPass(cornerHz: Double, quality: Double = butterworth, rateHz: Double) -> BiquadCoefficients {
    var section = BiquadCoefficients(poles: cornerHz, quality, rateHz)
    // From the rounded a1 and a2, so that the gain of a constant is 1 to the last digit even far below the rate.
    section.b0 = (1 + section.a1 + section.a2) / 4
    section.b1 = 2 * section.b0
    section.b2 = section.b0
    return section
  }

  /// Passes what is quicker than the corner; nothing of a constant.
  static func highPass(cornerHz: Double, quality: Double = butterworth, rateHz: Double) -> BiquadCoefficients {
    var section = BiquadCoefficients(poles: cornerHz, quality, rateHz)
    section.b0 = (1 - section.a1 + section.a2) / 4
    section.b1 = -2 * section.b0
    section.b2 = section.b0
    return section
  }

  /// Passes all.
  init() {}

  private init(poles cornerHz: Double, _ quality: Double, _ rateHz: Double) {
    let warped = BiquadCoefficients.warped(cornerHz: cornerHz, rateHz: rateHz)
    let norm = 1 + warped / quality + warped * warped
    a1 = 2 * (warped * warped - 1) / norm
    a2 = (1 - warped / quality + warped * warped) / norm
  }

  /// tan(pi fc / fs): the corner of the analogue filter, in half sampling rates.
  static func warped(cornerHz: Double, rateHz: Double) -> Double {
    let angle = .pi * cornerHz / rateHz
    return sin(angle) / cos(angle)
  }

  /// The gain of a constant.
  var constantGain: Double { (b0 + b1 + b2) / (1 + a1 + a2) }
}

/// One second-order section at work on three axes; transposed direct form II, which rounds least.
struct Biquad: Equatable, Sendable {
  let coefficients: BiquadCoefficients
  private var first = Vector.zero
  private var second = Vector.zero

  init(_ coefficients: BiquadCoefficients) {
    self.coefficients = coefficients
  }

  /// Takes the next value and answers the filtered one. Values must be evenly spaced.
  mutating func feed(_ value: Vector) -> Vector {
    let k = coefficients
    let filtered = value * k.b0 + first
    first = value * k.b1 - filtered * k.a1 + second
    second = value * k.b2 - filtered * k.a2
    return filtered
  }

  /// Begins as if this value had been there for ever, and answers what the section makes of it.
  mutating func settle(at value: Vector) -> Vector {
    let k = coefficients
    let filtered = value * k.constantGain
    second = value * k.b2 - filtered * k.a2
    first = value * k.b1 - filtered * k.a1 + second
    return filtered
  }
}
