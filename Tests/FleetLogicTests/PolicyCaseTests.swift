import Telemetry
import Testing

@testable import FleetLogic

/// Cases of the policy that are easy to get wrong.
@Suite struct PolicyCaseTests {
  private static let start = WallTime(seconds: Bench.epoch)

  private static func wakings(_ bench: inout Bench, _ seconds: Double) -> Int {
    let end = bench.now + seconds
    var count = 0
    while let due = bench.fleet.nextDeadline(after: bench.now), due <= end, count < 1000 {
      bench.now = max(bench.now, due)
      _ = bench.fleet.handle(.tick, at: bench.now)
      count += 1
    }
    return count
  }

  // MARK: No look in vain

  @Test func membersOfAGroupAreNotLookedAtAgainAndAgain() {
    var hall = Hall(5)
    for index in 0..<4 { hall.run { $0.will("n\(index)") } }
    #expect(hall.pass(31) == ["silent @hall firing 4"])
    #expect(Self.wakings(&hall.bench, 3600) < 10)
  }

  @Test func whatIsSilencedOrAcknowledgedIsNotLookedAtAgainAndAgain() {
    var hall = Hall(1) { $0.rules[1].repeatS = 60 }
    hall.run { $0.send("n0", .noFix()) }
    _ = hall.pass(11)
    hall.order(.acknowledge(Matchers(), author: "kim", comment: ""))
    #expect(Self.wakings(&hall.bench, 600) < 5)
    #expect(hall.silence("s", Matchers(), forS: 3600).isEmpty)
    #expect(Self.wakings(&hall.bench, 3000) < 5)
  }

  // MARK: Groups

  @Test func aSiteIsOneAlertAlsoRightAfterARestart() {
    var hall = Hall(6)
    hall.run { $0.will("n0") }
    _ = hall.pass(95)
    #expect(hall.told == ["silent n0 firing 1"])
    hall.run { $0.will("n1") }
    _ = hall.pass(31)
    #expect(hall.mute("n1") == .waiting)
    #expect(hall.restart().isEmpty)
    #expect(hall.bench.fleet.sites.map { $0.active[0] } == [2])
    hall.run { $0.will("n2") }
    _ = hall.pass(31)
    #expect(hall.told == ["silent n0 firing 1", "silent @hall firing 3"])
    #expect(hall.restart().isEmpty)
    #expect(hall.bench.fleet.sites.map { $0.active[0] } == [3])
    for index in 0..<3 { hall.run { $0.send("n\(index)", .online(healthS: 80_000)) } }
    _ = hall.pass(11)
    #expect(hall.told.suffix(2).sorted() == ["silent @hall resolved 3", "silent n0 resolved 1"])
    #expect(hall.retained.isEmpty)
    #expect(hall.bench.fleet.firingCount == 0)
    // Who was not told of one that fired is not told of its end.
    #expect(hall.steps("n2").suffix(2) == [.resolved, .muted])
  }

  @Test func whoWaitsOverARestartIsToldByItself() {
    var hall = Hall(6)
    hall.run { $0.will("n0") }
    _ = hall.pass(60)
    #expect(hall.restart(after: 10).isEmpty)
    #expect(hall.pass(15).isEmpty)
    #expect(hall.pass(15) == ["silent n0 firing 1"])
  }

  @Test func thoseThatCameBackInTimeAreNotCounted() {
    var hall = Hall(4)
    for index in 0..<4 {
      hall.run { $0.will("n\(index)") }
      _ = hall.pass(5)
    }
    for index in 1..<4 { hall.run { $0.send("n\(index)", .online(healthS: 80_000)) } }
    #expect(hall.pass(200) == ["silent n0 firing 1"])
    // When the first one fires the others may still come back: then it is not the site.
    hall = Hall(4)
    for index in 0..<4 { hall.run { $0.will("n\(index)") } }
    hall.run { $0.send("n3", .online(healthS: 80_000)) }
    #expect(hall.pass(200) == ["silent @hall firing 3"])
  }

  @Test func aSiteIsBackWhenThoseThatWereNotYetMissedAre() {
    var hall = Hall(4)
    hall.run { $0.will("n0") }
    _ = hall.pass(25)
    for index in 1..<3 { hall.run { $0.will("n\(index)") } }
    #expect(hall.pass(6) == ["silent @hall firing 3"])
    for index in 1..<3 { hall.run { $0.send("n\(index)", .online(healthS: 80_000)) } }
    #expect(hall.pass(100) == ["silent n0 firing 1"])
    #expect(hall.told.dropFirst() == ["silent @hall resolved 3", "silent n0 firing 1"])
  }

