import Rig
import Telemetry
import Testing

@testable import NodeLogic

/// A node that does not move publishes at the interval and no more (mendhak/gpslogger#494, OpenCPN#3260,
/// traccar/traccar#3627: parked vehicles that wander).
@Suite("Parked") struct LocationParkedTests {
  private static let dayS = 86_400
  /// The first one, and one at each interval; one more where a recording's gap shifts them.
  private static let mostMessages = 86_400 / 300 + 2

  private func expectQuiet(_ node: LocationFixture, _ name: String) {
    #expect(node.outputs.count <= LocationParkedTests.mostMessages, "\(name)")
    #expect(node.count(.distance) == 0, "\(name)")
    #expect(node.count(.interval) > 280, "\(name)")
    #expect(node.tracker.odometer.totalM < 5, "\(name)")
  }

  @Test(arguments: [LocationTracker.Stillness.still(since: .start), .unknown, .moving])
  func aDayOfDriftIsNoMovement(stillness: LocationTracker.Stillness) {
    var node = LocationFixture.longRun(stillness)
    var receiver = ReceiverModel(seed: 1, driftM: 5, accuracyM: 10...20)
    for second in 0..<LocationParkedTests.dayS {
      node.feed(receiver.report(at: Double(second), east: 0, north: 0), at: Double(second))
    }
    expectQuiet(node, "\(stillness)")
  }

  /// Real receivers that stood, over and over with times that go on. Those of a walk (haicom-305N) are none.
  @Test(
    .enabled(if: !RecordedReceiver.all.isEmpty, "no ../shared/data/gps"),
    arguments: [
      "ublox-neo-m8n", "skytraq-dgps", "ublox-zed-f9p-nmea", "ais-nmea", "quectel", "trimble-lasseniq-bin2d",
      "greis-def", "sounder",
    ])
  func aDayOfRecordedJitterIsNoMovement(name: String) throws {
    let reports = try #require(try RecordedReceiver(name)?.positions())
    #expect(reports.count > 10)
    // Without an accelerometer: the harder case.
    var node = LocationFixture.longRun(.unknown)
    for second in 0..<LocationParkedTests.dayS {
      var report = reports[second % reports.count]
      report.time = WallTime(seconds: 1_700_000_000 + Double(second))
      node.feed(report, at: Double(second))
    }
    expectQuiet(node, name)
  }

  @Test func everyFixIsPublishedWhereTheFilterIsZeroAlsoOfAParkedNode() {
    var settings = LocationTracker.Settings(distanceFilterM: 0)
    settings.settleS = 0
    var node = LocationFixture(settings)
    for second in 0..<500 { node.fix(at: Double(second)) }
    #expect(node.positions.count == 500)
    #expect(node.positions.last?.isMoving == false)
  }

  @Test(arguments: 1...4) func aMorningsDepartureIsSeenWithinSeconds(seed: UInt64) throws {
    for stillness in [LocationTracker.Stillness.still(since: .start), .unknown] {
      var node = LocationFixture.longRun(stillness)
      var receiver = ReceiverModel(seed: seed, driftM: 4, accuracyM: 8...15)
      let nightS = 8 * 3600
      for second in 0..<nightS {
        node.feed(receiver.report(at: Double(second), east: 0, north: 0), at: Double(second))
      }
      #expect(node.tracker.glance.movement == .standing)
      if stillness != .unknown { node.tracker.feel(.moving, at: Instant(seconds: Double(nightS))) }
      for second in 1...20 {
        let since = Double(second)
        let along = 0.75 * min(since, 10) * min(since, 10) + 15 * max(0, since - 10)
        node.feed(
          receiver.report(at: Double(nightS) + since, east: along, north: 0, speedMPS: min(1.5 * since, 15)),
          at: Double(nightS) + since)
      }
      let seen = try #require(node.outputs.last { $0.at.seconds > Double(nightS) && $0.isMessage })
      let first = try #require(node.outputs.first { $0.at.seconds > Double(nightS) })
      #expect(first.at.seconds - Double(nightS) <= 10, "\(stillness), seed \(seed)")
      #expect(seen.at >= first.at)
      #expect(node.positions.last?.isMoving == true)
      #expect(node.positions.last?.speedMPS != nil)
    }
  }
}

extension RecordedReceiver {
  /// Every report of a position in the recording.
  func positions() throws -> [GpsdPosition] {
    try gpsdBytes().split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard case .success(.position(let position)) = GpsdReport.decode(Array(line)), position.coordinate != nil else {
        return nil
      }
      return position
    }
  }
}
