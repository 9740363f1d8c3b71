import Foundation
import Rig
import Telemetry
import Testing

/// The broker is not there, or will not have us: the node goes on sampling, says once what is wrong, and comes back by
/// itself with every event.
@Suite(.serialized) struct OutageTests {
  @Test func whatHappenedBeforeTheBrokerWasThereArrivesWithItsOwnTime() throws {
    let place = try Workplace("e2e-outage")
    let broker = try Broker(in: place)
    let node = try NodeRun(shakenAgainAndAgain(in: place) + port(broker.port), in: place)
    // A side, and the beginning and the end of a shake: 2.2 s of the recording.
    #expect(waitUntil(seconds: 10) { !node.brokerTroubles.isEmpty })
    _ = waitUntil(seconds: 2.5) { !node.process.isRunning }
    try broker.start()
    let watcher = try Watcher(broker)
    #expect(watcher.waitFor(.online, seconds: 20))
    #expect(waitUntil(seconds: 10) { watcher.shakes.count >= 4 && watcher.accelerations.count >= 2 })
    #expect(waitUntil(seconds: 3) { !watcher.healths.isEmpty })

    let events = watcher.telegrams.filter { $0.body.stream.isEvent }
    let online = try #require(watcher.telegrams.first { $0.body.stream == .status }?.envelope.time)
    #expect(events.first?.body.stream == .orientation)
    // Measured before the connection, and dated so, in order.
    #expect(events.prefix(3).allSatisfy { ($0.envelope.time ?? online) < online })
    let times = events.compactMap(\.envelope.time)
    #expect(times == times.sorted())
    #expect(Set(watcher.sequences) == Set(1...UInt64(watcher.sequences.max() ?? 1)))
    expectNoGap(watcher)
    #expect(node.brokerTroubles.count == 1, "\(node.log)")
    #expect(node.brokerTroubles.first?.contains("127.0.0.1:\(broker.port) refuses the connection") == true)
  }

  @Test func noEventIsMissingAfterTheBrokerWasKilled() throws {
    let place = try Workplace("e2e-outage")
    let broker = try Broker(in: place)
    try broker.start()
    // Between the two, so that the watcher is there before the node comes back.
    let proxy = try Proxy(to: broker.port)
    let before = try Watcher(broker)
    let node = try NodeRun(shakenAgainAndAgain(in: place) + port(proxy.port), in: place)
    #expect(waitUntil(seconds: 15) { before.shakes.contains { $0.phase == .ended } })

    proxy.behaviour = .refusing
    broker.kill()
    #expect(waitUntil(seconds: 5) { !node.brokerTroubles.isEmpty }, "\(node.log)")
    let killed = Date().timeIntervalSince1970
    _ = waitUntil(seconds: 2.6) { !node.process.isRunning }
    try broker.start()
    let after = try Watcher(broker)
    let restored = Date().timeIntervalSince1970
    proxy.behaviour = .passing
    #expect(after.waitFor(.online, seconds: 20), "\(node.log)")
    #expect(waitUntil(seconds: 10) { after.shakes.contains { $0.start.seconds > restored && $0.phase == .ended } })
    #expect(waitUntil(seconds: 3) { !after.healths.isEmpty && !after.accelerations.isEmpty })
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 5) == 0)
    #expect(after.waitFor(.stopped, seconds: 3))

    let all = Set(before.sequences + after.sequences)
    #expect(all == Set(1...(all.max() ?? 1)), "\(before.sequences) \(after.sequences)")
    #expect(Set((before.telegrams + after.telegrams).map(\.envelope.boot)).count == 1)
    let meanwhile = after.telegrams.filter { $0.body.stream.isEvent }.compactMap(\.envelope.time?.seconds)
    #expect(meanwhile.contains { (killed...restored).contains($0) }, "something happened during the outage")
    expectNoGap(after)
    #expect(after.healths.last?.link.connects == 2)
    expectEachTroubleOnce(node)
  }

  /// Each of the causes at once, for the waits are long: a node of its own, its trouble, its repair.
  @Test func everyCauseIsNamedOnceAndItsRepairIsNoticed() throws {
    let place = try Workplace("e2e-outage")
    let outages = try Outage.all(in: place)
    let keys = try shakenAgainAndAgain(in: place)
    let nodes = try outages.map { outage in
      try NodeRun(keys + outage.keys + ["node.id": "\"\(outage.name)\""], in: place, name: outage.name)
    }
    for (outage, node) in zip(outages, nodes) {
      #expect(waitUntil(seconds: 25) { !node.brokerTroubles.isEmpty }, "\(outage.name): nothing in \(node.log)")
    }
    // Several tries, and a shake at the least.
    _ = waitUntil(seconds: 5) { nodes.contains { !$0.process.isRunning } }
    for (outage, node) in zip(outages, nodes) {
      #expect(node.process.isRunning, "\(outage.name)")
      #expect(node.brokerTroubles.count == 1, "\(outage.name): \(node.log)")
      let line = node.brokerTroubles.first ?? ""
      #expect(line.contains(outage.words), "\(outage.name): \(line)")
      // Sampling and trying again take some percent of one processor at most.
      #expect((node.processorS ?? 99) < 1.5, "\(outage.name)")
    }

    let watchers = try zip(outages, nodes).map { outage, node in try outage.repair(node) }
    for (outage, (node, repaired)) in zip(outages, zip(nodes, watchers)) {
      // Each failure doubles the pause, and by now it may be 32 s, or 64 s where the machine is slow.
      let isBack = waitUntil(seconds: 75) {
        repaired.log.contains(
          "Received PUBLISH from judder-node-\(outage.name) (d0, q0, r0, m0, 'judder/\(outage.name)/accel")
      }
      #expect(isBack, "\(outage.name): \(node.log)")
    }
    try checkSampling(outages, nodes, watchers)
  }

  /// What the nodes publish once they are back tells of an uninterrupted measurement.
  private func checkSampling(_ outages: [Outage], _ nodes: [NodeRun], _ brokers: [Broker]) throws {
    // The guarded brokers take no anonymous watcher; the nodes' open brokers do.
    for (outage, (node, broker)) in zip(outages, zip(nodes, brokers)) where outage.isOpenAfterRepair {
      let watcher = try Watcher(broker, "judder/\(outage.name)/#")
      #expect(waitUntil(seconds: 10) { !watcher.healths.isEmpty && !watcher.accelerations.isEmpty }, "\(outage.name)")
      expectNoGap(watcher)
      #expect(watcher.healths.allSatisfy { $0.spool.evicted == 0 }, "\(outage.name)")
      _ = node
    }
  }
}

/// No window lacks a sample, and the accelerometer was never interrupted since the start.
func expectNoGap(_ watcher: Watcher, sourceLocation: SourceLocation = #_sourceLocation) {
  #expect(watcher.accelerations.allSatisfy { $0.missed == 0 }, sourceLocation: sourceLocation)
  #expect(watcher.healths.allSatisfy { $0.accelerometer?.gaps == 0 }, sourceLocation: sourceLocation)
  #expect(watcher.healths.last?.accelerometer?.state == .running, sourceLocation: sourceLocation)
}

/// The same trouble is not said twice in a row.
func expectEachTroubleOnce(_ node: NodeRun, sourceLocation: SourceLocation = #_sourceLocation) {
  let said = node.log.filter { $0.contains(" broker: ") }.map { $0.drop { $0 != " " } }
  for (line, next) in zip(said, said.dropFirst()) { #expect(line != next, sourceLocation: sourceLocation) }
}
