import Telemetry
import Testing

@testable import NodeLogic

/// A whole node, its spool, and those who say what became of its events.
@Suite struct NodeDeliveryTests {
  private let now = Instant(seconds: 100)

  private func node(_ change: (inout NodeSettings) -> Void = { _ in }) -> Node {
    var settings = NodeSettings()
    settings.location = LocationTracker.Settings(distanceFilterM: 0, lostAfterS: 30)
    settings.outbox.hasSpool = true
    change(&settings)
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    return Node(boot: BootID(7), settings, clock: clock)
  }

  private func fix(_ second: Double) -> NodeInput {
    var position = GpsdPosition(device: "/dev/gps", mode: 3)
    position.latitude = 47 + second / 1000
    position.longitude = 8
    position.time = WallTime(seconds: 1_800_000_000 + second)
    return .gpsd(.report(.position(position)))
  }

  private func wishes(_ effects: [NodeEffect]) -> [SpoolWish] {
    effects.compactMap { if case .spool(let wish) = $0 { wish } else { nil } }
  }

  private func published(_ effects: [NodeEffect]) -> [Outgoing] {
    effects.compactMap { if case .publish(let outgoing) = $0 { outgoing } else { nil } }
  }

  private func notes(_ effects: [NodeEffect]) -> [String] {
    effects.compactMap { if case .log(let note) = $0 { note.text } else { nil } }
  }

  private func health(_ node: inout Node, at now: Instant) -> HealthMessage.Spool? {
    let effects = node.handle(.usage(ProcessLoad(residentKB: 1, processorS: 1)), at: now)
    for outgoing in published(effects) {
      if case .health(let health) = outgoing.telegram.body { return health.spool }
    }
    return nil
  }

