import Telemetry
import Testing

@testable import NodeLogic

/// The broker took everything of an earlier run while the fleet tool was away for a moment. Since then this run's
/// events are acknowledged, which says nothing about the run before.
@Suite struct OutboxProbeTests {
  private let before = BootID(1)

  @Test func aRunBeforeIsAskedAboutWhileThisOneIsAcknowledged() {
    var bench = voided(50)
    var asked: [Telegram] = []
    for _ in 0..<13 where asked.isEmpty { asked = acknowledged(&bench, everyS: 5) }
    #expect(asked.compactMap(\.envelope.sequence) == [1], "one, not all of them, and within 65 s")
    bench.outbox.confirm(AckMessage(boot: before, sequence: 1), at: bench.now)
    #expect(sent(&bench, 10).compactMap(\.envelope.sequence) == Array(2...50))
  }

  @Test(arguments: [5.0, 60, 75, 600]) func whatIsNeverTakenCostsLessAndLess(everyS: Double) {
    var bench = voided(1)
    var asked = 0
    for _ in 0..<Int(14_400 / everyS) { asked += acknowledged(&bench, everyS: everyS).count }
    // In four hours: after 1, 2, 4, 8, 16, 32, 60 and 60 min.
    #expect((6...9).contains(asked), "\(asked)")
  }

  @Test func whatIsNeverTakenHoldsUpNobody() {
    var bench = voided(50)
    var arrived: Set<UInt64> = []
    for _ in 0..<120 where arrived.count < 49 {
      for event in acknowledged(&bench, everyS: 5) {
        guard let number = event.envelope.sequence, number > 1 else { continue }
        arrived.insert(number)
        let ack = AckMessage(boot: before, sequence: 0, also: [number...number])
        bench.outbox.confirm(ack, at: bench.now)
      }
    }
    #expect(arrived == Set(2...50), "within ten minutes")
  }

  @Test(arguments: [2.0, 12, 30]) func anAnswerMayTakeItsTime(delayS: Double) {
    var bench = voided(200)
    var arrived: Set<UInt64> = []
    var answers: [(due: Instant, number: UInt64)] = []
    for _ in 0..<180 where arrived.count < 200 {
      for event in acknowledged(&bench, everyS: 1) {
        event.envelope.sequence.map { answers.append((bench.now + delayS, $0)) }
      }
      let due = answers.filter { bench.now >= $0.due }.map(\.number)
      answers.removeAll { bench.now >= $0.due }
      arrived.formUnion(due)
      for number in due {
        bench.outbox.confirm(AckMessage(boot: before, sequence: 0, also: [number...number]), at: bench.now)
      }
    }
    #expect(arrived == Set(1...200), "within three minutes")
  }

  @Test func aFleetToolThatIsAwayForHoursCostsLittleAndIsAskedAtOnceWhenItIsBack() {
    var bench = voided(50)
    bench.append(OutboxFixture.shake(2))
    var asked = bench.sent(5).count - 1
    for _ in 0..<300 {
      bench.now = bench.now + 59
      asked += bench.sent(1).count
    }
    #expect((5...10).contains(asked), "in five hours: \(asked)")
    let own = bench.outbox.boot
    bench.outbox.confirm(AckMessage(boot: own, sequence: 2), at: bench.now)
    #expect(sent(&bench, 11).count == 1)
  }

  @Test func manyRunsCostASilentFleetToolNoMoreThanOne() {
    var bench = RestartBench(.fleet)
    for _ in 0..<10 {
      bench.append(OutboxFixture.shake(1))
      bench.restart()
    }
    bench.outbox.connect(at: bench.now)
    #expect(bench.sent(1).count == 10)
    var asked = 0
    for _ in 0..<300 {
      bench.now = bench.now + 59
      asked += bench.sent(1).count
    }
    #expect((5...10).contains(asked), "in five hours: \(asked)")
    var boots: Set<BootID> = []
    for _ in 0..<12 {
      let events = bench.sent(11)
      boots.formUnion(events.map(\.envelope.boot))
      for event in events {
        bench.outbox.confirm(AckMessage(boot: event.envelope.boot, sequence: 1), at: bench.now)
      }
      if events.isEmpty { bench.now = bench.now + 600 }
    }
    #expect(boots.count == 10 && bench.outbox.confirmation.count == 0, "\(boots)")
  }

  @Test func whatHasReachedItsEndOtherwiseIsNotAskedAbout() {
    var bench = voided(5)
    _ = acknowledged(&bench, everyS: 65)
    for number in UInt64(1)...5 {
      let eviction = SpoolEviction(id: number, boot: before, runs: [number...number], events: 1, reason: .cap)
      bench.outbox.hear(.evicted(eviction), at: bench.now)
    }
    _ = bench.outbox.takeTellings(at: bench.now)
    #expect(bench.outbox.confirmation.count == 0)
    _ = acknowledged(&bench, everyS: 5)
    #expect(bench.outbox.confirmation.nextDeadline == nil, "and nobody is woken for it")
  }

  /// In its second run, after the broker took the events of the first; the fleet tool has spoken since.
  private func voided(_ count: Int) -> RestartBench {
    var bench = RestartBench(.fleet)
    for id in 1...count { bench.append(OutboxFixture.shake(id)) }
    bench.restart()
    bench.append(OutboxFixture.shake(1))
    bench.outbox.connect(at: bench.now)
    let tried = bench.sent(1).count
    bench.outbox.confirm(AckMessage(boot: bench.outbox.boot, sequence: 1), at: bench.now)
    #expect(tried + bench.sent(5).count == count + 1)
    return bench
  }

  /// What is sent of the run before in a time at whose end an event of this run happens and is acknowledged.
  private func acknowledged(_ bench: inout RestartBench, everyS: Double) -> [Telegram] {
    bench.now = bench.now + (everyS - 1)
    bench.append(OutboxFixture.shake(2))
    let sent = bench.sent(1)
    let number = sent.filter { $0.envelope.boot == bench.outbox.boot }.compactMap(\.envelope.sequence).max() ?? 0
    bench.outbox.confirm(AckMessage(boot: bench.outbox.boot, sequence: number), at: bench.now)
    return sent.filter { $0.envelope.boot == before }
  }

  private func sent(_ bench: inout RestartBench, _ seconds: Double) -> [Telegram] {
    bench.sent(seconds).filter { $0.envelope.boot == before }
  }
}
