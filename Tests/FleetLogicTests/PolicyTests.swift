import FleetLogic
import Telemetry
import Testing

/// Which alerts people are told of, and when again.
@Suite struct PolicyTests {
  private static func lostFix(_ change: (inout Rule) -> Void = { _ in }) -> Rule {
    var rule = Rule(name: "lost-fix", kind: .lostFix)
    rule.forS = 10
    rule.clearForS = 5
    change(&rule)
    return rule
  }

  private static func bench(_ rule: Rule, _ change: (inout FleetState.Configuration) -> Void = { _ in }) -> Bench {
    var configuration = FleetState.Configuration(graceS: 0, rules: [rule], keeps: true)
    change(&configuration)
    return Bench(configuration)
  }

  private static func order(_ bench: inout Bench, _ order: Order) -> (answer: OrderAnswer?, effects: [Effect]) {
    let effects = bench.fleet.handle(.order(order, id: "1"), at: bench.now)
    let answers = effects.compactMap { if case .answer(let answer, id: "1") = $0 { answer } else { nil } }
    return (answers.first, effects)
  }

  private static func silence(
    _ bench: Bench, _ matchers: Matchers = Matchers(), startS: Double = 0, endS: Double = 100
  ) -> Order {
    let now = WallTime(seconds: Bench.epoch + bench.now.seconds)
    return .silence(
      Silence(
        id: "s1", matchers, start: now + startS, end: now + endS, author: "kim", comment: "known", made: now))
  }

  private static func lose(_ bench: inout Bench, _ node: String = "a") -> [Effect] {
    bench.send(node, .online(healthS: 10_000))
    bench.send(node, .fix())
    bench.send(node, .noFix())
    return bench.pass(11)
  }

  // MARK: Repeats and acknowledgements

  @Test func whatFiresStillIsToldAgainUntilSomebodyLooksAfterIt() throws {
    var bench = Self.bench(Self.lostFix { $0.repeatS = 60 })
    #expect(Self.lose(&bench).alerts == ["lost-fix a firing 1"])
    let again = bench.pass(125).fullAlerts
    #expect(again.map(\.isRepeated) == [true, true])
    #expect(Set(again.map(\.id)).count == 1)
    let (answer, effects) = Self.order(
      &bench, .acknowledge(Matchers(rule: NamePattern("lost-*")), author: "kim", comment: "on my way"))
    #expect(answer?.isDone == true)
    #expect(answer?.alerts == ["lost-fix a"])
    #expect(
      effects.publications.contains {
        String(decoding: $0.payload, as: UTF8.self).contains(#""acknowledged_by":"kim""#)
      })
    #expect(bench.pass(600).alerts.isEmpty)
    bench.send("a", .fix())
    #expect(bench.pass(10).alerts == ["lost-fix a resolved 1"])
    // The next one is another matter.
    bench.send("a", .noFix())
    #expect(bench.pass(75).alerts == ["lost-fix a firing 1", "lost-fix a firing 1"])
  }

  @Test func whatIsAcknowledgedNoMoreIsToldAgain() {
    var bench = Self.bench(Self.lostFix { $0.repeatS = 60 })
    _ = Self.lose(&bench)
    _ = Self.order(&bench, .acknowledge(Matchers(), author: "kim", comment: ""))
    #expect(bench.pass(300).alerts.isEmpty)
    #expect(Self.order(&bench, .unacknowledge(Matchers(), author: "kim")).answer?.isDone == true)
    #expect(bench.pass(61).alerts.count == 1)
  }

  @Test func nothingToAcknowledgeIsSaid() {
    var bench = Self.bench(Self.lostFix())
    #expect(Self.order(&bench, .acknowledge(Matchers(), author: "kim", comment: "")).answer?.isDone == false)
    #expect(Self.order(&bench, .unsilence(id: "x", author: "kim")).answer?.isDone == false)
  }

  // MARK: Silences

