internal import Telemetry

/// How a sample follows the one before: what filters and integrals need to know of it.
struct SampleStep: Equatable, Sendable {
  /// The time since the sample before [s]; 0 at the first.
  var seconds: Double
  /// How many samples are missing in between.
  var missed = 0
  /// The time between samples as measured [s]; nil while unknown.
  var periodS: Double?

  /// Nothing follows from the sample before: there is none, or the hole is what the sensor's health counts as a gap.
  var isBroken: Bool { seconds <= 0 || seconds > max(0.25, 3 * (periodS ?? seconds)) }

  /// The time that the sample stands for in an integral [s]: over a short hole it stands for those that are missing,
  /// over a long one nobody knows what happened.
  var heldS: Double { isBroken ? periodS ?? 0 : seconds }

  /// Calls `body` with the values that are missing before `next`, on a straight line from `last`; with none where the
  /// hole is long. Filters with fixed coefficients need even spacing.
  func bridge(from last: Vector, to next: Vector, _ body: (Vector) -> Void) {
    guard missed > 0, !isBroken else { return }
    let part = (next - last) * (1 / Double(missed + 1))
    for index in 1...missed { body(last + part * Double(index)) }
  }
}
