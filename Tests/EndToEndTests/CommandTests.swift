import Foundation
import Rig
import Telemetry
import Testing

/// What a node is asked over the broker, and what it answers.
@Suite(.serialized) struct CommandTests {
  private static let topic = "judder/e2e/command"

  private func ask(_ broker: Broker, _ command: CommandMessage, isRetained: Bool = false) throws {
    try broker.publish(
      Self.topic, String(decoding: command.encode(), as: UTF8.self), isRetained: isRetained)
  }

  private func reply(_ watcher: Watcher, to id: String, seconds: Double = 5) -> ReplyMessage? {
    _ = waitUntil(seconds: seconds) { watcher.replies.contains { $0.id == id } }
    return watcher.replies.first { $0.id == id }
  }

  @Test func samplesAreStreamedWhileTheLeaseLasts() throws {
    let place = try Workplace("e2e-live")
    let broker = try Broker(in: place)
    try broker.start()
    let live = try Watcher(broker)
    let node = try NodeRun(shakenNode + port(broker.port) + ["node.commands": "true"], in: place)
    #expect(live.waitFor(.online))
    #expect(waitUntil(seconds: 5) { !live.accelerations.isEmpty }, "\(node.log)")
    #expect(live.accelerations.allSatisfy { $0.samples == nil }, "nobody watches yet")

    let asked = Date().timeIntervalSince1970
    try ask(broker, CommandMessage(id: "a1", .live, forS: 3))
    let answer = try #require(reply(live, to: "a1"), "\(node.log)")
    #expect(answer.isDone && answer.verb == .live)
    let until = try #require(answer.until).seconds
    #expect((asked + 2.9...asked + 6).contains(until))
    #expect(waitUntil(seconds: 5) { live.accelerations.filter { $0.samples != nil }.count >= 2 })
    for message in live.accelerations {
      guard let samples = message.samples else { continue }
      let period = try #require(message.samplePeriodS)
      #expect((0.03...0.05).contains(period), "25 a second of the sensor's 100")
      #expect((1...60).contains(samples.count))
      #expect(samples.allSatisfy { (0.5...4).contains($0.length) })
    }
    let isOver = waitUntil(seconds: 8) { Date().timeIntervalSince1970 > until + 1.5 }
    let count = live.accelerations.filter { $0.samples != nil }.count
    #expect(isOver && count <= 5, "a batch a second for three seconds")
    Thread.sleep(forTimeInterval: 1.5)
    #expect(live.accelerations.filter { $0.samples != nil }.count == count, "the lease is over")
  }

  @Test func aDisarmedNodeMeasuresAndSaysNothing() throws {
    let place = try Workplace("e2e-disarm")
    let broker = try Broker(in: place)
    try broker.start()
    let live = try Watcher(broker)
    let node = try NodeRun(shakenNode + port(broker.port) + ["node.commands": "true"], in: place)
    #expect(live.waitFor(.online))
    try ask(broker, CommandMessage(id: "d1", .disarm))
    #expect(try #require(reply(live, to: "d1"), "\(node.log)").isDone)
    #expect(waitUntil(seconds: 5) { live.statuses.last?.isArmed == false })
    let windows = live.accelerations.count
    // The node is shaken five seconds after its start.
    let isShaken = waitUntil(seconds: 12) {
      live.telegrams.contains { $0.body.stream == .health && ($0.envelope.uptime ?? 0) > 8 }
    }
    #expect(isShaken)
    #expect(live.shakes.isEmpty && live.accelerations.count == windows)
    #expect(live.healths.last?.accelerometer?.state == .disarmed)
    try ask(broker, CommandMessage(id: "d2", .arm))
    #expect(try #require(reply(live, to: "d2")).isDone)
    #expect(waitUntil(seconds: 5) { live.statuses.last?.isArmed == true && live.accelerations.count > windows })
  }

  @Test func whatCannotBeDoneIsAnsweredWithTheReason() throws {
    let place = try Workplace("e2e-refuse")
    let broker = try Broker(in: place)
    try broker.start()
    let live = try Watcher(broker)
    let node = try NodeRun(port(broker.port) + ["node.commands": "true"], in: place)
    #expect(live.waitFor(.online))
    try ask(broker, CommandMessage(id: "r1", .arm))
    #expect(reply(live, to: "r1")?.reason == "there is no accelerometer", "\(node.log)")
    try ask(broker, CommandMessage(id: "r2", .arm, expires: WallTime(seconds: 1_000_000_000)))
    #expect(reply(live, to: "r2")?.isDone == false)
    try broker.publish(Self.topic, #"{"v":1,"id":"r3","command":"explode"}"#)
    #expect(reply(live, to: "r3")?.reason?.contains("explode") == true)
  }

  @Test func aNodeThatMayNoLongerIgnoresWhatTheBrokerStillBrings() throws {
    let place = try Workplace("e2e-former")
    let broker = try Broker(in: place)
    try broker.start()
    let live = try Watcher(broker)
    let former = try NodeRun(
      shakenNode + port(broker.port) + ["node.commands": "true", "broker.version": "\"5\""], in: place, name: "former")
    #expect(live.waitFor(.online))
    try ask(broker, CommandMessage(id: "f1", .arm))
    #expect(reply(live, to: "f1")?.isDone == true, "\(former.log)")
    // The power goes: the broker keeps the session, and with it the subscription.
    former.process.stop(signal: SIGKILL)
    try ask(broker, CommandMessage(id: "f2", .disarm))
    let node = try NodeRun(shakenNode + port(broker.port) + ["broker.version": "\"5\""], in: place)
    #expect(waitUntil(seconds: 10) { node.log.contains { $0.contains("node.commands is false") } }, "\(node.log)")
    #expect(waitUntil(seconds: 5) { live.statuses.filter { $0.state == .online }.count >= 2 })
    #expect(live.statuses.last?.isArmed == true)
    #expect(!live.replies.contains { $0.id == "f2" })
  }

  @Test func withoutLeaveNothingIsHeard() throws {
    let place = try Workplace("e2e-deaf")
    let broker = try Broker(in: place)
    try broker.start()
    let live = try Watcher(broker)
    let node = try NodeRun(shakenNode + port(broker.port), in: place)
    #expect(live.waitFor(.online))
    try ask(broker, CommandMessage(id: "x1", .disarm))
    #expect(waitUntil(seconds: 5) { live.accelerations.count >= 2 }, "\(node.log)")
    #expect(live.replies.isEmpty)
    #expect(live.statuses.last?.isArmed == true)
  }
}