  @Test func aSilencedAlertIsPublishedAndNotTold() throws {
    var bench = Self.bench(Self.lostFix())
    #expect(Self.order(&bench, Self.silence(bench)).answer?.isDone == true)
    let effects = Self.lose(&bench)
    #expect(effects.alerts.isEmpty)
    let published = try #require(effects.publications.last { $0.topic.hasSuffix("/alerts/lost-fix/a") })
    #expect(String(decoding: published.payload, as: UTF8.self).contains(#""muted":"silenced""#))
    #expect(bench.fleet.firingAlerts(at: bench.now).first?.mute?.reason.contains("kim silenced it") == true)
    // It ends, and the alert fires still.
    let later = bench.pass(100)
    #expect(later.alerts == ["lost-fix a firing 1"])
    let last = try #require(later.publications.last)
    #expect(!String(decoding: last.payload, as: UTF8.self).contains("muted"))
  }

  @Test func whatEndsWhileItIsSilencedIsNeverTold() {
    var bench = Self.bench(Self.lostFix())
    _ = Self.order(&bench, Self.silence(bench))
    _ = Self.lose(&bench)
    bench.send("a", .fix())
    let effects = bench.pass(200)
    #expect(effects.alerts.isEmpty)
    #expect(effects.publications.last { $0.topic.contains("/alerts/") }?.payload == [])
    #expect(bench.fleet.knownSilences.isEmpty)
  }

  @Test func theEndOfWhatWasToldIsToldThoughItIsSilencedSince() {
    var bench = Self.bench(Self.lostFix { $0.repeatS = 60 })
    _ = Self.lose(&bench)
    _ = Self.order(&bench, Self.silence(bench, endS: 1000))
    #expect(bench.pass(300).alerts.isEmpty)
    bench.send("a", .fix())
    #expect(bench.pass(10).alerts == ["lost-fix a resolved 1"])
  }

  @Test func onlyWhatFitsIsSilenced() {
    var bench = Self.bench(Self.lostFix())
    _ = Self.order(&bench, Self.silence(bench, Matchers(subject: NamePattern("b*"))))
    #expect(Self.lose(&bench).alerts == ["lost-fix a firing 1"])
    #expect(Self.lose(&bench, "b1").alerts.isEmpty)
  }

  @Test func aSilenceBeginsWhenItSays() {
    var bench = Self.bench(Self.lostFix { $0.repeatS = 60 })
    _ = Self.order(&bench, Self.silence(bench, startS: 100, endS: 200))
    #expect(Self.lose(&bench).alerts.count == 1)
    #expect(bench.pass(61).alerts.count == 1)
    #expect(bench.pass(120).alerts.isEmpty)
    #expect(bench.pass(60).alerts.count == 1)
  }

  @Test func aSilenceThatIsEndedEarlyLetsTell() {
    var bench = Self.bench(Self.lostFix())
    _ = Self.order(&bench, Self.silence(bench, endS: 10_000))
    _ = Self.lose(&bench)
    let (answer, effects) = Self.order(&bench, .unsilence(id: "s1", author: "kim"))
    #expect(answer?.isDone == true)
    #expect((effects + bench.pass(1)).alerts == ["lost-fix a firing 1"])
  }

  @Test func aSilenceOfThePastIsRefused() {
    var bench = Self.bench(Self.lostFix())
    #expect(Self.order(&bench, Self.silence(bench, startS: -100, endS: -50)).answer?.isDone == false)
    #expect(Self.order(&bench, Self.silence(bench, startS: 100, endS: 50)).answer?.isDone == false)
  }

  // MARK: Times

  @Test func aWindowOfMaintenanceHoldsBackAndLetsGo() {
    var bench = Self.bench(Self.lostFix()) { configuration in
      configuration.windows = [
        Window(
          name: "works", .once(from: WallTime(seconds: Bench.epoch), to: WallTime(seconds: Bench.epoch + 100)),
          maintenance: Scope(nodes: [NamePattern("a")]))
      ]
    }
    #expect(Self.lose(&bench).alerts.isEmpty)
    #expect(Self.lose(&bench, "b").alerts == ["lost-fix b firing 1"])
    #expect(bench.pass(100).alerts == ["lost-fix a firing 1"])
  }

