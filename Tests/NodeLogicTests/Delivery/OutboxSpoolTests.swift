import Telemetry
import Testing

@testable import NodeLogic

/// Events on their way to the disk and back.
@Suite struct OutboxSpoolTests {
  private let boot = OutboxFixture.boot
  private let now = Instant(seconds: 100)

  private func outbox(_ change: (inout OutboxSettings) -> Void = { _ in }) -> Outbox {
    var settings = OutboxSettings()
    settings.hasSpool = true
    change(&settings)
    return Outbox(boot: boot, settings)
  }

  private func opened(_ change: (inout SpoolContents) -> Void = { _ in }) -> SpoolWord {
    var contents = SpoolContents()
    change(&contents)
    return .opened(contents)
  }

  private func appends(_ wishes: [SpoolWish]) -> [UInt64] {
    wishes.compactMap { if case .append(let event, _, _) = $0 { event.sequence } else { nil } }
  }

  private func fetches(_ wishes: [SpoolWish]) -> [(id: UInt64, isWaveform: Bool, after: SpoolMark?)] {
    wishes.compactMap {
      if case .fetch(let id, let isWaveform, let after, _, _) = $0 { (id, isWaveform, after) } else { nil }
    }
  }

  private func stored(_ numbers: ClosedRange<UInt64>, of boot: BootID = OutboxFixture.boot) -> [StoredEvent] {
    numbers.map { number in
      var telegram = OutboxFixture.shake(Int(number))
      telegram.envelope.boot = boot
      telegram.envelope.sequence = number
      return StoredEvent(boot: boot, sequence: number, stream: .shake, payload: telegram.encode())
    }
  }

  @Test func anEventIsOfferedToTheSpoolWhetherThereIsALinkOrNot() {
    var outbox = outbox()
    outbox.append(OutboxFixture.shake(1), at: now)
    #expect(outbox.takeWishes(at: now).isEmpty, "it has not said that it works")
    outbox.hear(opened(), at: now)
    #expect(appends(outbox.takeWishes(at: now)) == [1])
    outbox.connect(at: now)
    outbox.append(OutboxFixture.shake(2), at: now)
    #expect(appends(outbox.takeWishes(at: now)) == [2])
    #expect(outbox.sent(at: now) == [2, 1])
  }

  @Test func atMostSixtyFourAreOnTheirWayToTheDisk() {
    var outbox = outbox()
    outbox.hear(opened(), at: now)
    for id in 1...200 { outbox.append(OutboxFixture.shake(id), at: now) }
    #expect(appends(outbox.takeWishes(at: now)) == Array(1...64))
    outbox.hear(.stored(boot: boot, [1, 2]), at: now)
    #expect(appends(outbox.takeWishes(at: now)) == [65, 66])
  }

  @Test func whatTheDiskDidNotTakeIsOfferedAgainInItsOrder() {
    var outbox = outbox()
    outbox.hear(opened(), at: now)
    for id in 1...5 { outbox.append(OutboxFixture.shake(id), at: now) }
    _ = outbox.takeWishes(at: now)
    outbox.hear(.notStored(boot: boot, [4, 5, 3]), at: now)
    outbox.append(OutboxFixture.shake(6), at: now)
    #expect(appends(outbox.takeWishes(at: now)).isEmpty)
    #expect(outbox.nextDeadline == now + 0.5)
    #expect(appends(outbox.takeWishes(at: now + 0.5)) == [3, 4, 5, 6])
    outbox.hear(.notStored(boot: boot, [3, 4, 5, 6]), at: now + 1)
    #expect(outbox.nextDeadline == now + 2, "twice as long")
    outbox.hear(.state(SpoolCondition()), at: now + 1.1)
    #expect(appends(outbox.takeWishes(at: now + 1.1)) == [3, 4, 5, 6], "it says that it works")
  }

  @Test func whileOfflineMemoryHoldsOnlyWhatTheDiskDoesNot() {
    var outbox = outbox()
    outbox.hear(opened(), at: now)
    for id in 1...50 {
      outbox.append(OutboxFixture.shake(id), at: now)
      _ = outbox.takeWishes(at: now)
      outbox.hear(.stored(boot: boot, [UInt64(id)]), at: now)
    }
    #expect(outbox.entries.isEmpty && outbox.memoryBytes == 0 && outbox.unsaved == 0)
    #expect(outbox.count == 50)
    #expect(outbox.oldestAgeS(at: now + 30) == 30)
  }

