import Telemetry
import Testing

@testable import NodeLogic

@Suite struct LossLedgerTests {
  private let boot = BootID(1)
  private let now = Instant(seconds: 100)

  @Test func whatIsLostWithinTenSecondsIsToldTogether() {
    var ledger = LossLedger()
    ledger.note(EventKey(boot: boot, sequence: 3), .shake, .unsaved, at: now)
    ledger.note(EventKey(boot: boot, sequence: 4), .location, .unsaved, at: now + 4)
    #expect(ledger.nextDeadline == now + 10)
    #expect(ledger.take(for: boot, at: now + 9, isForced: false).isEmpty)
    let told = ledger.take(for: boot, at: now + 10, isForced: false)
    #expect(told.map(\.exactRuns) == [[3...4]] && told.map(\.counts) == [[.shake: 1, .location: 1]])
    #expect(ledger.isEmpty && ledger.nextDeadline == nil)
  }

  @Test func eachRunAndEachReasonHasAMessageOfItsOwn() {
    var ledger = LossLedger()
    ledger.note(EventKey(boot: boot, sequence: 3), .shake, .unsaved, at: now)
    ledger.note(EventKey(boot: BootID(2), sequence: 3), .shake, .unsaved, at: now)
    ledger.note(EventKey(boot: boot, sequence: 5), .shake, .refused, at: now)
    let told = ledger.take(for: boot, at: now, isForced: true)
    #expect(told.map(\.boot) == [nil, BootID(2), nil])
    #expect(told.map(\.reason) == [.unsaved, .unsaved, .refused])
  }

  @Test func moreRunsThanAMessageHoldsBecomeSeveralWithExactCounts() {
    var ledger = LossLedger()
    for number in 1...600 as ClosedRange<UInt64> {
      let stream = number % 4 == 0 ? Stream.shake : .location
      ledger.note(EventKey(boot: boot, sequence: number * 2), stream, .unsaved, at: now)
    }
    let told = ledger.take(for: boot, at: now, isForced: true)
    #expect(told.map(\.runs.count) == [256, 256, 88])
    #expect(told.map(\.count) == [256, 256, 88])
    #expect(told.map { $0.counts[.shake] } == [64, 64, 22])
    for message in told {
      var telegram = Telegram(OutboxFixture.envelope(), .evicted(message))
      telegram.envelope.sequence = 1
      let read = try? Telegram.decode(stream: .evicted, payload: telegram.encode())
      #expect(read?.body == telegram.body)
    }
  }

  private func message(
    _ runs: [ClosedRange<UInt64>], _ counts: [Stream: Int], of boot: BootID? = nil,
    _ reason: EvictedMessage.Reason = .cap
  ) -> EvictedMessage {
    var message = EvictedMessage(runs, of: boot, reason)
    message.counts = counts
    return message
  }

  @Test func whatWasToldIsToldAgainTogetherWithExactCounts() {
    var ledger = LossLedger()
    ledger.absorb(message([1...4], [.shake: 1, .location: 3]), of: boot, at: now)
    ledger.absorb(message([5...6, 9...9], [.shake: 2, .evicted: 1]), of: boot, at: now)
    ledger.note(EventKey(boot: boot, sequence: 7), .location, .cap, at: now)
    // An earlier telling of the same, as after a crash.
    ledger.absorb(message([1...4], [.shake: 1, .location: 3]), of: boot, at: now)
    ledger.absorb(message([2...2], [:], of: BootID(2)), of: boot, at: now)
    let told = ledger.take(for: boot, at: now, isForced: true)
    #expect(told.map(\.boot) == [nil, BootID(2)])
    #expect(told.map(\.exactRuns) == [[1...7, 9...9], [2...2]])
    #expect(told.map(\.count) == [8, 1])
    #expect(told.first?.counts == [.shake: 3, .location: 4, .evicted: 1])
  }

  @Test func moreThanAMessageHoldsKeepsItsCounts() {
    var ledger = LossLedger()
    for part in 0..<4 as Range<UInt64> {
      let runs = (0..<100).map { part * 1000 + 2 * $0 + 1 }.map { $0...$0 }
      ledger.absorb(message(runs, [.shake: 40, .location: 60]), of: boot, at: now)
    }
    let told = ledger.take(for: boot, at: now, isForced: true)
    #expect(told.map(\.runs.count) == [200, 200])
    #expect(told.map(\.counts) == [[.shake: 80, .location: 120], [.shake: 80, .location: 120]])
  }

  @Test func ofWhatIsInTwoMessagesOnlyInPartNoCountIsMadeUp() {
    var ledger = LossLedger()
    ledger.absorb(message([1...4], [.shake: 1, .location: 3]), of: boot, at: now)
    ledger.absorb(message([4...6], [.shake: 1, .location: 2]), of: boot, at: now)
    let told = ledger.take(for: boot, at: now, isForced: true)
    #expect(told.map(\.count) == [6] && told.map(\.counts) == [[.shake: 1, .location: 3]])
  }

  @Test func damageIsToldAgainAsItWasWithinBounds() {
    var ledger = LossLedger()
    for number in 1...40 as ClosedRange<UInt64> {
      let damage = EvictedMessage(first: number * 10, last: number * 10 + 5, count: nil, bytes: 100, .damaged)
      for _ in 0..<2 { ledger.absorb(damage, of: BootID(2), at: now) }
    }
    let told = ledger.take(for: boot, at: now, isForced: true)
    #expect(told.count == 16 && told.allSatisfy { $0.boot == BootID(2) && $0.exactRuns == nil })
    #expect(told.map(\.first).min() == 10 && told.map(\.last).max() == 405)
  }
}