  @Test func aWeeklyWindowGoesPastMidnightByLocalTime() {
    // 2026-12-01 is a Tuesday; the zone is an hour ahead.
    let window = Window(
      name: "night", .weekly(days: [0], fromS: 22 * 3600, toS: 6 * 3600), zone: Zone(offsetS: 3600))
    func isOpen(_ text: String) -> Bool { WallTime(rfc3339: text).map { window.contains($0) } ?? false }
    #expect(!isOpen("2026-11-30T20:59:59Z"))
    #expect(isOpen("2026-11-30T21:00:00Z"))
    #expect(isOpen("2026-12-01T04:59:59Z"))
    #expect(!isOpen("2026-12-01T05:00:00Z"))
    #expect(!isOpen("2026-12-01T21:30:00Z"))
  }

  @Test func aZoneChangesItsOffset() throws {
    let change = try #require(WallTime(rfc3339: "2027-03-28T01:00:00Z"))
    let zone = Zone(offsetS: 3600, changes: [Zone.Change(from: change, offsetS: 7200)])
    let window = Window(name: "morning", .weekly(days: Set(0..<7), fromS: 7 * 3600, toS: 8 * 3600), zone: zone)
    #expect(window.contains(try #require(WallTime(rfc3339: "2027-03-27T06:30:00Z"))))
    #expect(window.contains(try #require(WallTime(rfc3339: "2027-03-28T05:30:00Z"))))
    #expect(!window.contains(try #require(WallTime(rfc3339: "2027-03-28T06:30:00Z"))))
  }

  // MARK: Inhibition

  @Test func aSilentNodeMutesWhatItSaidLast() {
    var bench = Self.bench(Self.lostFix { $0.repeatS = 60 })
    _ = Self.lose(&bench)
    _ = bench.will("a")
    #expect(bench.fleet.firingAlerts(at: bench.now).first?.mute?.cause == .inhibited)
    #expect(bench.pass(600).alerts.isEmpty)
    bench.send("a", .online(healthS: 10_000))
    bench.send("a", .noFix())
    #expect(bench.pass(61).alerts == ["lost-fix a firing 1"])
  }

  // MARK: Sites

  private static func site(_ count: Int, store: Bool = true) -> Bench {
    var silence = Condition.Silence()
    silence.holdS = 30
    let rule = Rule(name: "silent", .silent(silence))
    var bench = bench(rule) { configuration in
      for index in 0..<count {
        guard let name = NodeName("n\(index)") else { continue }
        configuration.labels[name] = Label(site: "north")
      }
    }
    for index in 0..<count { bench.send("n\(index)", .online(healthS: 10_000)) }
    bench.send("other", .online(healthS: 10_000))
    return bench
  }

  @Test func aSiteWhoseBrokerIsDownIsOneAlert() {
    var bench = Self.site(6)
    for index in 0..<5 { _ = bench.will("n\(index)") }
    let effects = bench.pass(200)
    #expect(effects.alerts == ["silent @north firing 5"])
    #expect(effects.fullAlerts.first?.summary == "site north: 5 of 6 nodes are silent or lost")
    for index in 0..<5 { bench.send("n\(index)", .online(healthS: 10_000)) }
    let after = bench.pass(200)
    #expect(after.alerts == ["silent @north resolved 5"])
    #expect(bench.fleet.firingCount == 0)
    // That of the site is taken away when the sinks know.
    #expect(Set(after.publications.filter { $0.payload.isEmpty }.map(\.topic)).count == 5)
  }

  @Test func oneNodeOfASiteIsToldByItselfAfterTheWait() {
    var bench = Self.site(6)
    _ = bench.will("n1")
    #expect(bench.pass(80).alerts.isEmpty)
    #expect(bench.pass(15).alerts == ["silent n1 firing 1"])
    _ = bench.will("other")
    #expect(bench.pass(35).alerts == ["silent other firing 1"])
  }

