import Telemetry
import Testing

@testable import NodeLogic

/// What a restart costs, and what it must not lose.
@Suite struct OutboxRestartTests {
  /// A node over a spool, one run after the other.
  private struct Bench {
    var spool = ModelSpool()
    var outbox: Outbox
    var now = Instant(seconds: 1)
    private let delivery: OutboxSettings.Delivery

    init(_ delivery: OutboxSettings.Delivery) {
      self.delivery = delivery
      outbox = Bench.outbox(BootID(1), delivery)
      spool.open(BootID(1))
      talk()
    }

    private static func outbox(_ boot: BootID, _ delivery: OutboxSettings.Delivery) -> Outbox {
      var settings = OutboxSettings()
      settings.hasSpool = true
      settings.delivery = delivery
      return Outbox(boot: boot, settings)
    }

    mutating func restart() {
      let boot = BootID(outbox.boot.value + 1)
      spool.open(boot)
      outbox = Bench.outbox(boot, delivery)
      now = Instant(seconds: 1)
      talk()
    }

    mutating func append(_ telegram: Telegram) {
      var telegram = telegram
      telegram.envelope.boot = outbox.boot
      outbox.append(telegram, at: now)
      talk()
    }

    mutating func talk() {
      for _ in 0..<200 {
        let wishes = outbox.takeWishes(at: now)
        for wish in wishes { spool.handle(wish) }
        spool.commit()
        let words = spool.words.filter { if case .state = $0 { false } else { true } }
        spool.words = []
        for word in words { outbox.hear(word, at: now) }
        if wishes.isEmpty, words.isEmpty { break }
      }
    }

    /// What is sent within so many seconds to a broker that takes everything but what is denied.
    mutating func sent(_ seconds: Double, denying denied: Set<Telemetry.Stream> = []) -> [Telegram] {
      var sent: [Telegram] = []
      for _ in 0..<Int(seconds / 0.05) {
        now = now + 0.05
        talk()
        for outgoing in outbox.next(at: now) {
          let isDenied = denied.contains(outgoing.telegram.body.stream)
          if isDenied {
            outbox.deny(outgoing.token ?? 0, at: now)
          } else {
            outbox.deliver(outgoing.token ?? 0, at: now)
            sent.append(outgoing.telegram)
          }
        }
      }
      return sent
    }
  }

  @Test func whileTheFleetToolIsAwayARestartSendsOneWindow() {
    var bench = Bench(.fleet)
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
    var bench = Bench(.fleet)
    for id in 1...500 { bench.append(OutboxFixture.shake(id)) }
    bench.restart()
    bench.append(OutboxFixture.shake(1))
    bench.outbox.connect(at: bench.now)
    #expect(bench.sent(1).count == 21)
    bench.outbox.confirm(AckMessage(boot: bench.outbox.boot, sequence: 1), at: bench.now)
    #expect(bench.sent(9).compactMap(\.envelope.sequence) == Array(21...500))
  }

  /// The broker took everything while the fleet tool was away for a moment. Since then this run's events are
  /// acknowledged all the time, and those say nothing about the run before.
  @Test func aRunBeforeIsAskedAboutWhileThisOneIsAcknowledged() {
    var bench = voided()
    var asked: [Telegram] = []
    var secondsS = 0.0
    while asked.isEmpty, secondsS < 300 {
      asked = acknowledged(&bench).filter { $0.envelope.boot == BootID(1) }
      secondsS += 5
    }
    #expect(asked.compactMap(\.envelope.sequence) == [1], "one, not all of them")
    #expect(secondsS <= 15)
    bench.outbox.confirm(AckMessage(boot: BootID(1), sequence: 1), at: bench.now)
    let rest = bench.sent(10).filter { $0.envelope.boot == BootID(1) }
    #expect(rest.compactMap(\.envelope.sequence) == Array(2...50))
  }

  @Test func aRunBeforeOfWhichNothingIsEverSaidCostsLessAndLess() {
    var bench = voided()
    var asked = 0
    for _ in 0..<240 {
      bench.now = bench.now + 55
      asked += acknowledged(&bench).count { $0.envelope.boot == BootID(1) }
    }
    // In four hours: after 10 s, then after 1, 2, 4, 8, 16, 32, 60, 60 min.
    #expect((8...10).contains(asked), "\(asked)")
  }

  @Test func aRunBeforeIsAskedAboutSoonAfterTheFleetToolCameBack() {
    var bench = voided()
    bench.append(OutboxFixture.shake(2))
    var asked = bench.sent(5).count
    for _ in 0..<300 {
      bench.now = bench.now + 59
      asked += bench.sent(1).count
    }
    #expect((6...14).contains(asked), "in the five hours in which nobody says anything: \(asked)")
    #expect(acknowledged(&bench).map(\.envelope.boot) == [bench.outbox.boot])
    #expect(bench.sent(11).map(\.envelope.boot) == [BootID(1)])
  }

  /// In its second run, after which the events of the first were taken by the broker, and the fleet tool has spoken.
  private func voided() -> Bench {
    var bench = Bench(.fleet)
    for id in 1...50 { bench.append(OutboxFixture.shake(id)) }
    bench.restart()
    bench.append(OutboxFixture.shake(1))
    bench.outbox.connect(at: bench.now)
    #expect(bench.sent(1).count == 21)
    bench.outbox.confirm(AckMessage(boot: bench.outbox.boot, sequence: 1), at: bench.now)
    #expect(bench.sent(5).count == 30)
    return bench
  }

  /// What is sent in five seconds, in which one more event of this run happens and is acknowledged.
  private func acknowledged(_ bench: inout Bench) -> [Telegram] {
    bench.append(OutboxFixture.shake(2))
    let sent = bench.sent(5)
    let number = sent.filter { $0.envelope.boot == bench.outbox.boot }.compactMap(\.envelope.sequence).max() ?? 0
    bench.outbox.confirm(AckMessage(boot: bench.outbox.boot, sequence: number), at: bench.now)
    return sent
  }

  @Test func aWindowThatTheBrokerDeniesDoesNotHoldUpTheRest() {
    var bench = Bench(.fleet)
    for id in 1...50 { bench.append(OutboxFixture.shake(id)) }
    for _ in 1...50 { bench.append(OutboxFixture.location(1)) }
    bench.restart()
    bench.outbox.connect(at: bench.now)
    #expect(bench.sent(10, denying: [.shake]).compactMap(\.envelope.sequence) == Array(51...70))
  }

  @Test func whatIsRefusedForGoodStaysOnTheDiskUntilThatIsTold() {
    var bench = Bench(.broker)
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
    var bench = Bench(.broker)
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
    var bench = Bench(.broker)
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
    var bench = Bench(.broker)
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
    var bench = Bench(.fleet)
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
