import Telemetry

@testable import NodeLogic

/// A receiver's errors, from a seed: a part that wanders (Gauss and Markov: each error is the one before, decayed, and
/// something new) and a part that is new with every fix.
struct ReceiverModel {
  /// Of the wandering part, on each axis [m].
  var driftM = 0.0
  /// In so long it forgets itself [s].
  var correlationS = 600.0
  /// Of the other part, on each axis [m].
  var whiteM = 0.0
  /// What the receiver says of its accuracy, evenly from here [m].
  var accuracyM = 8.0...8
  /// Of its speed [m/s]; nil: it gives none.
  var speedNoiseMPS: Double? = 0.1

  private var random: RandomNumbers
  private var drift: (east: Double, north: Double)

  init(seed: UInt64, driftM: Double = 0, whiteM: Double = 0, accuracyM: ClosedRange<Double> = 8...8) {
    random = RandomNumbers(seed: seed)
    drift = (0, 0)
    (self.driftM, self.whiteM, self.accuracyM) = (driftM, whiteM, accuracyM)
    drift = (random.normal() * driftM, random.normal() * driftM)
  }

  /// The report of a second, of a node that is so many metres east and north.
  mutating func report(at seconds: Double, east: Double, north: Double, speedMPS: Double = 0) -> GpsdPosition {
    let decay = 1 - 1 / correlationS
    let fresh = driftM * (1 - decay * decay).squareRoot()
    drift.east = drift.east * decay + fresh * random.normal()
    drift.north = drift.north * decay + fresh * random.normal()
    let speed = speedNoiseMPS.map { abs(speedMPS + $0 * random.normal()) }
    return FixMaker.report(
      at: seconds, east: east + drift.east + whiteM * random.normal(),
      north: north + drift.north + whiteM * random.normal(), accuracyM: random.uniform(accuracyM), speedMPS: speed)
  }
}

extension LocationFixture {
  /// A node whose epochs are decided on at once, and which keeps no decisions: for long runs.
  static func longRun(_ stillness: LocationTracker.Stillness) -> LocationFixture {
    var settings = LocationTracker.Settings()
    settings.settleS = 0
    var node = LocationFixture(settings)
    node.keepsDecisions = false
    node.tracker.feel(stillness, at: .start)
    return node
  }

  mutating func feed(_ report: GpsdPosition, at seconds: Double) {
    pass(to: seconds)
    feed(report)
  }

  /// How often each cause led to a message.
  func count(_ cause: LocationMessage.Position.Cause) -> Int { positions.count { $0.cause == cause } }
}
