import Foundation
import Rig
import Telemetry
import Testing

/// A node's settings and its calibration from afar: the tool, a broker and a node.
@Suite(.serialized) struct RemoteTests {
  private let place: Workplace
  private let broker: Broker

  init() throws {
    place = try Workplace("e2e-remote")
    broker = try Broker(in: place)
    try broker.start()
  }

  private func send(_ arguments: String...) throws -> Outcome {
    try outcome(
      of: Programs.fleet, ["send", "e2e"] + arguments + ["-h", "127.0.0.1", "-p", "\(broker.port)"], in: place,
      environment: ["USER": "ann"])
  }

  private func keys(_ scenario: String) -> Keys {
    port(broker.port) + [
      "accelerometer.source": "\"simulated\"", "accelerometer.scenario": "\"\(scenario)\"",
      "accelerometer.seed": "9", "node.commands": "true", "spool.directory": "\"\(place.path("spool"))\"",
    ]
  }

  @Test func whatIsSetIsSeenAndSurvivesARestartUntilItIsTakenBack() throws {
    let live = try Watcher(broker)
    let node = try NodeRun(keys("parked"), in: place)
    #expect(live.waitFor(.online), "\(node.log)")
    let set = try send("set", "shake.on_g=0.9")
    #expect(set.status == 0, "\(set) \(node.log)")
    #expect(set.outputLines == ["e2e set: done", "  shake.on_g = 0.9, was 0.7"], "\(set)")
    #expect(waitUntil(seconds: 5) { live.statuses.last?.set == ["shake.on_g=0.9"] })
    #expect(node.log.contains { $0.contains("shake.on_g was 0.7 and is 0.9, set over the broker by ann@") })
    for bad in ["shake.on_g=99", "shake.on_g=NaN", "shake.on_g=1e999", "broker.host=evil", "shake.\u{1b}=1"] {
      let refused = try send("set", bad)
      #expect(refused.status == 1 && refused.output.hasPrefix("e2e set: refused: "), "\(bad): \(refused)")
    }
    #expect(live.statuses.last?.set == ["shake.on_g=0.9"])

    node.process.stop(signal: SIGKILL)
    let again = try NodeRun(keys("parked"), in: place, name: "again")
    #expect(waitUntil(seconds: 10) { again.log.contains { $0.contains("connected") } }, "\(again.log)")
    #expect(waitUntil(seconds: 5) { Set(live.telegrams.map(\.envelope.boot)).count == 2 })
    #expect(waitUntil(seconds: 5) { live.statuses.last?.set == ["shake.on_g=0.9"] }, "\(again.log)")
    let check = try outcome(of: Programs.node, ["check", "--config", again.file], in: place)
    #expect(check.output.contains("set over the broker, before everything else: shake.on_g=0.9"), "\(check)")
    let back = try send("set", "shake.on_g=", "--json")
    #expect(back.status == 0 && back.output.contains(#""before":0.9,"after":0.7,"kept":true"#), "\(back)")
    #expect(waitUntil(seconds: 5) { live.statuses.last?.set == [] })
  }

  @Test func aNodeAtRestIsCalibratedAndOneThatIsShakenIsNot() throws {
    let live = try Watcher(broker)
    let node = try NodeRun(keys("parked"), in: place)
    #expect(live.waitFor(.online), "\(node.log)")
    let rest = try send("calibrate", "10", "--json")
    #expect(rest.status == 0 && rest.output.contains(#""rest":{"duration_s":10."#), "\(rest) \(node.log)")
    #expect(rest.output.contains(#""face":"z+""#) && rest.output.contains("four times the noise in band"))
    node.process.stop(signal: SIGTERM)
    #expect(live.waitFor(.stopped))
    let shaken = try NodeRun(keys("driven"), in: place, name: "shaken")
    #expect(waitUntil(seconds: 10) { live.statuses.last?.state == .online }, "\(shaken.log)")
    let refused = try send("calibrate", "10")
    #expect(refused.status == 1 && refused.output.contains("put it down where nothing moves it"), "\(refused)")
  }
}