  @Test func nodesUnderMaintenanceAreNoneOfTheSitesTrouble() {
    var hall = Hall(6) { configuration in
      configuration.windows = [
        Window(
          name: "works", .once(from: Self.start, to: Self.start + 1000),
          maintenance: Scope(nodes: [NamePattern("n0"), NamePattern("n1"), NamePattern("n2")]))
      ]
    }
    for index in 0..<4 { hall.run { $0.will("n\(index)") } }
    #expect(hall.pass(200) == ["silent n3 firing 1"], "the one that nobody works on")
    // When it ends they are the site's.
    #expect(hall.pass(900) == ["silent @hall firing 4"])
    #expect(hall.mute("n0") == .grouped)
  }

  @Test func aSiteThatIsSilencedIsSilent() {
    var hall = Hall(4)
    #expect(hall.silence("s", Matchers(site: NamePattern("hall")), forS: 1000).isEmpty)
    for index in 0..<4 { hall.run { $0.will("n\(index)") } }
    #expect(hall.pass(900).isEmpty)
    #expect(hall.pass(100) == ["silent @hall firing 4"])
  }

  @Test func maintenanceOfTheWholeFleetIsOfItsSites() {
    var hall = Hall(4) { configuration in
      configuration.rules[0].grouping?.leastShare = 0
      configuration.windows = [
        Window(name: "works", .once(from: Self.start + 60, to: Self.start + 1000), maintenance: Scope())
      ]
    }
    for index in 0..<4 { hall.run { $0.will("n\(index)") } }
    #expect(hall.pass(31) == ["silent @hall firing 4"])
    _ = hall.pass(60)
    #expect(hall.mute("@hall") == .maintenance)
    // Its end is told all the same.
    for index in 0..<4 { hall.run { $0.send("n\(index)", .online(healthS: 80_000)) } }
    #expect(hall.pass(20) == ["silent @hall resolved 4"])
  }

  // MARK: Times

  /// Nothing but time happens here.
  @Test func aWindowBeginsAndEndsByItself() {
    var hall = Hall(1) { configuration in
      configuration.rules[1].repeatS = 60
      configuration.rules[1].times.except = ["quiet"]
      configuration.windows = [Window(name: "quiet", .once(from: Self.start + 100, to: Self.start + 300))]
    }
    hall.run { $0.send("n0", .noFix()) }
    #expect(hall.pass(90) == ["lost-fix n0 firing 1", "lost-fix n0 firing 1"])
    #expect(hall.pass(205).isEmpty)
    #expect(hall.pass(10) == ["lost-fix n0 firing 1"])
    #expect(hall.steps("n0").filter { $0 == .muted || $0 == .unmuted } == [.muted, .unmuted])
  }

  @Test func aRuleMayCountOnlyWithinAWindow() {
    var hall = Hall(1) { configuration in
      configuration.rules[1].times.only = ["work", "night"]
      configuration.windows = [
        Window(name: "work", .once(from: Self.start + 100, to: Self.start + 300)),
        Window(name: "night", .once(from: Self.start + 9000, to: Self.start + 9100)),
      ]
    }
    hall.run { $0.send("n0", .noFix()) }
    #expect(hall.pass(99).isEmpty)
    #expect(hall.mute("n0", "lost-fix") == .scheduled)
    #expect(hall.pass(1.1) == ["lost-fix n0 firing 1"])
  }

  @Test func aClockThatIsSetEndsAndBeginsSilences() {
    var hall = Hall(1)
    #expect(hall.silence("s", Matchers(), forS: 1000).isEmpty)
    hall.run { $0.send("n0", .noFix()) }
    _ = hall.pass(11)
    let told = hall.run {
      $0.fleet.handle(.clock(ClockState(wallAtStart: Self.start + 2000, quality: .ntp)), at: $0.now)
    }
    #expect(told == ["lost-fix n0 firing 1"])
    #expect(hall.bench.fleet.knownSilences.isEmpty)
  }

  @Test func quietHoursFollowSummerTime() throws {
    // The clocks go on from 02:00 to 03:00 at 01:00 UTC.
    let change = try #require(WallTime(rfc3339: "2027-03-28T01:00:00Z"))
    let zone = Zone(offsetS: 3600, changes: [Zone.Change(from: change, offsetS: 7200)])
    let night = Window(name: "n", .weekly(days: [5], fromS: 22 * 3600, toS: 7 * 3600), zone: zone)
    #expect(night.contains(change + -1) && night.contains(change))
    #expect(night.contains(change + 10_800) && night.contains(change + 14_399))
    #expect(!night.contains(change + 14_400))
    // Whoever looks again whenever it says misses nothing.
    var (time, states) = (change + -36_000, [Bool]())
    while time < change + 36_000 {
      if states.last != night.contains(time) { states.append(night.contains(time)) }
      let next = try #require(night.nextChange(after: time))
      #expect(next > time)
      // Nothing changes between two looks.
      #expect(night.contains(time) == night.contains(time + (next - time) / 2))
      time = next
    }
    #expect(states == [false, true, false])
  }

