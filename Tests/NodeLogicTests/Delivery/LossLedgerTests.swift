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
}
