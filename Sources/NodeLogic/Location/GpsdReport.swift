public import Telemetry

/// One line of gpsd's JSON protocol (gpsd_json(5)), as far as a position needs it.
///
/// Every field but the class may be missing: gpsd leaves out what it does not know.
public enum GpsdReport: Equatable, Sendable {
  case version(GpsdVersion)
  case devices([GpsdDevice])
  case device(GpsdDevice)
  case watch(GpsdWatch)
  case position(GpsdPosition)
  case sky(GpsdSky)
  /// gpsd refused a request; one line, safe to show.
  case error(String)
  /// A class that says nothing about the position, GST for one: its `lat` and `lon` are metres of error.
  case ignored(kind: String)
}

/// VERSION: the banner.
public struct GpsdVersion: Equatable, Sendable {
  /// For example `3.22`. Shown, never compared: the protocol number went back once (0.16 in gpsd 3.27).
  public var release: String?

  public init(release: String?) {
    self.release = release
  }
}

/// DEVICE, or an entry of DEVICES.
public struct GpsdDevice: Equatable, Sendable {
  /// For example `/dev/ttyACM0`, or a URL for a network source.
  public var path: String?
  public var driver: String?
  /// False when gpsd says that the device went away (`"activated":0`).
  public var isActivated: Bool

  public init(path: String?, driver: String? = nil, isActivated: Bool) {
    self.path = path
    self.driver = driver
    self.isActivated = isActivated
  }
}

/// WATCH: what gpsd says it understood of ours.
public struct GpsdWatch: Equatable, Sendable {
  /// Whether gpsd reports at all, and in JSON.
  public var isEnabled: Bool
  public var isJSON: Bool
  /// The receiver's path; in a watch, the only one that is watched.
  public var device: String?

  public init(isEnabled: Bool, isJSON: Bool, device: String? = nil) {
    self.isEnabled = isEnabled
    self.isJSON = isJSON
    self.device = device
  }
}

/// TPV: time, position, velocity.
public struct GpsdPosition: Equatable, Sendable {
  /// The receiver's path; in a watch, the only one that is watched.
  public var device: String?
  /// 0 unknown, 1 no fix, 2 two dimensions, 3 three.
  public var mode: Int
  /// gpsd's STATUS_* (gps.h): 7 surveyed, 8 simulated; most receivers never give it.
  public var status: Int?
  public var time: WallTime?
  /// WGS 84 [deg].
  public var latitude: Double?
  public var longitude: Double?
  /// Above mean sea level [m].
  public var altitudeMSLM: Double?
  /// Above the WGS 84 ellipsoid [m].
  public var altitudeHAEM: Double?
  /// `alt` alone [m]: gpsd before 3.20 did not say above what.
  public var altitudeUntaggedM: Double?
  /// Estimated vertical error [m], unscaled.
  public var epvM: Double?
  /// Estimated horizontal error [m], unscaled.
  public var ephM: Double?
  public var epxM: Double?
  public var epyM: Double?
  public var speedMPS: Double?
  /// Clockwise from true north [deg].
  public var courseDeg: Double?

  public init(device: String? = nil, mode: Int) {
    self.device = device
    self.mode = mode
  }

  /// From a simulator (STATUS_SIM in gps.h).
  public var isSimulated: Bool { status == 8 }

  /// `ephM`, else the length of `epxM` and `epyM` [m]; nil where gpsd gives neither.
  var horizontalAccuracyM: Double? {
    if let ephM { return ephM }
    guard let epxM, let epyM else { return nil }
    return hypot(epxM, epyM)
  }

  /// The coordinates of a fix: at least two dimensions say so, both are there, and both are on the globe.
  public var coordinate: Coordinate? {
    guard mode >= 2, let latitude, let longitude else { return nil }
    return Coordinate(latitude: latitude, longitude: longitude)
  }
}

/// SKY: what the receiver hears.
public struct GpsdSky: Equatable, Sendable {
  /// The receiver's path; in a watch, the only one that is watched.
  public var device: String?
  /// Satellites in the solution.
  public var used: Int?
  /// Satellites heard.
  public var seen: Int?

  public init(device: String? = nil, used: Int? = nil, seen: Int? = nil) {
    self.device = device
    self.used = used
    self.seen = seen
  }
}