  @Test func anOutageIsReadBackAChunkAtATimeAndReleasedAsItIsDelivered() throws {
    var outbox = outbox()
    outbox.hear(opened(), at: now)
    for id in 1...150 {
      outbox.append(OutboxFixture.shake(id), at: now)
      _ = outbox.takeWishes(at: now)
      outbox.hear(.stored(boot: boot, [UInt64(id)]), at: now)
    }
    outbox.connect(at: now)
    #expect(outbox.sent(at: now).isEmpty)
    let first = try #require(fetches(outbox.takeWishes(at: now)).first { !$0.isWaveform })
    let mark = SpoolMark(bootOrdinal: 3, sequence: 100)
    outbox.hear(.fetched(id: first.id, stored(1...100), last: mark, isEnd: false), at: now)
    let sent = outbox.next(at: now)
    #expect(sent.first?.telegram.envelope.sequence == 1 && !sent.isEmpty)
    for outgoing in sent { outbox.deliver(outgoing.token ?? 0, at: now) }
    let released = outbox.takeWishes(at: now).filter { if case .release = $0 { true } else { false } }
    #expect(released == [.release(boot: boot, 1...UInt64(sent.count))])
    var delivered = sent.count
    while case let more = outbox.next(at: now), !more.isEmpty {
      for outgoing in more { outbox.deliver(outgoing.token ?? 0, at: now) }
      delivered += more.count
      for fetch in fetches(outbox.takeWishes(at: now)) {
        #expect(fetch.after == mark && !fetch.isWaveform, "behind what was read")
        let last = SpoolMark(bootOrdinal: 3, sequence: 150)
        outbox.hear(.fetched(id: fetch.id, stored(101...150), last: last, isEnd: true), at: now)
      }
    }
    #expect(delivered == 150 && outbox.count == 0 && outbox.entries.isEmpty)
  }

  @Test func eventsOfEarlierRunsGoOutBeforeThoseOfThisOneAndKeepTheirNames() throws {
    var outbox = outbox()
    outbox.append(OutboxFixture.shake(1), at: now)
    outbox.hear(
      opened {
        $0.events = 2
        $0.boots = [BootID(9)]
      }, at: now)
    #expect(outbox.count == 3)
    outbox.connect(at: now)
    #expect(outbox.sent(at: now).isEmpty, "what is older is being read")
    let fetch = try #require(fetches(outbox.takeWishes(at: now)).first { !$0.isWaveform })
    let mark = SpoolMark(bootOrdinal: 1, sequence: 8)
    outbox.hear(.fetched(id: fetch.id, stored(7...8, of: BootID(9)), last: mark, isEnd: true), at: now)
    let sent = outbox.next(at: now).map(\.telegram.envelope)
    #expect(sent.map(\.sequence) == [7, 8, 1])
    #expect(sent.map(\.boot) == [BootID(9), BootID(9), boot])
  }

  @Test func aDiskThatDoesNotAnswerHoldsUpWhatIsInMemoryForMomentsOnly() {
    var outbox = outbox()
    outbox.hear(opened { $0.events = 2 }, at: now)
    outbox.append(OutboxFixture.shake(1), at: now)
    outbox.connect(at: now)
    _ = outbox.next(at: now)
    _ = outbox.takeWishes(at: now)
    #expect(outbox.sent(at: now + 4.9).isEmpty)
    #expect(outbox.nextDeadline == now + 5)
    #expect(outbox.sent(at: now + 5) == [1])
    #expect(fetches(outbox.takeWishes(at: now + 59)).isEmpty)
    #expect(fetches(outbox.takeWishes(at: now + 60)).count == 2, "asked again")
  }

