import Telemetry
import Testing

@testable import FleetLogic

/// What raises and ends an alert, kind by kind; shakes, lost fixes and silence have tests of their own.
@Suite struct KindTests {
  private static func rule(_ condition: Condition, forS: Double? = nil, clearForS: Double? = nil) -> Rule {
    var rule = Rule(name: condition.kind.rawValue, condition)
    if let forS { rule.forS = forS }
    if let clearForS { rule.clearForS = clearForS }
    return rule
  }

  private static func fix(_ latitude: Double = 47, accuracyM: Double? = 5, isBacklog: Bool = false) -> Telegram.Body {
    var position = LocationMessage.Position(
      dimensions: 3, latitude: latitude, longitude: 8, ageS: 1, cause: .interval, isBacklog: isBacklog)
    position.accuracyM = accuracyM
    return .location(.fixed(position))
  }

  /// So far north of 47 degrees.
  private static func north(_ metres: Double) -> Double { 47 + metres / 111_195 }

  // MARK: Counted strikes

  private static func counted(_ change: (inout Condition.Events) -> Void = { _ in }) -> Bench {
    var events = Condition.Events()
    (events.count, events.withinS) = (3, 100)
    change(&events)
    return Bench(rule: rule(.shake(events)))
  }

  private static func shake(_ bench: inout Bench, _ id: Int, peak: Double = 1.8, boot: UInt32 = 1) -> [Effect] {
    bench.send("a", .shake(id, peak: peak), boot: boot) + bench.send("a", .shake(id, .ended, peak: peak), boot: boot)
  }

  @Test func shakesAreCountedAndFireAsLongAsThereAreEnough() throws {
    var bench = Self.counted()
    var effects = Self.shake(&bench, 1, peak: 3)
    effects += bench.pass(30) + Self.shake(&bench, 2)
    effects += bench.pass(30)
    #expect(effects.alerts.isEmpty, "a shake counts once, whatever phases of it come")
    let fired = Self.shake(&bench, 3, peak: 1)
    #expect(fired.alerts == ["shake a firing 3"])
    #expect(fired.fullAlerts.first?.value == 3, "the largest of all that count")
    // The first leaves the window at 100 s, another came at 70 s.
    effects = bench.pass(10) + Self.shake(&bench, 4)
    #expect(effects.alerts.isEmpty)
    // The second leaves it at 130 s; then there are two, and 10 s later it is over.
    #expect(bench.pass(69.9).alerts.isEmpty)
    #expect(bench.pass(0.2).alerts == ["shake a resolved 4"])
  }

  @Test func shakesThatAreTooFarApartDoNotAddUp() {
    var bench = Self.counted()
    for id in 1...10 {
      #expect((Self.shake(&bench, id) + bench.pass(51)).alerts.isEmpty)
    }
  }

  @Test func whatIsCountedOutlastsARestart() {
    var bench = Bench(
      FleetState.Configuration(graceS: 0, rules: [Self.counted().fleet.configuration.rules[0]], keeps: true))
    var store = MemoryStore()
    store.take(Self.shake(&bench, 1, peak: 3) + bench.pass(20) + Self.shake(&bench, 2))
    store.take(bench.restart(store, after: 10))
    let fired = Self.shake(&bench, 3)
    #expect(fired.alerts == ["shake a firing 3"])
    #expect(fired.fullAlerts.first?.value == 3)
  }

  @Test func whatIsCountedIsForgotten() {
    var bench = Self.counted()
    _ = Self.shake(&bench, 1)
    #expect(bench.fleet.records.count == 1)
    _ = bench.pass(101)
    #expect(bench.fleet.records.count == 1, "another phase of it may come")
    _ = bench.pass(500)
    #expect(bench.fleet.records.isEmpty)
    #expect(bench.fleet.attended.isEmpty)
  }

  @Test func aLostNodeDoesNotUndoWhatWasCounted() {
    var bench = Self.counted()
    bench.send("a", .online())
    for id in 1...3 { _ = Self.shake(&bench, id) }
    #expect((bench.will("a") + bench.pass(90)).alerts.isEmpty)
    #expect(bench.pass(21).alerts == ["shake a resolved 3"])
  }

  @Test func onlyItsPhasesCount() {
    var events = Condition.Events()
    events.phases = [.ended]
    var bench = Bench(rule: Self.rule(.shake(events)))
    #expect(bench.send("a", .shake(1)).alerts.isEmpty)
    #expect(bench.send("a", .shake(1, .ended)).alerts == ["shake a firing 1"])
    #expect(bench.pass(11).alerts == ["shake a resolved 1"])
    #expect((bench.send("a", .shake(2)) + bench.send("a", .shake(2, .cancelled))).alerts.isEmpty)
  }