  @Test func thereAreSoManySilencesAndNoMore() {
    var hall = Hall(1)
    for number in 0..<FleetState.mostSilences { _ = hall.silence("s\(number)", Matchers(), forS: 100) }
    let effects = hall.bench.fleet.handle(
      .order(
        .silence(
          Silence(
            id: "more", Matchers(), start: Self.start, end: Self.start + 100, author: "", comment: "",
            made: Self.start)), id: "1"), at: hall.bench.now)
    #expect(effects.contains { if case .answer(let answer, _) = $0 { !answer.isDone } else { false } })
    _ = hall.pass(101)
    #expect(hall.bench.fleet.silences.isEmpty)
  }

  /// Nobody heard of either before the restart.
  @Test func whatIsToldLateIsToldInItsOrderThoughTheClockWasSetBack() {
    var hall = Hall(1)
    func set(_ offS: Double) {
      hall.store.take(
        hall.bench.fleet.handle(.clock(ClockState(wallAtStart: Self.start + offS, quality: .ntp)), at: hall.bench.now))
    }
    set(1000)
    hall.store.take(hall.bench.send("n0", .noFix()) + hall.bench.pass(11))
    set(0)
    hall.store.take(hall.bench.send("n0", .fix()) + hall.bench.pass(6))
    let told = hall.bench.restart(hall.store)
    #expect(told.alerts == ["lost-fix n0 firing 1", "lost-fix n0 resolved 1"])
    // The broker has the end last, and then nothing.
    let published = (told + hall.bench.pass(10)).publications.filter { $0.topic.contains("/alerts/") }
    #expect(published.last?.payload == [])
  }

  // MARK: The fleet tool's own link

  @Test func nothingIsToldAgainWithoutALink() {
    var hall = Hall(1) { $0.rules[1].repeatS = 60 }
    hall.run { $0.send("n0", .noFix()) }
    #expect(hall.pass(11).count == 1)
    hall.run { $0.fleet.handle(.disconnected(reason: "lost"), at: $0.now) }
    #expect(hall.pass(3600).isEmpty)
    #expect(Self.wakings(&hall.bench, 3600) == 0)
    #expect((hall.run { $0.fleet.handle(.connected, at: $0.now) } + hall.pass(1)).count == 1)
  }

  @Test func oneThatCameBackWhileTheLinkWasLostIsNotSilent() {
    var hall = Hall(1)
    _ = hall.pass(5)
    hall.run { $0.will("n0") }
    _ = hall.pass(5)
    hall.run { $0.fleet.handle(.disconnected(reason: "lost"), at: $0.now) }
    hall.run { $0.fleet.handle(.connected, at: $0.now) }
    hall.run { $0.send("n0", .online(healthS: 80_000), retained: true) }
    #expect(hall.pass(1000).isEmpty)
  }

  // MARK: Coming and going

  private static func blink(_ hall: inout Hall, _ times: Int) {
    for _ in 0..<times {
      hall.run { $0.send("n0", .noFix()) }
      _ = hall.pass(12)
      hall.run { $0.send("n0", .fix()) }
      _ = hall.pass(12)
    }
  }

  @Test func itsTopicStaysWhileItComesAndGoesAndGoesWhenItIsCalm() {
    var hall = Hall(1)
    Self.blink(&hall, 6)
    #expect(hall.told.last == "lost-fix n0 flapping 1")
    #expect(hall.retained.count == 1)
    #expect(hall.bench.fleet.firingCount == 0)
    #expect(hall.restart().isEmpty)
    Self.blink(&hall, 2)
    #expect(hall.restart().isEmpty)
    #expect(hall.pass(1700).isEmpty)
    #expect(hall.pass(200) == ["lost-fix n0 resolved 1"])
    #expect(hall.retained.isEmpty)
    #expect(hall.bench.fleet.records.isEmpty)
    #expect(hall.steps("n0").filter { $0 == .flapping || $0 == .calm } == [.flapping, .calm])
  }

