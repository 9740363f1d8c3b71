import NodeLogic
import Telemetry
import Testing

@Suite struct OutboxTests {
  private func shake(_ id: Int) -> Telegram {
    let message = ShakeMessage(
      id: id, phase: .began, start: WallTime(seconds: 1), durationS: 0.4, peakG: 1, energyG2S: 0.1, cavGS: 0.2,
      reversals: 3, axis: .x)
    return Telegram(Envelope(boot: BootID(1), time: WallTime(seconds: 1), clock: .ntp, uptime: 1), .shake(message))
  }

  private func location(_ latitude: Double) -> Telegram {
    let position = LocationMessage.Position(
      dimensions: 3, latitude: latitude, longitude: 8, ageS: 0, cause: .distance)
    return Telegram(
      Envelope(boot: BootID(1), time: WallTime(seconds: 1), clock: .ntp, uptime: 1), .location(.fixed(position)))
  }

  private func chunk(_ number: Int) -> Telegram {
    let message = WaveformMessage(
      id: 1, chunk: number, isLast: false, start: WallTime(seconds: 1), periodS: 0.01, unitG: 0.001,
      x: Array(repeating: 1000, count: 40), y: Array(repeating: 0, count: 40), z: Array(repeating: 0, count: 40))
    return Telegram(Envelope(boot: BootID(1), time: WallTime(seconds: 1), clock: .ntp, uptime: 1), .waveform(message))
  }

  private let now = Instant(seconds: 100)

  private func tokens(_ outgoing: [Outgoing]) -> [UInt64] { outgoing.compactMap(\.token) }

  @Test func sequencesRiseByOne() {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.connect()
    for id in 1...3 { outbox.append(shake(id), at: now) }
    #expect(outbox.next(at: now).map(\.telegram.envelope.sequence) == [1, 2, 3])
  }

  @Test func nothingIsHandedOverWhileOffline() {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.append(shake(1), at: now)
    #expect(outbox.next(at: now).isEmpty)
    #expect(outbox.oldestAgeS(at: now + 7) == 7)
    outbox.connect()
    #expect(tokens(outbox.next(at: now)) == [1])
  }

  @Test func waveformsNeverPushOutAnythingElse() {
    var outbox = Outbox(capacityBytes: 5000)
    var given: [Stream] = []
    for id in 1...6 {
      given += outbox.append(shake(id), at: now).map(\.body.stream)
      for number in 0..<20 { given += outbox.append(chunk(number), at: now).map(\.body.stream) }
    }
    #expect(given.count > 90 && given.allSatisfy { $0 == .waveform })
    #expect(outbox.lost[.evicted] == given.count)
    #expect(outbox.bytes <= 5000)
    outbox.connect()
    #expect(outbox.next(at: now).prefix(6).map(\.telegram.body.stream) == Array(repeating: .shake, count: 6))
  }

  @Test func whereOnlyEventsAreLeftAChunkThatComesIsGivenUpItself() {
    var outbox = Outbox(capacityBytes: 700)
    var given: [Telegram] = []
    for id in 1...3 { given += outbox.append(shake(id), at: now) }
    let before = given.count
    given += outbox.append(chunk(0), at: now)
    #expect(given.dropFirst(before).map(\.body.stream) == [.waveform])
    given += outbox.append(shake(4), at: now)
    #expect(given.last?.body.stream == .shake, "the oldest event makes room for the newest, as ever")
  }

  @Test func waveformsGoWhenNothingElseWaits() {
    var outbox = Outbox(capacityBytes: 100_000, window: 2)
    outbox.append(shake(1), at: now)
    outbox.append(chunk(0), at: now)
    outbox.append(shake(2), at: now)
    outbox.connect()
    outbox.append(chunk(1), at: now)
    outbox.append(shake(3), at: now)
    #expect(tokens(outbox.next(at: now)) == [5, 1], "live, then backlog")
    outbox.deliver(5)
    outbox.deliver(1)
    #expect(tokens(outbox.next(at: now)) == [3, 2], "then the oldest chunk")
    outbox.refuse(2, isPermanent: false, retryS: 0, at: now)
    outbox.deliver(3)
    outbox.append(shake(4), at: now)
    #expect(tokens(outbox.next(at: now)) == [6, 2], "one that comes back keeps its place behind the events")
    outbox.deliver(6)
    outbox.disconnect()
    outbox.connect()
    #expect(tokens(outbox.next(at: now)) == [2, 4])
    outbox.deliver(2)
    outbox.deliver(4)
    #expect(outbox.count == 0 && outbox.bytes == 0)
  }

