/// Where the node is, or that it cannot say: stream `location`, retained.
public enum LocationMessage: Equatable, Sendable {
  case fixed(Position)
  case lost(Loss)

  /// A position that was measured.
  public struct Position: Equatable, Sendable {
    /// What made the node publish it.
    public enum Cause: String, CaseIterable, Sendable {
      case first, distance, interval, regained, request
    }

    /// What an accuracy was read from, unscaled (gpsd: eph, or hypot(epx, epy)).
    public enum AccuracySource: String, CaseIterable, Sendable {
      case eph
      case epxy
    }

    /// 2 or 3 dimensions.
    public var dimensions: Int
    /// WGS 84 [deg], north positive.
    public var latitude: Double
    /// WGS 84 [deg], east positive.
    public var longitude: Double
    /// Horizontal accuracy as the receiver or gpsd gives it [m]; absent when neither does.
    public var accuracyM: Double?
    /// What `accuracyM` was read from; absent with it.
    public var accuracySource: AccuracySource?
    /// Above mean sea level [m]; only with 3 dimensions.
    public var altitudeM: Double?
    /// Speed over ground [m/s]; absent when the receiver gives none.
    public var speedMPS: Double?
    /// Over ground, clockwise from true north [deg], 0..<360.
    public var courseDeg: Double?
    /// The receiver's own time of the fix; absent when it gives none.
    public var fixTime: WallTime?
    /// From receipt of the fix to `Envelope.time` [s], by the monotonic clock.
    public var ageS: Double
    /// From the position published before [m]; absent on the first.
    public var movedM: Double?
    /// What made the node publish it.
    public var cause: Cause
    /// Published late, from what was kept while offline.
    public var isBacklog: Bool

    /// A position of which only this is known.
    public init(
      dimensions: Int, latitude: Double, longitude: Double, ageS: Double, cause: Cause, isBacklog: Bool = false
    ) {
      self.dimensions = dimensions
      self.latitude = latitude
      self.longitude = longitude
      self.ageS = ageS
      self.cause = cause
      self.isBacklog = isBacklog
    }
  }

  /// That there is no position, and why.
  public struct Loss: Equatable, Sendable {
    /// Why there is no position.
    public enum Reason: String, CaseIterable, Sendable {
      /// The receiver works and has no fix.
      case noFix = "no_fix"
      /// The receiver stopped saying anything new.
      case stalled
      /// gpsd has lost the receiver, or never had one.
      case deviceGone = "device_gone"
      /// gpsd does not answer.
      case gpsdGone = "gpsd_gone"
      /// The fix comes from a simulator.
      case simulated
      /// Every fix is worse than the accuracy asked for.
      case rejected
    }

    /// The last position that was good.
    public struct Last: Equatable, Sendable {
      /// WGS 84 [deg], north positive.
      public var latitude: Double
      /// WGS 84 [deg], east positive.
      public var longitude: Double
      /// Horizontal accuracy [m]; absent when nobody gave one.
      public var accuracyM: Double?
      /// When it was measured.
      public var time: WallTime

      /// A position that was good.
      public init(latitude: Double, longitude: Double, accuracyM: Double?, time: WallTime) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracyM = accuracyM
        self.time = time
      }
    }

    /// Why there is no position.
    public var reason: Reason
    /// Absent when there never was one.
    public var last: Last?
    /// Published late, from what was kept while offline.
    public var isBacklog: Bool

    /// A loss, and what was known before it.
    public init(reason: Reason, last: Last?, isBacklog: Bool = false) {
      self.reason = reason
      self.last = last
      self.isBacklog = isBacklog
    }
  }
}
