import Foundation
import Rig
import Telemetry
import Testing

/// A drive through a fence, by a real gpsd, with a restart of the node in the middle of it.
@Suite(.serialized) struct GeofenceTests {
  /// 60 m around a place by the lake of Zurich.
  private static let fence = """
    [[geofence]]
    name = "quay"
    lat = 47.3621
    lon = 8.5468
    radius_m = 60
    """
  private static let centre = NMEARoute.Waypoint(47.3621, 8.5468)
  private static let west = NMEARoute.Waypoint(47.3621, 8.5448)
  private static let east = NMEARoute.Waypoint(47.3621, 8.5508)

  @Test func driveThroughAFenceIsTwoEventsWhateverHappensInBetween() throws {
    let place = try Workplace("e2e-geofence")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    let gpsd = try GpsdRig(.tcp, in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen(), "\(gpsd.log().suffix(400))")
    let record = place.path("location.json")
    let keys =
      port(broker.port) + [
        "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(gpsd.port)",
        "location.record_file": "\"\(record)\"",
      ]

    // In, from 150 m west of the middle, and there the node ends.
    var node = try NodeRun(keys, tables: Self.fence, in: place)
    let drive = RoutePlayer(NMEARoute([Self.west, Self.centre], speedMPS: 12), to: gpsd, rateHz: 2)
    #expect(waitUntil(seconds: 30) { !watcher.crossings.isEmpty }, "\(node.log)")
    drive.stop()
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 8) == 0)
    let kept = try String(contentsOfFile: record, encoding: .utf8)
    #expect(kept.contains(#""inside":[{"fence":"quay","#), "\(kept)")

    // It comes back in the middle, and has nothing to tell; then it drives off to the east.
    node = try NodeRun(keys, tables: Self.fence, in: place, name: "node-2")
    let stand = RoutePlayer(NMEARoute([Self.centre], speedMPS: 0), to: gpsd, rateHz: 2)
    #expect(waitUntil(seconds: 15) { watcher.boots(with: .location).count == 2 }, "\(node.log)")
    #expect(!waitUntil(seconds: 3) { watcher.crossings.count > 1 }, "\(watcher.crossings)")
    stand.stop()
    let departure = RoutePlayer(NMEARoute([Self.centre, Self.east], speedMPS: 12), to: gpsd, rateHz: 2)
    #expect(waitUntil(seconds: 30) { watcher.crossings.count > 1 }, "\(node.log)")
    departure.stop()
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 8) == 0)
    try check(watcher, record)
  }

  private func check(_ watcher: Watcher, _ record: String) throws {
    let crossings = watcher.crossings
    #expect(crossings.map(\.1.event) == [.enter, .leave])
    #expect(crossings.map(\.1.fence) == ["quay", "quay"])
    // The crossings themselves were seen, and so was how long it was inside, over the restart: where the clock of this
    // machine is worth anything.
    #expect(crossings.allSatisfy { !$0.1.isFirst }, "\(crossings)")
    if crossings.contains(where: { $0.0.clock == ClockQuality.none }) {
      #expect(crossings.last?.1.insideS == nil)
    } else {
      let times = crossings.compactMap { $0.0.time?.seconds }
      let insideS = try #require(crossings.last?.1.insideS)
      #expect((insideS - times[1] + times[0]).magnitude < 1, "\(insideS) \(times)")
    }
    #expect(crossings.allSatisfy { $0.0.sequence != nil })
    #expect(Set(crossings.map(\.0.boot)).count == 2)
    let messages = watcher.messages.filter { $0.stream == .geofence }
    #expect(messages.allSatisfy { $0.qos == 1 && !$0.isRetained })
    let kept = try String(contentsOfFile: record, encoding: .utf8)
    #expect(kept.contains(#""inside":[]"#), "\(kept)")
  }
}

extension Watcher {
  /// Crossings of fences with their envelopes, in the order in which they came.
  var crossings: [(Envelope, GeofenceMessage)] {
    telegrams.compactMap { if case .geofence(let message) = $0.body { ($0.envelope, message) } else { nil } }
  }

  /// The runs of the node that said something on a stream.
  func boots(with stream: Telemetry.Stream) -> Set<BootID> {
    Set(telegrams.filter { $0.body.stream == stream }.map(\.envelope.boot))
  }
}
