public import Telemetry

/// Makes an even stream of samples from a state that is told only when it changes: at each point of a grid the state is
/// what was told last before it.
public struct HeldState: Equatable, Sendable {
  /// The time between two points [s].
  public let periodS: Double
  /// The present state; nil before the first was told.
  public private(set) var state: RawScan?
  /// The sample that was taken last repeats the one before it, for nothing was told in between.
  public private(set) var isRepeat = false
  private var isToldSince = false
  private var start = Instant.start
  /// Points given since `start`.
  private var index = 0.0

  /// - Parameter rateHz: of the grid; > 0.
  public init(rateHz: Double) {
    periodS = 1 / rateHz
  }

  /// The next point of the grid.
  public var next: Instant { start + index * periodS }

  /// The next sample before `end`; nil when there is none, and then the state may be set.
  public mutating func take(before end: Instant) -> (scan: RawScan, at: Instant)? {
    guard let state, next < end else { return nil }
    let at = next
    index += 1
    isRepeat = !isToldSince
    isToldSince = false
    return (state, at)
  }

  /// The state from now on. The first starts the grid.
  public mutating func set(_ state: RawScan, at now: Instant) {
    if self.state == nil {
      start = now
      index = 0
    }
    self.state = state
    isToldSince = true
  }

  /// Leaves points out that lie before `moment`, and answers whether there were any.
  public mutating func skip(to moment: Instant) -> Bool {
    guard state != nil, next < moment else { return false }
    index += ((moment - next) / periodS).rounded(.up)
    return true
  }
}
