internal import Telemetry

/// Adds up the distance travelled, in chords between points that are farther apart than their noise.
///
/// Summing every step would sum the noise: 3 m of it at 1 Hz is 15 km an hour. A chord of length L with a noise of
/// sigma on each axis is too long by sigma^2/L, and on a curve of radius R too short by L^3/(24 R^2); along the way the
/// errors of neighbours cancel. While the node stands nothing is added; a gap counts as the straight line.
struct Travel: Equatable, Sendable {
  /// The shortest chord [m].
  static let leastChordM = 25.0
  /// So many times the accuracies of both ends, at most `longestChordM`.
  static let noiseFactor = 1.5
  static let longestChordM = 100.0

  private(set) var odometer: Odometer
  private var point: Coordinate?
  private var pointNoiseM = 0.0

  init(_ odometer: Odometer = Odometer()) {
    self.odometer = odometer
  }

  /// The node left the place where it stood; with `isNewTrip` for long enough that this is another trip.
  mutating func setOff(from anchor: RestAnchor, isNewTrip: Bool) {
    if isNewTrip { odometer.tripM = 0 }
    point = anchor.coordinate
    pointNoiseM = anchor.accuracyM
  }

  /// A good fix of a node that moves.
  mutating func move(to fix: Fix) {
    guard let point else {
      begin(at: fix)
      return
    }
    let distanceM = point.distanceM(to: fix.coordinate)
    let noiseM = Travel.noiseFactor * hypot(pointNoiseM, FixNoise.metres(fix))
    guard distanceM >= max(Travel.leastChordM, min(noiseM, Travel.longestChordM)) else { return }
    odometer.add(metres: distanceM)
    begin(at: fix)
  }

  /// The node has come to stand: what is left of the last chord counts.
  mutating func stop(at anchor: RestAnchor) {
    if let point { odometer.add(metres: point.distanceM(to: anchor.coordinate)) }
    point = nil
  }

  /// The node is elsewhere without having travelled there.
  mutating func jump() { point = nil }

  private mutating func begin(at fix: Fix) {
    point = fix.coordinate
    pointNoiseM = FixNoise.metres(fix)
  }
}
