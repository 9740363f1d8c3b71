/// Distances travelled.
public struct Odometer: Equatable, Sendable {
  /// Ever, or since somebody began to keep it [m]; >= 0.
  public var totalM: Double
  /// Since the node last set off after standing for `LocationTracker.Settings.tripPauseS` [m]; >= 0.
  public var tripM: Double

  /// Distances kept from before; 0 without any.
  public init(totalM: Double = 0, tripM: Double = 0) {
    self.totalM = totalM
    self.tripM = tripM
  }

  mutating func add(metres: Double) {
    totalM += metres
    tripM += metres
  }
}
