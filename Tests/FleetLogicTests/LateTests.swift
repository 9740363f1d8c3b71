import FleetLogic
import Telemetry
import Testing

/// Events that are no news. Peer complaints 14 (a backlog stamped on arrival) and 15 (stale updates taken as live).
@Suite struct LateTests {
  private let shake = Rule(name: "shake", kind: .shake)

  @Test func anEventMeasuredLongBeforeIsLateByTheCalendar() throws {
    var bench = Bench(rule: shake)
    bench.send("a", .online())
    let effects = bench.send("a", .shake(1), sentAgo: 3600)
    #expect(effects.alerts.isEmpty)
    let change = try #require(effects.changes.last)
    #expect(change.late == Lateness(.age, ageS: 3600))
    #expect(PlainLine.of(change)?.hasSuffix("a shake began, peak 1.80 g, 60 min ago") == true)
    let json = String(
      decoding: FleetJSON.change(change, try #require(bench.node("a")), bench.fleet.clock), as: UTF8.self)
    #expect(json.contains(#""late":"age","age_s":3600"#))
  }

  /// The node says in its status how long it has run; the event says when in that run it was.
  @Test func anEventIsLateByTheNodesOwnTimeWithoutAnyClock() throws {
    var bench = Bench(rule: shake)
    bench.send("a", .online(), clock: .none)
    let effects = bench.send("a", .shake(1), clock: .none, sentAgo: 301)
    #expect(effects.alerts.isEmpty)
    #expect(effects.changes.last?.late == Lateness(.age, ageS: 301))
    #expect(bench.send("a", .shake(2), clock: .none, sentAgo: 299).alerts == ["shake a firing 1"])
  }

  /// Its clock may be wrong for ever; what it says live tells by how much it is behind.
  @Test(arguments: [ClockQuality.ntp, .rtc, .none], [-600.0, -86_400, 0, 600, 34_560_000])
  func aWrongClockMakesNoLiveShakeLate(quality: ClockQuality, offS: Double) {
    var bench = Bench(rule: shake)
    bench.send("a", .online(), clock: quality, offS: offS)
    _ = bench.pass(5)
    bench.send("a", .acceleration(), clock: quality, offS: offS)
    _ = bench.pass(1)
    #expect(bench.send("a", .shake(1), clock: quality, offS: offS).alerts == ["shake a firing 1"])
    let late = bench.send("a", .shake(2), clock: quality, sentAgo: 3600, offS: offS).changes.last?.late
    #expect(late?.cause == .age, "\(late as Lateness?)")
  }

  @Test func aClockThatIsSetBackMakesNothingLateEither() {
    var bench = Bench(rule: shake)
    bench.send("a", .online())
    bench.send("a", .acceleration(), offS: -7200)
    #expect(bench.send("a", .shake(1), offS: -7200).alerts == ["shake a firing 1"])
  }

  /// What waited at the broker while the fleet tool was away says nothing about clocks.
  @Test func aStatusThatWaitedMakesNothingNews() {
    var bench = Bench(FleetState.Configuration(rules: [shake]))
    bench.send("a", .online(), sentAgo: 7200)
    #expect(bench.send("a", .shake(1), sentAgo: 7100).alerts.isEmpty)
    // From then on the node is known to be two hours behind.
    bench.send("a", .acceleration(), offS: -7200)
    #expect(bench.send("a", .shake(2), offS: -7200).alerts == ["shake a firing 1"])
  }

  @Test func aRestartKnowsHowFarAClockIsBehind() {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    store.take(bench.send("a", .online(), offS: -600))
    store.take(bench.send("a", .acceleration(), offS: -600))
    _ = bench.restart(store)
    #expect(bench.send("a", .shake(1), offS: -600).alerts == ["shake a firing 1"])
  }

  /// A machine that slept: its monotonic time stood, and what comes after is no older for that.
  @Test func aSleepMakesNothingLate() {
    var bench = Bench(rule: shake)
    bench.send("a", .online(), clock: .none)
    var envelope = Envelope(boot: BootID(1), sequence: 1)
    envelope.time = WallTime(seconds: Bench.epoch)
    envelope.clock = ClockQuality.none
    envelope.uptime = 100_000 - 100
    _ = bench.pass(7 * 3600)
    let payload = Telegram(envelope, .shake(1)).encode()
    #expect(bench.raw("judder/a/shake", payload).alerts == ["shake a firing 1"])
  }

  @Test func backlogAndFormerRunsAreLateHoweverYoung() {
    var bench = Bench(rule: shake)
    bench.send("a", .online(), boot: 1)
    #expect(bench.send("a", .noFix(backlog: true), boot: 1).changes.last?.late?.cause == .backlog)
    bench.send("a", .online(), boot: 2)
    let former = bench.send("a", .shake(1), boot: 1)
    #expect(former.alerts.isEmpty)
    #expect(former.changes.last?.late?.cause == .formerBoot)
  }

  @Test func newsIsNotCalledLate() {
    var bench = Bench(rule: shake)
    bench.send("a", .online())
    #expect(bench.send("a", .shake(1)).changes.allSatisfy { $0.late == nil })
    #expect(bench.send("a", .fix(), retained: true).changes.allSatisfy { $0.late == nil })
  }

  /// It still holds, so it is told, and how long ago it was.
  @Test func aCrossingOfLongAgoSaysSo() throws {
    var geofence = Condition.Geofence()
    geofence.fence = "depot"
    let rule = Rule(name: "fence", .geofence(geofence))
    var bench = Bench(rule: rule)
    let alert = try #require(bench.send("a", .crossing(.leave), sentAgo: 3600).fullAlerts.first)
    #expect(PlainLine.of(alert).contains("firing (warning, 60 min ago): a left"))
  }
}

/// Numbers that are not what they seem. Peer complaint 29: two devices with one name.
@Suite struct DoubtTests {
  @Test func anotherEventUnderTheSameNumberIsAConflictAndTheFirstStays() throws {
    var bench = KeepingTests.bench()
    bench.send("a", .online())
    bench.send("a", .fix(10), seq: 4)
    let effects = bench.send("a", .fix(20), seq: 4)
    #expect(effects.keptEvents.first?.doubt == .conflict)
    #expect(bench.node("a")?.conflicts == 1)
    #expect(bench.node("a")?.position?.content.latitude == 10)
    #expect(effects.logLines.contains { $0.contains("number 4 of run 00000001 came again with another content") })
    let change = try #require(effects.changes.first)
    #expect(PlainLine.of(change)?.contains("a conflict? number 4") == true)
    #expect(FleetTable(width: 200).lines(bench.fleet, at: bench.now).contains { $0.contains("conflicts 1") })
    let json = FleetJSON.change(change, try #require(bench.node("a")), bench.fleet.clock)
    #expect(String(decoding: json, as: UTF8.self).contains(#""conflicts":1"#))
  }

  /// Sent again after an outage, marked as backlog, its time put right: still the same event.
  @Test func theSameEventWithABetterTimeIsNoConflict() {
    var bench = KeepingTests.bench()
    bench.send("a", .fix(10), seq: 4, clock: .none)
    var envelope = Envelope(boot: BootID(1), sequence: 4)
    envelope.time = WallTime(seconds: Bench.epoch - 5000)
    envelope.clock = .ntp
    envelope.uptime = 100_000 - 100
    let again = bench.raw("judder/a/location", Telegram(envelope, .fix(10, backlog: true)).encode())
    #expect(again.keptEvents.first?.doubt == nil)
    #expect(bench.node("a")?.conflicts == 0)
  }

  @Test func whatTheStoreFindsCountsOnce() throws {
    var bench = KeepingTests.bench()
    bench.send("a", .fix(10), seq: 4)
    let known = try #require(bench.send("a", .fix(20), seq: 4).keptEvents.first)
    for sequence in 5...40 as ClosedRange<UInt64> { bench.send("a", .fix(), seq: sequence) }
    let other = try #require(bench.send("a", .fix(30), seq: 4).keptEvents.first)
    #expect(other.doubt == nil, "no longer remembered")
    #expect(bench.node("a")?.conflicts == 1)
    _ = bench.fleet.handle(.conflict(known), at: bench.now)
    #expect(bench.node("a")?.conflicts == 1)
    _ = bench.fleet.handle(.conflict(other), at: bench.now)
    #expect(bench.node("a")?.conflicts == 2)
  }

  @Test func aNumberThatGoesBackIsFlagged() {
    var bench = KeepingTests.bench()
    bench.send("a", .online())
    for sequence in 100...110 as ClosedRange<UInt64> { bench.send("a", .fix(), seq: sequence) }
    _ = bench.pass(600)
    // An older one that was held up is nothing odd.
    #expect(bench.send("a", .fix(), seq: 90, sentAgo: 900).keptEvents.first?.doubt == nil)
    let effects = bench.send("a", .fix(), seq: 1)
    #expect(effects.keptEvents.first?.doubt == .backwards)
    #expect(effects.logLines.contains { $0.contains("number 1 of run 00000001 is newer than") })
    #expect(bench.node("a")?.replays == 1)
  }

  /// Something told long after it was measured has a high number and an old time: what came between is not newer.
  @Test func whatWasMeasuredLongBeforeItGotItsNumberMakesNothingGoBack() {
    var bench = KeepingTests.bench()
    bench.send("a", .online())
    for sequence in 100...110 as ClosedRange<UInt64> { bench.send("a", .fix(), seq: sequence) }
    _ = bench.pass(600)
    bench.send("a", .acceleration())
    #expect(bench.send("a", .fix(), seq: 200, sentAgo: 500).keptEvents.first?.doubt == nil)
    let held = bench.send("a", .fix(), seq: 150, sentAgo: 100)
    #expect(held.keptEvents.first?.doubt == nil && held.logLines.isEmpty, "\(held.logLines)")
    // What really counts anew is seen all the same.
    _ = bench.pass(120)
    #expect(bench.send("a", .fix(), seq: 2).keptEvents.first?.doubt == .backwards)
  }

  @Test func twoDevicesWithOneNameAreSaidInTheLog() {
    var bench = KeepingTests.bench()
    var lines: [String] = []
    var kept: [KeptEvent] = []
    for number in 0..<6 as Range<UInt64> {
      for boot in [1, 2] as [UInt32] {
        lines += bench.send("a", .acceleration(), boot: boot).logLines
        let event = bench.send("a", .shake(1), boot: boot, seq: number + 1)
        lines += event.logLines
        kept += event.keptEvents
      }
    }
    #expect(lines.filter { $0.contains("two devices use one name") }.count == 1)
    #expect(kept.contains { $0.doubt == .clone })
    #expect(kept.count == 12, "all of it is kept")
  }
}

/// Events that a node gave up.
@Suite struct EvictedTests {
  private func evicted(_ message: EvictedMessage) -> Telegram.Body { .evicted(message) }

  @Test func exactRunsExplainWhatIsMissing() throws {
    var bench = KeepingTests.bench()
    bench.send("a", .online())
    bench.send("a", .fix(), seq: 4)
    bench.send("a", .fix(), seq: 301)
    #expect(bench.node("a")?.missing == 296)
    let effects = bench.send(
      "a",
      evicted(
        EvictedMessage(first: 5, last: 300, runs: [5...64, 241...300], count: 120, counts: [.location: 120], .cap)),
      seq: 302)
    #expect(bench.node("a")?.missing == 176)
    #expect(bench.node("a")?.evicted == [.cap: 120])
    let line = effects.changes.compactMap { PlainLine.of($0) }.last
    #expect(line?.hasSuffix("a gave up 120 locations, seq 5 to 300: no room") == true, "\(line ?? "")")
    let eviction = try #require(effects.keptEvents.first?.eviction)
    #expect(eviction.runs == [5...64, 241...300])
    #expect(eviction.boot == BootID(1))
  }

  /// A node that lost its power after it had told, and before it had kept that, tells again.
  @Test func whatIsToldTwiceCountsOnce() {
    var bench = KeepingTests.bench()
    bench.send("a", .online())
    bench.send("a", .fix(), seq: 1)
    bench.send("a", evicted(EvictedMessage(first: 2, last: 9, count: 8, .cap)), seq: 10)
    bench.send("a", .online(), boot: 2)
    bench.send("a", evicted(EvictedMessage(boot: BootID(1), first: 2, last: 9, count: 8, .cap)), boot: 2, seq: 1)
    #expect(bench.node("a")?.evicted == [.cap: 8])
    let more = EvictedMessage(boot: BootID(1), first: 2, last: 12, runs: [2...10, 12...12], count: 10, .cap)
    bench.send("a", evicted(more), boot: 2, seq: 2)
    #expect(bench.node("a")?.evicted == [.cap: 10], "of which two are new")
    for sequence in 3...4 as ClosedRange<UInt64> {
      let damage = EvictedMessage(boot: BootID(1), first: 20, last: 50, count: nil, bytes: 1530, .damaged)
      bench.send("a", evicted(damage), boot: 2, seq: sequence)
    }
    #expect(bench.node("a")?.damages == 1)
  }

  @Test func boundsExplainAndAreNotTakenForExact() throws {
    var bench = KeepingTests.bench()
    bench.send("a", .online())
    bench.send("a", .fix(), seq: 1)
    bench.send("a", .fix(), seq: 100)
    let effects = bench.send(
      "a", evicted(EvictedMessage(first: 10, last: 50, count: nil, bytes: 1530, .damaged)), seq: 101)
    #expect(bench.node("a")?.missing == 98 - 41)
    #expect(bench.node("a")?.evicted.isEmpty == true)
    #expect(bench.node("a")?.damages == 1)
    #expect(effects.keptEvents.first?.eviction?.runs == nil)
    let line = effects.changes.compactMap { PlainLine.of($0) }.last
    #expect(line?.hasSuffix("could not read back all it had kept, seq 10 to 50 or less, 1530 bytes") == true)
  }

  @Test func anotherRunsNumbersExplainNothingOfThisOne() {
    var bench = KeepingTests.bench()
    bench.send("a", .online(), boot: 1)
    bench.send("a", .fix(), boot: 1, seq: 1)
    bench.send("a", .online(), boot: 2)
    bench.send("a", .fix(), boot: 2, seq: 1)
    bench.send("a", .fix(), boot: 2, seq: 11)
    bench.send("a", evicted(EvictedMessage(boot: BootID(1), first: 2, last: 10, count: 9, .age)), boot: 2, seq: 12)
    #expect(bench.node("a")?.missing == 9)
  }

  @Test func outlastsARestart() {
    var bench = KeepingTests.bench()
    var store = MemoryStore()
    store.take(bench.send("a", .online()))
    store.take(bench.send("a", .fix(), seq: 1))
    store.take(bench.send("a", evicted(EvictedMessage(first: 2, last: 5, count: 4, .cap)), seq: 8))
    _ = bench.restart(store)
    #expect(bench.node("a")?.missing == 2)
  }

  @Test func countsOfAnySizeAreAddedUp() {
    var bench = KeepingTests.bench()
    bench.send("a", .online())
    let most: UInt64 = 1 << 53
    let hostile = EvictedMessage(boot: BootID(9), first: 1, last: most, count: 1 << 53, .cap)
    for sequence in 1...1100 as ClosedRange<UInt64> {
      bench.send("a", evicted(hostile), seq: sequence)
      let damage = EvictedMessage(first: sequence, last: most, count: 1 << 53, bytes: 1, .damaged)
      bench.send("a", evicted(damage), seq: 10_000 + sequence)
    }
    #expect(bench.node("a")?.evicted == [.cap: .max, .damaged: .max])
  }
}