  @Test func whatTheSpoolGaveUpIsToldOnceWithItsNote() throws {
    var outbox = outbox()
    outbox.hear(opened(), at: now)
    for id in 1...5 { outbox.append(OutboxFixture.location(Double(id)), at: now) }
    _ = outbox.takeWishes(at: now)
    outbox.hear(.stored(boot: boot, [1, 2, 3, 4, 5]), at: now)
    let note = SpoolEviction(
      id: 77, boot: boot, runs: [1...2, 4...4], events: 3, counts: [.location: 3], reason: .cap)
    outbox.hear(.evicted(note), at: now)
    let tellings = outbox.takeTellings(at: now)
    let telling = try #require(tellings.first)
    #expect(tellings.count == 1 && telling.note == 77)
    #expect(telling.message.exactRuns == [1...2, 4...4] && telling.message.counts == [.location: 3])
    #expect(telling.message.boot == nil)
    #expect(outbox.lost == [.evicted: 3] && outbox.count == 2)
    outbox.append(Telegram(OutboxFixture.envelope(), .evicted(telling.message)), note: 77, at: now)
    let isNoted = outbox.takeWishes(at: now).contains { if case .append(_, 77, _) = $0 { true } else { false } }
    #expect(isNoted)
  }

  @Test func whatAGivenUpTellingSaidIsToldWithTheNoteAboutIt() {
    var outbox = outbox { $0.memoryBytes = 1 }
    outbox.hear(opened(), at: now)
    let unsaved = EvictedMessage([3...5], of: nil, .unsaved)
    var telegram = Telegram(OutboxFixture.envelope(), .evicted(unsaved))
    telegram.envelope.boot = BootID(9)
    telegram.envelope.sequence = 6
    let note = SpoolEviction(
      id: 77, boot: BootID(9), runs: [6...8], events: 3, counts: [.evicted: 1, .shake: 2], reason: .cap,
      tellings: [telegram.encode(), [1, 2, 3]])
    outbox.hear(.evicted(note), at: now)
    let tellings = outbox.takeTellings(at: now)
    #expect(tellings.map(\.message.exactRuns) == [[6...8], [3...5]])
    #expect(tellings.map(\.message.reason) == [.cap, .unsaved])
    #expect(tellings.map(\.message.boot) == [BootID(9), BootID(9)])
    // The note may go when the last of them is kept, and then the first has to be there, too.
    #expect(tellings.map(\.note) == [0, 77])
    for telling in tellings {
      outbox.append(Telegram(OutboxFixture.envelope(), .evicted(telling.message)), note: telling.note, at: now)
    }
    #expect(outbox.unsaved == 2, "neither is given up for want of room")
    #expect(notes(outbox.takeWishes(at: now)) == [0, 77])
  }

  @Test func whatTellsOfLossesInMemoryIsMarkedForTheSpool() {
    var outbox = outbox { $0.memoryBytes = 2000 }
    outbox.hear(opened(), at: now)
    outbox.connect(at: now)
    outbox.append(Telegram(OutboxFixture.envelope(), .evicted(EvictedMessage([1...1], of: nil, .unsaved))), at: now)
    outbox.append(OutboxFixture.shake(1), at: now)
    #expect(notes(outbox.takeWishes(at: now)) == [0, nil])
  }

  @Test func whatWasGivenUpIsNotNamedAgain() {
    let clock = ClockState(wallAtStart: WallTime(seconds: 1000), quality: .ntp)
    var outbox = outbox { $0.memoryBytes = 2000 }
    outbox.append(OutboxFixture.location(1), at: now)
    #expect(outbox.nameNewest(of: .location, by: clock) == 1)
    for id in 2...20 { outbox.append(OutboxFixture.shake(id), at: now) }
    #expect(outbox.lost[.evicted, default: 0] > 0)
    #expect(outbox.nameNewest(of: .location, by: clock) == nil)
    outbox.hear(opened(), at: now)
    outbox.append(OutboxFixture.location(2), at: now)
    outbox.hear(.evicted(SpoolEviction(id: 1, boot: boot, runs: [21...21], events: 1, reason: .cap)), at: now)
    #expect(outbox.nameNewest(of: .location, by: clock) == nil)
  }

  private func notes(_ wishes: [SpoolWish]) -> [UInt64?] {
    wishes.compactMap { if case .append(_, let note, _) = $0 { .some(note) } else { nil } }
  }

