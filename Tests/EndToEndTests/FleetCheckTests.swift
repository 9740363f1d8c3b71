import Foundation
import Rig
import Testing

/// `judder-fleet check`: what it needs of the broker and of its database.
@Suite(.serialized) struct FleetCheckTests {
  private let place: Workplace

  init() throws { place = try Workplace("e2e-fleet-check") }

  /// Runs a check with a store.
  private func check(_ broker: Broker, _ more: [String] = []) throws -> Outcome {
    let file = try place.write("fleet.toml", "[store]\nfile = \"\(place.path("fleet.db"))\"\n")
    return try outcome(
      of: Programs.fleet, ["check", "--config", file, "-h", "127.0.0.1", "-p", "\(broker.port)"] + more, in: place)
  }

  @Test func allIsWellAndNoNodeHearsOfIt() throws {
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker, "judder/#")
    let well = try check(broker)
    #expect(well.status == 0, "\(well.output) \(well.errors)")
    #expect(well.output.contains("published to judder/judder-fleet-check/ack\n"), "\(well.output)")
    _ = waitUntil(seconds: 5) { !watcher.messages.isEmpty }
    #expect(watcher.messages.map(\.topic) == ["judder/judder-fleet-check/ack"])
    #expect(watcher.messages.allSatisfy { !$0.isRetained })
    // A broker of MQTT 3.1.1 acknowledges what it throws away.
    let mute = try check(broker, ["-V", "mqttv311"])
    #expect(mute.output.contains("judder-fleet-check/ack, if it may: MQTT 3.1.1 does not tell\n"), "\(mute.output)")
  }

  @Test func aBrokerThatLetsNoAcknowledgementThroughIsFoundOut() throws {
    var options = Broker.Options()
    options.accessList = "topic read #\ntopic write judder-fleet/#\n"
    let broker = try Broker(options, in: place)
    try broker.start()
    let refused = try check(broker)
    #expect(refused.status == 1, "\(refused.output) \(refused.errors)")
    let lines = refused.outputLines.filter { $0.hasPrefix("problem ") }
    #expect(lines.count == 1, "\(refused.output)")
    #expect(lines.first?.hasPrefix("problem broker: may not publish to judder/judder-fleet-check/ack: ") == true)
    #expect(lines.first?.hasSuffix("let it publish on judder/+/ack in the broker's access list") == true, "\(lines)")
  }
}
