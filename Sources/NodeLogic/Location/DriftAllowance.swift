internal import Telemetry

/// How far a fix may be from the place where a node stands, for nothing but drift.
enum DriftAllowance {
  /// A smaller displacement is none [m]: a lorry is as long.
  static let leastM = 10.0
  /// A larger one is always one [m], where the accuracy is better than that. What is left of the 100 m within which a
  /// tow must be seen is for the errors of the anchor and of the fix, some 12 m on each axis at an accuracy of 30 m.
  static let mostM = 50.0
  /// A larger one is always one [m], however bad the accuracy: rather a drift that is told than a departure that is
  /// not.
  static let mostEverM = 80.0
  /// The same while a speed says that the node moves [m].
  static let mostAtSpeedM = 30.0
  /// A reported speed from here on speaks for moving [m/s]: parked receivers report some tenths.
  static let speedMPS = 1.5

  /// The allowance for a fix [m]: a multiple of the accuracies of the anchor and of the fix taken together.
  static func metres(anchor: RestAnchor, _ fix: Fix, _ stillness: LocationTracker.Stillness) -> Double {
    let noiseM = hypot(anchor.accuracyM, FixNoise.metres(fix))
    let hasSpeed = (fix.speedMPS ?? 0) >= speedMPS
    // Where the position itself is worse than the cap, a displacement within it says little.
    let capM = hasSpeed ? mostAtSpeedM : min(max(mostM, noiseM), mostEverM)
    return min(max(factor(hasSpeed, stillness) * noiseM, leastM), capM)
  }

  private static func factor(_ hasSpeed: Bool, _ stillness: LocationTracker.Stillness) -> Double {
    switch (stillness, hasSpeed) {
    case (.still, false): 3
    case (.still, true): 1.5
    case (.unknown, false): 2.5
    case (.moving, false): 2
    case (.unknown, true), (.moving, true): 1
    }
  }
}
