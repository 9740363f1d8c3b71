import Telemetry
import Testing

@testable import NodeLogic

/// What a broker does instead of taking an event.
@Suite struct OutboxBrokerTests {
  private let now = Instant(seconds: 100)

  private func outbox(events: Int = 0, window: Int = 20) -> Outbox {
    var outbox = Outbox(capacityBytes: 100_000, window: window)
    outbox.connect(at: now)
    for id in 0..<events { outbox.append(OutboxFixture.shake(id), at: now) }
    return outbox
  }

  // MARK: Nobody subscribes

  /// peer-complaints.md, row 31: "wrote batch" with nobody there.
  @Test func whatNobodySubscribesToIsNotDelivered() {
    var outbox = outbox(events: 3)
    for outgoing in outbox.next(at: now) { outbox.leaveUnheard(outgoing.token ?? 0, at: now) }
    #expect(outbox.count == 3 && outbox.next(at: now).isEmpty)
    #expect(outbox.takeNotices() == [.unheard(.shake)])
    #expect(outbox.nextDeadline == now + 60)
    outbox.append(OutboxFixture.shake(4), at: now + 10)
    #expect(outbox.sent(at: now + 10) == [4], "what happens now is sent once all the same")
    outbox.append(OutboxFixture.location(1), at: now + 10)
    #expect(outbox.sent(at: now + 10) == [5], "another stream is another matter")
  }

