import NodeLogic
import Rig
import Sensors
import Telemetry
import Testing

/// What a real receiver sent goes through a real gpsd and through the client: what is published agrees with what is
/// known about the recording, and with what this gpsd told another client at the same time.
@Suite(
  "Recordings through a real gpsd",
  .enabled(if: isGpsdHere && !RecordedReceiver.all.isEmpty, "no gpsd or no ../shared/data/gps"))
struct GpsdReplayTests {
  /// What was heard of one recording.
  private struct Replay: Sendable {
    var reports: [GpsdPosition]
    var positions: [LocationMessage.Position]
    var losses: [LocationMessage.Loss.Reason]
    var counters: LocationTracker.Counters
    /// How often each class came that says nothing about the position.
    var ignored: [String: Int]
    /// What another client was told: the mode of each report, and the places.
    var modes: [Int]
    var places: Set<Coordinate>
  }

  /// Feeds the recording once gpsd has opened the receiver, and waits for all reports, and a moment for one too many.
  private static func replay(_ receiver: RecordedReceiver, reports: Int) throws -> Replay {
    let rig = try GpsdRig(.pty, in: Workplace())
    let node = GpsdNode(port: rig.port, session: GpsdSession.Settings(), .everything)
    let other = try Eavesdropper(rig.port)
    defer { other.stop() }
    guard node.run(seconds: 15, until: \.isUp), rig.waitUntilOpen() else { throw RigError("gpsd does not open") }
    try rig.send(try receiver.recording())
    node.run(seconds: 20) { $0.reports.count >= reports }
    node.run(seconds: 1)
    let told = other.objects(ofClass: "TPV")
    let places = told.compactMap { report -> Coordinate? in
      guard let mode = report["mode"] as? Int, mode >= 2, let latitude = report["lat"] as? Double,
        let longitude = report["lon"] as? Double
      else { return nil }
      return Coordinate(latitude: latitude, longitude: longitude)
    }
    return Replay(
      reports: node.reports, positions: node.positions, losses: node.losses, counters: node.tracker.counters,
      ignored: node.client.ignoredLines, modes: told.compactMap { $0["mode"] as? Int }, places: Set(places))
  }

  @Test(arguments: RecordedReceiver.all) func agreesWithTheFacts(receiver: RecordedReceiver) async throws {
    let facts = try receiver.facts()
    let replay = try await onThread { try Self.replay(receiver, reports: facts.reports) }
    let reports = replay.reports
    #expect(reports.map(\.mode) == replay.modes)
    #expect(reports.count == facts.reports)
    #expect(Dictionary(grouping: reports) { String($0.mode) }.mapValues(\.count) == facts.reportsByMode)
    let statuses = reports.compactMap(\.status).map { String($0) }
    #expect(Dictionary(grouping: statuses) { $0 }.mapValues(\.count) == facts.statuses)
    let fixes = reports.filter { $0.coordinate != nil }
    #expect(fixes.count { $0.time == nil } == facts.fixesWithoutTime)
    let heights = fixes.filter { $0.mode == 3 && $0.altitudeMSLM == nil && $0.altitudeHAEM == nil }
    #expect(heights.count == facts.fixesWithoutHeight)
    #expect(abs(longestGapS(fixes) - facts.longestGapS) < 0.0015)
    #expect(backwards(reports) == facts.timeBackwards)
    let places = fixes.compactMap(\.coordinate)
    #expect(places.count == facts.fixes)
    let distance = zip(places, places.dropFirst()).reduce(0) { $0 + $1.0.distanceM(to: $1.1) }
    #expect(abs(distance - facts.distanceM) < 0.01)
    for kind in ["GST", "AIS"] { #expect(replay.ignored[kind] == facts.classes[kind]) }
    checkWhatIsPublished(replay, facts)
  }

  /// The reports of a simulator are none of a position.
  private func checkWhatIsPublished(_ replay: Replay, _ facts: RecordedReceiver.Facts) {
    let positions = replay.positions
    for position in positions {
      let place = Coordinate(latitude: position.latitude, longitude: position.longitude)
      #expect(place.map(replay.places.contains) == true, "gpsd never said \(position)")
      #expect(position.accuracyM != 0)
    }
    let simulated = replay.reports.count { $0.isSimulated && $0.coordinate != nil }
    #expect(replay.counters.simulated == simulated)
    #expect(replay.counters.fixReports == facts.fixes - simulated)
    #expect(replay.losses.contains(.simulated) == (simulated > 0))
    if facts.fixes == simulated {
      #expect(positions.isEmpty)
      #expect(replay.losses.contains(.noFix) == (facts.reports > simulated))
      return
    }
    let startsWithoutFix = replay.reports.first.map { $0.coordinate == nil } ?? false
    #expect(replay.losses.count { $0 == .noFix } == facts.lost + (startsWithoutFix ? 1 : 0))
    #expect(positions.count { $0.cause == .regained } == facts.regained - (startsWithoutFix ? 1 : 0))
    #expect(positions.map(\.latitude).min() == facts.latitudes?[0])
    #expect(positions.map(\.latitude).max() == facts.latitudes?[1])
    #expect(positions.map(\.longitude).min() == facts.longitudes?[0])
    #expect(positions.map(\.longitude).max() == facts.longitudes?[1])
    // One position an epoch: never a longer way than by all reports.
    let published = positions.compactMap(\.movedM).reduce(0, +)
    #expect(published <= facts.distanceM + 0.01)
    #expect(published >= facts.distanceM * 0.3)
  }

  private func longestGapS(_ fixes: [GpsdPosition]) -> Double {
    let times = fixes.compactMap(\.time?.seconds)
    return zip(times, times.dropFirst()).map { $1 - $0 }.max().map { max($0, 0) } ?? 0
  }

  private func backwards(_ reports: [GpsdPosition]) -> Int {
    let times = reports.compactMap(\.time?.seconds)
    return zip(times, times.dropFirst()).count { $1 < $0 }
  }
}

let isGpsdHere = ChildProcess.find("gpsd") != nil
