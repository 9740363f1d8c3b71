import Foundation
import Rig
import Telemetry
import Testing

/// A node and a broker, and nothing goes wrong.
@Suite(.serialized) struct NodeTests {
  @Test func aSimulatedNodeSaysAllThatItShould() throws {
    let place = try Workplace("e2e-node")
    let broker = try Broker(in: place)
    try broker.start()
    let live = try Watcher(broker)
    let begin = Date().timeIntervalSince1970
    let node = try NodeRun(shakenNode + port(broker.port), in: place)

    let isComplete = waitUntil(seconds: 20) {
      live.shakes.contains { $0.phase == .ended } && live.accelerations.count >= 3 && !live.healths.isEmpty
        && !live.orientations.isEmpty
    }
    #expect(isComplete, "\(live.messages.map(\.topic)) \(node.log)")
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 5) == 0)
    #expect(live.waitFor(.stopped, seconds: 3))

    try checkForm(live.messages, from: begin)
    #expect(live.sequences == Array(1...UInt64(live.sequences.count)))
    try checkContent(live)
    try checkKept(broker)
  }

  /// Envelope, topic, QoS and retain flag of each message.
  private func checkForm(_ messages: [Received], from begin: Double) throws {
    var boots: Set<BootID> = []
    var uptime = 0.0
    for message in messages {
      let telegram = try message.telegram()
      let stream = telegram.body.stream
      #expect(message.topic == "judder/e2e/\(stream.rawValue)")
      #expect(message.qos == Int(stream.qos), "\(message.topic)")
      #expect(message.isRetained == stream.isRetained, "\(message.topic)")
      #expect((telegram.envelope.sequence != nil) == stream.isEvent, "\(message.topic)")
      boots.insert(telegram.envelope.boot)
      let time = try #require(telegram.envelope.time).seconds
      // Measured during this test, by this machine's clock. The agent's seconds count from its first instruction.
      #expect((begin - 0.1...Date().timeIntervalSince1970).contains(time), "\(message.topic)")
      let up = try #require(telegram.envelope.uptime)
      #expect((time - begin - up).magnitude < 2, "\(message.topic)")
      uptime = max(uptime, up)
    }
    #expect(boots.count == 1)
    #expect((5...25).contains(uptime))
  }

  private func checkContent(_ watcher: Watcher) throws {
    #expect(watcher.statuses.first?.state == .online)
    let online = try #require(watcher.statuses.last { $0.state == .online })
    #expect(online.agent == softwareVersion)
    #expect(online.accelerometer == "simulated-shaken")
    #expect(online.source == "simulated")
    #expect(online.rateHz == 100)
    #expect(online.windowS == 1)
    #expect(online.preset == "handheld")
    #expect(online.healthIntervalS == 1)
    #expect(online.gpsd == nil)

    let began = try #require(watcher.shakes.first)
    let ended = try #require(watcher.shakes.dropFirst().first)
    #expect(began.phase == .began && ended.phase == .ended)
    #expect(began.id == 1 && ended.id == 1)
    #expect((0.3...1).contains(ended.durationS))
    #expect((1...3).contains(ended.peakG))
    #expect(ended.axis == .x)
    #expect((3...6).contains(ended.frequencyHz ?? 0), "the scenario swings 4 to 5 times a second")
    #expect(ended.place == nil, "there is no gpsd")

    #expect(watcher.orientations.first?.face == .zUp)
    for window in watcher.accelerations {
      #expect((0.9...1.1).contains(window.meanG.length))
      #expect(window.missed == 0)
    }
    let health = try #require(watcher.healths.last)
    #expect(health.accelerometer?.state == .running)
    #expect((99...101).contains(health.accelerometer?.rateHz ?? 0))
    #expect(health.accelerometer?.gaps == 0)
    #expect(health.link.connects == 1)
    #expect(health.spool.evicted == 0)
    #expect(health.gps == nil)
    #expect((1000...100_000).contains(health.residentKB ?? 0))
  }

  /// What a late subscriber sees: the last status and the last orientation, and nothing else.
  private func checkKept(_ broker: Broker) throws {
    let late = try Watcher(broker)
    #expect(waitUntil(seconds: 5) { late.messages.count >= 2 })
    // More would have come with those two: the broker sends all that it keeps before anything else.
    try broker.publish("judder/end", "end")
    #expect(waitUntil(seconds: 5) { late.messages.last?.topic == "judder/end" })
    #expect(Set(late.messages.dropLast().map(\.topic)) == ["judder/e2e/status", "judder/e2e/orientation"])
    #expect(late.messages.dropLast().allSatisfy { $0.isRetained })
    #expect(late.statuses.map(\.state) == [.stopped])
  }

  @Test func anInterruptIsACleanStopAndEachStartIsABootOfItsOwn() throws {
    let place = try Workplace("e2e-node")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    for start in 1...2 {
      let node = try NodeRun(shakenNode + port(broker.port), in: place, name: "node-\(start)")
      #expect(watcher.waitFor(.online))
      node.process.send(signal: SIGINT)
      #expect(node.process.wait(seconds: 5) == 0)
      #expect(watcher.waitFor(.stopped))
      #expect(node.log.last?.hasSuffix("notice: stopped") == true)
    }
    let boots = watcher.telegrams.map(\.envelope.boot)
    #expect(Set(boots).count == 2)
    #expect(watcher.messages.allSatisfy { $0.isRetained == ($0.stream?.isRetained == true) })
  }

  @Test func theBrokerSaysThatAKilledNodeIsLost() throws {
    let place = try Workplace("e2e-node")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    // MQTT 3.1.1 knows no delay of the will.
    let node = try NodeRun(port(broker.port) + ["broker.version": "\"3.1.1\""], in: place)
    #expect(watcher.waitFor(.online))
    node.process.send(signal: SIGKILL)
    #expect(node.process.wait(seconds: 5) == -SIGKILL)
    #expect(watcher.waitFor(.lost))
    let boots = watcher.telegrams.map(\.envelope.boot)
    #expect(Set(boots).count == 1)
    #expect(watcher.messages.last?.isRetained == true)
    #expect(watcher.telegrams.last?.envelope.time == nil, "it was written before the loss that it reports")
  }

  @Test func theBrokerWaitsBeforeItGivesUpANodeThatSpeaksMQTT5() throws {
    let place = try Workplace("e2e-node")
    let broker = try Broker(in: place)
    try broker.start()
    let watcher = try Watcher(broker)
    let node = try NodeRun(port(broker.port) + ["broker.version": "\"5\""], in: place)
    #expect(watcher.waitFor(.online))
    node.process.send(signal: SIGKILL)
    #expect(node.process.wait(seconds: 5) == -SIGKILL)
    #expect(waitUntil(seconds: 5) { broker.log.contains("judder-node-e2e closed its connection") })
    // The will of MQTT 3.1.1 comes within milliseconds; this one is due after 30 s.
    #expect(!waitUntil(seconds: 1.5) { watcher.statuses.contains { $0.state == .lost } })
  }
}