  @Test func ofDamageOnlyTheBoundsAreToldAndTheRestIsRead() {
    var outbox = outbox()
    let note = SpoolEviction(
      id: 1, boot: BootID(9), runs: [40...44], events: nil, bytes: 1530, reason: .damaged)
    outbox.hear(
      opened {
        $0.events = 3
        $0.evictions = [note]
        $0.damage = [SpoolDamage("x", isTorn: false), SpoolDamage("y", isTorn: true)]
      }, at: now)
    let told = outbox.takeTellings(at: now)
    #expect(told.map(\.message.exactRuns) == [nil] && told.map(\.message.boot) == [BootID(9)])
    #expect(told.map(\.note) == [1] && told.map(\.message.bytes) == [1530])
    #expect(outbox.disk.damaged == 1 && outbox.count == 3)
  }

  @Test func withoutRoomInMemoryWhatIsOnTheDiskGoesFromMemoryFirst() {
    var outbox = outbox { $0.memoryBytes = 3000 }
    outbox.hear(opened(), at: now)
    outbox.connect(at: now)
    var asked: [Bool] = []
    for id in 1...60 {
      outbox.append(OutboxFixture.shake(id), at: now)
      asked += fetches(outbox.takeWishes(at: now)).map(\.isWaveform)
      outbox.hear(.stored(boot: boot, [UInt64(id)]), at: now)
    }
    #expect(outbox.memoryBytes <= 3000 && outbox.lost.isEmpty && outbox.count == 60)
    #expect(asked == [false], "it is read back when its turn comes")
  }

  @Test func whatIsLostWithoutADiskIsToldTogetherWithinBounds() {
    var outbox = outbox { $0.memoryBytes = 2000 }
    outbox.hear(.state(SpoolCondition(trouble: "/spool: read-only")), at: now)
    for id in 1...900 {
      let isEven = id % 2 == 0
      outbox.append(isEven ? OutboxFixture.shake(id) : OutboxFixture.location(1), at: now + Double(id))
    }
    #expect(outbox.takeTellings(at: now + 2000).isEmpty, "there is nowhere to tell it")
    outbox.connect(at: now + 2000)
    let told = outbox.takeTellings(at: now + 2000).map(\.message)
    #expect(told.allSatisfy { $0.runs.count <= 256 && $0.reason == .unsaved })
    let numbers = told.flatMap { $0.exactRuns ?? [] }.reduce(0) { $0 + $1.count }
    #expect(numbers == outbox.lost[.evicted] && numbers + outbox.count == 900)
    let counts = told.map(\.counts).reduce(into: [Stream: Int]()) { $0.merge($1, uniquingKeysWith: +) }
    #expect(counts.values.reduce(0, +) == numbers)
    #expect(counts[.location] == 450, "what matters less goes first")
  }

  @Test func aMessageAboutLossesThatIsLostItselfIsToldByTheNext() {
    var outbox = outbox {
      $0.memoryBytes = 600
      $0.hasSpool = false
    }
    for id in 1...10 { outbox.append(OutboxFixture.shake(id), at: now) }
    outbox.connect(at: now)
    let first = outbox.told(at: now)
    for message in first { outbox.append(Telegram(OutboxFixture.envelope(), .evicted(message)), at: now) }
    outbox.disconnect(at: now)
    for id in 11...20 { outbox.append(OutboxFixture.shake(id), at: now) }
    outbox.connect(at: now)
    let numbers = SequenceRuns(outbox.told(at: now).flatMap { $0.exactRuns ?? [] })
    let lost = first.flatMap { $0.exactRuns ?? [] }
    #expect(!lost.isEmpty && lost.allSatisfy { numbers.intersection($0).count == $0.count })
    #expect(numbers.count == outbox.lost[.evicted])
  }

