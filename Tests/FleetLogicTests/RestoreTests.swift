import FleetLogic
import Telemetry
import Testing

/// A fleet tool that is started anew.
@Suite struct RestoreTests {
  private let shake = Rule(name: "shake", kind: .shake)

  /// Tells sinks what is to be told, and the state that they know.
  private func tell(_ effects: [Effect], _ bench: inout Bench, _ store: inout MemoryStore) {
    store.take(effects)
    for case .alert(let alert) in effects { store.take(bench.fleet.handle(.told(alert), at: bench.now)) }
  }

  @Test func nodesAreAsTheyWere() throws {
    var bench = KeepingTests.bench()
    var store = MemoryStore()
    store.take(bench.send("a", .online(healthS: 60), boot: 1))
    for sequence in [1, 2, 3, 7] as [UInt64] { store.take(bench.send("a", .fix(), boot: 1, seq: sequence)) }
    store.take(bench.send("a", .online(healthS: 60), boot: 2))
    store.take(bench.send("a", .fix(50), boot: 2, seq: 1))
    store.take(bench.send("a", .noFix(), boot: 2, seq: 2))
    store.take(bench.send("a", .crossing(.leave), boot: 2, seq: 5))
    store.take(bench.send("a", .face(.zUp), boot: 2, seq: 6))
    store.take(bench.send("a", .shake(4), boot: 2, seq: 8))
    store.take(bench.send("a", .health, boot: 2))
    let before = try #require(bench.node("a"))
    _ = bench.pass(5)
    _ = bench.restart(store)
    let after = try #require(bench.node("a"))
    #expect(after.boot == BootID(2))
    #expect(after.formerBoots == [BootID(1)])
    #expect(after.lastSequence == 8)
    #expect(after.missing == before.missing)
    #expect(after.missing == 3)
    #expect(after.presence == .online)
    #expect(after.silenceS == 150)
    #expect(after.agent == "0.1.0")
    #expect(after.position?.content == before.position?.content)
    #expect(after.location?.content == before.location?.content)
    #expect(after.orientation?.content == before.orientation?.content)
    #expect(after.shake?.content == before.shake?.content)
    #expect(after.health?.content == before.health?.content)
    #expect(after.crossings.mapValues(\.content) == before.crossings.mapValues(\.content))
    #expect(after.age(at: bench.now, bench.fleet.clock) == 6)
    #expect(after.fixAge(at: bench.now, bench.fleet.clock) == 36)
  }

  @Test func whatCameBeforeIsADuplicateAndOfFormerRunsStillSo() {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    store.take(bench.send("a", .online(), boot: 1))
    store.take(bench.send("a", .fix(), boot: 1, seq: 1))
    store.take(bench.send("a", .online(), boot: 2))
    store.take(bench.send("a", .fix(), boot: 2, seq: 1))
    _ = bench.restart(store)
    #expect(bench.send("a", .fix(), boot: 1, seq: 1).changes.isEmpty)
    #expect(bench.send("a", .fix(), boot: 2, seq: 1).changes.isEmpty)
    #expect(bench.fleet.tally.duplicates == 2)
    #expect(bench.send("a", .shake(1), boot: 1, seq: 2).alerts.isEmpty, "of a run that is over")
    #expect(bench.node("a")?.boot == BootID(2))
  }

  @Test func noAlertIsToldAgainAndItGoesOn() throws {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    store.take(bench.send("a", .online()))
    let fired = bench.send("a", .shake(1), seq: 1)
    tell(fired, &bench, &store)
    let id = try #require(fired.fullAlerts.first?.id)
    #expect(bench.restart(store).alerts.isEmpty)
    #expect(bench.fleet.firingCount == 1)
    #expect(bench.send("a", .shake(1), seq: 1).alerts.isEmpty, "its event is sent again")
    #expect(bench.send("a", .shake(1, .ended), seq: 2).alerts.isEmpty)
    let resolved = try #require(bench.pass(11).fullAlerts.first)
    #expect(resolved.state == .resolved)
    #expect(resolved.id == id)
    #expect(resolved.count == 1)
  }

  @Test func whatFiredAndWasNotToldIsToldOnce() {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    store.take(bench.send("a", .shake(1)))
    let again = bench.restart(store)
    #expect(again.alerts == ["shake a firing 1"])
    #expect(again.fullAlerts.map(\.mayHaveBeenTold) == [true])
    tell(again, &bench, &store)
    #expect(bench.restart(store).alerts.isEmpty)
  }

