import Telemetry
import Testing

@testable import NodeLogic

/// What happens now does not wait behind what is late.
@Suite struct PaceTests {
  /// A link that carries so many bytes a second, and takes so long there and back.
  private struct SlowLink {
    var bytesPerS: Double
    var delayS: Double
    var freeAt = 0.0
    var answers: [(at: Double, token: UInt64)] = []

    mutating func carry(_ outgoing: Outgoing, at now: Double) {
      let bytes = Double(outgoing.telegram.encode().count + Pace.overheadBytes)
      freeAt = max(freeAt, now) + bytes / bytesPerS
      answers.append((freeAt + delayS, outgoing.token ?? 0))
    }
  }

  /// Runs an outbox with a backlog over a link, with a live shake every five seconds. Answers how long the live ones
  /// took, and how many late ones arrived.
  private func run(_ link: SlowLink, backlog: Int, chunks: Int = 0, forS: Double) -> (waitedS: [Double], late: Int) {
    var link = link
    var outbox = Outbox(capacityBytes: 10_000_000)
    for id in 0..<backlog { outbox.append(OutboxFixture.shake(id), at: .start) }
    for number in 0..<chunks { outbox.append(OutboxFixture.chunk(number), at: .start) }
    outbox.connect(at: .start)
    var made: [UInt64: Double] = [:]
    var waited: [Double] = []
    var late = 0
    var nextLive = 5.0
    var tokens: [UInt64: UInt64] = [:]
    for step in 0..<Int(forS * 100) {
      let now = Double(step) / 100
      while let first = link.answers.first, first.at <= now {
        link.answers.removeFirst()
        outbox.deliver(first.token, at: Instant(seconds: now))
        if let sequence = tokens[first.token], let at = made[sequence] { waited.append(now - at) } else { late += 1 }
      }
      if now >= nextLive {
        nextLive += 5
        outbox.append(OutboxFixture.shake(step), at: Instant(seconds: now))
        made[outbox.lastSequence] = now
      }
      for outgoing in outbox.next(at: Instant(seconds: now)) {
        if let token = outgoing.token { tokens[token] = outgoing.telegram.envelope.sequence }
        link.carry(outgoing, at: now)
      }
    }
    return (waited, late)
  }

  @Test(arguments: [(8000.0, 0.05), (8000, 0.3), (1200, 0.6), (200_000, 0.02)])
  func liveEventsTakeNoTwoSecondsMoreThanTheLink(bytesPerS: Double, delayS: Double) throws {
    let outcome = run(SlowLink(bytesPerS: bytesPerS, delayS: delayS), backlog: 4000, chunks: 100, forS: 120)
    #expect(outcome.waitedS.count >= 20)
    #expect(try #require(outcome.waitedS.max()) < 2 + delayS)
    // The link is used: at least two thirds of what it carries.
    let most = min(bytesPerS * 120 / 330, 4100)
    #expect(Double(outcome.late) > most * 0.6, "\(outcome.late) of \(most)")
  }

  @Test func aLongWayIsNoQueue() {
    let outcome = run(SlowLink(bytesPerS: 1_000_000, delayS: 1.5), backlog: 4000, forS: 60)
    #expect(outcome.late > 500, "a satellite's delay does not slow it down: \(outcome.late)")
  }

  @Test func aFifthOfTheWindowIsKeptForWhatHappensNow() {
    var outbox = Outbox(capacityBytes: 1_000_000, window: 20)
    for id in 1...100 { outbox.append(OutboxFixture.shake(id), at: .start) }
    outbox.connect(at: .start)
    for _ in 1...3 { for outgoing in outbox.next(at: .start) { outbox.deliver(outgoing.token ?? 0, at: .start) } }
    #expect(outbox.next(at: .start).count == 16)
    for id in 1...10 { outbox.append(OutboxFixture.shake(id), at: .start) }
    #expect(outbox.sent(at: .start) == [101, 102, 103, 104])
  }

  @Test func aFastLinkEmptiesItAtOnce() {
    var outbox = Outbox(capacityBytes: 10_000_000)
    for id in 1...5000 { outbox.append(OutboxFixture.shake(id), at: .start) }
    outbox.connect(at: .start)
    var rounds = 0
    while case let sent = outbox.next(at: Instant(seconds: Double(rounds) / 1000)), !sent.isEmpty {
      rounds += 1
      for outgoing in sent { outbox.deliver(outgoing.token ?? 0, at: Instant(seconds: Double(rounds) / 1000)) }
    }
    #expect(outbox.count == 0)
    #expect(rounds <= 5000 / 14, "nearly the whole window each millisecond")
  }
}
