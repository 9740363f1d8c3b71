import FleetLogic
import Foundation
import NodeLogic
import Rig
import Telemetry
import Testing

/// OpenEEW's recordings of the M 7.2 of 2018-02-16 in Oaxaca (Grillo / OpenEEW, CC BY-SA 4.0), through the node's own
/// detector.
@Suite("A network's recordings", .enabled(if: LabelledRecording.arePresent, "no ../shared/data/motion"))
struct NetworkTests {
  /// The stations' places by openeew/openeew-seismology, data/devices/devices_locations.csv.
  private static let places: [String: (Double, Double)] = [
    "000": (19.33, -99.18), "001": (15.67, -96.50), "006": (16.68, -98.40), "008": (16.61, -98.98),
    "009": (16.72, -99.12), "011": (16.84, -99.90), "014": (16.87, -99.89), "017": (17.23, -100.63),
    "018": (17.26, -100.88), "020": (17.54, -101.28), "023": (17.65, -101.55),
  ]

  private func samples(_ station: String) throws -> [Sample] {
    let file = LabelledRecording.folder.appendingPathComponent("network/2018_2_16_\(station).csv")
    var reader = RecordingReader()
    var samples = try reader.feed(Data(contentsOf: file))
    if let last = try reader.finish() { samples.append(last) }
    return samples
  }

  @Test func giveOneConfirmedGroundMotionAndNothingElse() throws {
    let origin = WallTime(seconds: 1_518_824_000)
    var together = Together()
    var began: [(decided: Double, shake: Shake)] = []
    for (number, station) in Self.places.keys.sorted().enumerated() {
      let (latitude, longitude) = try #require(Self.places[station])
      let who = Together.Participant(
        node: number, name: try #require(NodeName("mx-\(station)")),
        place: Together.Place(latitude: latitude, longitude: longitude))
      together.know(who, at: origin)
      var detector = ShakeDetector(ShakePreset.fixed.settings)
      for event in try samples(station).compactMap({ detector.feed($0) }) where event.phase == .began {
        let start = origin + event.start.seconds
        began.append((event.at.seconds, Shake(who, start: start, clock: .ntp, peakG: event.peakG)))
      }
    }
    #expect(began.count == 6)
    var findings: [Finding] = []
    for (decided, shake) in began.sorted(by: { $0.decided < $1.decided }) {
      findings += together.note(shake, at: origin + decided)
    }
    findings += finish(&together, after: origin + 80)
    #expect(findings.filter { $0.state == .began }.count == 1)
    let last = try #require(findings.last)
    #expect(last.state == .ended)
    #expect(findings.allSatisfy { $0.kind == .groundMotion && $0.id == 1 })
    // mx-001 is 230 km from the nearest of the others.
    #expect(last.members.map(\.name.description) == ["mx-006", "mx-009", "mx-008", "mx-014", "mx-011"])
    #expect(abs((last.extentM ?? 0) - 161_000) < 1000)
    #expect(abs(last.spanS - 51.127) < 0.01)
  }

  /// From the nodes' messages to the sinks, with every usual rule but that on single shakes.
  @Test func raiseOneAlertAndNothingElse() throws {
    let origin = WallTime(seconds: 1_518_824_000)
    let clock = ClockState(wallAtStart: origin, quality: .ntp)
    var messages: [(at: Double, node: String, body: Telegram.Body)] = []
    for station in Self.places.keys.sorted() {
      let (latitude, longitude) = try #require(Self.places[station])
      var position = LocationMessage.Position(
        dimensions: 3, latitude: latitude, longitude: longitude, ageS: 0, cause: .first)
      position.accuracyM = 5
      messages.append((0, "mx-\(station)", .status(StatusMessage(.online))))
      messages.append((0, "mx-\(station)", .location(.fixed(position))))
      var detector = ShakeDetector(ShakePreset.fixed.settings)
      for event in try samples(station).compactMap({ detector.feed($0) }) {
        messages.append((event.at.seconds, "mx-\(station)", .shake(event.message(clock: clock))))
      }
    }
    let rules = Rule.defaults.filter { $0.kind != .shake } + [Rule(name: "together", kind: .together)]
    var fleet = FleetState(
      FleetState.Configuration(graceS: 0, rules: rules), clock: clock)
    var alerts = fleet.handle(.connected, at: .start).alerts
    var sequences: [String: UInt64] = [:]
    for (at, node, body) in messages.sorted(by: { $0.at < $1.at }) {
      var envelope = Envelope(boot: BootID(1), time: origin + at, clock: .ntp, uptime: 1000 + at)
      if body.stream.isEvent {
        sequences[node, default: 0] += 1
        envelope.sequence = sequences[node]
      }
      let topic = Array("judder/\(node)/\(body.stream.rawValue)".utf8)
      let payload = Telegram(envelope, body).encode()
      alerts +=
        fleet.handle(.message(topic: topic, payload: payload, retained: false), at: Instant(seconds: at)).alerts
    }
    var now = Instant(seconds: messages.map(\.at).max() ?? 0)
    let end = now + 500
    while let due = fleet.nextDeadline(after: now), due <= end {
      now = max(now, due)
      alerts += fleet.handle(.tick, at: now).alerts
    }
    #expect(sequences.values.reduce(0, +) > 11, "positions and shakes")
    #expect(
      alerts.map { "\($0.rule) \($0.subject) \($0.state)" } == ["together @fleet firing", "together @fleet resolved"])
    #expect(alerts.first?.summary.contains("ground motion") == true && alerts.last?.count == 5)
  }
}

extension [Effect] {
  fileprivate var alerts: [Alert] { compactMap { if case .alert(let alert) = $0 { alert } else { nil } } }
}
