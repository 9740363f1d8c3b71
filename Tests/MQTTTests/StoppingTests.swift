import Foundation
import MQTT
import Rig
import Testing

extension WithBroker {
  @Suite("Stopping")
  struct Stopping {
    @Test("what is in flight is settled first, and every event is still there")
    func settling() throws {
      let rig = try RunningBroker()
      let proxy = try Proxy(to: rig.broker.port, .delaying(seconds: 0.05))
      defer { proxy.stop() }
      let watch = try SessionWatch(localSettings(proxy.port), capacity: 4)
      try watch.connected()
      for token in 1...30 { #expect(watch.publish("a", "x", token: UInt64(token)) == .accepted) }
      #expect(watch.session.stop(deadlineS: 5))
      for token in 1...30 { #expect(try watch.delivery(of: UInt64(token)) == .withoutSubscribers) }
      #expect(try watch.problem() == .stopped)
      #expect(watch.publish("a", "x") == .offline)
    }

    @Test("the deadline holds where nothing is ever settled")
    func deadline() throws {
      let rig = try RunningBroker()
      let proxy = try Proxy(to: rig.broker.port)
      defer { proxy.stop() }
      let watch = try SessionWatch(localSettings(proxy.port))
      try watch.connected()
      proxy.behaviour = .swallowing
      _ = watch.publish("a", "x", token: 3)
      let (hasEnded, took) = stop(watch, deadlineS: 0.6)
      #expect(hasEnded)
      #expect(took > 0.3 && took < 1)
      let tokens = try watch.next("end") { event -> [UInt64]? in
        if case .disconnected(_, nil, let unsettled) = event { unsettled } else { nil }
      }
      #expect(tokens == [3])
    }

    @Test("is quick while connecting hangs, while waiting for the next try, and before the start")
    func early() throws {
      let deaf = try FaultyServer(.deaf)
      defer { deaf.stop() }
      let silent = try FaultyServer(.silent)
      defer { silent.stop() }
      for port in [deaf.port, silent.port, try Workplace.freePort()] {
        var settings = localSettings(port)
        settings.backoff = Backoff.Settings(firstS: 60, maxS: 60)
        let watch = try SessionWatch(settings)
        usleep(100_000)
        let (hasEnded, took) = stop(watch, deadlineS: 3)
        #expect(hasEnded && took < 0.5)
      }
      let session = try BrokerSession(localSettings(1883))
      #expect(session.stop(deadlineS: 1))
      try session.start()
      #expect(session.statistics.attempts == 0)
    }

    @Test("works while the session waits for its events to be drained, and loses none of them")
    func fullMailbox() throws {
      let rig = try RunningBroker()
      var settings = localSettings(rig.broker.port, id: "reader")
      settings.subscriptions = [.init("flood")]
      let reader = try SessionWatch(settings, capacity: 4)
      try reader.subscribed()
      let writer = try SessionWatch(localSettings(rig.broker.port, id: "writer"))
      try writer.connected()
      for number in 0..<50 { _ = writer.publish("flood", "\(number)", token: UInt64(number)) }
      #expect(try writer.delivery(of: 49) == .acknowledged)
      #expect(reader.session.stop(deadlineS: 2))
      let count = reader.session.statistics.messages
      #expect(count >= 5)
      for number in 0..<count { #expect(try reader.message().text == "\(number)") }
    }

    @Test("leaves no thread and no descriptor behind, whatever came before")
    func leftovers() throws {
      let rig = try RunningBroker()
      try SessionWatch(localSettings(rig.broker.port)).connected()
      let silent = try FaultyServer(.closes)
      defer { silent.stop() }
      let unused = try Workplace.freePort()
      let before = descriptors()
      for _ in 0..<60 {
        for port in [rig.broker.port, unused, silent.port] {
          let watch = try SessionWatch(localSettings(port))
          if port == rig.broker.port { try watch.connected() } else { try watch.problem() }
          #expect(watch.session.stop(deadlineS: 2))
        }
      }
      #expect(waitUntil(seconds: 3) { threads() == 0 })
      // Other tests of this process open and close descriptors meanwhile, though not as many: one left behind by each
      // session of a kind would be 60.
      #expect(waitUntil(seconds: 10) { descriptors() < before + 45 })
    }

    @Test("happens by itself when nobody holds the session any more")
    func abandoned() throws {
      let rig = try RunningBroker()
      do {
        let session = try BrokerSession(localSettings(rig.broker.port))
        try session.start()
        #expect(waitUntil(seconds: 5) { session.statistics.isConnected })
      }
      #expect(waitUntil(seconds: 5) { threads() == 0 })
    }

    /// Network threads of this process.
    private func threads() -> Int {
      let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
      return tasks.filter { task in
        (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)) == "mqtt\n"
      }.count
    }

    private func descriptors() -> Int {
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? -1
    }

    private func stop(_ watch: SessionWatch, deadlineS: Double) -> (hasEnded: Bool, tookS: Double) {
      let start = DispatchTime.now().uptimeNanoseconds
      let hasEnded = watch.session.stop(deadlineS: deadlineS)
      return (hasEnded, Double(DispatchTime.now().uptimeNanoseconds - start) * 1e-9)
    }
  }
}
