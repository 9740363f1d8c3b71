import NodeLogic
import Rig
import Sensors
import Telemetry
import Testing

/// What a real receiver sent goes through a real gpsd and through the client: what is published agrees with what is
/// known about the recording.
@Suite(
  "Recordings through a real gpsd", .serialized,
  .enabled(if: isGpsdHere && !RecordedReceiver.all.isEmpty, "no gpsd or no recordings"))
struct GpsdReplayTests {
  /// The last three: garbled sentences; several positions in one epoch and a jump of 20 years; a time that goes back.
  @Test(arguments: [
    "quectel", "quectel-eg25-g", "tn200-all", "bu303-moving", "haicom-305N+garbled", "trimble-lasseniq-bin2d", "bt451",
  ]) func agreesWithTheFacts(name: String) throws {
    let receiver = try #require(RecordedReceiver(name))
    let facts = try receiver.facts()
    let node = try replay(receiver, reports: facts.reports)
    let reports = node.reports
    #expect(reports.count == facts.reports)
    #expect(Dictionary(grouping: reports) { String($0.mode) }.mapValues(\.count) == facts.reportsByMode)
    #expect(node.tracker.counters.fixReports == facts.fixes)

    let startsWithoutFix = reports.first.map { $0.coordinate == nil } ?? false
    #expect(node.losses.count { $0 == .noFix } == facts.lost + (startsWithoutFix ? 1 : 0))
    let regained = node.positions.count { $0.cause == .regained }
    #expect(regained == facts.regained - (startsWithoutFix && facts.fixes > 0 ? 1 : 0))

    #expect(node.positions.map(\.latitude).min() == facts.latitudes?[0])
    #expect(node.positions.map(\.latitude).max() == facts.latitudes?[1])
    #expect(node.positions.map(\.longitude).min() == facts.longitudes?[0])
    #expect(node.positions.map(\.longitude).max() == facts.longitudes?[1])
    let places = reports.compactMap(\.coordinate)
    let distance = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distanceM(to: $1.1) }
    #expect(abs(distance - facts.distanceM) < 0.01)
    // One position an epoch: never a longer way than by all reports.
    let published = node.positions.compactMap(\.movedM).reduce(0, +)
    #expect(published <= facts.distanceM + 0.01)
    #expect(published >= facts.distanceM * 0.3)
    #expect(node.positions.allSatisfy { $0.accuracyM != 0 })
  }

  @Test func publishesNothingOfASimulator() throws {
    let receiver = try #require(RecordedReceiver("garmin-geko201"))
    let node = try replay(receiver, reports: try receiver.facts().reports)
    #expect(node.positions.isEmpty)
    #expect(node.tracker.counters.simulated == 3)
    #expect(node.losses.contains(.simulated))
  }

  /// Feeds the recording once gpsd has opened the receiver, and waits for all reports, and a moment for one too many.
  private func replay(_ receiver: RecordedReceiver, reports: Int) throws -> GpsdNode {
    let rig = try GpsdRig(.pty, in: Workplace())
    let node = GpsdNode(port: rig.port, session: GpsdSession.Settings(), .everything)
    #expect(node.run(seconds: 10) { $0.isUp })
    #expect(rig.waitUntilOpen())
    let recording = try receiver.recording()
    try rig.send(recording)
    #expect(node.run(seconds: 20) { $0.reports.count >= reports })
    node.run(seconds: 0.7)
    return node
  }
}

let isGpsdHere = ChildProcess.find("gpsd") != nil