  @Test func whatWasOverMeanwhileIsToldInOrder() throws {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    store.take(bench.send("a", .shake(1)))
    store.take(bench.send("a", .shake(1, .ended)))
    store.take(bench.pass(11))
    let again = bench.restart(store)
    #expect(again.alerts == ["shake a firing 1", "shake a resolved 1"])
    // The broker may know of neither; until it does, both count as untold.
    tell(again, &bench, &store)
    #expect(store.alerts["shake/a"]?.untold.count == 2)
    let late = bench.pass(6)
    store.take(late)
    let published = late.publications.filter { $0.topic.contains("alerts") }
    #expect(try published.prefix(2).map { try AlertMessage.decode(payload: $0.payload).state } == [.firing, .resolved])
    #expect(published.dropFirst(2).map(\.payload) == [[]])
    #expect(store.alerts["shake/a"]?.untold.isEmpty == true)
    store.take(bench.pass(600))
    #expect(store.alerts.isEmpty)
  }

  /// Killed after both were published, and before that was on the disk.
  @Test func whatTheBrokerHasTheEndOfIsNotPublishedAgain() throws {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    store.take(bench.send("a", .shake(1)))
    store.take(bench.send("a", .shake(1, .ended)))
    let over = bench.pass(11)
    store.take(over)
    let end = try #require(over.publications.last { $0.topic.contains("alerts") })
    #expect(try AlertMessage.decode(payload: end.payload).state == .resolved, "not taken away yet")
    tell(bench.restart(store), &bench, &store)
    let taken = bench.raw(end.topic, end.payload, retained: true)
    store.take(taken)
    #expect(taken.publications.allSatisfy { $0.topic != end.topic || $0.payload.isEmpty })
    #expect(store.alerts["shake/a"]?.untold.isEmpty == true)
    #expect(!bench.pass(20).publications.contains { $0.topic == end.topic })
  }