  @Test func weakerShakesKeepOneFiringThatTheyWouldNotRaise() {
    var events = Condition.Events()
    (events.minPeakG, events.clearPeakG) = (2, 1)
    var bench = Bench(rule: Self.rule(.shake(events)))
    #expect(Self.shake(&bench, 1, peak: 1.5).alerts.isEmpty)
    #expect(Self.shake(&bench, 2, peak: 2).alerts == ["shake a firing 1"])
    #expect((bench.pass(6) + Self.shake(&bench, 3, peak: 1.5) + bench.pass(6)).alerts.isEmpty)
    #expect((Self.shake(&bench, 4, peak: 0.5) + bench.pass(4.1)).alerts == ["shake a resolved 2"])
  }

  @Test func aShakeMustGoOnForItsDuration() {
    var bench = Bench(rule: Self.rule(.shake(Condition.Events()), forS: 2))
    #expect(
      (bench.send("a", .shake(1)) + bench.pass(1) + bench.send("a", .shake(1, .ended)) + bench.pass(9)).alerts.isEmpty)
    #expect((bench.send("a", .shake(2)) + bench.pass(2)).alerts == ["shake a firing 1"])
    // Its end never comes.
    #expect(bench.pass(307).alerts.isEmpty)
    #expect(bench.pass(2).alerts == ["shake a resolved 1"])
  }

  // MARK: Impacts and falls

  private static func impact(_ id: Int, peak: Double = 20) -> Telegram.Body {
    .impact(
      ImpactMessage(
        id: id, start: WallTime(seconds: Bench.epoch), peakG: peak, durationS: 0.01, velocityChangeMPS: 1, axis: .x))
  }

  private static func fall(_ id: Int) -> Telegram.Body {
    .freeFall(FreeFallMessage(id: id, start: WallTime(seconds: Bench.epoch), durationS: 0.4, dropM: 0.8))
  }

  @Test func anImpactFiresAndIsOver() throws {
    var events = Condition.Events()
    events.minPeakG = 10
    var bench = Bench(rule: Self.rule(.impact(events)))
    #expect(bench.send("a", Self.impact(1, peak: 9)).alerts.isEmpty)
    let fired = bench.send("a", Self.impact(2))
    #expect(fired.alerts == ["impact a firing 1"])
    #expect(fired.fullAlerts.first?.value == 20)
    #expect((bench.pass(5) + bench.send("a", Self.impact(3))).alerts.isEmpty)
    #expect(bench.pass(11).alerts == ["impact a resolved 2"])
  }

  @Test func fallsCountWhereTheyShall() {
    var bench = Bench(rule: Self.rule(.impact(Condition.Events())))
    #expect(bench.send("a", Self.fall(1)).alerts.isEmpty)
    var events = Condition.Events()
    events.freeFall = true
    bench = Bench(rule: Self.rule(.impact(events)))
    #expect(bench.send("a", Self.fall(1)).alerts == ["impact a firing 1"])
    #expect((bench.send("a", Self.impact(1)) + bench.pass(11)).alerts == ["impact a resolved 2"])
  }

  @Test func oldImpactsDoNotCount() {
    var bench = Bench(rule: Self.rule(.impact(Condition.Events())))
    bench.send("a", .online())
    _ = bench.pass(1000)
    #expect(bench.send("a", Self.impact(1), sentAgo: 400).alerts.isEmpty)
    #expect(bench.send("a", Self.impact(2), sentAgo: 200).alerts == ["impact a firing 1"])
  }

  // MARK: Positions

  @Test func aPoorFixFiresAboveOneThresholdAndEndsBelowAnother() {
    var bench = Bench(rule: Self.rule(.poorFix(Condition.PoorFix()), forS: 60, clearForS: 20))
    bench.send("a", Self.fix(accuracyM: 51))
    #expect(bench.pass(59).alerts.isEmpty)
    #expect(bench.pass(1.1).alerts == ["poor-fix a firing 1"])
    bench.send("a", Self.fix(accuracyM: 31))
    #expect(bench.pass(500).alerts.isEmpty, "between the thresholds it goes on")
    bench.send("a", Self.fix(accuracyM: 30))
    _ = bench.pass(15)
    bench.send("a", Self.fix(accuracyM: 45))
    #expect(bench.pass(500).alerts.isEmpty, "what was not over for long enough is not over")
    bench.send("a", Self.fix(accuracyM: 10))
    #expect(bench.pass(21).alerts.count == 1)
  }

  @Test func aFixBetweenTheThresholdsRaisesNothing() {
    var bench = Bench(rule: Self.rule(.poorFix(Condition.PoorFix()), forS: 60))
    bench.send("a", Self.fix(accuracyM: 80))
    _ = bench.pass(30)
    #expect(bench.send("a", Self.fix(accuracyM: 40)).logLines.contains { $0.contains("not raised") })
    #expect(bench.pass(500).alerts.isEmpty)
    bench.send("a", Self.fix(accuracyM: nil))
    bench.send("a", Self.fix(accuracyM: 80, isBacklog: true))
    #expect(bench.pass(500).alerts.isEmpty)
  }

  private static func parked() -> Bench {
    var configuration = FleetState.Configuration(graceS: 0, rules: [rule(.moved(Condition.Moved()))], keeps: true)
    configuration.flapping.count = 0
    var bench = Bench(configuration)
    bench.send("a", .online(healthS: 80_000))
    return bench
  }

  @Test func whatStoodAndIsElsewhereWasMoved() throws {
    var bench = Self.parked()
    bench.send("a", fix(0))
    _ = bench.pass(900)
    #expect(bench.send("a", fix(105)).alerts.isEmpty, "the accuracies of both places are taken off")
    let fired = bench.send("a", fix(120))
    #expect(fired.alerts == ["moved a firing 1"])
    #expect(fired.fullAlerts.first?.summary == "a was moved: 110 m from where it stood")
    #expect(bench.send("a", fix(70)).alerts.isEmpty)
    #expect(bench.send("a", fix(55)).alerts == ["moved a resolved 1"])
  }

  private func fix(_ metres: Double, accuracyM: Double = 5) -> Telegram.Body {
    Self.fix(Self.north(metres), accuracyM: accuracyM)
  }

  @Test func whatMovesOnIsNotParked() {
    var bench = Self.parked()
    for place in 0..<100 {
      #expect((bench.send("a", fix(Double(place) * 500)) + bench.pass(60)).alerts.isEmpty)
    }
  }

  @Test func whatStandsElsewhereStandsThere() {
    var bench = Self.parked()
    bench.send("a", fix(0))
    _ = bench.pass(900)
    #expect(bench.send("a", fix(2000)).alerts == ["moved a firing 1"])
    _ = bench.pass(890)
    #expect(bench.send("a", fix(2001)).alerts.isEmpty)
    _ = bench.pass(11)
    #expect(bench.send("a", fix(2002)).alerts == ["moved a resolved 1"])
    #expect(bench.send("a", fix(2500)).alerts == ["moved a firing 1"])
  }

  /// A vehicle without coverage was not parked where it was heard last.
  @Test func whatCouldNotBeHeardWasNotParked() {
    var bench = Self.parked()
    bench.send("a", fix(0))
    _ = bench.will("a")
    _ = bench.pass(3600)
    bench.send("a", .online(healthS: 80_000))
    #expect(bench.send("a", fix(30_000)).alerts.isEmpty)
    // One that is still there was.
    _ = bench.will("a")
    _ = bench.pass(3600)
    bench.send("a", .online(healthS: 80_000))
    bench.send("a", fix(30_000))
    #expect(bench.send("a", fix(31_000)).alerts == ["moved a firing 1"])
  }

  @Test func aBadFirstPositionIsMadeBetter() {
    var bench = Self.parked()
    bench.send("a", fix(0, accuracyM: 400))
    bench.send("a", fix(0, accuracyM: 5))
    _ = bench.pass(900)
    #expect(bench.send("a", fix(200)).alerts == ["moved a firing 1"])
  }

  @Test func whereItStoodOutlastsARestart() {
    var bench = Self.parked()
    var store = MemoryStore()
    store.take(bench.send("a", .online(healthS: 80_000)))
    store.take(bench.send("a", fix(0)))
    store.take(bench.pass(600))
    store.take(bench.restart(store, after: 300))
    store.take(bench.send("a", fix(1)))
    let fired = bench.send("a", fix(500))
    store.take(fired)
    #expect(fired.alerts == ["moved a firing 1"])
    store.take(bench.restart(store, after: 1))
    store.take(bench.send("a", fix(490)))
    #expect(bench.send("a", fix(1)).alerts == ["moved a resolved 1"])
  }

  @Test func aPositionThatChangesNothingIsNotWritten() {
    var bench = Self.parked()
    bench.send("a", fix(0))
    bench.send("a", fix(0))
    let kept = bench.send("a", fix(0)).keeps
    #expect(!kept.contains { if case .alert = $0 { true } else { false } })
  }

  /// Where a node was taken is what people need to know when it falls silent then.
  @Test func whatWasMovedAndIsSilentIsTold() {
    var bench = Bench(rule: Self.rule(.moved(Condition.Moved()), forS: 60))
    bench.send("a", .online(healthS: 80_000))
    bench.send("a", fix(0))
    _ = bench.pass(900)
    bench.send("a", fix(5000))
    _ = bench.will("a")
    #expect(bench.pass(61).alerts == ["moved a firing 1"])
  }

  // MARK: Sides

  private static func side(_ face: Face, _ up: Vector = Vector(0, 0, 1)) -> Telegram.Body {
    .orientation(OrientationMessage(face: face, previous: .unknown, tiltDeg: 0, up: up))
  }

  @Test func anotherSideThanTheFirstIsTipped() {
    var bench = Bench(rule: Self.rule(.tipped(Condition.Tipped())))
    bench.send("a", .online())
    bench.send("a", Self.side(.zUp))
    bench.send("a", Self.side(.xUp, Vector(1, 0, 0)))
    let fired = bench.pass(10)
    #expect(fired.alerts == ["tipped a firing 1"])
    #expect(fired.fullAlerts.first?.value == 90)
    bench.send("a", Self.side(.unknown))
    #expect(bench.pass(100).alerts.isEmpty)
    bench.send("a", Self.side(.zUp))
    #expect(bench.pass(10).alerts == ["tipped a resolved 1"])
  }

  @Test func anyOfItsSidesMayBeUp() {
    var tipped = Condition.Tipped()
    tipped.faces = [.zUp, .xUp]
    tipped.raiseDeg = 20
    var bench = Bench(rule: Self.rule(.tipped(tipped)))
    bench.send("a", Self.side(.zUp))
    bench.send("a", Self.side(.xUp, Vector(1, 0, 0)))
    #expect(bench.pass(100).alerts.isEmpty)
    bench.send("a", Self.side(.yUp, Vector(0, 1, 0)))
    #expect(bench.pass(10).alerts == ["tipped a firing 1"])
  }

  @Test func leaningCountsFromWhereItStoodUpright() {
    func lean(_ degrees: Double) -> Telegram.Body {
      Self.side(.zUp, Vector(sin(radians(degrees)), 0, cos(radians(degrees))))
    }
    var tipped = Condition.Tipped()
    (tipped.raiseDeg, tipped.clearDeg) = (20, 10)
    var bench = Bench(rule: Self.rule(.tipped(tipped)))
    bench.send("a", lean(5))
    bench.send("a", lean(24))
    #expect(bench.pass(20).alerts.isEmpty)
    bench.send("a", lean(30))
    #expect(bench.pass(10).alerts == ["tipped a firing 1"])
    bench.send("a", lean(20))
    #expect(bench.pass(100).alerts.isEmpty)
    bench.send("a", lean(14))
    #expect(bench.pass(10).alerts == ["tipped a resolved 1"])
  }

  private func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }

  /// It says which side is up only when that changes.
  @Test func oneThatWasLostWhileItTippedIsStillTippedWhenItIsBack() {
    var bench = Bench(rule: Self.rule(.tipped(Condition.Tipped())))
    bench.send("a", .online())
    bench.send("a", Self.side(.zUp))
    bench.send("a", Self.side(.xUp, Vector(1, 0, 0)))
    #expect((bench.will("a") + bench.pass(60)).alerts.isEmpty)
    bench.send("a", .online())
    #expect(bench.pass(10).alerts == ["tipped a firing 1"])
  }

  // MARK: Fences

  @Test func theCrossingThatCountsMayBeTheOtherOne() {
    var fence = Condition.Geofence()
    fence.event = .enter
    fence.fence = "quarry"
    var bench = Bench(rule: Self.rule(.geofence(fence)))
    #expect(bench.send("a", .crossing(.enter, of: "depot")).alerts.isEmpty)
    #expect(bench.send("a", .crossing(.enter, of: "quarry")).alerts == ["geofence a firing 1"])
    #expect(bench.send("a", .crossing(.leave, of: "depot")).alerts.isEmpty)
    #expect(bench.send("a", .crossing(.leave, of: "quarry")).alerts == ["geofence a resolved 1"])
  }

  @Test func alertsOfOneMomentHaveIDsOfTheirOwn() {
    var bench = Bench(rule: Self.rule(.geofence(Condition.Geofence())))
    // A backlog is heard at once, and has the node leave twice.
    let effects = [GeofenceMessage.Event.leave, .enter, .leave].flatMap { bench.send("a", .crossing($0, of: "yard")) }
    let ids = effects.fullAlerts.map(\.id)
    #expect(effects.alerts == ["geofence a firing 1", "geofence a resolved 1", "geofence a firing 1"])
    #expect(ids.count == 3 && ids[0] == ids[1] && ids[2] == ids[0] + "-2", "\(ids)")
    _ = bench.pass(1)
    bench.send("a", .crossing(.enter, of: "yard"))
    let later = bench.send("a", .crossing(.leave, of: "yard")).fullAlerts.map(\.id)
    #expect(later.count == 1 && !later[0].hasSuffix("-3") && !ids.contains(later[0]), "\(later)")
  }
}
