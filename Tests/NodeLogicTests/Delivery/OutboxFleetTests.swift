import Telemetry
import Testing

@testable import NodeLogic

/// Whose word ends the duty to keep an event.
@Suite struct OutboxFleetTests {
  private let boot = OutboxFixture.boot
  private let now = Instant(seconds: 100)

  private func outbox(_ delivery: OutboxSettings.Delivery, events: Int) -> Outbox {
    var outbox = Outbox(capacityBytes: 100_000, window: 100, delivery)
    outbox.connect(at: now)
    for id in 1...events { outbox.append(OutboxFixture.shake(id), at: now) }
    return outbox
  }

  /// Hands over what may go, and lets the broker acknowledge all of it. Answers the numbers.
  private func exchange(_ outbox: inout Outbox, at now: Instant) -> [UInt64] {
    let sent = outbox.next(at: now)
    for outgoing in sent { outbox.deliver(outgoing.token ?? 0, at: now) }
    return sent.compactMap(\.telegram.envelope.sequence)
  }

  private func ack(_ sequence: UInt64, _ also: [ClosedRange<UInt64>] = []) -> AckMessage {
    AckMessage(boot: boot, sequence: sequence, also: also)
  }

  @Test func theBrokersWordCountsUntilAFleetToolHasSpoken() {
    var outbox = outbox(.auto, events: 3)
    #expect(exchange(&outbox, at: now) == [1, 2, 3])
    #expect(outbox.count == 0 && !outbox.isFleet)
    outbox.confirm(ack(3), at: now)
    #expect(outbox.isFleet)
    #expect(outbox.takeNotices() == [.fleet])
    outbox.append(OutboxFixture.shake(4), at: now)
    #expect(exchange(&outbox, at: now) == [4])
    #expect(outbox.count == 1 && outbox.underWayCount == 0, "the window is free, the event is kept")
    outbox.confirm(ack(4), at: now)
    #expect(outbox.count == 0)
  }

  @Test func thatAFleetToolHasSpokenOutlastsTheRun() {
    var settings = OutboxSettings()
    settings.hasSpool = true
    var outbox = Outbox(boot: boot, settings)
    outbox.hear(.opened(SpoolContents()), at: now)
    outbox.connect(at: now)
    outbox.append(OutboxFixture.shake(1), at: now)
    _ = outbox.next(at: now)
    outbox.confirm(ack(1), at: now)
    #expect(outbox.takeWishes(at: now).contains(.fleetAcknowledges))
    var next = Outbox(boot: BootID(2), settings)
    var contents = SpoolContents()
    contents.fleetAcknowledges = true
    next.hear(.opened(contents), at: now)
    #expect(next.isFleet)
  }

  @Test func pinnedToTheBrokerAnAcknowledgementChangesNothing() {
    var outbox = outbox(.broker, events: 2)
    _ = exchange(&outbox, at: now)
    outbox.confirm(ack(2), at: now)
    #expect(!outbox.isFleet && outbox.count == 0)
  }

  @Test func exactlyWhatIsNamedHasReachedItsEnd() {
    var outbox = outbox(.fleet, events: 10)
    _ = exchange(&outbox, at: now)
    outbox.confirm(ack(3, [5...6, 9...9]), at: now)
    #expect(outbox.count == 4)
    #expect(outbox.entries.values.map(\.key.sequence).sorted() == [4, 7, 8, 10])
    #expect(outbox.unsaved == 4)
  }

  @Test func whatWasNeverSentIsNotLetGoOf() {
    var outbox = outbox(.fleet, events: 5)
    _ = exchange(&outbox, at: now)
    outbox.disconnect(at: now)
    outbox.append(OutboxFixture.shake(6), at: now)
    let isFuture = outbox.confirm(ack(6), at: now)
    let isForeign = outbox.confirm(AckMessage(boot: BootID(77), sequence: 2), at: now)
    #expect(!isFuture && !isForeign && outbox.strangeAcks == 2)
    #expect(outbox.count == 6)
    let isVast = outbox.confirm(ack(0, [2...UInt64(Int.max)]), at: now)
    #expect(!isVast && outbox.count == 6)
  }

  @Test func anAcknowledgementThatNamesWhatWaitsIsHeededForTheRest() {
    var outbox = Outbox(capacityBytes: 100_000, window: 1, .fleet)
    outbox.append(OutboxFixture.shake(1), at: now)
    outbox.connect(at: now)
    outbox.append(OutboxFixture.shake(2), at: now)
    #expect(exchange(&outbox, at: now) == [2])
    let isHonest = outbox.confirm(ack(2), at: now)
    #expect(!isHonest && outbox.strangeAcks == 1)
    #expect(outbox.entries.values.map(\.key.sequence) == [1])
  }

  @Test func onlyWhatIsProvedMissingIsSentAgain() {
    var outbox = outbox(.fleet, events: 6)
    #expect(exchange(&outbox, at: now) == [1, 2, 3, 4, 5, 6])
    outbox.confirm(ack(3, [5...5]), at: now)
    #expect(exchange(&outbox, at: now + 1).isEmpty, "4 and 6 may still be on their way")
    outbox.append(OutboxFixture.shake(7), at: now + 20)
    #expect(exchange(&outbox, at: now + 20) == [7])
    outbox.confirm(ack(3, [5...5, 7...7]), at: now + 21)
    #expect(exchange(&outbox, at: now + 21) == [4, 6], "what was sent after them has arrived")
    outbox.confirm(ack(7), at: now + 22)
    #expect(outbox.count == 0)
  }