  @Test func anAlertIsTakenAwayOnceItsEndWasTold() throws {
    var bench = KeepingTests.bench([shake])
    bench.send("a", .shake(1))
    bench.send("a", .shake(1, .ended))
    let over = bench.pass(11)
    let topic = "judder-fleet/alerts/shake/a"
    #expect(over.publications.filter { $0.topic == topic && $0.payload.isEmpty }.isEmpty)
    let resolved = try #require(over.fullAlerts.last)
    #expect(
      bench.fleet.handle(.told(resolved), at: bench.now).publications == [
        Publication(topic: topic, payload: [], retained: true)
      ])
  }

  @Test func aConditionThatEndedMeanwhileResolves() {
    var bench = KeepingTests.bench([Rule(name: "lost-fix", kind: .lostFix)])
    var store = MemoryStore()
    store.take(bench.send("a", .online()))
    store.take(bench.send("a", .noFix()))
    tell(bench.pass(61), &bench, &store)
    _ = bench.restart(store, after: 600)
    store.take(bench.send("a", .fix()))
    #expect(bench.pass(29).alerts.isEmpty)
    #expect(bench.pass(2).alerts == ["lost-fix a resolved 1"])
  }

  @Test func whatIsLeftOfADeadlineIsWaitedFor() {
    var bench = KeepingTests.bench([Rule(name: "lost-fix", kind: .lostFix)])
    var store = MemoryStore()
    store.take(bench.send("a", .online()))
    store.take(bench.send("a", .noFix()))
    _ = bench.pass(40)
    // The run was there until then: so much of the 60 s is over.
    store.take(bench.send("a", .face(.zUp)))
    #expect(bench.restart(store, after: 3600).alerts.isEmpty)
    #expect(bench.pass(19).alerts.isEmpty)
    #expect(bench.pass(1.5).alerts == ["lost-fix a firing 1"])
  }

  @Test func aCleanStopKeepsWhatIsLeft() {
    var bench = KeepingTests.bench([Rule(name: "lost-fix", kind: .lostFix)])
    var store = MemoryStore()
    store.take(bench.send("a", .online()))
    store.take(bench.send("a", .noFix()))
    _ = bench.pass(50)
    store.take(bench.fleet.handle(.stop, at: bench.now))
    _ = bench.restart(store)
    #expect(bench.pass(9.5).alerts.isEmpty)
    #expect(bench.pass(1).alerts == ["lost-fix a firing 1"])
  }

  /// What the broker kept for the fleet tool comes first: a position may be among it.
  @Test func aDeadlineThatIsDueWaitsForWhatTheBrokerKept() {
    var bench = KeepingTests.bench([Rule(name: "lost-fix", kind: .lostFix)])
    var store = MemoryStore()
    store.take(bench.send("a", .online()))
    store.take(bench.send("a", .noFix()))
    _ = bench.pass(59.9)
    store.take(bench.send("a", .face(.zUp)))
    #expect(bench.restart(store).alerts.isEmpty)
    #expect(bench.pass(1).alerts.isEmpty)
    bench.send("a", .fix())
    #expect(bench.pass(100).alerts.isEmpty)
  }

  @Test func aSilentNodeStaysSilentAndComesBack() {
    var bench = KeepingTests.bench([Rule(name: "silent", kind: .silent)])
    var store = MemoryStore()
    store.take(bench.send("a", .online(healthS: 10)))
    tell(bench.pass(26), &bench, &store)
    #expect(bench.restart(store).alerts.isEmpty)
    #expect(bench.node("a")?.presence == .silent)
    #expect(bench.pass(3600).alerts.isEmpty)
    bench.send("a", .health)
    #expect(bench.pass(11).alerts == ["silent a resolved 1"])
  }

  @Test func anAlertWhoseRuleIsGoneIsForgotten() {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    store.take(bench.send("a", .shake(1)))
    bench = KeepingTests.bench([Rule(name: "another", kind: .shake)])
    let effects = bench.restart(store)
    store.take(effects)
    #expect(effects.alerts == ["shake a firing 1", "shake a resolved 1"], "nobody knows whether it was told")
    for alert in effects.fullAlerts { store.take(bench.fleet.handle(.told(alert), at: bench.now)) }
    #expect(store.alerts.isEmpty)
    #expect(bench.fleet.firingCount == 0)
  }

  // MARK: What the broker kept

  @Test func whatTheBrokerStillHasIsNotPublishedAgain() throws {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    let fired = bench.send("a", .shake(1))
    tell(fired, &bench, &store)
    let alert = try #require(fired.publications.first { $0.topic.contains("alerts") })
    let start = bench.restart(store)
    #expect(!start.publications.contains { $0.topic == alert.topic })
    #expect(!bench.raw(alert.topic, alert.payload, retained: true).publications.contains { $0.topic == alert.topic })
    #expect(!bench.pass(8).publications.contains { $0.topic == alert.topic })
    #expect(bench.fleet.firingCount == 1)
  }

  @Test func whatTheBrokerHasLostIsPublishedAgain() throws {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    tell(bench.send("a", .shake(1)), &bench, &store)
    _ = bench.restart(store)
    #expect(bench.pass(4.9).publications.filter { $0.topic.contains("alerts") }.isEmpty)
    let published = bench.pass(0.2).publications.filter { $0.topic.contains("alerts") }
    #expect(try published.map { try AlertMessage.decode(payload: $0.payload).state } == [.firing])
  }

  @Test func whatIsOverByTheStoreIsEndedAtTheBroker() throws {
    var bench = KeepingTests.bench([shake])
    var store = MemoryStore()
    let fired = bench.send("a", .shake(1))
    tell(fired, &bench, &store)
    let alert = try #require(fired.publications.first { $0.topic.contains("alerts") })
    store.take(bench.send("a", .shake(1, .ended)))
    _ = bench.fleet.handle(.disconnected(reason: "x"), at: bench.now)
    store.take(bench.send("b", .online()))
    _ = bench.fleet.handle(.connected, at: bench.now)
    tell(bench.pass(11), &bench, &store)
    _ = bench.restart(store)
    let ended = bench.raw(alert.topic, alert.payload, retained: true).publications
    #expect(ended.map(\.topic) == [alert.topic, alert.topic])
    #expect(try AlertMessage.decode(payload: ended[0].payload).state == .resolved)
    #expect(ended[1].payload.isEmpty)
    #expect(bench.fleet.firingCount == 0)
  }

  @Test func withAnEmptyStoreTheBrokersAlertsAreTakenOver() throws {
    var bench = KeepingTests.bench([shake])
    let fired = bench.send("a", .shake(1))
    let alert = try #require(fired.publications.first { $0.topic.contains("alerts") })
    _ = bench.restart(MemoryStore())
    #expect(bench.raw(alert.topic, alert.payload, retained: true).alerts.isEmpty)
    #expect(bench.fleet.firingCount == 1)
  }
}
