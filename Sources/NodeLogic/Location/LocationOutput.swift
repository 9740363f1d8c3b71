public import Telemetry

/// A message of the location stream before its times are turned into calendar time.
public struct LocationOutput: Equatable, Sendable {
  /// A position, or that there is none.
  public enum Content: Equatable, Sendable {
    case fixed(LocationMessage.Position)
    /// `last` is the last fix that was used; nil when there never was one.
    case lost(LocationMessage.Loss.Reason, last: Fix?)
  }

  /// When it was decided: `Envelope.time`, from which the position's age counts back.
  public var at: Instant
  public var content: Content

  public init(at: Instant, _ content: Content) {
    self.at = at
    self.content = content
  }

  /// The message, with the times that `clock` gives to the moments in it.
  public func message(clock: ClockState) -> LocationMessage {
    switch content {
    case .fixed(var position):
      position.received = clock.wall(at: at - position.ageS)
      position.judgeFixTime(by: clock.quality)
      return .fixed(position)
    case .lost(let reason, let last):
      let place = last.map {
        LocationMessage.Loss.Last(
          latitude: $0.coordinate.latitude, longitude: $0.coordinate.longitude, accuracyM: $0.accuracy?.metres,
          time: clock.wall(at: $0.receivedAt), ageS: max(0, at - $0.receivedAt))
      }
      return .lost(LocationMessage.Loss(reason: reason, last: place))
    }
  }
}
