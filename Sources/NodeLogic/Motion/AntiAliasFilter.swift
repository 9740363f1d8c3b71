internal import Telemetry

/// Takes from a series of samples what would show as something else once the series is thinned out.
///
/// Of a series with the rate r nothing above r / 2 may be left: it would come back mirrored, a motor's 24 Hz as a swing
/// of 1 Hz in a series of 25 Hz. A Butterworth low-pass filter of eighth order in four sections, with its corner at
/// 0.275 r: 41 dB and more above r / 2, 0.9 dB and less below r / 4, and a constant exactly. A fourth order would give
/// 8 dB just above r / 2. Its coefficients come from the measured spacing, anew whenever that changed by more than 2 %.
struct AntiAliasFilter: Equatable, Sendable {
  /// The corner, in output rates.
  private static let corner = 0.275
  private static let largestChange = 0.02
  /// 1 / (2 cos((2 k - 1) pi / 16)), k = 1...4.
  private static let qualities = (1...4).map { 1 / (2 * cos(Double(2 * $0 - 1) * .pi / 16)) }

  /// The latest filtered value; nil before the first.
  private(set) var value: Vector?
  /// How far what comes out lags behind what goes in [s], for all that is slow; 0 where nothing is filtered.
  private(set) var delayS = 0.0
  private var sections: [Biquad] = []
  private var last = Vector.zero
  private var periodS = 0.0
  private var outputS = 0.0

  /// Makes the filter fit samples `periodS` [s] apart that are thinned out to `outputS` [s] apart. Where that is no
  /// thinning, everything passes.
  mutating func prepare(periodS: Double, outputS: Double) {
    guard differs(periodS, self.periodS) || differs(outputS, self.outputS) else { return }
    self.periodS = periodS
    self.outputS = outputS
    guard outputS > 1.5 * periodS else {
      sections = []
      delayS = 0
      return
    }
    let cornerHz = Self.corner / outputS
    sections = Self.qualities.map {
      Biquad(.lowPass(cornerHz: cornerHz, quality: $0, rateHz: 1 / periodS))
    }
    let slowness = Self.qualities.reduce(0) { $0 + 1 / $1 }
    delayS = slowness * periodS / (2 * BiquadCoefficients.warped(cornerHz: cornerHz, rateHz: 1 / periodS))
    if let value { settle(at: value) }
  }

  /// Takes the next sample, `missed` of `step` filled in before it, and answers the filtered value.
  @discardableResult
  mutating func feed(_ sample: Vector, _ step: SampleStep) -> Vector {
    if value == nil || step.isBroken { settle(at: sample) }
    let before = last
    step.bridge(from: before, to: sample) { pass($0) }
    last = sample
    return pass(sample)
  }

  /// Forgets the past: the next sample counts as having been there for ever.
  mutating func reset() {
    value = nil
  }

  @discardableResult
  private mutating func pass(_ sample: Vector) -> Vector {
    var filtered = sample
    for index in sections.indices { filtered = sections[index].feed(filtered) }
    value = filtered
    return filtered
  }

  private mutating func settle(at sample: Vector) {
    for index in sections.indices { _ = sections[index].settle(at: sample) }
    last = sample
    value = sample
  }

  private func differs(_ new: Double, _ old: Double) -> Bool { (new - old).magnitude > Self.largestChange * old }
}
