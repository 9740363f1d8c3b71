/// The weight of one step of exponential smoothing, from the time that really passed.
///
/// The weight is `1 - exp(-rate * dt)`, exact for any spacing, so a filter does the same at 50 and at 400 Hz and does
/// not change with jitter. Dropping the 2 pi of a corner frequency, as a well-known sample code does, moves the corner
/// by a factor of six.
struct Smoothing: Equatable, Sendable {
  /// 1/s.
  private let rate: Double
  private var lastStepS = -1.0
  private var lastWeight = 0.0

  /// A one-pole low-pass filter with this corner [Hz].
  init(cornerHz: Double) {
    rate = 2 * .pi * cornerHz
  }

  /// A mean over about this time [s].
  init(timeS: Double) {
    rate = 1 / timeS
  }

  /// How much of the difference to a new value is taken over after `stepS` [s] >= 0: 0...1.
  ///
  /// The exponential is computed only when the step changed by more than one part in 10^9, which is less than the
  /// spacing that two nanosecond timestamps can show and far below what any detector can tell.
  mutating func weight(after stepS: Double) -> Double {
    if (stepS - lastStepS).magnitude > 1e-9 * stepS {
      lastStepS = stepS
      lastWeight = 1 - exp(-rate * stepS)
    }
    return lastWeight
  }
}
