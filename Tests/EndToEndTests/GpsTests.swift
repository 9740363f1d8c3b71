import Foundation
import Rig
import Telemetry
import Testing

/// What real receivers once said, played to a real gpsd and published by a real node.
///
/// The node publishes every fix (`distance_filter_m` 0), takes any accuracy and calls a fix lost with the first report
/// without one (`lost_after_s` 0), so that its messages can be held against what was counted in gpsd's own reports
/// without any of this package's code.
@Suite(.serialized) struct GpsTests {
  /// Fix and no fix, twice; many reports an epoch; never a fix; a binary protocol.
  static let receivers = ["quectel", "quectel-eg25-g", "tn200-all", "bu303-moving"].compactMap { RecordedReceiver($0) }

  @Test(.enabled(if: receivers.count == 4, "../shared/data/gps is not here"), arguments: receivers)
  func publishesWhatTheReceiverSaid(receiver: RecordedReceiver) throws {
    let place = try Workplace("e2e-gps")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    let gpsd = try GpsdRig(.pty, in: place)
    let keys = [
      "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(gpsd.port)",
      "location.distance_filter_m": "0", "location.interval_s": "1", "location.max_accuracy_m": "0",
      "location.lost_after_s": "0",
    ]
    let node = try NodeRun(keys + port(broker.port), in: place)
    #expect(gpsd.waitUntilOpen(), "\(gpsd.log().suffix(400))")
    try gpsd.send(receiver.recording(), pauseS: 0.002)

    let expected = try Expected(receiver)
    #expect(waitUntil(seconds: 20) { watcher.locations.count >= expected.messages }, "\(receiver) \(node.log)")
    // The reports of the last epoch may come in pieces; silence itself is published after 5 s, and is none of this.
    _ = waitUntil(seconds: 0.7) { !node.process.isRunning }
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 5) == 0)
    #expect(watcher.waitFor(.stopped, seconds: 3))
    try expected.check(watcher)
  }
}

/// What the node must have published, from gpsd's recorded reports and their facts.
private struct Expected {
  /// Epochs with a position in the order in which they came: reports of the same time are one, and one without a time
  /// belongs to those after it.
  private var positions: [(latitude: Double, longitude: Double)] = []
  private var times: [String] = []
  private let facts: RecordedReceiver.Facts
  /// Whether the first report is one without a fix: a loss that `fix_lost` does not count, for nothing was had before.
  private var beginsWithout = false

  init(_ receiver: RecordedReceiver) throws {
    facts = try receiver.facts()
    var isFirst = true
    for line in try receiver.gpsdBytes().split(separator: UInt8(ascii: "\n")) {
      guard let report = try? JSONValue.parse(line), report["class"]?.string == "TPV" else { continue }
      let position = (report["mode"]?.integer ?? 0) >= 2 ? (report["lat"]?.number, report["lon"]?.number) : (nil, nil)
      if isFirst { beginsWithout = position.0 == nil }
      isFirst = false
      guard let latitude = position.0, let longitude = position.1 else { continue }
      let time = report["time"]?.string
      if let time, times.last != time { times.append(time) }
      if positions.last.map({ $0 != (latitude, longitude) }) ?? true { positions.append((latitude, longitude)) }
    }
  }

  /// Each epoch once; and a loss for each step from a fix to none, one more where the receiver begins without.
  var messages: Int { times.count + losses }
  var losses: Int { facts.lost + (beginsWithout ? 1 : 0) }

  func check(_ watcher: Watcher) throws {
    var fixes: [LocationMessage.Position] = []
    var lost: [LocationMessage.Loss] = []
    for location in watcher.locations {
      switch location {
      case .fixed(let position): fixes.append(position)
      case .lost(let loss): lost.append(loss)
      }
    }
    try checkFixes(fixes)
    checkLosses(lost, after: fixes)
    // Every message arrived, in its order.
    #expect(watcher.sequences == Array(1...UInt64(max(1, watcher.sequences.count))))
  }

  private func checkFixes(_ fixes: [LocationMessage.Position]) throws {
    // Exactly one for each time that the receiver gave: nothing merged that does not belong together, nothing twice.
    #expect(fixes.count == times.count)
    let published = Set(fixes.compactMap { $0.fixTime?.seconds })
    #expect(published.count == times.count)
    // No invented position: each is one that gpsd gave, to the seventh decimal that is published.
    for fix in fixes {
      let isKnown = positions.contains {
        ($0.latitude - fix.latitude).magnitude < 1e-6 && ($0.longitude - fix.longitude).magnitude < 1e-6
      }
      #expect(isKnown, "\(fix.latitude) \(fix.longitude)")
      #expect(fix.dimensions == 3, "the first report of an epoch may say 2; what is published is the whole epoch")
      #expect(fix.accuracyM.map { facts.ephM.map { ($0[0] - 0.05)...($0[1] + 0.05) }?.contains($0) == true } ?? true)
    }
    guard let latitudes = facts.latitudes, let longitudes = facts.longitudes else { return }
    // The ends of the ranges, to the seventh decimal.
    #expect((try #require(fixes.map(\.latitude).min()) - latitudes[0]).magnitude < 1e-6)
    #expect((try #require(fixes.map(\.latitude).max()) - latitudes[1]).magnitude < 1e-6)
    #expect((try #require(fixes.map(\.longitude).min()) - longitudes[0]).magnitude < 1e-6)
    #expect((try #require(fixes.map(\.longitude).max()) - longitudes[1]).magnitude < 1e-6)
    // The facts add up the way along every report; reports of one epoch stand in one place, so that the way along the
    // epochs is as long. Each published position and each `moved_m` is rounded, to about a centimetre and a decimetre.
    let distance = fixes.compactMap(\.movedM).reduce(0, +)
    #expect((distance - facts.distanceM).magnitude < 0.06 * Double(fixes.count) + 0.1, "\(distance) m")
  }

  private func checkLosses(_ lost: [LocationMessage.Loss], after fixes: [LocationMessage.Position]) {
    #expect(lost.count == losses)
    #expect(lost.allSatisfy { $0.reason == .noFix })
    // The first fix, and then one regained for each loss after it that the receiver came back from.
    #expect(fixes.filter { $0.cause == .first }.count == min(1, fixes.count))
    let returns = facts.regained - (beginsWithout && facts.regained > 0 ? 1 : 0)
    #expect(fixes.filter { $0.cause == .regained }.count == returns)
    for loss in lost {
      guard let last = loss.last else { continue }
      #expect(fixes.contains { ($0.latitude, $0.longitude) == (last.latitude, last.longitude) })
    }
  }
}
