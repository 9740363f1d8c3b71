import NodeLogic
import Telemetry

/// A view of positions fed by hand: gpsd, a receiver, and reports at given seconds. The host's clock began at `begin`.
struct FixFixture {
  static let begin = WallTime(seconds: 1_800_000_000)

  var state: FixState
  var entries: [FixEntry] = []
  private(set) var now = Instant.start

  init(
    _ settings: LocationTracker.Settings = LocationTracker.Settings(), isUp: Bool = true, device: String = "/dev/a",
    quality: ClockQuality = .ntp
  ) throws {
    var node = NodeSettings()
    node.location = settings
    node.gpsd = "localhost:2947"
    guard let name = NodeName("n") else { fatalError("n is a name") }
    state = FixState(
      node, prefix: try TopicPrefix("judder"), name: name,
      clock: ClockState(wallAtStart: FixFixture.begin, quality: quality), at: .start)
    if isUp {
      feed(.report(.devices([GpsdDevice(path: device, driver: "NMEA0183", isActivated: true)])))
      feed(.link(.up(release: "3.22")))
    }
  }

  mutating func feed(_ input: GpsdInput) { entries += state.handle(input, at: now) }

  /// Lets time pass to `seconds`, keeping every deadline on the way.
  mutating func pass(to seconds: Double) {
    while state.nextDeadline.seconds <= seconds {
      now = max(now, state.nextDeadline)
      entries += state.tick(at: now)
    }
    now = Instant(seconds: seconds)
  }

  /// A fix at `seconds`, `metres` north of a place, with the host's time unless told.
  mutating func fix(
    at seconds: Double, north metres: Double = 0, accuracyM: Double? = 5, time: Double? = nil, status: Int? = nil,
    device: String = "/dev/a"
  ) {
    pass(to: seconds)
    var position = GpsdPosition(device: device, mode: 3)
    position.latitude = 47 + metres / 111_195.08
    position.longitude = 8
    position.ephM = accuracyM
    position.epvM = 7
    position.status = status
    position.altitudeMSLM = 400
    position.altitudeHAEM = 448
    position.speedMPS = 14
    position.courseDeg = 141.25
    position.time = WallTime(seconds: time ?? FixFixture.begin.seconds + seconds - 0.12)
    feed(.report(.position(position)))
  }

  mutating func noFix(at seconds: Double, seen: Int? = nil) {
    pass(to: seconds)
    if let seen { feed(.report(.sky(GpsdSky(device: "/dev/a", used: 0, seen: seen)))) }
    feed(.report(.position(GpsdPosition(device: "/dev/a", mode: 1))))
  }

  /// What was said, without the messages.
  var texts: [String] { entries.map(\.text).filter { !$0.hasPrefix("=> ") } }
  /// The messages that would have been published.
  var messages: [String] { entries.map(\.text).filter { $0.hasPrefix("=> ") } }

  func picture(_ width: Int = 80, rows: Int = 40, isUnicode: Bool = false) -> [String] {
    FixPicture(width: width, rows: rows, isUnicode: isUnicode).lines(state, at: now)
  }

  /// A row of the picture with its lines put together; nil where there is none.
  func row(_ name: String) -> String? {
    let lines = picture(400)
    return lines.first { $0.hasPrefix(TextWidth.fit(name, to: 11)) }.map { String($0.dropFirst(11)) }
  }
}
