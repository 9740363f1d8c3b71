public import Foundation

/// A drive along a line of waypoints, as the NMEA 0183 sentences of a receiver: there, back and there again.
public struct NMEARoute: Sendable {
  /// A place on the way.
  public struct Waypoint: Sendable {
    /// WGS 84 [deg].
    public var latitude: Double
    public var longitude: Double

    public init(_ latitude: Double, _ longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// What the receiver says at one moment.
  public struct State: Equatable, Sendable {
    /// WGS 84 [deg], course clockwise from north [deg], and whether the receiver can tell.
    public var latitude: Double
    public var longitude: Double
    public var courseDeg: Double
    public var hasFix: Bool
  }

  /// The way, driven there and back at this speed.
  public var waypoints: [Waypoint]
  public var speedMPS: Double
  /// The receiver's time at the beginning.
  public var start: Date
  /// Without a fix in these seconds from the beginning.
  public var withoutFix: [Range<Double>]

  /// A short drive along the lake of Zurich.
  public static let lakeside = [
    Waypoint(47.3667, 8.5411), Waypoint(47.3621, 8.5468), Waypoint(47.3557, 8.5522), Waypoint(47.3489, 8.5611),
    Waypoint(47.3412, 8.5672),
  ]

  public init(
    _ waypoints: [Waypoint] = NMEARoute.lakeside, speedMPS: Double = 14, start: Date = Date(),
    withoutFix: [Range<Double>] = []
  ) {
    self.waypoints = waypoints
    self.speedMPS = speedMPS
    self.start = start
    self.withoutFix = withoutFix
  }

  /// Where the receiver is `seconds` after the beginning.
  public func state(at seconds: Double) -> State {
    let hasFix = !withoutFix.contains { $0.contains(seconds) }
    guard let first = waypoints.first else { return State(latitude: 0, longitude: 0, courseDeg: 0, hasFix: false) }
    let legs = zip(waypoints, waypoints.dropFirst()).map(Leg.init)
    let length = legs.reduce(0) { $0 + $1.lengthM }
    guard length > 0 else {
      return State(latitude: first.latitude, longitude: first.longitude, courseDeg: 0, hasFix: hasFix)
    }
    let way = (seconds * speedMPS).truncatingRemainder(dividingBy: 2 * length)
    let isReturning = way > length
    var rest = isReturning ? 2 * length - way : way
    var leg = legs[0]
    for next in legs {
      leg = next
      if rest <= next.lengthM { break }
      rest -= next.lengthM
    }
    let share = leg.lengthM > 0 ? min(rest / leg.lengthM, 1) : 0
    return State(
      latitude: leg.from.latitude + share * (leg.to.latitude - leg.from.latitude),
      longitude: leg.from.longitude + share * (leg.to.longitude - leg.from.longitude),
      courseDeg: (leg.courseDeg + (isReturning ? 180 : 0)).truncatingRemainder(dividingBy: 360), hasFix: hasFix)
  }

  /// The sentences of the epoch `seconds` after the beginning: GGA, GSA, GSV, RMC.
  public func sentences(at seconds: Double) -> String {
    let state = state(at: seconds)
    let (time, date) = NMEARoute.timeAndDate(start.addingTimeInterval(seconds))
    let position =
      state.hasFix
      ? "\(NMEARoute.angle(state.latitude, digits: 2)),\(state.latitude < 0 ? "S" : "N"),"
        + "\(NMEARoute.angle(state.longitude, digits: 3)),\(state.longitude < 0 ? "W" : "E")" : ",,,"
    let knots = String(format: "%.2f", speedMPS / 0.514444)
    let course = String(format: "%.1f", state.courseDeg)
    let bodies =
      state.hasFix
      ? [
        "GPGGA,\(time),\(position),1,08,0.9,408.0,M,47.9,M,,",
        "GPGSA,A,3,02,05,07,13,15,21,28,30,,,,,1.7,0.9,1.4",
        NMEARoute.satellites(signal: 42),
        "GPRMC,\(time),A,\(position),\(knots),\(course),\(date),,,A",
      ]
      : [
        "GPGGA,\(time),\(position),0,00,,,M,,M,,",
        "GPGSA,A,1,,,,,,,,,,,,,,,",
        NMEARoute.satellites(signal: nil),
        "GPRMC,\(time),V,\(position),,,\(date),,,N",
      ]
    return bodies.map(NMEARoute.sentence).joined()
  }

  /// `$body*hh` with the checksum of NMEA 0183: the exclusive or of all bytes of the body.
  public static func sentence(_ body: String) -> String {
    let checksum = body.utf8.reduce(0, ^)
    return "$\(body)*\(String(format: "%02X", checksum))\r\n"
  }

  /// Three satellites in view, with their signal, or heard no more.
  private static func satellites(signal: Int?) -> String {
    let level = signal.map(String.init) ?? ""
    return "GPGSV,1,1,03,02,61,210,\(level),05,44,120,\(level),13,30,300,\(level)"
  }

  /// ddmm.mmmmm, or dddmm.mmmmm.
  private static func angle(_ degrees: Double, digits: Int) -> String {
    // Rounded once, as a whole, so that no 60.00000 minutes appear.
    let hundredThousandths = Int((abs(degrees) * 60 * 100_000).rounded())
    let (whole, minutes) = hundredThousandths.quotientAndRemainder(dividingBy: 60 * 100_000)
    return String(format: "%0\(digits)d%08.5f", whole, Double(minutes) / 100_000)
  }

  private static func timeAndDate(_ moment: Date) -> (time: String, date: String) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
    // Hundredths, rounded before they are cut into fields.
    let hundredths = (moment.timeIntervalSince1970 * 100).rounded()
    let whole = (hundredths / 100).rounded(.down)
    let parts = calendar.dateComponents(
      [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: whole))
    let time = String(
      format: "%02d%02d%02d.%02d", parts.hour ?? 0, parts.minute ?? 0, parts.second ?? 0, Int(hundredths - whole * 100))
    let date = String(format: "%02d%02d%02d", parts.day ?? 1, parts.month ?? 1, (parts.year ?? 2000) % 100)
    return (time, date)
  }

  /// A straight piece of the way; straight in degrees, which is good for the few kilometres of a route.
  private struct Leg {
    let from: Waypoint
    let to: Waypoint
    let lengthM: Double
    let courseDeg: Double

    init(_ from: Waypoint, _ to: Waypoint) {
      self.from = from
      self.to = to
      let metresPerDegree = 111_195.0
      let north = (to.latitude - from.latitude) * metresPerDegree
      let east = (to.longitude - from.longitude) * metresPerDegree * cos(from.latitude * .pi / 180)
      lengthM = hypot(north, east)
      courseDeg = (atan2(east, north) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
    }
  }
}
