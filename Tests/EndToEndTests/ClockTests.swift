import Foundation
import Rig
import Store
import Telemetry
import Testing

/// The clock of a running program is set: far ahead, a day back, to 1970, and right again. Nothing is lost, counted
/// twice or taken for old, and nobody is told of a trouble that is none.
@Suite(.serialized, .enabled(if: SteppedClock.isHere, "no libfaketime: apt-get install faketime"))
struct ClockTests {
  /// How far ahead the clock is, one after the other [s].
  private static let steps = [400 * 86_400, -86_400, 600 - Int(Date().timeIntervalSince1970), 0]

  /// With a cap by age, so that an event of a wrong calendar might be taken for old.
  private let keys: Keys = ["spool.cap_h": "24"]

  @Test func aNodeWhoseClockJumpsLosesNothing() throws {
    let clock = try SteppedClock()
    let drill = try DeliveryDrill("e2e-node-clock", rateHz: 20, keys: keys, nodeClock: clock)
    let watcher = try Watcher(drill.broker, "judder/e2e/location", seconds: 300)
    var node = try drill.startNode()
    var days: [String] = []
    for (index, offsetS) in ClockTests.steps.enumerated() {
      try pass(1, watcher, node)
      drill.broker.kill()
      try clock.step(to: offsetS)
      days.append(day(offsetS))
      // What waits on the disk is of two calendars by now.
      try rest(2, node)
      if index % 2 == 0 {
        node.process.send(signal: SIGKILL)
        _ = node.process.wait(seconds: 5)
        node = try drill.startNode()
      }
      try drill.broker.start()
    }
    for day in days { #expect(node.log.contains { $0.hasPrefix(day) }, "the clock was not set to \(day)") }
    #expect(drill.waitForFleet())
    try pass(1, watcher, node)
    try expectNothingLost(drill, node, watcher, runs: 3)
  }

  @Test func aFleetToolWhoseClockJumpsLosesNothing() throws {
    let clock = try SteppedClock()
    let drill = try DeliveryDrill("e2e-fleet-clock", rateHz: 20, keys: keys, fleetClock: clock)
    let watcher = try Watcher(drill.broker, "judder/e2e/location", seconds: 300)
    let node = try drill.startNode()
    for (index, offsetS) in ClockTests.steps.enumerated() {
      try pass(1, watcher, node)
      try clock.step(to: offsetS)
      try rest(2, node)
      #expect(drill.fleet?.isRunning == true, "\(drill.fleet?.errorText() ?? "")")
      if index % 2 == 0 {
        drill.killFleet()
        try drill.startFleet()
        // It may be midnight in between.
        let days = [day(offsetS), day(offsetS + 60)]
        let isSet = waitUntil(seconds: 10) { days.contains { drill.fleet?.errorText().hasPrefix($0) == true } }
        #expect(isSet, "the clock was not set to \(days[0]): \(drill.fleet?.errorText() ?? "")")
      }
    }
    try pass(1, watcher, node)
    #expect(drill.fleet?.outputText() == "", "an alert of a clock that was set")
    try expectNothingLost(drill, node, watcher, runs: 1)
  }

  /// Waits for some more events at the broker.
  private func pass(_ seconds: Int, _ watcher: Watcher, _ node: NodeRun) throws {
    let wanted = watcher.messages.count + seconds * 10
    #expect(waitUntil(seconds: 20) { watcher.messages.count >= wanted }, "\(node.log.suffix(10))")
  }

  /// Lets some time pass in which the node must not end.
  private func rest(_ seconds: Double, _ node: NodeRun) throws {
    #expect(!waitUntil(seconds: seconds) { !node.process.isRunning }, "\(node.log.suffix(10))")
  }

  /// The date that a clock shows which is so far ahead, as a log begins its lines.
  private func day(_ offsetS: Int) -> String {
    Date(timeIntervalSinceNow: Double(offsetS)).formatted(.iso8601.year().month().day())
  }

  private func expectNothingLost(_ drill: DeliveryDrill, _ node: NodeRun, _ watcher: Watcher, runs: Int) throws {
    drill.receiver.stop()
    // What the broker took before the fleet tool was back is proved missing by later events, or after a minute by a
    // probe, and what the probe proves goes then.
    let spool = try drill.waitUntilDrained(seconds: 150)
    let fleetLog = drill.fleet?.errorText() ?? ""
    #expect(
      spool?.events == 0 && spool?.evicted == 0 && spool?.state == .disk,
      "\(String(describing: spool)) \(fleetLog.suffix(2000))")
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 6) == 0, "\(node.log.suffix(10))")
    let stored = try StoredEvents(drill.history())
    #expect(stored.numbers.count == runs && stored.count > 100, "\(stored.count) events of \(stored.numbers.keys)")
    #expect(stored.rows == stored.count && stored.gaps == [], "rows that are there twice, or missing")
    #expect(stored.missing(of: watcher.telegrams) == [], "published and not stored")
    #expect(stored.conflicts == 0 && stored.defects == [])
    report("clock set \(ClockTests.steps.count) times: \(stored.count) events, 0 lost, 0 twice")
  }
}
