import Telemetry
import Testing

@testable import NodeLogic

@Suite struct OutboxTests {
  private func shake(_ id: Int) -> Telegram { OutboxFixture.shake(id) }
  private func location(_ latitude: Double) -> Telegram { OutboxFixture.location(latitude) }
  private func chunk(_ number: Int) -> Telegram { OutboxFixture.chunk(number) }
  private let now = Instant(seconds: 100)

  private func tokens(_ outgoing: [Outgoing]) -> [UInt64] { outgoing.compactMap(\.token) }

  @Test func sequencesRiseByOne() {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.connect(at: now)
    for id in 1...3 { outbox.append(shake(id), at: now) }
    #expect(outbox.next(at: now).map(\.telegram.envelope.sequence) == [1, 2, 3])
  }

  @Test func nothingIsHandedOverWhileOffline() {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.append(shake(1), at: now)
    #expect(outbox.next(at: now).isEmpty)
    #expect(outbox.oldestAgeS(at: now + 7) == 7)
    outbox.connect(at: now)
    #expect(tokens(outbox.next(at: now)) == [1])
  }

  @Test func waveformsNeverPushOutAnythingElse() {
    var outbox = Outbox(capacityBytes: 5000)
    for id in 1...6 {
      outbox.append(shake(id), at: now)
      for number in 0..<20 { outbox.append(chunk(number), at: now) }
    }
    #expect(outbox.bytes <= 5000)
    outbox.connect(at: now)
    let told = outbox.told(at: now)
    let given = outbox.lost[.evicted] ?? 0
    #expect(given > 90)
    #expect(told.map(\.counts) == [[.waveform: given]])
    #expect(told.map(\.count) == [given])
    #expect(outbox.next(at: now).prefix(6).map(\.telegram.body.stream) == Array(repeating: .shake, count: 6))
  }

  @Test func whereOnlyEventsAreLeftAChunkThatComesIsGivenUpItself() {
    var outbox = Outbox(capacityBytes: 700)
    for id in 1...3 { outbox.append(shake(id), at: now) }
    let before = outbox.lost[.evicted] ?? 0
    outbox.append(chunk(0), at: now)
    #expect(outbox.lost[.evicted] == before + 1)
    outbox.append(shake(4), at: now)
    outbox.connect(at: now)
    let counts = outbox.told(at: now).first?.counts
    #expect(counts == [.waveform: 1, .shake: before + 1], "the oldest event makes room for the newest, as ever")
  }

  @Test func waveformsGoWhenNothingElseWaits() {
    var outbox = Outbox(capacityBytes: 100_000, window: 2)
    outbox.append(shake(1), at: now)
    outbox.append(chunk(0), at: now)
    outbox.append(shake(2), at: now)
    outbox.connect(at: now)
    outbox.append(chunk(1), at: now)
    outbox.append(shake(3), at: now)
    #expect(tokens(outbox.next(at: now)) == [5, 1], "live, then backlog")
    outbox.deliver(5, at: now)
    outbox.deliver(1, at: now)
    #expect(tokens(outbox.next(at: now)) == [3, 2], "then the oldest chunk")
    outbox.refuse(2, isPermanent: false, retryS: 0, at: now)
    outbox.deliver(3, at: now)
    outbox.append(shake(4), at: now)
    #expect(tokens(outbox.next(at: now)) == [6, 2], "one that comes back keeps its place behind the events")
    outbox.deliver(6, at: now)
    outbox.disconnect(at: now)
    outbox.connect(at: now)
    #expect(tokens(outbox.next(at: now)) == [2, 4])
    outbox.deliver(2, at: now)
    outbox.deliver(4, at: now)
    #expect(outbox.count == 0 && outbox.bytes == 0)
  }

  @Test func theWindowBoundsWhatIsUnderWay() {
    var outbox = Outbox(capacityBytes: 100_000, window: 3)
    outbox.connect(at: now)
    for id in 1...5 { outbox.append(shake(id), at: now) }
    #expect(tokens(outbox.next(at: now)) == [1, 2, 3])
    #expect(outbox.next(at: now).isEmpty)
    let isKnown = outbox.deliver(2, at: now)
    #expect(isKnown)
    #expect(tokens(outbox.next(at: now)) == [4])
  }

  @Test func liveEventsOvertakeTheBacklog() {
    var outbox = Outbox(capacityBytes: 100_000, window: 2)
    for id in 1...4 { outbox.append(shake(id), at: now) }
    outbox.connect(at: now)
    #expect(tokens(outbox.next(at: now)) == [1, 2])
    outbox.append(shake(5), at: now)
    outbox.deliver(1, at: now)
    outbox.deliver(2, at: now)
    #expect(tokens(outbox.next(at: now)) == [5, 3])
  }

  @Test func whatWasUnderWayIsSentAgainAfterAnOutageInItsOrder() {
    var outbox = Outbox(capacityBytes: 100_000, window: 2)
    outbox.connect(at: now)
    for id in 1...3 { outbox.append(shake(id), at: now) }
    _ = outbox.next(at: now)
    outbox.deliver(2, at: now)
    outbox.disconnect(at: now)
    outbox.append(shake(4), at: now)
    #expect(outbox.count == 3)
    outbox.connect(at: now)
    #expect(tokens(outbox.next(at: now)) == [1, 3])
    outbox.deliver(1, at: now)
    #expect(tokens(outbox.next(at: now)) == [4])
  }

  @Test func aLateLocationIsMarkedAndNotRetainedALiveOneIs() throws {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.append(location(1), at: now)
    outbox.connect(at: now)
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
    for id in 1...10 { outbox.append(shake(id), at: now) }
    #expect(outbox.bytes <= size * 3)
    let given = 10 - outbox.count
    #expect(outbox.lost[.evicted] == given)
    outbox.connect(at: now)
    let told = outbox.told(at: now)
    #expect(told.map(\.exactRuns) == [[1...UInt64(given)]])
    #expect(told.map(\.reason) == [.unsaved])
    #expect(tokens(outbox.next(at: now)).first == UInt64(given) + 1)
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
    outbox.connect(at: now)
    var delivered: [UInt64] = []
    while case let sent = tokens(outbox.next(at: now)), !sent.isEmpty {
      for token in sent { outbox.deliver(token, at: now) }
      delivered += sent
    }
    #expect(delivered == Array(UInt64(20_000 - kept + 1)...20_000))
    #expect(outbox.bytes == 0)
  }

  @Test func aRefusalForGoodGivesTheEventUpAndForNowWaits() {
    var outbox = Outbox(capacityBytes: 100_000)
    outbox.connect(at: now)
    outbox.append(shake(1), at: now)
    outbox.append(shake(2), at: now)
    _ = outbox.next(at: now)
    outbox.refuse(1, isPermanent: true, at: now)
    outbox.refuse(2, isPermanent: false, retryS: 5, at: now)
    #expect(outbox.lost == [.refused: 1])
    let told = outbox.told(at: now)
    #expect(told.map(\.exactRuns) == [[1...1]])
    #expect(told.map(\.reason) == [.refused])
    #expect(outbox.next(at: now + 4).isEmpty)
    #expect(outbox.nextDeadline == now + 5)
    #expect(tokens(outbox.next(at: now + 5)) == [2])
  }

  @Test func anUnknownAcknowledgementIsAnswered() {
    var outbox = Outbox(capacityBytes: 100_000)
    let isKnown = outbox.deliver(99, at: now)
    #expect(!isKnown)
  }
}