  /// The word of an older end must not take it away.
  @Test func aLateWordOfAnEndLeavesItsTopic() throws {
    var hall = Hall(1)
    Self.blink(&hall, 4)
    let last = try #require(hall.store.decisions.compactMap(\.told).last { $0.state == .resolved })
    var late = hall
    late.bench.fleet.noteUntold(AlertKey(rule: 1, node: 0), last)
    Self.blink(&late, 2)
    late.run { $0.fleet.handle(.told(last), at: $0.now) }
    #expect(late.retained.count == 1)
  }

  @Test func whoHeardThatItComesAndGoesHearsOfItsEndThoughItWasSilenced() {
    var hall = Hall(1)
    Self.blink(&hall, 5)
    #expect(hall.told.last == "lost-fix n0 flapping 1")
    _ = hall.silence("s", Matchers(), forS: 3000)
    hall.run { $0.send("n0", .noFix()) }
    #expect(hall.pass(1900).isEmpty)
    #expect(hall.mute("n0", "lost-fix") == .silenced)
    hall.run { $0.send("n0", .fix()) }
    #expect(hall.pass(10) == ["lost-fix n0 resolved 1"])
    #expect(hall.retained.isEmpty)
  }

  @Test func oneThatFiresWhenItsSilenceEndsIsToldThoughItCameAndWent() {
    var hall = Hall(1)
    Self.blink(&hall, 5)
    _ = hall.silence("s", Matchers(), forS: 3000)
    hall.run { $0.send("n0", .noFix()) }
    #expect(hall.pass(2900).isEmpty)
    #expect(hall.pass(200) == ["lost-fix n0 firing 1"])
  }

  @Test func aSilencedOneThatComesAndGoesIsNeverTold() {
    var hall = Hall(1)
    _ = hall.silence("s", Matchers(), forS: 5000)
    Self.blink(&hall, 8)
    _ = hall.pass(2000)
    #expect(hall.told.isEmpty)
    #expect(hall.retained.isEmpty)
  }

  @Test func oneThatComesAndGoesIsToldOnceNothingIsInTheWay() {
    var hall = Hall(1)
    _ = hall.silence("s", Matchers(), forS: 130)
    Self.blink(&hall, 8)
    #expect(hall.told == ["lost-fix n0 flapping 1"], "the silence ended while it came and went")
  }

  @Test func whetherOthersFollowDoesNotHideThatANodeComesAndGoes() {
    // The group's time would have to pass anew with each silence.
    var hall = Hall(3) { $0.rules[0].grouping?.waitS = 60 }
    for _ in 0..<7 {
      hall.run { $0.will("n0") }
      _ = hall.pass(40)
      hall.run { $0.send("n0", .online(healthS: 80_000)) }
      _ = hall.pass(20)
    }
    #expect(hall.told == ["silent n0 flapping 1"])
  }

  // MARK: Inhibition

  @Test func aSilentNodesLostFixIsToldWhenItIsBackAndStillHasNone() {
    var hall = Hall(1)
    hall.run { $0.send("n0", .noFix()) }
    _ = hall.pass(5)
    hall.run { $0.will("n0") }
    #expect(hall.pass(60) == ["silent n0 firing 1"])
    hall.run { $0.send("n0", .online(healthS: 80_000)) }
    #expect(hall.pass(12) == ["silent n0 resolved 1", "lost-fix n0 firing 1"].sorted().reversed())
  }

  // MARK: Where it goes

  @Test func anAlertNamesItsSinks() {
    var hall = Hall(1) { $0.rules[1].sinks = ["pager", "chat"] }
    var alerts: [Alert] = []
    hall.run {
      let effects = $0.send("n0", .noFix()) + $0.pass(11) + $0.send("n0", .fix()) + $0.pass(10)
      alerts = effects.fullAlerts
      return effects
    }
    #expect(alerts.map(\.sinks) == [["pager", "chat"], ["pager", "chat"]])
  }

  // MARK: Without a store

  @Test func whatWasMutedBeforeARestartIsLookedAtAnew() throws {
    var configuration = Hall(1).bench.fleet.configuration
    configuration.keeps = false
    var bench = Bench(configuration)
    bench.send("n0", .online(healthS: 80_000))
    bench.send("n0", .noFix())
    let now = Self.start
    _ = bench.fleet.handle(
      .order(
        .silence(Silence(id: "s", Matchers(), start: now, end: now + 1e6, author: "", comment: "", made: now)),
        id: "1"),
      at: bench.now)
    let published = try #require(bench.pass(11).publications.last { $0.topic.contains("/alerts/") })
    _ = bench.restart(MemoryStore())
    let effects = bench.raw(published.topic, published.payload, retained: true)
    #expect(effects.alerts == ["lost-fix n0 firing 1"])
    #expect(effects.fullAlerts.first?.mayHaveBeenTold == true)
  }
}
