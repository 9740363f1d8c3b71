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
  var altitudeMSLM: Double?
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
    altitudeMSLM = report.altitudeMSLM ?? altitudeMSLM
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

  /// Above mean sea level [m]. A height that a receiver kept from before it lost the third dimension is none.
  public var altitudeM: Double? { dimensions == 3 ? altitudeMSLM : nil }

  /// Whether a report belongs to the same epoch by its device and its time.
  func hasSameTime(as report: GpsdPosition) -> Bool {
    device == report.device && time != nil && time == report.time
  }
}
