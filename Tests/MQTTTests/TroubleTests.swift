import Foundation
import MQTT
import Rig
import Testing

extension WithBroker {
  @Suite("Trouble on the way")
  struct Trouble {
    @Test("a host nobody knows")
    func unknownHost() throws {
      var settings = localSettings(1883)
      settings.host = "no-such-host.invalid"
      let problem = try SessionWatch(settings).problem(seconds: 30)
      #expect([.nameNotFound, .nameServiceDown].contains(problem.kind))
      #expect(problem.summary.contains("no-such-host.invalid"))
    }

    @Test("refused until the broker starts")
    func refused() throws {
      let port = try Workplace.freePort()
      let watch = try SessionWatch(localSettings(port))
      for _ in 0..<3 { #expect(try watch.problem() == .connectionRefused) }
      let workplace = try Workplace("mqtt")
      let broker = try Broker(in: workplace, port: port)
      try broker.start()
      try watch.connected()
      #expect(watch.session.statistics.attempts >= 4)
    }

    @Test("a broker killed and started again is found again, subscriptions and all")
    func killed() throws {
      let rig = try RunningBroker()
      var settings = localSettings(rig.broker.port)
      settings.subscriptions = [.init("a")]
      let watch = try SessionWatch(settings)
      for round in 1...2 {
        try watch.subscribed()
        _ = watch.publish("a", "\(round)", token: UInt64(round))
        #expect(try watch.message().text == "\(round)")
        rig.broker.kill()
        #expect(try watch.problem() == .closedByPeer)
        try rig.broker.start()
      }
      try watch.subscribed()
      #expect(watch.session.statistics.connects == 3)
    }

    @Test("what was in flight when the broker died is named")
    func unsettled() throws {
      let rig = try RunningBroker()
      let watch = try SessionWatch(localSettings(rig.broker.port))
      try watch.connected()
      rig.broker.freeze()
      for token in 1...30 { #expect(watch.publish("a", "x", token: UInt64(token)) == .accepted) }
      usleep(50_000)
      rig.broker.kill()
      let tokens = try watch.next("end") { event -> [UInt64]? in
        if case .disconnected(_, _, let unsettled) = event { unsettled } else { nil }
      }
      #expect(tokens == Array(1...30))
      #expect(watch.session.statistics.unsettled == 30)
    }

    @Test("a broker that shuts down in order")
    func shutDown() throws {
      let rig = try RunningBroker()
      let watch = try SessionWatch(localSettings(rig.broker.port))
      try watch.connected()
      #expect(rig.broker.stop())
      #expect([.serverShuttingDown, .closedByPeer].contains(try watch.problem().kind))
    }

    @Test("a server that lets us hang is given up in time", arguments: [false, true])
    func hanging(takesConnections: Bool) throws {
      let server = try FaultyServer(takesConnections ? .silent : .deaf)
      defer { server.stop() }
      var settings = localSettings(server.port)
      settings.connectDeadlineS = 0.3
      settings.connackDeadlineS = 0.3
      let watch = try SessionWatch(settings)
      let start = DispatchTime.now().uptimeNanoseconds
      #expect(try watch.problem() == (takesConnections ? .noAnswer : .connectTimedOut))
      let took = Double(DispatchTime.now().uptimeNanoseconds - start) * 1e-9
      #expect(took < 2)
      #expect(try watch.problem() == (takesConnections ? .noAnswer : .connectTimedOut))
    }

    @Test("a server that is no broker")
    func garbage() throws {
      for bytes in [
        Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), [0, 0, 0, 0], [0x20, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
      ] {
        let server = try FaultyServer(.answers(bytes))
        defer { server.stop() }
        var settings = localSettings(server.port)
        settings.connackDeadlineS = 0.5
        let watch = try SessionWatch(settings)
        let problem = try watch.problem()
        #expect([.protocolViolation, .noAnswer, .closedOnGreeting].contains(problem.kind), "\(problem)")
        try watch.problem()
      }
    }

    @Test("another client with our id throws us out: mosquitto closes, and the id is named")
    func takeOver() throws {
      let rig = try RunningBroker()
      let first = try SessionWatch(localSettings(rig.broker.port, id: "twin"))
      try first.connected()
      let second = try SessionWatch(localSettings(rig.broker.port, id: "twin"))
      try second.connected()
      let problem = try first.problem()
      #expect(problem.kind == .closedByPeer)
      #expect(problem.remedy.contains("'twin'"))
    }

    @Test(
      "a broker that says goodbye is quoted",
      arguments: [
        (0x8E, LinkProblem.Kind.sessionTakenOver), (0x8B, .serverShuttingDown), (0x98, .disconnectedByServer),
      ]
        as [(UInt8, LinkProblem.Kind)])
    func goodbye(reason: UInt8, kind: LinkProblem.Kind) throws {
      let server = try FaultyServer(.answers([0x20, 3, 0, 0, 0] + [0xE0, 1, reason]))
      defer { server.stop() }
      let watch = try SessionWatch(localSettings(server.port))
      try watch.connected()
      #expect(try watch.problem() == kind)
      try watch.connected()
    }

    @Test(
      "a broker that does not speak MQTT 5 gets 3.1.1",
      arguments: [[0x20, 2, 0, 1], [0x20, 3, 0, 0x84, 0], []] as [[UInt8]])
    func fallBack(answer: [UInt8]) throws {
      let rig = try RunningBroker()
      let proxy = try Proxy(to: rig.broker.port, .only311(answer: answer))
      defer { proxy.stop() }
      let watch = try SessionWatch(localSettings(proxy.port))
      #expect(try watch.problem() == (answer.isEmpty ? .closedOnGreeting : .versionRefused))
      #expect(try watch.connected().version == .v311)
      proxy.cut()
      try watch.problem()
      #expect(try watch.connected().version == .v311)
      #expect(watch.session.statistics.attempts == 3)
    }

    @Test("a link that swallows a message is dead after the deadline for its acknowledgement")
    func swallowed() throws {
      let rig = try RunningBroker()
      let proxy = try Proxy(to: rig.broker.port)
      defer { proxy.stop() }
      var settings = localSettings(proxy.port)
      settings.acknowledgementDeadlineS = 0.4
      let watch = try SessionWatch(settings)
      try watch.connected()
      proxy.behaviour = .swallowing
      #expect(watch.publish("a", "x", token: 9) == .accepted)
      let (problem, tokens) = try watch.next("end") { event -> (LinkProblem, [UInt64])? in
        if case .disconnected(let problem, _, let unsettled) = event { (problem, unsettled) } else { nil }
      }
      #expect(problem.kind == .noAcknowledgement)
      #expect(tokens == [9])
      proxy.behaviour = .passing
      try watch.connected()
    }

    @Test("the will is published when we go without a word, and not when we say goodbye")
    func will() throws {
      let rig = try RunningBroker()
      let reader = try rig.broker.subscribe("judder/status", count: 1)
      let proxy = try Proxy(to: rig.broker.port)
      defer { proxy.stop() }
      var settings = localSettings(proxy.port)
      settings.will = Will(topic: "judder/status", payload: Array("lost".utf8))
      let polite = try SessionWatch(settings)
      try polite.connected()
      #expect(polite.session.stop(deadlineS: 2))
      #expect(reader.wait(seconds: 0.3) == nil)
      let watch = try SessionWatch(settings)
      try watch.connected()
      proxy.behaviour = .refusing
      proxy.cut()
      #expect(reader.wait(seconds: 5) == 0)
      #expect(reader.outputText() == "judder/status lost\n")
    }

    @Test("a delayed will stays unsaid when we come back in time")
    func delayedWill() throws {
      let rig = try RunningBroker()
      let reader = try rig.broker.subscribe("judder/status", count: 1)
      let proxy = try Proxy(to: rig.broker.port)
      defer { proxy.stop() }
      var settings = localSettings(proxy.port)
      settings.will = Will(topic: "judder/status", payload: Array("lost".utf8), delayS: 1)
      let watch = try SessionWatch(settings)
      try watch.connected()
      proxy.cut()
      #expect(try watch.connected().hasSession)
      #expect(reader.wait(seconds: 2) == nil)
      proxy.behaviour = .refusing
      proxy.cut()
      #expect(reader.wait(seconds: 6) == 0)
    }

    @Test("what came while we were away is kept for a session that outlives the connection")
    func keptSession() throws {
      let rig = try RunningBroker()
      let proxy = try Proxy(to: rig.broker.port)
      defer { proxy.stop() }
      var settings = localSettings(proxy.port)
      settings.sessionExpiryS = 60
      settings.subscriptions = [.init("a")]
      let watch = try SessionWatch(settings)
      #expect(try !watch.connected().hasSession)
      try watch.subscribed()
      proxy.behaviour = .refusing
      proxy.cut()
      try watch.problem()
      try rig.broker.publish("a", "meanwhile")
      proxy.behaviour = .passing
      #expect(try watch.connected().hasSession)
      #expect(try watch.message().text == "meanwhile")
    }

    @Test("a broker that keeps its state has our session and what we retained after an orderly restart")
    func restarted() throws {
      let rig = try RunningBroker { options, _ in options.persists = true }
      var settings = localSettings(rig.broker.port)
      settings.sessionExpiryS = 60
      let watch = try SessionWatch(settings)
      try watch.connected()
      _ = watch.publish("judder/kept", "still here", isRetained: true, token: 1)
      _ = try watch.delivery(of: 1)
      #expect(rig.broker.stop())
      try watch.problem()
      try rig.broker.start()
      #expect(try watch.connected().hasSession)
      let reader = try rig.broker.subscribe("judder/#", count: 1)
      #expect(reader.wait(seconds: 5) == 0)
      #expect(reader.outputText() == "judder/kept still here\n")
    }
  }
}