  @Test func aProbeFindsOutThatSomebodySubscribes() throws {
    var outbox = outbox(events: 3)
    for outgoing in outbox.next(at: now) { outbox.leaveUnheard(outgoing.token ?? 0, at: now) }
    var probes: [Double] = []
    while let at = outbox.nextDeadline, at < now + 5 * 3600 {
      for outgoing in outbox.next(at: at) {
        #expect(outgoing.telegram.envelope.sequence == 1)
        probes.append(at - now)
        outbox.leaveUnheard(outgoing.token ?? 0, at: at)
      }
    }
    #expect(probes.prefix(4) == [60, 180, 420, 900] && probes.count < 12)
    let at = now + 9 * 3600
    let probe = outbox.next(at: at)
    #expect(probe.count == 1)
    outbox.deliver(try #require(probe.first?.token), at: at)
    #expect(outbox.sent(at: at) == [2, 3])
  }

  /// The end of what was said is said, too, and by the same topic, so that it can be said again.
  @Test(arguments: [false, true]) func thatAStreamIsTakenAgainIsSaidOnce(isDenied: Bool) throws {
    var outbox = outbox(events: 1)
    func refuse(_ at: Instant) throws {
      let token = try #require(outbox.next(at: at).first?.token)
      if isDenied { outbox.deny(token, at: at) } else { outbox.leaveUnheard(token, at: at) }
    }
    try refuse(now)
    var said = outbox.takeNotices()
    #expect(said == [isDenied ? .denied(.shake) : .unheard(.shake)])
    outbox.disconnect(at: now + 10)
    outbox.connect(at: now + 20)
    outbox.deliver(try #require(outbox.next(at: now + 100).first?.token), at: now + 100)
    said += outbox.takeNotices()
    #expect(said.last == .open(.shake) && Set(said.map(\.note.topic)).count == 1)
    outbox.append(OutboxFixture.shake(7), at: now + 110)
    outbox.deliver(try #require(outbox.next(at: now + 110).first?.token), at: now + 110)
    outbox.append(OutboxFixture.shake(8), at: now + 120)
    try refuse(now + 120)
    said += outbox.takeNotices()
    #expect(said.count == 3, "it was said when it was opened, and again when it was closed")
  }

  /// Found by a simulated run: the probe came back unanswered, and its stream was not tried again on that connection.
  @Test(arguments: [false, true]) func aProbeThatComesBackUnansweredIsSentAgain(isFull: Bool) throws {
    var outbox = outbox(events: 2)
    for outgoing in outbox.next(at: now) { outbox.leaveUnheard(outgoing.token ?? 0, at: now) }
    let probe = try #require(outbox.next(at: now + 60).first?.token)
    if isFull {
      outbox.takeBack(probe, retryS: 0.2, at: now + 60)
    } else {
      outbox.refuse(probe, isPermanent: false, at: now + 60)
    }
    let sent = outbox.sent(at: now + 70)
    #expect(sent == [1])
  }

  /// Found by a simulated run: the gate waited for a late event, and the next was not late when it came back.
  @Test func whatComesWhenAProbeIsDueAndNothingWaitsIsTriedAgain() throws {
    var outbox = Outbox(capacityBytes: 100_000, .fleet)
    outbox.connect(at: now)
    outbox.append(OutboxFixture.shake(1), at: now)
    outbox.leaveUnheard(try #require(outbox.next(at: now).first?.token), at: now)
    let isTaken = outbox.confirm(AckMessage(boot: OutboxFixture.boot, sequence: 1), at: now + 1)
    let due = outbox.next(at: now + 61)
    #expect(isTaken && due.isEmpty)
    outbox.append(OutboxFixture.shake(2), at: now + 70)
    outbox.leaveUnheard(try #require(outbox.next(at: now + 70).first?.token), at: now + 70)
    #expect(outbox.nextDeadline == now + 130)
    let sent = outbox.sent(at: now + 130)
    #expect(sent == [2])
  }

  @Test func whatIsOnTheDiskOfAStreamThatNobodyHearsIsReadWhenSomebodyDoes() throws {
    var settings = OutboxSettings()
    settings.hasSpool = true
    var outbox = Outbox(boot: OutboxFixture.boot, settings)
    outbox.hear(.opened(SpoolContents()), at: now)
    outbox.connect(at: now)
    outbox.append(OutboxFixture.shake(1), at: now)
    _ = outbox.takeWishes(at: now)
    outbox.hear(.stored(boot: OutboxFixture.boot, [1]), at: now)
    outbox.leaveUnheard(try #require(outbox.next(at: now).first?.token), at: now)
    #expect(outbox.entries.isEmpty && outbox.count == 1)
    outbox.append(OutboxFixture.shake(2), at: now + 5)
    let token = try #require(outbox.next(at: now + 5).first?.token)
    _ = outbox.takeWishes(at: now + 5)
    outbox.deliver(token, at: now + 5)
    let asks = outbox.takeWishes(at: now + 5).contains {
      if case .fetch(_, false, nil, _, _) = $0 { true } else { false }
    }
    #expect(asks)
  }

  @Test func aStreamThatSomebodyHearsAgainBringsTheProbesOfTheOthersForward() throws {
    var outbox = outbox(events: 3)
    for outgoing in outbox.next(at: now) { outbox.leaveUnheard(outgoing.token ?? 0, at: now) }
    outbox.append(OutboxFixture.location(1), at: now)
    outbox.leaveUnheard(try #require(outbox.next(at: now).first?.token), at: now)
    outbox.append(OutboxFixture.location(2), at: now + 30)
    let heard = outbox.next(at: now + 30)
    #expect(heard.map(\.telegram.envelope.sequence) == [5])
    outbox.deliver(try #require(heard.first?.token), at: now + 30)
    let next = outbox.next(at: now + 30)
    #expect(Set(next.map(\.telegram.envelope.sequence)) == [1, 4], "one shake as a probe, and all of the locations")
    for outgoing in next { outbox.deliver(outgoing.token ?? 0, at: now + 31) }
    #expect(outbox.sent(at: now + 31) == [2, 3])
  }

  // MARK: The access list

  @Test func aDeniedStreamIsKeptAndTriedAtTheNextConnection() {
    var outbox = outbox(events: 3)
    for outgoing in outbox.next(at: now) { outbox.deny(outgoing.token ?? 0, at: now) }
    outbox.append(OutboxFixture.shake(4), at: now)
    outbox.append(OutboxFixture.location(1), at: now)
    #expect(outbox.sent(at: now) == [5], "nothing of it, and the others go on")
    #expect(outbox.count == 5 && outbox.lost.isEmpty && outbox.setAsideCount == 4)
    outbox.disconnect(at: now + 1)
    outbox.connect(at: now + 2)
    #expect(outbox.sent(at: now + 2) == [1, 2, 3, 4, 5])
    #expect(outbox.setAsideCount == 0)
  }

  @Test func aDeniedStreamIsTriedAgainAfterAnHour() {
    var outbox = outbox(events: 1)
    for outgoing in outbox.next(at: now) { outbox.deny(outgoing.token ?? 0, at: now) }
    #expect(outbox.nextDeadline == now + 3600)
    #expect(outbox.sent(at: now + 3599).isEmpty)
    #expect(outbox.sent(at: now + 3600) == [1])
  }

  // MARK: Poison

  @Test func anEventThatIsRefusedForGoodHoldsNothingUp() {
    var outbox = outbox(events: 3, window: 1)
    let token = outbox.next(at: now).first?.token ?? 0
    outbox.refuse(token, isPermanent: true, at: now)
    #expect(outbox.sent(at: now) == [2])
    #expect(outbox.lost == [.refused: 1])
    let told = outbox.told(at: now)
    #expect(told.map(\.reason) == [.refused] && told.map(\.counts) == [[.shake: 1]])
  }

  @Test func aMessageAboutLossesThatIsRefusedIsNotLostForIt() {
    var outbox = outbox()
    let message = EvictedMessage(first: 1, last: 2, count: 2, .unsaved)
    outbox.append(Telegram(OutboxFixture.envelope(), .evicted(message)), at: now)
    outbox.refuse(outbox.next(at: now).first?.token ?? 0, isPermanent: true, at: now)
    #expect(outbox.count == 1 && outbox.lost.isEmpty)
    #expect(outbox.told(at: now).isEmpty)
  }

  /// A broker that ends the connection whenever it sees this number.
  private func live(
    _ outbox: inout Outbox, poison: UInt64, connections: Int, isThrownOut: Bool
  ) -> [UInt64] {
    var delivered: [UInt64] = []
    for connection in 1...connections {
      let at = now + Double(connection) * 60
      outbox.connect(at: at)
      connected: while case let sent = outbox.next(at: at), !sent.isEmpty {
        // It reads them in order, and everything after the poison is gone.
        for outgoing in sent {
          if outgoing.telegram.envelope.sequence == poison { break connected }
        }
        for outgoing in sent {
          outbox.deliver(outgoing.token ?? 0, at: at)
          delivered.append(outgoing.telegram.envelope.sequence ?? 0)
        }
      }
      outbox.disconnect(isThrownOut: isThrownOut, at: at + 1)
    }
    return delivered
  }

  @Test func anEventForWhichTheBrokerThrowsUsOutIsGivenUpAndTheOthersArrive() {
    var outbox = outbox(events: 30)
    outbox.disconnect(at: now)
    let delivered = live(&outbox, poison: 7, connections: 8, isThrownOut: true)
    #expect(Set(delivered) == Set(1...30).subtracting([7]))
    #expect(outbox.count == 0 && outbox.lost == [.refused: 1])
  }

  @Test func aConnectionThatMerelyBreaksMustDoSoMoreOftenAndOnlyBesideAnswers() {
    var alone = outbox(events: 1)
    alone.disconnect(at: now)
    _ = live(&alone, poison: 1, connections: 100, isThrownOut: false)
    #expect(alone.count == 1 && alone.lost.isEmpty, "it may well be the link")
    var outbox = outbox(events: 1)
    outbox.disconnect(at: now)
    for round in 1...20 {
      outbox.append(OutboxFixture.location(1), at: now)
      _ = live(&outbox, poison: 1, connections: 1, isThrownOut: false)
      if round == 10 { #expect(outbox.lost.isEmpty) }
    }
    #expect(outbox.lost == [.refused: 1])
  }

  @Test func aBadLinkAloneCostsNoEvent() {
    var outbox = outbox(events: 30)
    for attempt in 1...50 {
      _ = outbox.next(at: now + Double(attempt))
      outbox.disconnect(at: now + Double(attempt) + 0.5)
      outbox.connect(at: now + Double(attempt) + 0.6)
    }
    #expect(outbox.count == 30 && outbox.lost.isEmpty)
    var delivered = 0
    while case let sent = outbox.next(at: now + 100), !sent.isEmpty {
      for outgoing in sent { outbox.deliver(outgoing.token ?? 0, at: now + 100) }
      delivered += sent.count
    }
    #expect(delivered == 30)
  }
}
