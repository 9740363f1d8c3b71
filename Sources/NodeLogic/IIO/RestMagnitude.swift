public import Telemetry

/// Looks whether a sensor at rest measures gravity: 1 g and nothing else. A wrong scale or a mount matrix that
/// stretches shows there first, and nowhere as plainly.
///
/// At rest means 5 s over which no axis strays by more than 0.1 g. It judges once: what it measures does not change.
public struct RestMagnitude: Equatable, Sendable {
  /// What gravity may read with a sensor's own errors [m/s^2].
  public static let plausible = 8.5...11.0
  private static let restS = 5.0
  private static let strayG = 0.1

  private var since: Double?
  private var low = Vector.zero
  private var high = Vector.zero
  private var sum = Vector.zero
  private var count = 0.0
  private var isDecided = false

  public init() {}

  /// Takes a reading [g] measured at `now` [s], and answers the length of what rest measures [m/s^2] when it is not
  /// gravity.
  public mutating func feed(_ g: Vector, at now: Double) -> Double? {
    guard !isDecided else { return nil }
    guard let since else {
      begin(g, at: now)
      return nil
    }
    low = Vector(min(low.x, g.x), min(low.y, g.y), min(low.z, g.z))
    high = Vector(max(high.x, g.x), max(high.y, g.y), max(high.z, g.z))
    let stray = high - low
    guard max(stray.x, stray.y, stray.z) <= Self.strayG else {
      begin(g, at: now)
      return nil
    }
    sum = sum + g
    count += 1
    guard now - since >= Self.restS else { return nil }
    isDecided = true
    let metres = (sum * (1 / count)).length * standardGravity
    return Self.plausible.contains(metres) ? nil : metres
  }

  private mutating func begin(_ g: Vector, at now: Double) {
    since = now
    low = g
    high = g
    sum = g
    count = 1
  }
}
