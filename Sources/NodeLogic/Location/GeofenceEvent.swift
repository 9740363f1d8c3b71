public import Telemetry

/// The node came into a fence or left it: what `GeofenceWatch` decides, before its times are turned into calendar time.
public struct GeofenceEvent: Equatable, Sendable {
  /// Since when a node is inside, as far as its coming in was seen.
  public enum Since: Equatable, Sendable {
    case instant(Instant)
    /// In an earlier run of the node.
    case wall(WallTime)
  }

  /// The fence's name.
  public var fence: String
  public var kind: GeofenceMessage.Event
  /// The crossing itself was not seen.
  public var isFirst: Bool
  /// The fix that decided it.
  public var fix: Fix
  /// From the fix to the edge [m], >= 0.
  public var edgeM: Double
  /// When it was decided.
  public var at: Instant
  /// With `leave`: since when it was inside; nil when its coming in was not seen.
  public var insideSince: Since?

  public init(
    fence: String, _ kind: GeofenceMessage.Event, isFirst: Bool = false, fix: Fix, edgeM: Double, at: Instant,
    insideSince: Since? = nil
  ) {
    self.fence = fence
    self.kind = kind
    self.isFirst = isFirst
    self.fix = fix
    self.edgeM = edgeM
    self.at = at
    self.insideSince = insideSince
  }

  /// The message, with the times that `clock` gives to the moments in it.
  public func message(clock: ClockState) -> GeofenceMessage {
    GeofenceMessage(
      fence: fence, kind, isFirst: isFirst, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
      accuracyM: fix.accuracy?.metres, ageS: max(0, at - fix.receivedAt), edgeM: edgeM,
      insideS: insideSince.flatMap { duration(since: $0, clock) })
  }

  /// Over a restart only the calendar can tell, where it is worth anything.
  private func duration(since: Since, _ clock: ClockState) -> Double? {
    switch since {
    case .instant(let instant): return max(0, at - instant)
    case .wall(let time):
      let durationS = clock.wall(at: at) - time
      return clock.quality != .none && durationS >= 0 ? durationS : nil
    }
  }
}