  @Test func whoIsStillSilentWhenTheSiteIsBackIsTold() {
    var bench = Self.site(6)
    for index in 0..<4 { _ = bench.will("n\(index)") }
    #expect(bench.pass(200).alerts == ["silent @north firing 4"])
    for index in 0..<3 { bench.send("n\(index)", .online(healthS: 10_000)) }
    #expect(bench.pass(200).alerts == ["silent @north resolved 4", "silent n3 firing 1"])
  }

  // MARK: Coming and going

  private static func blink(_ bench: inout Bench) -> [Effect] {
    var effects = bench.send("a", .noFix())
    effects += bench.pass(20)
    effects += bench.send("a", .fix())
    return effects + bench.pass(20)
  }

  @Test func whatComesAndGoesIsToldOnceAsThat() {
    var bench = Self.bench(Self.lostFix())
    bench.send("a", .online(healthS: 100_000))
    bench.send("a", .fix())
    var effects: [Effect] = []
    for _ in 0..<10 { effects += Self.blink(&bench) }
    #expect(
      effects.fullAlerts.map(\.state)
        == [.firing, .resolved, .firing, .resolved, .firing, .resolved, .firing, .resolved, .flapping])
    // Calm for half an hour.
    let calm = bench.pass(2000)
    #expect(calm.fullAlerts.map(\.state) == [.resolved])
    #expect(calm.fullAlerts.first?.id == effects.fullAlerts.last?.id)
    #expect(calm.publications.contains { $0.topic.hasSuffix("/alerts/lost-fix/a") })
    #expect(Self.blink(&bench).fullAlerts.map(\.state) == [.firing, .resolved])
  }

  @Test func oneThatEndsUpFiringSaysSo() {
    var bench = Self.bench(Self.lostFix())
    bench.send("a", .online(healthS: 100_000))
    bench.send("a", .fix())
    for _ in 0..<5 { _ = Self.blink(&bench) }
    bench.send("a", .noFix())
    let effects = bench.pass(2000)
    #expect(effects.fullAlerts.map(\.state) == [.firing])
    #expect(bench.fleet.firingCount == 1)
    bench.send("a", .fix())
    #expect(bench.pass(10).fullAlerts.map(\.state) == [.resolved])
  }

  // MARK: Over a restart

  @Test func whatPeopleSaidOutlastsARestart() throws {
    var bench = Self.bench(Self.lostFix { $0.repeatS = 60 })
    var store = MemoryStore()
    func run(_ effects: [Effect], _ bench: inout Bench) -> [String] {
      store.take(effects)
      for alert in effects.fullAlerts { store.take(bench.fleet.handle(.told(alert), at: bench.now)) }
      return effects.alerts
    }
    for node in ["a", "b"] {
      _ = run(bench.send(node, .online(healthS: 100_000)), &bench)
      _ = run(bench.send(node, .fix()), &bench)
      _ = run(bench.send(node, .noFix()), &bench)
    }
    #expect(run(bench.pass(11), &bench).count == 2)
    let a = Matchers(subject: NamePattern("a"))
    store.take(bench.fleet.handle(.order(.acknowledge(a, author: "kim", comment: ""), id: "1"), at: bench.now))
    #expect(run(bench.restart(store), &bench).isEmpty)
    #expect(run(bench.pass(61), &bench) == ["lost-fix b firing 1"])
    let b = Self.silence(bench, Matchers(subject: NamePattern("b")), endS: 10_000)
    store.take(bench.fleet.handle(.order(b, id: "2"), at: bench.now))
    _ = run(bench.restart(store), &bench)
    #expect(bench.fleet.knownSilences.map(\.id) == ["s1"])
    #expect(run(bench.pass(600), &bench).isEmpty)
  }

  @Test func everyStepIsDecidedWithAReason() {
    var bench = Self.bench(Self.lostFix())
    var store = MemoryStore()
    store.take(Self.lose(&bench))
    bench.send("a", .fix())
    store.take(bench.pass(10))
    #expect(store.decisions.map(\.step) == [.fired, .told, .resolved, .told])
    #expect(store.decisions.allSatisfy { !$0.reason.isEmpty })
  }
}
