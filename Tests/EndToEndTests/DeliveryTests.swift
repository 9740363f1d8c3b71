import Foundation
import Rig
import Store
import Telemetry
import Testing

/// Nothing that was acknowledged is lost or counted twice, whoever is killed. `make endure` does the same at length.
@Suite(.serialized) struct DeliveryTests {
  /// 1000 of them took 10 000 events: `JUDDER_NODE_KILLS=1000`.
  @Test func nothingIsLostWhenTheNodeIsKilledAgainAndAgain() throws {
    let kills = drillCount("JUDDER_NODE_KILLS", orInTests: 12)
    let drill = try DeliveryDrill("e2e-kills", rateHz: 40)
    let watcher = try Watcher(drill.broker, "judder/e2e/location", seconds: 3600)
    var random = SeededRandom(seed: 1)
    for _ in 0..<kills {
      let node = try drill.startNode()
      _ = waitUntil(seconds: Double.random(in: 0.15...0.6, using: &random)) { !node.process.isRunning }
      #expect(node.process.isRunning, "\(node.log)")
      node.process.send(signal: SIGKILL)
      _ = node.process.wait(seconds: 5)
    }
    drill.receiver.stop()
    let node = try drill.startNode()
    let spool = try drill.waitUntilDrained(seconds: 30 + Double(kills) / 5)
    #expect(spool?.events == 0 && spool?.state == .disk && spool?.delivery == .fleet, "\(String(describing: spool))")
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 6) == 0)
    let stored = try StoredEvents(drill.history())
    #expect(stored.count > kills * 3, "\(stored.count) events in \(stored.numbers.count) runs")
    #expect(stored.rows == stored.count, "rows that are there twice")
    #expect(stored.gaps == [])
    #expect(stored.missing(of: watcher.telegrams) == [], "published and not stored")
    #expect(stored.conflicts == 0 && stored.defects == [])
    report("node killed \(kills) times: \(stored.count) events of \(stored.numbers.count) runs, 0 lost, 0 twice")
  }

  /// 50 of them: `JUDDER_BROKER_KILLS=50`. A broker without persistence forgets everything it acknowledged.
  @Test func nothingIsLostWhenTheBrokerIsKilledAgainAndAgain() throws {
    let kills = drillCount("JUDDER_BROKER_KILLS", orInTests: 3)
    let drill = try DeliveryDrill("e2e-broker", rateHz: 80)
    let node = try drill.startNode()
    var random = SeededRandom(seed: 2)
    for _ in 0..<kills {
      _ = waitUntil(seconds: Double.random(in: 1...4, using: &random)) { !node.process.isRunning }
      drill.broker.kill()
      try drill.broker.start()
    }
    #expect(drill.waitForFleet())
    _ = waitUntil(seconds: 1) { !node.process.isRunning }
    drill.receiver.stop()
    // What the broker took before the fleet tool was back is proved missing by later events, or after a minute by a
    // probe, and what the probe proves goes then.
    let spool = try drill.waitUntilDrained(seconds: 150)
    #expect(spool?.events == 0 && spool?.evicted == 0, "\(String(describing: spool)) \(node.log.suffix(5))")
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 6) == 0)
    let stored = try StoredEvents(drill.history())
    #expect(stored.count > kills * 40 && stored.rows == stored.count, "\(stored.count)")
    #expect(stored.gaps == [] && stored.conflicts == 0 && stored.defects == [])
    report("broker killed \(kills) times: \(stored.count) events, 0 lost, 0 twice")
  }
}

/// A figure for whoever runs a drill by hand.
func report(_ text: String) { print("drill: \(text)") }
