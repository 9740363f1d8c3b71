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
}
