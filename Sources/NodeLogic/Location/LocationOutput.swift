public import Telemetry

/// What the tracker says: a message of the location stream before its times are turned into calendar time, or what it
/// decided about a fix or a fence.
public struct LocationOutput: Equatable, Sendable {
  /// A position, that there is none, or a decision.
  public enum Content: Equatable, Sendable {
    case fixed(LocationMessage.Position)
    case lost(LocationLoss)
    /// Nothing to publish: what became of one fix. Comes before the message that it leads to.
    case decided(FixDecision)
    /// For the stream of geofences: a fence was entered or left. Comes after what the same fix led to.
    case fence(GeofenceEvent)
  }

  /// When it was decided: `Envelope.time`, from which the position's age counts back.
  public var at: Instant
  public var content: Content

  public init(at: Instant, _ content: Content) {
    self.at = at
    self.content = content
  }

  /// Whether it is for the broker.
  public var isMessage: Bool {
    switch content {
    case .fixed, .lost, .fence: true
    case .decided: false
    }
  }

  /// The message, with the times that `clock` gives to the moments in it; nil for a decision or a fence.
  public func message(clock: ClockState) -> LocationMessage? {
    switch content {
    case .fixed(var position):
      position.received = clock.wall(at: at - position.ageS)
      position.judgeFixTime(by: clock.quality)
      return .fixed(position)
    case .lost(let loss): return .lost(loss.message(at: at, clock: clock))
    case .decided, .fence: return nil
    }
  }
}

/// That there is no position, before its times are turned into calendar time.
public struct LocationLoss: Equatable, Sendable {
  /// Why there is none.
  public var reason: LocationMessage.Loss.Reason
  /// The last fix that was used; nil when there never was one.
  public var last: Fix?
  /// With the reason `rejected`: the newest rejection.
  public var rejection: FixDecision.Rejection?
  /// The accuracy of the fix that it refused [m]; nil when nobody gave one.
  public var rejectedAccuracyM: Double?

  /// A loss without a rejection.
  public init(reason: LocationMessage.Loss.Reason, last: Fix? = nil) {
    self.reason = reason
    self.last = last
  }

  func message(at now: Instant, clock: ClockState) -> LocationMessage.Loss {
    let place = last.map {
      LocationMessage.Loss.Last(
        latitude: $0.coordinate.latitude, longitude: $0.coordinate.longitude, accuracyM: $0.accuracy?.metres,
        time: clock.wall(at: $0.receivedAt), ageS: max(0, now - $0.receivedAt))
    }
    var message = LocationMessage.Loss(reason: reason, last: place)
    message.rejectedBy = rejection?.messageReason
    message.rejectedAccuracyM = rejection == nil ? nil : rejectedAccuracyM
    return message
  }
}
