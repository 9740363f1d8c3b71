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

    /// What a height was read from (gpsd: altMSL, altHAE, alt).
    public enum AltitudeSource: String, CaseIterable, Sendable {
      /// Above mean sea level.
      case msl
      /// Above the WGS 84 ellipsoid.
      case hae
      /// The old key of a gpsd before 3.20, which did not say what it meant; above the sea for most receivers.
      case alt
    }

    /// How the receiver came by the fix: gpsd's STATUS_*, without that of a simulator, which makes no fix.
    public enum Status: String, CaseIterable, Sendable {
      case normal
      case dgps
      case rtkFixed = "rtk_fixed"
      case rtkFloat = "rtk_float"
      /// From wheels and gyroscopes, without satellites.
      case deadReckoning = "dead_reckoning"
      case gnssDeadReckoning = "gnss_dead_reckoning"
      /// A fixed station's own coordinates, which no longer depend on what is heard.
      case surveyed
      case pY = "p_y"
    }

    /// 2 or 3 dimensions.
    public var dimensions: Int
    /// How the receiver came by it; absent when it does not say, as most do.
    public var status: Status?
    /// WGS 84 [deg], north positive.
    public var latitude: Double
    /// WGS 84 [deg], east positive.
    public var longitude: Double
    /// Horizontal accuracy as the receiver or gpsd gives it [m]; absent when neither does.
    public var accuracyM: Double?
    /// What `accuracyM` was read from; absent with it.
    public var accuracySource: AccuracySource?
    /// Height [m], above what `altitudeSource` says; only with 3 dimensions.
    public var altitudeM: Double?
    /// What `altitudeM` was read from; absent with it.
    public var altitudeSource: AltitudeSource?
    /// Vertical accuracy as gpsd gives it [m]; absent when it does not.
    public var altitudeAccuracyM: Double?
    /// Whether the node is under way or stands; absent while that is not known.
    public var isMoving: Bool?
    /// Speed over ground [m/s]; absent when the receiver gives none, and while the node stands.
    public var speedMPS: Double?
    /// Over ground, clockwise from true north [deg], 0..<360; absent when the receiver gives none, and while the node
    /// stands.
    public var courseDeg: Double?
    /// The receiver's own time of the fix, as it gave it; absent when it gives none.
    public var fixTime: WallTime?
    /// How often `fixTime` lost 1024 weeks: add so many times 619 315 200 s to show it. Absent when it is not off by
    /// about a multiple of that.
    public var fixTimeRollovers: Int?
    /// When the fix came from gpsd: `Envelope.time` less `ageS`.
    public var received: WallTime?
    /// From receipt of the fix to `Envelope.time` [s], by the monotonic clock.
    public var ageS: Double
    /// From the position published before [m]; absent on the first.
    public var movedM: Double?
    /// How long there was no fix before this one [s]; only where there was none for so long that it was told.
    public var lostS: Double?
    /// The way travelled since it was first counted [m]; absent before the node is known to have moved or to stand.
    public var odometerM: Double?
    /// The way travelled since the node set off after a longer stand [m]; absent with `odometerM`.
    public var tripM: Double?
    /// The receiver's path; only where gpsd has several.
    public var device: String?
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
      /// Every fix is worse than the accuracy asked for, or impossible to have got to.
      case rejected
    }

    /// What a fix was refused for.
    public enum Rejection: String, CaseIterable, Sendable {
      /// Worse than the accuracy asked for.
      case accuracy
      /// Too far from the one before, or said to move too fast, for any vehicle.
      case speed
      /// No vehicle gains speed so fast.
      case acceleration
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
      /// How long ago that was at `Envelope.time` [s], by the monotonic clock.
      public var ageS: Double

      /// A position that was good.
      public init(latitude: Double, longitude: Double, accuracyM: Double?, time: WallTime, ageS: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracyM = accuracyM
        self.time = time
        self.ageS = ageS
      }
    }

    /// Why there is no position.
    public var reason: Reason
    /// With `rejected`: what the last fix was refused for.
    public var rejectedBy: Rejection?
    /// With `rejected`: the accuracy of the last fix that was refused [m]; absent when nobody gave one.
    public var rejectedAccuracyM: Double?
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