  @Test(arguments: [(ClockQuality.ntp, true), (.gps, true), (.rtc, false), (.none, false)])
  func onlyADisciplinedClockJudgesAges(quality: ClockQuality, judges: Bool) {
    var outbox = outbox()
    outbox.hear(opened(), at: now)
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: quality)
    outbox.note(clock)
    var telegram = OutboxFixture.shake(1)
    telegram.envelope.clock = quality
    outbox.append(telegram, at: now)
    let wishes = outbox.takeWishes(at: now)
    #expect(wishes.contains(.clock(clock)) == judges)
    let born = wishes.compactMap { if case .append(_, _, let born) = $0 { born } else { nil } }
    #expect((born.first != nil) == judges)
  }

  @Test func timesThatWerePutRightStaySoWhenTheEventComesFromTheDiskAgain() throws {
    var outbox = outbox()
    outbox.hear(opened(), at: now)
    var telegram = OutboxFixture.shake(1, up: 40)
    telegram.envelope.clock = ClockQuality.none
    outbox.append(telegram, at: Instant(seconds: 40))
    let wish = try #require(outbox.takeWishes(at: now).first)
    guard case .append(let event, _, let born) = wish else {
      Issue.record("not offered")
      return
    }
    #expect(born == nil)
    outbox.connect(at: now)
    let right = ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: .gps)
    let first = try #require(outbox.next(at: now, clock: right).first).telegram
    #expect(first.envelope.time == WallTime(seconds: 1_796_000_040))
    outbox.hear(.stored(boot: boot, [1]), at: now)
    outbox.disconnect(at: now)
    #expect(outbox.entries.isEmpty)
    outbox.connect(at: now + 60)
    let fetch = try #require(fetches(outbox.takeWishes(at: now + 60)).first { !$0.isWaveform })
    let mark = SpoolMark(bootOrdinal: 1, sequence: 1)
    outbox.hear(.fetched(id: fetch.id, [event], last: mark, isEnd: true), at: now + 60)
    let later = ClockState(wallAtStart: WallTime(seconds: 1_796_000_007), quality: .gps)
    #expect(outbox.next(at: now + 60, clock: later).map(\.telegram) == [first])
  }

  @Test func anEventThatTheSessionDidNotTakeWasNotHandedOver() throws {
    var outbox = Outbox(capacityBytes: 100_000)
    var telegram = OutboxFixture.shake(1, up: 40)
    telegram.envelope.clock = ClockQuality.none
    outbox.append(telegram, at: Instant(seconds: 40))
    outbox.connect(at: now)
    let none = ClockState(wallAtStart: WallTime(seconds: 0), quality: .none)
    let token = try #require(outbox.next(at: now, clock: none).first?.token)
    outbox.takeBack(token, retryS: 0.2, at: now)
    let right = ClockState(wallAtStart: WallTime(seconds: 1_796_000_000), quality: .gps)
    #expect(outbox.next(at: now + 0.2, clock: right).map(\.telegram.envelope.clock) == [.gps])
  }

  @Test func aCrossingIsSafeOnTheDiskToo() {
    var outbox = outbox()
    outbox.hear(opened(), at: now)
    let message = GeofenceMessage(fence: "a", .enter, latitude: 1, longitude: 2, ageS: 1, edgeM: 3)
    for _ in 1...2 { outbox.append(Telegram(OutboxFixture.envelope(), .geofence(message)), at: now) }
    _ = outbox.takeWishes(at: now)
    outbox.hear(.stored(boot: boot, [2]), at: now)
    #expect(outbox.crossings == [1], "an older one that waits counts")
    outbox.hear(.stored(boot: boot, [1]), at: now)
    #expect(outbox.crossings.isEmpty)
  }

  /// Found by a simulated run: such an event was counted as kept for ever.
  @Test func whatIsConfirmedWhileItIsUnderWayIsNotCountedOnceItIsStored() throws {
    var settings = OutboxSettings()
    settings.hasSpool = true
    settings.delivery = .fleet
    var outbox = Outbox(boot: OutboxFixture.boot, settings)
    let now = Instant(seconds: 100)
    outbox.hear(.opened(SpoolContents()), at: now)
    outbox.connect(at: now)
    outbox.append(OutboxFixture.shake(1), at: now)
    let token = try #require(outbox.next(at: now).first?.token)
    _ = outbox.takeWishes(at: now)
    let isKnown = outbox.confirm(AckMessage(boot: OutboxFixture.boot, sequence: 1), at: now)
    #expect(isKnown)
    outbox.hear(.stored(boot: OutboxFixture.boot, [1]), at: now)
    outbox.deliver(token, at: now)
    #expect(outbox.count == 0 && outbox.bytes == 0)
  }
}
