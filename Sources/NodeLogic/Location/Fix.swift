public import Telemetry

/// One position from gpsd: all reports of one epoch taken together.
///
/// gpsd sends a report whenever it learns something, so that one moment of the receiver comes as several, each with
/// more in it: the position first, its accuracy and its height later.
public struct Fix: Equatable, Sendable {
  /// The receiver's path, as gpsd names it.
  public var device: String?
  /// When the first of its reports came.
  public var receivedAt: Instant
  /// The receiver's time; absent when it gives none. It may be wrong by 1024 weeks, and may go back.
  public var time: WallTime?
  /// 2 or 3.
  public var dimensions: Int
  public var coordinate: Coordinate
  public var speedMPS: Double?
  public var courseDeg: Double?
  /// gpsd's STATUS_* (gps.h); nil when it does not say.
  public var statusCode: Int?
  var altitudeMSLM: Double?
  var altitudeHAEM: Double?
  var altitudeUntaggedM: Double?
  var epvM: Double?
  var ephM: Double?
  var epxM: Double?
  var epyM: Double?

  /// Nil when the report is none of a position.
  public init?(_ report: GpsdPosition, at now: Instant) {
    guard let coordinate = report.coordinate else { return nil }
    self.coordinate = coordinate
    device = report.device
    receivedAt = now
    dimensions = 2
    merge(report)
  }

  /// Takes over what a later report of the same epoch knows.
  mutating func merge(_ report: GpsdPosition) {
    coordinate = report.coordinate ?? coordinate
    dimensions = max(dimensions, min(report.mode, 3))
    time = report.time ?? time
    speedMPS = report.speedMPS ?? speedMPS
    courseDeg = report.courseDeg ?? courseDeg
    statusCode = report.status ?? statusCode
    altitudeMSLM = report.altitudeMSLM ?? altitudeMSLM
    altitudeHAEM = report.altitudeHAEM ?? altitudeHAEM
    altitudeUntaggedM = report.altitudeUntaggedM ?? altitudeUntaggedM
    epvM = report.epvM ?? epvM
    ephM = report.ephM ?? ephM
    epxM = report.epxM ?? epxM
    epyM = report.epyM ?? epyM
  }

  /// The horizontal accuracy as gpsd gives it [m], unscaled: `eph`, else the length of `epx` and `epy`; nil where gpsd
  /// gives neither. What share of the errors it covers, gpsd does not say.
  public var accuracy: (metres: Double, source: LocationMessage.Position.AccuracySource)? {
    if let ephM { return (ephM, .eph) }
    if let epxM, let epyM { return (hypot(epxM, epyM), .epxy) }
    return nil
  }

  /// The height [m] and what it is above: the sea where that is known. A height that a receiver kept from before it
  /// lost the third dimension is none.
  public var altitude: (metres: Double, source: LocationMessage.Position.AltitudeSource)? {
    guard dimensions == 3 else { return nil }
    if let altitudeMSLM { return (altitudeMSLM, .msl) }
    if let altitudeHAEM { return (altitudeHAEM, .hae) }
    return altitudeUntaggedM.map { ($0, .alt) }
  }

  /// The vertical accuracy as gpsd gives it [m], unscaled; nil without a height.
  public var altitudeAccuracyM: Double? { altitude == nil ? nil : epvM }

  /// How the receiver came by it; nil when it does not say. A simulator's is no fix, and has no word here.
  public var status: LocationMessage.Position.Status? {
    switch statusCode {
    case 1: .normal
    case 2: .dgps
    case 3: .rtkFixed
    case 4: .rtkFloat
    case 5: .deadReckoning
    case 6: .gnssDeadReckoning
    case 7: .surveyed
    case 9: .pY
    default: nil
    }
  }

  /// Whether a report belongs to the same epoch by its device and its time.
  func hasSameTime(as report: GpsdPosition) -> Bool {
    device == report.device && time != nil && time == report.time
  }
}