  @Test func anEventIsKeptBeforeItIsSent() throws {
    var node = node()
    _ = node.handle(.spool(.opened(SpoolContents())), at: now)
    _ = node.handle(.link(isConnected: true), at: now)
    _ = node.handle(fix(1), at: now)
    let effects = node.handle(.tick, at: now + 1)
    let kept = try #require(
      effects.firstIndex {
        if case .spool(.append(let event, _, let born)) = $0 { event.sequence == 1 && born != nil } else { false }
      })
    let sent = try #require(effects.firstIndex { if case .publish(let out) = $0 { out.token != nil } else { false } })
    #expect(kept < sent)
  }

  @Test func theSpoolHearsOfTheClock() {
    var node = node()
    let first = wishes(node.handle(.spool(.opened(SpoolContents())), at: now))
    let clock = ClockState(wallAtStart: WallTime(seconds: 1_800_000_000), quality: .ntp)
    #expect(first == [.clock(clock)])
    #expect(wishes(node.handle(.link(isConnected: false), at: now + 1)).isEmpty)
    let set = ClockState(wallAtStart: WallTime(seconds: 1_800_000_100), quality: .ntp)
    #expect(wishes(node.handle(.clock(set), at: now + 2)) == [.clock(set)])
  }

  @Test func whatAFleetToolHasStoredIsReleased() {
    var node = node { $0.outbox.delivery = .fleet }
    _ = node.handle(.spool(.opened(SpoolContents())), at: now)
    _ = node.handle(.link(isConnected: true), at: now)
    _ = node.handle(fix(1), at: now)
    let token = published(node.handle(.tick, at: now + 1)).compactMap(\.token).first ?? 0
    _ = node.handle(.delivered(token), at: now + 1)
    #expect(node.pendingEvents == 1)
    let ack = AckMessage(boot: BootID(7), sequence: 1)
    #expect(wishes(node.handle(.acknowledged(ack.encode()), at: now + 2)).contains(.release(boot: BootID(7), 1...1)))
    #expect(node.pendingEvents == 0)
  }

  @Test func anAcknowledgementThatIsNoneIsCountedAndChangesNothing() {
    var node = node()
    let texts = ["", "{}", "[1]", #"{"v":1,"boot":"x","seq":1}"#, #"{"v":1,"boot":"00000007","seq":-1}"#]
    for text in texts {
      #expect(notes(node.handle(.acknowledged(Array(text.utf8)), at: now)).count == 1)
    }
    #expect(node.badAcks == texts.count)
    let strange = notes(node.handle(.acknowledged(AckMessage(boot: BootID(9), sequence: 1).encode()), at: now))
    #expect(strange.count == 1 && node.badAcks == texts.count)
  }

  @Test func whatTheSpoolGaveUpBecomesAnEventOfThisRun() throws {
    var node = node()
    var contents = SpoolContents()
    contents.evictions = [
      SpoolEviction(id: 5, boot: BootID(3), runs: [4...6], events: 3, counts: [.location: 3], reason: .age)
    ]
    let effects = node.handle(.spool(.opened(contents)), at: now)
    let told = wishes(effects).compactMap { wish -> (StoredEvent, UInt64?)? in
      if case .append(let event, let note, _) = wish { (event, note) } else { nil }
    }
    let (event, note) = try #require(told.first)
    #expect(told.count == 1 && note == 5 && event.stream == .evicted)
    let read = try Telegram.decode(stream: .evicted, payload: event.payload)
    guard case .evicted(let message) = read.body else {
      Issue.record("something else")
      return
    }
    #expect(message.boot == BootID(3) && message.exactRuns == [4...6] && message.reason == .age)
    #expect(read.envelope.sequence == 1 && read.envelope.boot == BootID(7))
  }

  @Test func healthSaysHowTheSpoolIsDoing() throws {
    var node = node()
    _ = node.handle(.link(isConnected: true), at: now)
    let closed = try #require(health(&node, at: now))
    #expect(closed.state == .memory && closed.trouble != nil && closed.delivery == .broker)
    _ = node.handle(.spool(.opened(SpoolContents())), at: now)
    let fine = try #require(health(&node, at: now))
    #expect(fine.state == .disk && fine.trouble == nil && fine.unconfirmed == nil && fine.damaged == nil)
    let failed = node.handle(.spool(.state(SpoolCondition(trouble: "/s: no space"))), at: now)
    #expect(notes(failed).contains { $0.contains("/s: no space") })
    _ = node.handle(fix(1), at: now)
    _ = node.handle(.tick, at: now + 1)
    let degraded = try #require(health(&node, at: now + 1))
    #expect(degraded.state == .memory && degraded.trouble == "/s: no space" && degraded.unsaved == 1)
    _ = node.handle(.spool(.damaged(SpoolDamage("/s/1", isTorn: false))), at: now + 2)
    _ = node.handle(.acknowledged(AckMessage(boot: BootID(7), sequence: 0).encode()), at: now + 2)
    let fleet = try #require(health(&node, at: now + 2))
    #expect(fleet.damaged == 1 && fleet.delivery == .fleet && fleet.unconfirmed == 0)
  }

  @Test func aDiskThatFailsIsToldOnceWithWhatToDoAndOnceWhenItWorksAgain() {
    var node = node()
    var told = notes(node.handle(.spool(.opened(SpoolContents())), at: now))
    let full = SpoolCondition(trouble: "no space left on the disk of /s; make room there")
    for word in [.notStored(boot: BootID(7), [1]), .state(full), .state(full), .notStored(boot: BootID(7), [1])]
      as [SpoolWord]
    {
      told += notes(node.handle(.spool(word), at: now + 1))
    }
    told += notes(node.handle(.spool(.state(SpoolCondition())), at: now + 2))
    let expected = [
      "spool: nothing waits",
      "spool: no space left on the disk of /s; make room there; until then events are kept in memory (up to 1000 kB), "
        + "and a power cut would lose them",
      "spool: events are kept on the disk",
    ]
    #expect(told == expected)
  }

  @Test func theAgeOfThisRunsEventsNeedsNoCalendar() throws {
    var node = node()
    _ = node.handle(.clock(ClockState(wallAtStart: WallTime(seconds: 0), quality: .none)), at: now)
    _ = node.handle(.spool(.opened(SpoolContents())), at: now)
    _ = node.handle(fix(1), at: now)
    _ = node.handle(.tick, at: now + 1)
    // The spool has written it, and syncs it in a moment.
    _ = node.handle(.spool(.state(SpoolCondition(formerEvents: 0, bytes: 0, sizeBytes: 300))), at: now + 2)
    _ = node.handle(.spool(.stored(boot: BootID(7), [1])), at: now + 3)
    _ = node.handle(.spool(.state(SpoolCondition(formerEvents: 0, bytes: 280, sizeBytes: 300))), at: now + 4)
    #expect(node.pendingEvents == 1)
    _ = node.handle(.link(isConnected: true), at: now + 500)
    let found = try #require(health(&node, at: now + 500))
    #expect(found.oldestS.map { ($0 - 499).magnitude < 2 } == true, "\(String(describing: found.oldestS))")
    #expect(found.lastsS != nil && (280..<700).contains(found.bytes), "\(found)")
  }

  @Test func theAgeOfFormerRunsNeedsOne() throws {
    var node = node()
    var contents = SpoolContents()
    (contents.events, contents.boots) = (3, [BootID(3)])
    _ = node.handle(.spool(.opened(contents)), at: now)
    _ = node.handle(.link(isConnected: true), at: now)
    #expect(try #require(health(&node, at: now)).oldestS == nil)
    let born = WallTime(seconds: 1_800_000_000 - 3600)
    _ = node.handle(.spool(.state(SpoolCondition(formerEvents: 3, oldestBorn: born))), at: now)
    #expect(try #require(health(&node, at: now)).oldestS == 3700)
  }

  @Test func eventsOfAnotherNameAreSaidToBeThere() {
    var node = node()
    var contents = SpoolContents()
    contents.aside = "3 events of pump-7 are set aside"
    #expect(notes(node.handle(.spool(.opened(contents)), at: now)).contains("spool: 3 events of pump-7 are set aside"))
  }

  @Test func damageThatAnEarlierStartCouldNotTellIsCounted() throws {
    var node = node()
    var contents = SpoolContents()
    contents.evictions = [SpoolEviction(id: 1, boot: BootID(3), runs: [4...6], events: nil, bytes: 9, reason: .damaged)]
    _ = node.handle(.spool(.opened(contents)), at: now)
    _ = node.handle(.link(isConnected: true), at: now)
    #expect(try #require(health(&node, at: now)).damaged == 1)
  }

  @Test func whatTheFleetHasNotConfirmedIsWaitedForWhereNoDiskKeepsIt() {
    for isKept in [false, true] {
      var node = node {
        $0.outbox.hasSpool = isKept
        $0.outbox.delivery = .fleet
      }
      if isKept { _ = node.handle(.spool(.opened(SpoolContents())), at: now) }
      _ = node.handle(.link(isConnected: true), at: now)
      let sent = node.handle(fix(1), at: now) + node.handle(.tick, at: now + 1)
      for token in published(sent).compactMap(\.token) { _ = node.handle(.delivered(token), at: now + 2) }
      #expect(node.imminentEvents == (isKept ? 0 : 1))
      _ = node.handle(.acknowledged(AckMessage(boot: BootID(7), sequence: 1).encode()), at: now + 3)
      #expect(node.imminentEvents == 0)
    }
  }

  @Test func healthSaysHowLongTheRoomLasts() throws {
    var node = node {
      $0.outbox.spoolBytes = 1_000_000
      $0.location?.intervalS = 1
    }
    _ = node.handle(.spool(.opened(SpoolContents())), at: .start)
    #expect(node.outbox.lost.isEmpty)
    var bytes = 0
    for second in 1...1800 {
      let at = Instant(seconds: Double(second))
      for case .append(let event, _, _) in wishes(node.handle(fix(Double(second)), at: at)) {
        bytes += event.payload.count
        _ = node.handle(.spool(.stored(boot: BootID(7), [event.sequence])), at: at)
      }
    }
    _ = node.handle(.link(isConnected: true), at: Instant(seconds: 1800))
    let lastsS = try #require(health(&node, at: Instant(seconds: 1800))?.lastsS)
    let expected = Double(1_000_000 - bytes) / (Double(bytes) / 1800)
    #expect((lastsS / expected - 1).magnitude < 0.1, "\(lastsS) s, \(expected) s")
  }

  @Test func whatIsOnTheDiskDoesNotHoldUpTheEnd() {
    var node = node()
    _ = node.handle(.spool(.opened(SpoolContents())), at: now)
    _ = node.handle(fix(1), at: now)
    _ = node.handle(.tick, at: now + 1)
    #expect(node.unsavedEvents == 1 && node.pendingEvents == 1)
    _ = node.handle(.spool(.stored(boot: BootID(7), [1])), at: now + 2)
    #expect(node.unsavedEvents == 0 && node.pendingEvents == 1 && node.imminentEvents == 0)
  }

  @Test func otherSettingsOfTheOutboxTakeEffect() {
    var node = node { $0.outbox.hasSpool = false }
    for second in 1...40 {
      _ = node.handle(fix(Double(second)), at: now + Double(second))
    }
    let before = node.pendingEvents
    var settings = node.settings
    settings.outbox.memoryBytes = 1000
    settings.outbox.delivery = .fleet
    _ = node.reconfigure(settings, at: now + 60)
    #expect(before > 10 && node.pendingEvents < 10 && node.outbox.isFleet)
  }
}