  @Test func theWindowBoundsWhatIsUnderWay() {
    var outbox = Outbox(capacityBytes: 100_000, window: 3)
    outbox.connect()
    for id in 1...5 { outbox.append(shake(id), at: now) }
    #expect(tokens(outbox.next(at: now)) == [1, 2, 3])
    #expect(outbox.next(at: now).isEmpty)
    let isKnown = outbox.deliver(2)
    #expect(isKnown)
    #expect(tokens(outbox.next(at: now)) == [4])
  }

  @Test func liveEventsOvertakeTheBacklog() {
    var outbox = Outbox(capacityBytes: 100_000, window: 2)
    for id in 1...4 { outbox.append(shake(id), at: now) }
    outbox.connect()
    #expect(tokens(outbox.next(at: now)) == [1, 2])
    outbox.append(shake(5), at: now)
    outbox.deliver(1)
    outbox.deliver(2)
    #expect(tokens(outbox.next(at: now)) == [5, 3])
  }

  @Test func whatWasUnderWayIsSentAgainAfterAnOutageInItsOrder() {
    var outbox = Outbox(capacityBytes: 100_000, window: 2)
    outbox.connect()
    for id in 1...3 { outbox.append(shake(id), at: now) }
    _ = outbox.next(at: now)
    outbox.deliver(2)
    outbox.disconnect()
    outbox.append(shake(4), at: now)
    #expect(outbox.count == 3)
    outbox.connect()
    #expect(tokens(outbox.next(at: now)) == [1, 3])
    outbox.deliver(1)
    #expect(tokens(outbox.next(at: now)) == [4])
  }

  @Test func aLateLocationIsMarkedAndNotRetainedALiveOneIs() throws {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.append(location(1), at: now)
    outbox.connect()
    outbox.append(location(2), at: now)
    let sent = outbox.next(at: now)
    #expect(tokens(sent) == [2, 1])
    #expect(sent.map(\.isRetained) == [true, false])
    let marks = sent.map { outgoing in
      if case .location(.fixed(let position)) = outgoing.telegram.body { position.isBacklog } else { false }
    }
    #expect(marks == [false, true])
  }

  @Test func theOldestMakesRoomAndIsCounted() {
    let size = shake(1).encode().count + 8
    var outbox = Outbox(capacityBytes: size * 3)
    var evicted: [Telegram] = []
    for id in 1...10 { evicted += outbox.append(shake(id), at: now) }
    #expect(outbox.bytes <= size * 3)
    #expect(outbox.lost[.evicted] == evicted.count)
    #expect(outbox.count + evicted.count == 10)
    #expect(evicted.map(\.envelope.sequence) == Array(1...UInt64(evicted.count)))
    outbox.connect()
    #expect(tokens(outbox.next(at: now)).first == UInt64(evicted.count) + 1)
  }

  @Test func anEventLargerThanTheRoomIsKeptAlone() {
    var outbox = Outbox(capacityBytes: 1)
    outbox.append(shake(1), at: now)
    outbox.append(shake(2), at: now)
    #expect(outbox.count == 1)
    #expect(outbox.lost[.evicted] == 1)
  }

  @Test func aLongOutageHoldsOnlyWhatFits() {
    var outbox = Outbox(capacityBytes: 50_000)
    for id in 1...20_000 { outbox.append(shake(id), at: now + Double(id)) }
    #expect(outbox.bytes <= 50_000)
    let kept = outbox.count
    #expect(outbox.lost[.evicted] == 20_000 - kept)
    outbox.connect()
    var delivered: [UInt64] = []
    while case let sent = tokens(outbox.next(at: now)), !sent.isEmpty {
      for token in sent { outbox.deliver(token) }
      delivered += sent
    }
    #expect(delivered == Array(UInt64(20_000 - kept + 1)...20_000))
    #expect(outbox.bytes == 0)
  }

  @Test func aRefusalForGoodGivesTheEventUpAndForNowWaits() {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.connect()
    outbox.append(shake(1), at: now)
    outbox.append(shake(2), at: now)
    _ = outbox.next(at: now)
    #expect(outbox.refuse(1, isPermanent: true, at: now)?.envelope.sequence == 1)
    #expect(outbox.refuse(2, isPermanent: false, retryS: 5, at: now) == nil)
    #expect(outbox.lost == [.refused: 1])
    #expect(outbox.next(at: now + 4).isEmpty)
    #expect(outbox.nextDeadline == now + 5)
    #expect(tokens(outbox.next(at: now + 5)) == [2])
  }

  @Test func anUnknownAcknowledgementIsAnswered() {
    var outbox = Outbox(capacityBytes: 100_000)
    let isKnown = outbox.deliver(99)
    #expect(!isKnown)
  }
}
