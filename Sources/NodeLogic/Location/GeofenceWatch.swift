public import Telemetry

/// Whether a node is inside its fences: takes each good fix, and answers who was entered and who was left.
///
/// A crossing is taken when fixes say so beyond their error. One fix says so when it is beyond the edge by five times
/// its accuracy. Nearer to the edge fixes in a row say it together: each must be beyond the edge by its accuracy, and
/// the mean of n of them, whose error is the accuracy by the square root of n, by five times that error. Outside it
/// must be `Geofence.hysteresisM` at least, and inside `Geofence.depthM` is enough, so that a poor fix too can enter
/// a small fence. A fix of unknown accuracy says so when it is beyond the edge by `Geofence.hysteresisM`.
///
/// A node that stands crosses nothing by drift: it only ends what it began under way, and finds out where it is.
public struct GeofenceWatch: Equatable, Sendable {
  /// What is between fixes farther apart than this was not seen [s].
  static let gapS = 60.0

  private var watched: [WatchedFence]
  private var lastAt: Instant?

  /// - Parameter recorded: the fences that an earlier run was inside of.
  public init(_ fences: [Geofence] = [], recorded: [LocationRecord.Fence] = []) {
    watched = fences.map { fence in
      WatchedFence(fence, record: recorded.first { $0.isOf(fence) })
    }
  }

  /// In the order of the configuration.
  public var fences: [Geofence] { watched.map(\.fence) }

  /// Whether the node is inside a fence; nil while that is not known, and of a fence that is not watched.
  public func isInside(_ name: String) -> Bool? {
    watched.first { $0.fence.name == name }?.isInside
  }

  /// Takes other fences. What is known of those with the same name and area stays, the rest is forgotten.
  public mutating func reconfigure(_ fences: [Geofence]) {
    watched = fences.map { fence in
      guard var known = watched.first(where: { $0.fence.isSameArea(as: fence) }) else { return WatchedFence(fence) }
      known.fence = fence
      return known
    }
  }

  /// Tells that the way to the next fix was not seen.
  public mutating func interrupt() { lastAt = nil }

  /// Takes a good fix.
  ///
  /// - Parameter isMoving: whether the node is under way; nil when that is not known.
  public mutating func take(_ fix: Fix, isMoving: Bool?, at now: Instant) -> [GeofenceEvent] {
    let isAfterGap = lastAt.map { fix.receivedAt - $0 > Self.gapS } ?? true
    lastAt = fix.receivedAt
    return watched.indices.compactMap {
      watched[$0].take(fix, isMoving: isMoving, isAfterGap: isAfterGap, at: now)
    }
  }

  /// Moves what is remembered back, by what the monotonic clock did not count [s].
  mutating func age(by seconds: Double) {
    lastAt = lastAt.map { $0 - seconds }
    for index in watched.indices { watched[index].age(by: seconds) }
  }

  /// The fences that the node is inside of, to be kept over a restart.
  ///
  /// - Parameter clock: for the times, which are left out where it is worth nothing.
  public func record(clock: ClockState) -> [LocationRecord.Fence] { watched.compactMap { $0.record(clock: clock) } }
}
