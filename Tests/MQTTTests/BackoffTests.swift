import Testing

@testable import MQTT

@Suite("The wait before the next try")
struct BackoffTests {
  @Test("doubles with each failure, up to the longest wait")
  func growth() {
    var backoff = Backoff(.init(firstS: 1, maxS: 10))
    let waits = (0..<6).map { _ in backoff.next(lastedS: nil, random: 1) }
    #expect(waits == [1, 2, 4, 8, 10, 10])
  }

  @Test("is never shorter than half of what it could be", arguments: [0, 0.25, 0.999])
  func jitter(random: Double) {
    var backoff = Backoff(.init(firstS: 2, maxS: 100))
    #expect(backoff.next(lastedS: nil, random: random) == 1 + random)
    #expect(backoff.next(lastedS: nil, random: random) == 2 * (1 + random))
  }

  @Test("forgets earlier failures only after a connection that lasted")
  func stability() {
    var backoff = Backoff(.init(firstS: 1, maxS: 100, stableS: 60))
    for _ in 0..<4 { _ = backoff.next(lastedS: nil, random: 1) }
    #expect(backoff.next(lastedS: 59.9, random: 1) == 16)
    #expect(backoff.next(lastedS: 60, random: 1) == 1)
    #expect(backoff.next(lastedS: nil, random: 1) == 2)
  }

  @Test("spreads those who lost a good connection, and only them")
  func spread() {
    var backoff = Backoff(.init(firstS: 1, maxS: 100, stableS: 60, spreadS: 20))
    #expect(backoff.next(lastedS: nil, random: 0.5) == 0.75)
    #expect(backoff.next(lastedS: 300, random: 0.5) == 10.75)
    #expect(backoff.next(lastedS: nil, random: 0.5) == 1.5)
  }

  @Test("stays finite after years of failures")
  func endurance() {
    var backoff = Backoff(.init(firstS: 1, maxS: 120))
    for _ in 0..<100_000 { #expect(backoff.next(lastedS: nil, random: 0.9) <= 120) }
  }
}
