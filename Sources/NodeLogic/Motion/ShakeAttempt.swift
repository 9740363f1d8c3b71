internal import Telemetry

/// A movement that may become a shake: what it lacked, if it does not.
struct ShakeAttempt: Equatable, Sendable {
  private var strongestEnergy = 0.0
  private var wasStrong = false
  private var didSwing = false

  /// Takes the state at one sample of the movement.
  ///
  /// - Parameters:
  ///   - energy: the envelope [g^2].
  ///   - isStrong: the envelope is above the level in force.
  ///   - swings: an axis has the reversals that a shake needs.
  mutating func note(energy: Double, isStrong: Bool, swings: Bool) {
    strongestEnergy = max(strongestEnergy, energy)
    wasStrong = wasStrong || isStrong
    didSwing = didSwing || swings
  }

  /// Counts the movement, which is over and was no shake. One that was neither strong enough nor went to and fro is
  /// none that nearly was one.
  func count(in nearMisses: inout HealthMessage.Accelerometer.NearMisses) {
    guard wasStrong || didSwing else { return }
    // One that was strong enough before or after it had its reversals had too few while it was strong.
    if wasStrong {
      nearMisses.fewReversals += 1
    } else {
      nearMisses.weak += 1
    }
    nearMisses.strongestG = max(nearMisses.strongestG ?? 0, strongestEnergy.squareRoot())
  }
}
