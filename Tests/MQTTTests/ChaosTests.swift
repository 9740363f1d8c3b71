import Foundation
import MQTT
import Rig
import Testing

extension WithBroker {
  @Suite("A bad link")
  struct Chaos {
    /// Publications; `JUDDER_CHAOS=1000` for figures.
    private static let count = Int(ProcessInfo.processInfo.environment["JUDDER_CHAOS"] ?? "") ?? 30
    private static let payload = String(repeating: "x", count: 100)

    /// As bad as a mobile link gets: 0.3 s away give or take 0.1, 64 kbit/s, now and then gone in mid-publish.
    private static let mobile = FaultyProxy.Faults(
      toServer: .init(delayS: 0.3, jitterS: 0.1, bytesPerS: 8000, cut: .publishes(chance: 0.02)),
      toClient: .init(delayS: 0.3, jitterS: 0.1, bytesPerS: 8000), resetMeanS: 8)

    @Test("loses nothing for a caller that sends again what was not settled, and costs a window a loss at the most")
    func resending() throws {
      let good = try run(FaultyProxy.Faults())
      let bad = try run(Chaos.mobile, hasHole: true)
      #expect(good.missing.isEmpty && bad.missing.isEmpty)
      #expect(bad.connects > 1)
      // A window, the greeting and a ping or two.
      let lossBytes = 20 * (Chaos.payload.utf8.count + 40) + 200
      #expect(bad.statistics.bytes <= good.statistics.bytes + bad.statistics.connections * lossBytes)
      guard ProcessInfo.processInfo.environment["JUDDER_CHAOS"] != nil else { return }
      let overhead = Double(bad.statistics.bytes) / Double(good.statistics.bytes)
      #expect(overhead <= 1.5 && bad.statistics.resets > 5, "\(bad.statistics)")
      print("chaos: \(Chaos.count) publications, \(bad.seconds) s, \(bad.connects) connections, overhead \(overhead)")
      print("good \(good.statistics), bad \(bad.statistics), received \(bad.received)")
    }

    private struct Result {
      let missing: Set<Int>
      let received: Int
      let statistics: FaultyProxy.Statistics
      let connects: Int
      let seconds: Double
    }

    private func run(_ faults: FaultyProxy.Faults, hasHole: Bool = false) throws -> Result {
      let rig = try RunningBroker()
      let proxy = try FaultyProxy(to: rig.broker.port, faults)
      defer { proxy.stop() }
      var listening = localSettings(rig.broker.port, id: "reader")
      listening.subscriptions = [.init("judder/pump-2/shake")]
      let reader = try SessionWatch(listening)
      try reader.subscribed()
      var settings = localSettings(proxy.port)
      settings.acknowledgementDeadlineS = 3
      settings.connackDeadlineS = 3
      let session = try BrokerSession(settings)
      try session.start()
      defer { session.stop(deadlineS: 0, settling: false) }
      let start = DispatchTime.now().uptimeNanoseconds
      var caller = Caller(count: Chaos.count)
      var missing = Set(0..<Chaos.count)
      var received = 0
      var awaitsHole = hasHole
      let isDone = waitUntil(seconds: 20 + Double(Chaos.count) / 5) {
        caller.turn(session, Chaos.payload)
        for case .message(let message) in reader.session.drain() {
          received += 1
          missing.remove(Int(message.text.prefix { $0 != " " }) ?? -1)
        }
        if awaitsHole, caller.settled >= Chaos.count / 2 {
          awaitsHole = false
          proxy.faults = .blackHole
        } else if !awaitsHole, proxy.faults != faults, caller.noticesHole {
          proxy.faults = faults
        }
        return caller.isDone
      }
      #expect(isDone && proxy.faults == faults, "\(caller.ends)")
      return Result(
        missing: missing, received: received, statistics: proxy.statistics, connects: session.statistics.connects,
        seconds: Double(DispatchTime.now().uptimeNanoseconds - start) * 1e-9)
    }
  }
}

/// Hands numbered publications over in order, and again those that were not settled.
private struct Caller {
  private var waiting: [UInt64]
  private var open: Set<UInt64> = []
  private let count: Int
  private(set) var settled = 0
  private(set) var ends: [LinkProblem.Kind] = []

  init(count: Int) {
    self.count = count
    waiting = Array(0..<UInt64(count))
  }

  /// The last connection ended in silence.
  var noticesHole: Bool { ends.last == .noAcknowledgement || ends.last == .noAnswer }

  var isDone: Bool { settled == count }

  mutating func turn(_ session: BrokerSession, _ payload: String) {
    for event in session.drain() {
      switch event {
      case .delivered(let token, _): if open.remove(token) != nil { settled += 1 }
      case .disconnected(let problem, _, let unsettled):
        ends.append(problem.kind)
        open.subtract(unsettled)
        waiting = unsettled + waiting
      default: break
      }
    }
    while let token = waiting.first, open.count < 20 {
      let publication = Publication(
        topic: "judder/pump-2/shake", payload: Array("\(token) \(payload)".utf8), token: token)
      guard session.publish(publication) == .accepted else { return }
      open.insert(token)
      waiting.removeFirst()
    }
  }
}

extension FaultyProxy.Statistics {
  fileprivate var bytes: Int { sentByClient + sentByServer }
}
