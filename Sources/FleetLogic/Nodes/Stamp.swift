public import Telemetry

/// A moment of the fleet tool: on its monotonic clock and by the calendar as it was known then.
public struct Moment: Equatable, Sendable {
  /// On the monotonic clock.
  public var instant: Instant
  /// By the calendar.
  public var wall: WallTime

  public init(instant: Instant, wall: WallTime) {
    self.instant = instant
    self.wall = wall
  }
}

/// When something a node said came, and when it was measured.
public struct Stamp: Equatable, Sendable {
  /// When it came, live; nil when the broker had kept it or the node sent it late: receipt says nothing about its age.
  public var heard: Moment?
  /// When it was measured by the node's own clock; nil when nothing vouches for that clock.
  public var measured: WallTime?
  /// The run it belongs to, in the order in which runs became current.
  var order: Int
  /// Its sequence number; 0 on what has none.
  var sequence: UInt64

  /// Whether `self` says something newer than `other`.
  func isNewer(than other: Stamp) -> Bool { (order, sequence) >= (other.order, other.sequence) }

  /// How old it is [s]; nil when nobody can say.
  /// - Parameter clock: the fleet tool's own.
  public func age(at now: Instant, _ clock: ClockState) -> Double? {
    if let heard { return max(0, now - heard.instant) }
    guard let measured, clock.quality != .none else { return nil }
    return max(0, clock.wall(at: now) - measured)
  }
}
