/// A node came into a fence or went out of it: stream `geofence`. `Envelope.time` is when that was decided.
public struct GeofenceMessage: Equatable, Sendable {
  /// What happened.
  public enum Event: String, CaseIterable, Sendable {
    case enter, leave
  }

  /// The fence's name in the node's configuration, 1 to 64 bytes.
  public var fence: String
  /// What happened.
  public var event: Event
  /// The crossing itself was not seen: the node was not running, or had no fix, when it happened.
  public var isFirst: Bool
  /// The fix that decided it: WGS 84 [deg], north positive.
  public var latitude: Double
  /// WGS 84 [deg], east positive.
  public var longitude: Double
  /// Horizontal accuracy [m]; absent when nobody gives one.
  public var accuracyM: Double?
  /// From receipt of the fix to `Envelope.time` [s], by the monotonic clock.
  public var ageS: Double
  /// From the fix to the nearest point of the fence's edge [m], >= 0.
  public var edgeM: Double
  /// With `leave`: how long the node was inside [s]; absent when its coming in was not seen.
  public var insideS: Double?

  /// A crossing that this fix decided.
  public init(
    fence: String, _ event: Event, isFirst: Bool = false, latitude: Double, longitude: Double,
    accuracyM: Double? = nil, ageS: Double, edgeM: Double, insideS: Double? = nil
  ) {
    self.fence = fence
    self.event = event
    self.isFirst = isFirst
    self.latitude = latitude
    self.longitude = longitude
    self.accuracyM = accuracyM
    self.ageS = ageS
    self.edgeM = edgeM
    self.insideS = insideS
  }
}
