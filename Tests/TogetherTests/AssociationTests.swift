import FleetLogic
import Telemetry
import Testing

@Suite("Nodes that shook together")
struct AssociationTests {
  /// Along a line, a wave of 4 km/s passing.
  private func wave(_ count: Int, everyM: Double = 10_000, from start: Double = 1000) -> [Shake] {
    (0..<count).map { index in
      let eastM = Double(index) * everyM
      return shake(participant(index, eastM: eastM, northM: 0), at: start + eastM / 4000)
    }
  }

  @Test func aWaveIsGroundMotionFromTheFourthNodeOn() throws {
    var together = Together()
    var began: [Int] = []
    for (index, shake) in wave(6).enumerated() {
      if together.note(shake, at: shake.start + 1).contains(where: { $0.state == .began }) { began.append(index) }
    }
    #expect(began == [3])
    let rest = finish(&together, after: WallTime(seconds: 1020))
    #expect(rest.map(\.state) == [.grew, .ended])
    let last = try #require(rest.last)
    #expect(last.kind == .groundMotion)
    #expect(last.members.map(\.node) == Array(0..<6))
    #expect(abs(last.spanS - 12.5) < 1e-6)
    #expect(abs((last.extentM ?? 0) - 50_000) < 200)
  }

  @Test func whatNoWaveCouldReachInTimeIsLeftOut() {
    var together = Together()
    let shakes = (0..<6).map {
      shake(participant($0, eastM: Double($0) * 10_000, northM: 0), at: 1000 + Double($0) * 6.1)
    }
    #expect(run(shakes, &together).isEmpty)
  }

  @Test func oneMachineIsLocalAndAPasserByMakesItNoEarthquake() throws {
    var together = Together()
    let stranger = shake(participant(9, eastM: 5000, northM: 0), at: 999.5)
    let machine = (0..<6).map { shake(participant($0, eastM: Double($0) * 10, northM: 0), at: 1000 + Double($0) * 0.1) }
    let findings = run([stranger] + machine, &together)
    // With three of the machine's nodes the stranger makes four; the fourth shows that it is a machine.
    #expect(Set(findings.map(\.id)) == [1])
    #expect(findings.last?.kind == .local)
    #expect(try #require(findings.last).members.map(\.node) == Array(0..<6))
  }

  @Test func aBridgeLongerThanOnePlaceIsGroundMotion() throws {
    var together = Together()
    let shakes = (0..<50).map {
      shake(participant($0, eastM: Double($0) * 10, northM: 0), at: 1000 + Double($0) * 0.01)
    }
    let last = try #require(run(shakes, &together).last)
    #expect(last.kind == .groundMotion)
    #expect(last.members.count == 50)
  }

  @Test func whatIsTooFarApartForItsTimeHasACommonCauseAlsoWithAStranger() throws {
    var together = Together()
    var shakes = (0..<20).map {
      shake(participant($0, eastM: Double($0) * 9000, northM: 0), at: 1000 + Double($0 % 5) * 0.4)
    }
    shakes.append(shake(participant(77, eastM: 30_000, northM: 5000), at: 1006))
    let last = try #require(run(shakes, &together).last)
    #expect(last.kind == .commonCause)
    #expect(last.members.count == 21)
  }

  @Test func withoutAPlaceOnlyTheSiteJoins() throws {
    var together = Together()
    var shakes: [Shake] = []
    for node in 0..<10 {
      let site = node < 4 ? "plant" : node < 7 ? "yard" : nil
      let who = Together.Participant(node: node, name: NodeName("n\(node)")!, site: site)
      shakes.append(shake(who, at: 1000 + Double(node) * 0.1))
    }
    let last = try #require(run(shakes, &together).last)
    #expect(last.kind == .local)
    #expect(last.members.map(\.node) == [0, 1, 2, 3])
    #expect(together.tally.placeless == 3)
  }

  @Test func whatCannotBeBelievedIsLeftOutAndCounted() {
    var together = Together()
    let who = participant(1, eastM: 0, northM: 0)
    let now = WallTime(seconds: 1000)
    _ = together.note(Shake(who, start: now, clock: .rtc), at: now)
    _ = together.note(Shake(who, start: now, clock: .none), at: now)
    _ = together.note(Shake(who, start: now, clock: .gps, uncertaintyS: 2.1), at: now)
    _ = together.note(shake(who, at: 699), at: now)
    _ = together.note(shake(who, at: 1002.1), at: now)
    _ = together.note(shake(who, at: 990), at: now)
    _ = together.note(shake(who, at: 990), at: now)
    var expected = Together.Tally()
    (expected.untrustedClock, expected.late, expected.ahead, expected.taken, expected.duplicate) = (3, 1, 1, 1, 1)
    #expect(together.tally == expected)
  }

  @Test func lateOnesJoinWithinTheHorizon() throws {
    var together = Together()
    let shakes = wave(6)
    for shake in shakes.dropFirst() { _ = together.note(shake, at: shake.start + 1) }
    _ = together.note(shakes[0], at: shakes[0].start + 299)
    let last = try #require(finish(&together, after: WallTime(seconds: 1299)).last)
    #expect(last.members.map(\.node) == Array(0..<6))
  }

  @Test func aRefusalSaysHowManyWereNeededAndWhy() throws {
    var together = Together()
    #expect(run(wave(3), &together).isEmpty)
    _ = together.passes(to: WallTime(seconds: 2000))
    let reason = try #require(together.refusals.last).reason
    #expect(reason.hasPrefix("only 3 nodes shook within 5.0 s over 20 km; 4 are always needed"))
    #expect(together.refusals.count == 1)
  }

  @Test func aNodeThatShakesAllTheTimeCountsOnceAndRaisesWhatIsNeeded() throws {
    var settings = Together.Settings()
    settings.unknownS = 3600
    var together = Together(settings)
    let busy = (0..<6).map { participant($0, eastM: Double($0) * 1000, northM: 0) }
    let quiet = (6..<12).map { participant($0, eastM: Double($0) * 1000, northM: 0) }
    for who in busy + quiet { together.know(who, at: WallTime(seconds: 0)) }
    for minute in 0..<600 {
      _ = together.note(shake(busy[0], at: Double(minute) * 10), at: WallTime(seconds: Double(minute) * 10))
    }
    #expect(together.nextDeadline == nil)
    var dice = Dice(5)
    for minute in 0..<3000 {
      let time = 10_000 + Double(minute) * 6
      _ = together.note(shake(busy[Int(dice.next() % 6)], at: time), at: WallTime(seconds: time))
    }
    _ = together.passes(to: WallTime(seconds: 40_000))
    let last = try #require(run((quiet + busy).map { shake($0, at: 50_000) }, &together).last)
    #expect(last.needed > 4)
  }
}
