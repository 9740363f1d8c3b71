import Telemetry
import Testing

@testable import NodeLogic

/// What a restart costs, and what it must not lose.
@Suite struct OutboxRestartTests {
  @Test func whileTheFleetToolIsAwayARestartSendsOneWindow() {
    var bench = RestartBench(.fleet)
    for id in 1...500 { bench.append(OutboxFixture.shake(id)) }
    bench.outbox.connect(at: bench.now)
    #expect(bench.sent(30).count == 500, "what happened in this run goes out once")
    for _ in 0..<3 {
      bench.restart()
      bench.outbox.connect(at: bench.now)
      #expect(bench.sent(10).compactMap(\.envelope.sequence) == Array(1...20))
      bench.append(OutboxFixture.shake(1))
      #expect(bench.sent(1).map(\.envelope.boot) == [bench.outbox.boot], "what happens now goes out as ever")
    }
    bench.outbox.confirm(AckMessage(boot: BootID(1), sequence: 3), at: bench.now)
    #expect(bench.sent(20).count { $0.envelope.boot == BootID(1) } == 480)
  }

  @Test func anyAcknowledgementOfThisRunLetsEverythingGo() {
    var bench = RestartBench(.fleet)
    for id in 1...500 { bench.append(OutboxFixture.shake(id)) }
    bench.restart()
    bench.append(OutboxFixture.shake(1))
    bench.outbox.connect(at: bench.now)
    #expect(bench.sent(1).count == 21)
    bench.outbox.confirm(AckMessage(boot: bench.outbox.boot, sequence: 1), at: bench.now)
    #expect(bench.sent(9).compactMap(\.envelope.sequence) == Array(21...500))
  }

  @Test func aWindowThatTheBrokerDeniesDoesNotHoldUpTheRest() {
    var bench = RestartBench(.fleet)
    for id in 1...50 { bench.append(OutboxFixture.shake(id)) }
    for _ in 1...50 { bench.append(OutboxFixture.location(1)) }
    bench.restart()
    bench.outbox.connect(at: bench.now)
    #expect(bench.sent(10, denying: [.shake]).compactMap(\.envelope.sequence) == Array(51...70))
  }

  @Test func whatIsRefusedForGoodStaysOnTheDiskUntilThatIsTold() {
    var bench = RestartBench(.broker)
    let boot = bench.outbox.boot
    bench.append(OutboxFixture.shake(1))
    bench.outbox.connect(at: bench.now)
    bench.talk()
    for outgoing in bench.outbox.next(at: bench.now) {
      bench.outbox.refuse(outgoing.token ?? 0, isPermanent: true, at: bench.now)
    }
    bench.talk()
    #expect(bench.outbox.count == 0 && bench.spool.holds(boot, 1))
    bench.now = bench.now + 11
    let tellings = bench.outbox.takeTellings(at: bench.now)
    #expect(tellings.map(\.message.exactRuns) == [[1...1]])
    for telling in tellings {
      bench.outbox.append(Telegram(OutboxFixture.envelope(), .evicted(telling.message)), at: bench.now)
    }
    for wish in bench.outbox.takeWishes(at: bench.now) { bench.spool.handle(wish) }
    #expect(bench.spool.holds(boot, 1), "the disk has not said that it keeps what tells of it")
    bench.talk()
    #expect(!bench.spool.holds(boot, 1) && bench.spool.holds(boot, 2))
  }

  @Test func whatCannotBeReadStaysOnTheDiskUntilThatIsTold() {
    var bench = RestartBench(.broker)
    let boot = bench.outbox.boot
    bench.spool.handle(
      .append(StoredEvent(boot: boot, sequence: 1, stream: .shake, payload: [0x7B]), note: nil, born: nil))
    bench.restart()
    bench.outbox.connect(at: bench.now)
    bench.talk()
    #expect(bench.spool.holds(boot, 1))
    let tellings = bench.outbox.takeTellings(at: bench.now)
    #expect(tellings.map(\.message.reason) == [.damaged])
    for telling in tellings {
      bench.append(Telegram(OutboxFixture.envelope(), .evicted(telling.message)))
    }
    #expect(!bench.spool.holds(boot, 1))
  }

  @Test func aReleaseThatGotLostIsMadeUpForWhenTheEventIsReadAgain() {
    var bench = RestartBench(.broker)
    bench.outbox.connect(at: bench.now)
    bench.append(OutboxFixture.shake(1))
    for outgoing in bench.outbox.next(at: bench.now) { bench.outbox.deliver(outgoing.token ?? 0, at: bench.now) }
    let release = SpoolWish.release(boot: bench.outbox.boot, 1...1)
    let wishes = bench.outbox.takeWishes(at: bench.now)
    #expect(wishes.contains(release))
    for wish in wishes where wish != release { bench.spool.handle(wish) }
    bench.talk()
    #expect(bench.spool.count == 1)
    bench.outbox.readAgain()
    bench.talk()
    #expect(bench.spool.count == 0)
    #expect(bench.sent(1).isEmpty)
  }

  @Test func whatIsSetAsideCountsOnceHoweverOftenItIsRead() {
    var bench = RestartBench(.broker)
    for id in 1...10 { bench.append(OutboxFixture.shake(id)) }
    bench.restart()
    bench.append(OutboxFixture.location(1))
    for _ in 1...20 { bench.append(OutboxFixture.chunk(1)) }
    bench.outbox.connect(at: bench.now)
    _ = bench.sent(0.2, denying: [.shake, .location, .waveform])
    for _ in 1...5 {
      bench.outbox.readAgain()
      _ = bench.sent(0.2, denying: [.shake, .location, .waveform])
    }
    #expect(bench.outbox.setAsideCount == 31)
    for stream in [Telemetry.Stream.location, .waveform] { bench.outbox.reopen(stream) }
    #expect(bench.outbox.setAsideCount == 10)
  }

  @Test func whenTheBrokersWordCountsAgainEverythingGoes() {
    var bench = RestartBench(.fleet)
    for id in 1...100 { bench.append(OutboxFixture.shake(id)) }
    bench.restart()
    bench.outbox.connect(at: bench.now)
    #expect(bench.sent(10).count == 20)
    var settings = bench.outbox.settings
    settings.delivery = .broker
    bench.outbox.reconfigure(settings, at: bench.now)
    #expect(bench.sent(10).count == 80)
    #expect(bench.spool.count == 0)
  }
}
