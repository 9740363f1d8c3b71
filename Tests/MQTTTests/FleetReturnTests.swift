import Foundation
import Rig
import Testing

@testable import MQTT

/// A broker of a whole fleet goes away and comes back: the waits of a thousand nodes, without network and without time.
@Suite("A fleet that comes back")
struct FleetReturnTests {
  /// What the broker sees of it: connections taken, by the time since it was back [s].
  private func returns(afterDownS: Double, nodes: Int = 1000, spreadS: Double = 40, seed: UInt64) -> [Double] {
    var random = SeededRandom(seed: seed)
    return (0..<nodes).map { _ in
      var backoff = Backoff(.init(spreadS: spreadS))
      var timeS = backoff.next(after: .ended(afterS: 3600), random: Double.random(in: 0..<1, using: &random))
      while timeS < afterDownS {
        timeS += backoff.next(after: .refused, random: Double.random(in: 0..<1, using: &random))
      }
      return timeS - afterDownS
    }
  }

  // Target of a thousand clients: a peak of 5 % a second, all back within 120 s.
  @Test(
    "never more than 5 % in a second, and all within 120 s, however long the broker was down",
    arguments: [0, 1, 10, 30, 45, 60, 90, 600, 7200] as [Double])
  func thousand(downS: Double) {
    for seed in 1...10 as ClosedRange<UInt64> {
      let times = returns(afterDownS: downS, seed: seed)
      let most = peak(times)
      #expect(most <= 50, "seed \(seed): \(most) in a second")
      #expect((times.max() ?? 0) <= 120)
    }
    // The law of large numbers: what is expected, without the chance of a thousand.
    #expect(peak(returns(afterDownS: downS, nodes: 20_000, seed: 7)) <= 600)
  }

  @Test("would be a stampede without the spread")
  func stampede() {
    #expect(peak(returns(afterDownS: 0, spreadS: 0, seed: 1)) > 900)
  }

  // Nodes that are thrown out again while the others still come back.
  @Test("a broker that falls over again and again is not stormed")
  func flapping() {
    var random = SeededRandom(seed: 3)
    var arrivals: [Double] = []
    let downs: [ClosedRange<Double>] = [0...5, 30...31, 55...70, 80...80.5]
    for _ in 0..<1000 {
      var backoff = Backoff(.init(spreadS: 40))
      var timeS = backoff.next(after: .ended(afterS: 3600), random: Double.random(in: 0..<1, using: &random))
      while timeS < 300 {
        var end = Backoff.End.refused
        if !downs.contains(where: { $0.contains(timeS) }) {
          arrivals.append(timeS)
          guard let down = downs.first(where: { $0.lowerBound > timeS }) else { break }
          end = .ended(afterS: down.lowerBound - timeS)
          timeS = down.lowerBound
        }
        timeS += backoff.next(after: end, random: Double.random(in: 0..<1, using: &random))
      }
    }
    #expect(peak(arrivals) <= 50)
    #expect((arrivals.max() ?? 0) <= 80.5 + 120)
  }
}

/// The most of these times [s] that lie within any second, or another length of time, wherever it begins.
private func peak(_ times: [Double], withinS: Double = 1) -> Int {
  let times = times.sorted()
  var first = 0
  var most = 0
  for (index, time) in times.enumerated() {
    while times[first] < time - withinS { first += 1 }
    most = max(most, index - first + 1)
  }
  return most
}

extension WithBroker {
  @Suite("A broker restarted under its clients")
  struct Restarted {
    /// A twentieth of the usual spread: what is allowed in a second, 5 %, is allowed in a twentieth of one.
    private static let spreadS = 2.0
    private static let clients = 60

    @Test("takes them back bit by bit, and all of them")
    func restart() throws {
      let rig = try RunningBroker()
      let sessions = try (0..<Restarted.clients).map { try start(rig.broker.port, $0) }
      try #require(waitUntil(seconds: 10) { sessions.allSatisfy(\.statistics.isConnected) })
      rig.broker.kill()
      try #require(waitUntil(seconds: 5) { !sessions.contains(where: \.statistics.isConnected) })
      usleep(500_000)
      try rig.broker.start()
      let startS = seconds()
      var times: [Int: Double] = [:]
      _ = waitUntil(seconds: 2 * Restarted.spreadS + 3) {
        for (number, session) in sessions.enumerated() where times[number] == nil && session.statistics.isConnected {
          times[number] = seconds() - startS
        }
        return times.count == sessions.count
      }
      #expect(times.count == sessions.count)
      // Twice what is expected, as 5 % are.
      #expect(peak(Array(times.values), withinS: 0.5) <= Restarted.clients / 2)
      #expect(Set(sessions.map(\.statistics.connects)) == [2])
      for session in sessions { session.stop(deadlineS: 1, settling: false) }
    }

    private func start(_ port: Int, _ number: Int) throws -> BrokerSession {
      var settings = localSettings(port, id: "client-\(number)")
      settings.backoff = Backoff.Settings(spreadS: Restarted.spreadS)
      let random = SendableRandom(seed: UInt64(number))
      let session = try BrokerSession(settings, random: { random.next() })
      try session.start()
      return session
    }

    private func seconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) * 1e-9 }
  }
}

/// `@unchecked Sendable`: only the thread of its session draws.
private final class SendableRandom: @unchecked Sendable {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  func next() -> Double { Double.random(in: 0..<1, using: &random) }
}
