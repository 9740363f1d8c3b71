import Testing

@testable import MQTT

@Suite("The wait before the next try")
struct BackoffTests {
  @Test("doubles with each failure, up to the longest wait")
  func growth() {
    var backoff = Backoff(.init(firstS: 1, maxS: 10))
    let waits = (0..<6).map { _ in backoff.next(after: .failed, random: 1) }
    #expect(waits == [1, 2, 4, 8, 10, 10])
  }

  @Test("is never shorter than half of what it could be", arguments: [0, 0.25, 0.999])
  func jitter(random: Double) {
    var backoff = Backoff(.init(firstS: 2, maxS: 100))
    #expect(backoff.next(after: .failed, random: random) == 1 + random)
    #expect(backoff.next(after: .failed, random: random) == 2 * (1 + random))
  }

  // Complaints 25 and 26: a broker that takes us in and throws us out again is not stormed.
  @Test("forgets earlier failures only after a connection that lasted")
  func stability() {
    var backoff = Backoff(.init(firstS: 1, maxS: 100, stableS: 60))
    for _ in 0..<4 { _ = backoff.next(after: .failed, random: 1) }
    #expect(backoff.next(after: .lost(afterS: 59.9), random: 1) == 16)
    #expect(backoff.next(after: .lost(afterS: 60), random: 1) == 1)
    #expect(backoff.next(after: .failed, random: 1) == 2)
  }

  @Test("is spread for whom the broker threw out, and stays so until a connection has lasted")
  func spread() {
    var backoff = Backoff(.init(firstS: 1, maxS: 100, stableS: 60, spreadS: 20))
    #expect(backoff.next(after: .failed, random: 0.5) == 0.75)
    #expect(backoff.next(after: .ended(afterS: 300), random: 0.5) == 10)
    #expect(backoff.next(after: .refused, random: 0.5) == 30)
    #expect(backoff.next(after: .failed, random: 0) == 20)
    #expect(backoff.next(after: .lost(afterS: 5), random: 1) == 40)
    #expect(backoff.next(after: .lost(afterS: 60), random: 1) == 1)
  }

  @Test("grows beyond the spread when the broker stays away for long")
  func longSpread() {
    var backoff = Backoff(.init(firstS: 1, maxS: 100, spreadS: 20))
    _ = backoff.next(after: .ended(afterS: 300), random: 0)
    let waits = (0..<9).map { _ in backoff.next(after: .refused, random: 1) }
    #expect(waits == [40, 40, 40, 40, 40, 64, 100, 100, 100])
  }

  @Test("is short for a node that lost its own network, or has just started")
  func ownTrouble() {
    var backoff = Backoff(.init(firstS: 1, maxS: 100, spreadS: 20))
    #expect(backoff.next(after: .refused, random: 1) == 1)
    #expect(backoff.next(after: .lost(afterS: 300), random: 1) == 1)
    #expect(backoff.next(after: .failed, random: 1) == 2)
    // It was there before, and now nobody listens: the same outage as everybody's.
    #expect(backoff.next(after: .refused, random: 1) == 40)
  }

  @Test("without a spread grows as always")
  func noSpread() {
    var backoff = Backoff(.init(firstS: 1, maxS: 8))
    let waits = (0..<4).map { _ in backoff.next(after: .ended(afterS: 300), random: 1) }
    #expect(waits == [1, 1, 1, 1])
    #expect([2.0, 4, 8, 8] == (0..<4).map { _ in backoff.next(after: .refused, random: 1) })
  }

  @Test("stays finite after years of failures")
  func endurance() {
    var backoff = Backoff(.init(firstS: 1, maxS: 120, spreadS: 40))
    for _ in 0..<100_000 { #expect(backoff.next(after: .failed, random: 0.9) <= 120) }
    _ = backoff.next(after: .ended(afterS: 1e6), random: 0)
    for _ in 0..<100_000 { #expect(backoff.next(after: .refused, random: 0.9) <= 120) }
  }
}