  @Test func anEventThatIsMissingAgainAndAgainCostsLessAndLess() {
    var outbox = outbox(.fleet, events: 1)
    _ = exchange(&outbox, at: now)
    var times: [Double] = []
    // The fleet tool stores everything but the first, and a new one comes every 20 s for five hours.
    for step in 1...900 {
      let at = now + Double(step) * 20
      outbox.append(OutboxFixture.shake(step), at: at)
      let sent = exchange(&outbox, at: at)
      if sent.contains(1) { times.append(at - now) }
      outbox.confirm(ack(0, [2...UInt64(step + 1)]), at: at + 1)
    }
    #expect((4...12).contains(times.count), "\(times)")
    #expect(times.last.map { $0 - (times.dropLast().last ?? 0) } ?? 0 > 1800)
    #expect(outbox.count == 1)
  }

  @Test func withoutAnyAcknowledgementOneGoesOutAsAProbeLessAndLess() {
    var outbox = outbox(.fleet, events: 5)
    #expect(exchange(&outbox, at: now).count == 5)
    var probes: [Double] = []
    while let at = outbox.nextDeadline, at < now + 8 * 3600 {
      for number in exchange(&outbox, at: at) {
        // Each time the next, since the fleet tool may be unable to take one of them.
        #expect(number == UInt64(probes.count % 5 + 1))
        probes.append(at - now)
      }
    }
    #expect(probes.prefix(4) == [60, 180, 420, 900])
    #expect(probes.count <= 14)
    #expect(zip(probes.dropFirst(), probes).allSatisfy { $0 - $1 <= 3600 })
  }

  @Test func theAnswerToTheProbeTellsWhatIsMissing() {
    var outbox = outbox(.fleet, events: 8)
    _ = exchange(&outbox, at: now)
    #expect(exchange(&outbox, at: now + 60) == [1])
    // The broker had forgotten 4 and 5.
    outbox.confirm(ack(3, [6...8]), at: now + 61)
    #expect(exchange(&outbox, at: now + 61) == [4, 5])
    outbox.confirm(ack(8), at: now + 62)
    #expect(outbox.count == 0)
  }

  @Test func aBrokerThatForgotEverythingIsFoundOutAtTheNextConnection() {
    var outbox = outbox(.fleet, events: 8)
    _ = exchange(&outbox, at: now)
    outbox.disconnect(at: now + 5)
    outbox.connect(at: now + 6)
    #expect(exchange(&outbox, at: now + 6) == [1], "a probe, not all of it")
    outbox.confirm(ack(1), at: now + 7)
    #expect(exchange(&outbox, at: now + 7) == [2, 3, 4, 5, 6, 7, 8])
  }

  /// peer-complaints.md, row 22: flapping links cost data.
  @Test func aFleetToolThatIsAwayBehindALinkThatFlapsCostsLittle() {
    var outbox = outbox(.fleet, events: 500)
    while !exchange(&outbox, at: now).isEmpty {}
    var resent = 0
    for minute in 1...1440 {
      let at = now + Double(minute) * 60
      outbox.disconnect(at: at)
      outbox.connect(at: at + 1)
      resent += exchange(&outbox, at: at + 2).count
    }
    #expect(resent > 100 && resent <= 24 * 6 + 10, "an event every ten minutes at the most: \(resent)")
  }

  @Test func goingBackToTheBrokersWordLetsGoOfWhatItHas() {
    var outbox = outbox(.fleet, events: 4)
    _ = exchange(&outbox, at: now)
    outbox.append(OutboxFixture.shake(5), at: now)
    var settings = outbox.settings
    settings.delivery = .broker
    outbox.reconfigure(settings, at: now)
    #expect(outbox.count == 1, "the fifth was not sent yet")
  }

  @Test func anEventThatIsAcknowledgedWhileItIsUnderWayAgainIsDoneWith() {
    var outbox = outbox(.fleet, events: 2)
    _ = exchange(&outbox, at: now)
    let probe = outbox.next(at: now + 60)
    #expect(probe.count == 1)
    outbox.confirm(ack(2), at: now + 61)
    #expect(outbox.count == 1)
    outbox.deliver(probe.first?.token ?? 0, at: now + 62)
    #expect(outbox.count == 0 && outbox.confirmation.count == 0)
  }

  @Test func oneThatIsStoredAfterItWasAcknowledgedIsNotCountedForEver() throws {
    var settings = OutboxSettings()
    settings.hasSpool = true
    settings.delivery = .fleet
    var outbox = Outbox(boot: boot, settings)
    outbox.hear(.opened(SpoolContents()), at: now)
    outbox.connect(at: now)
    outbox.append(OutboxFixture.shake(1), at: now)
    let token = try #require(outbox.next(at: now).first?.token)
    _ = outbox.takeWishes(at: now)
    outbox.confirm(ack(1), at: now)
    outbox.hear(.stored(boot: boot, [1]), at: now)
    outbox.deliver(token, at: now)
    #expect(outbox.count == 0)
  }
}
