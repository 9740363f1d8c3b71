internal import Telemetry

/// The place where a node stands: the mean of its first fixes there, which then stays as it is.
///
/// A mean that went on would follow a slow tow.
struct RestAnchor: Equatable, Sendable {
  /// So many fixes are averaged.
  static let mostFixes = 30

  /// When the first of its fixes came.
  private(set) var since: Instant
  /// The mean, each fix weighed by the inverse square of its accuracy.
  private(set) var coordinate: Coordinate
  /// The best accuracy among them [m]. Averaging does not better it: the errors of neighbours are alike.
  private(set) var accuracyM: Double
  /// How many fixes there were, averaged or not.
  private(set) var fixes = 1
  private let origin: Coordinate
  private var weights: Double
  private var eastM = 0.0
  private var northM = 0.0

  init(_ fix: Fix) {
    since = fix.receivedAt
    coordinate = fix.coordinate
    origin = fix.coordinate
    accuracyM = FixNoise.metres(fix)
    weights = 1 / (accuracyM * accuracyM)
  }

  /// Moves it back, by what the monotonic clock did not count [s].
  mutating func age(by seconds: Double) { since = since - seconds }

  /// A fix that belongs here.
  mutating func add(_ fix: Fix) {
    fixes += 1
    guard fixes <= RestAnchor.mostFixes else { return }
    let noiseM = FixNoise.metres(fix)
    let weight = 1 / (noiseM * noiseM)
    let offset = origin.offset(to: fix.coordinate)
    weights += weight
    eastM += (offset.eastM - eastM) * weight / weights
    northM += (offset.northM - northM) * weight / weights
    coordinate = origin.moved(eastM: eastM, northM: northM)
    accuracyM = min(accuracyM, noiseM)
  }
}
