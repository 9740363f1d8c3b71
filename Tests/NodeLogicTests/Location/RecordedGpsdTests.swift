import NodeLogic
import Rig
import Telemetry
import Testing

/// What gpsd said of real receivers, read back: the numbers agree with those counted without this package.
@Suite("Recorded gpsd", .enabled(if: !RecordedReceiver.all.isEmpty, "no ../shared/data/gps"))
struct RecordedGpsdTests {
  /// All reports of a recording, and how many lines could not be used.
  private func reports(_ receiver: RecordedReceiver) throws -> (reports: [GpsdReport], bad: Int) {
    var reader = GpsdLineReader()
    var found: [GpsdReport] = []
    var bad = 0
    let bytes = try receiver.gpsdBytes()
    // In reads of an awkward size, so that most lines come in pieces.
    for start in stride(from: 0, to: bytes.count, by: 37) {
      for piece in reader.append(bytes[start..<min(start + 37, bytes.count)]) {
        switch piece {
        case .tooLong: bad += 1
        case .line(let line):
          switch GpsdReport.decode(line) {
          case .success(let report): found.append(report)
          case .failure: bad += 1
          }
        }
      }
    }
    return (found, bad)
  }

  private func positions(_ reports: [GpsdReport]) -> [GpsdPosition] {
    reports.compactMap { if case .position(let position) = $0 { position } else { nil } }
  }

  @Test(arguments: RecordedReceiver.all) func countsReportsAndModes(receiver: RecordedReceiver) throws {
    let facts = try receiver.facts()
    let (reports, bad) = try reports(receiver)
    let positions = positions(reports)
    #expect(bad == facts.unreadable)
    #expect(reports.count == facts.classes.values.reduce(0, +))
    #expect(positions.count == facts.reports)
    #expect(Dictionary(grouping: positions) { String($0.mode) }.mapValues(\.count) == facts.reportsByMode)
    let fixes = positions.compactMap(\.coordinate)
    #expect(fixes.count == facts.fixes)
    #expect(fixes.map(\.latitude).min() == facts.latitudes?[0])
    #expect(fixes.map(\.latitude).max() == facts.latitudes?[1])
    #expect(fixes.map(\.longitude).min() == facts.longitudes?[0])
    #expect(fixes.map(\.longitude).max() == facts.longitudes?[1])
    let accuracies = positions.filter { $0.coordinate != nil }.compactMap(\.ephM)
    #expect(accuracies.min() == facts.ephM?[0])
    #expect(accuracies.max() == facts.ephM?[1])
    let distance = zip(fixes, fixes.dropFirst()).reduce(0) { $0 + $1.0.distanceM(to: $1.1) }
    #expect(abs(distance - facts.distanceM) < 0.01)
  }

  /// Every report at once decided on, and every change from a position to none a loss.
  @Test(arguments: RecordedReceiver.all) func findsTheLosses(receiver: RecordedReceiver) throws {
    let facts = try receiver.facts()
    var settings = LocationTracker.Settings(distanceFilterM: 0, maxAccuracyM: 0, lostAfterS: 0)
    settings.settleS = 0
    // Fed ten times too fast.
    settings.maxSpeedMPS = 0
    settings.maxAccelerationMPS2 = 0
    var node = LocationFixture(settings)
    let positions = positions(try reports(receiver).reports)
    for position in positions {
      node.now = node.now + 0.1
      node.feed(position)
    }
    let simulated = positions.count { $0.isSimulated && $0.coordinate != nil }
    #expect(node.tracker.counters.simulated == simulated)
    #expect(node.tracker.counters.fixReports == facts.fixes - simulated)
    // Some devices' simulators say so in every report: theirs is no fix, so that there is none to lose.
    guard simulated == 0 else {
      #expect(node.positions.count < facts.fixes)
      return
    }
    let startsWithoutFix = positions.first.map { $0.coordinate == nil } ?? false
    let losses = node.story.count { $0.hasPrefix("lost(no_fix)") }
    #expect(losses == facts.lost + (startsWithoutFix ? 1 : 0))
    let regained = node.positions.count { $0.cause == .regained }
    #expect(regained == facts.regained - (startsWithoutFix && facts.fixes > 0 ? 1 : 0))
    #expect(node.positions.count { $0.cause == .first } == (facts.fixes > 0 ? 1 : 0))
    #expect(node.positions.count == epochs(of: positions))
  }

  /// A time that differs from the one before it begins an epoch, and so does a report without one.
  private func epochs(of positions: [GpsdPosition]) -> Int {
    var epochs = 0
    var time: WallTime?
    for position in positions where position.coordinate != nil {
      if position.time == nil || position.time != time { epochs += 1 }
      time = position.time
    }
    return epochs
  }

  @Test(arguments: RecordedReceiver.all) func inventsNoPositionAtTheDefaults(receiver: RecordedReceiver) throws {
    var node = LocationFixture(LocationTracker.Settings(maxAccuracyM: 0))
    let positions = positions(try reports(receiver).reports)
    let known = Set(positions.compactMap(\.coordinate))
    for position in positions {
      node.pass(to: node.now.seconds + 0.5)
      node.feed(position)
    }
    node.pass(to: node.now.seconds + 100)
    for position in node.positions {
      let place = try #require(Coordinate(latitude: position.latitude, longitude: position.longitude))
      #expect(known.contains(place))
      #expect(position.accuracyM != 0)
    }
    // The recording ends, and the position with it.
    #expect(node.story.last == (positions.isEmpty ? "lost(stalled)@30.0" : node.story.last))
    #expect(node.story.last?.hasPrefix("lost(") == true)
  }
}
