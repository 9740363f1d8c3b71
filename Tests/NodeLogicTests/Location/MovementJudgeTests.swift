import Rig
import Telemetry
import Testing

@testable import NodeLogic

@Suite("Movement judge") struct MovementJudgeTests {
  private let still = LocationTracker.Stillness.still(since: .start)

  /// A judge of a node that has stood for five minutes.
  private func parked(_ stillness: LocationTracker.Stillness) -> MovementJudge {
    var judge = MovementJudge()
    for second in 0..<300 { _ = judge.take(FixMaker.fix(at: Double(second), accuracyM: 8, speedMPS: 0.1), stillness) }
    return judge
  }

  /// Seconds until the judge sees a departure along `north`; nil when it does not within 400 s.
  private func departure(
    _ judge: inout MovementJudge, _ stillness: LocationTracker.Stillness, accuracyM: Double = 8,
    north: (Double) -> Double, speedMPS: (Double) -> Double? = { _ in nil }
  ) -> Double? {
    for second in 1...400 {
      let time = Double(second)
      let fix = FixMaker.fix(
        at: 300 + time, north: north(time), accuracyM: accuracyM, speedMPS: speedMPS(time))
      if case .setOff = judge.take(fix, stillness) { return time }
    }
    return nil
  }

  @Test func nothingIsKnownBeforeTheNodeHasStoodForAWhile() {
    var judge = MovementJudge()
    #expect(judge.movement == .unknown)
    for second in 0..<119 { _ = judge.take(FixMaker.fix(at: Double(second)), .unknown) }
    #expect(judge.movement == .unknown)
    for second in 119...121 { _ = judge.take(FixMaker.fix(at: Double(second)), .unknown) }
    #expect(judge.movement == .standing)
    #expect(judge.since == .start)
  }

  @Test func aStillAccelerometerMakesItSoonerSure() {
    var judge = MovementJudge()
    for second in 0...34 { _ = judge.take(FixMaker.fix(at: Double(second), speedMPS: 0.1), still) }
    #expect(judge.movement == .standing)
  }

  @Test func stillnessMustHaveLastedAsLong() {
    var judge = MovementJudge()
    for second in 0...40 {
      _ = judge.take(FixMaker.fix(at: Double(second)), .still(since: Instant(seconds: 35)))
    }
    #expect(judge.movement == .unknown)
  }

  @Test func aDriveFromTheStartIsMoving() {
    var judge = MovementJudge()
    for second in 0...5 {
      _ = judge.take(FixMaker.fix(at: Double(second), north: Double(second) * 14, speedMPS: 14), .moving)
    }
    #expect(judge.movement == .moving)
  }

  @Test func aNormalDepartureIsSeenWithinSeconds() throws {
    for stillness in [LocationTracker.Stillness.unknown, .moving, still] {
      var judge = parked(stillness)
      let seen = departure(&judge, stillness, north: { 0.75 * $0 * $0 }, speedMPS: { 1.5 * $0 })
      #expect(try #require(seen) <= 8, "\(stillness)")
    }
  }

  @Test func aDepartureWithoutSpeedsIsSeenByThePlacesAlone() throws {
    var judge = parked(.unknown)
    #expect(try #require(departure(&judge, .unknown, north: { 0.75 * $0 * $0 })) <= 10)
  }

  @Test func aSlowTowIsSeenWithin100Metres() throws {
    for speed in [0.2, 0.5, 1] {
      for accuracy in [3.0, 10, 30] {
        for stillness in [still, .unknown, .moving] {
          var judge = parked(stillness)
          let seen = departure(&judge, stillness, accuracyM: accuracy, north: { $0 * speed })
          #expect(try #require(seen) * speed < 60, "\(speed) m/s, \(accuracy) m, \(stillness)")
        }
      }
    }
  }

  @Test func theAnchorDoesNotFollowASlowTow() throws {
    var judge = parked(still)
    let before = try #require(judge.anchor?.coordinate)
    for second in 1...100 {
      _ = judge.take(FixMaker.fix(at: 300 + Double(second), north: Double(second) * 0.2), still)
    }
    #expect(judge.movement == .standing)
    #expect(judge.anchor?.coordinate == before)
  }

  @Test func oneOrTwoStraysAreNoDeparture() {
    var judge = parked(.unknown)
    for round in 0..<50 {
      for step in 0..<3 {
        let at = 300 + Double(round * 3 + step)
        let change = judge.take(FixMaker.fix(at: at, north: step < 2 ? 60 : 0, accuracyM: 8), .unknown)
        #expect(change == .none)
      }
    }
    #expect(judge.movement == .standing)
  }

  @Test func rareFixesNeedTwo() {
    var judge = MovementJudge()
    for step in 0...10 { _ = judge.take(FixMaker.fix(at: Double(step) * 60), .unknown) }
    #expect(judge.movement == .standing)
    #expect(judge.take(FixMaker.fix(at: 660, north: 80), .unknown) == .none)
    guard case .setOff(_, let stoodS) = judge.take(FixMaker.fix(at: 720, north: 160), .unknown) else {
      Issue.record("not seen")
      return
    }
    #expect(stoodS == 660)
  }

  @Test func comingToStandTakesAWhile() {
    var judge = parked(.unknown)
    for second in 1...60 {
      _ = judge.take(FixMaker.fix(at: 300 + Double(second), north: Double(second) * 10, speedMPS: 10), .moving)
    }
    #expect(judge.movement == .moving)
    var stood: Double?
    for second in 61...300 where stood == nil {
      let fix = FixMaker.fix(at: 300 + Double(second), north: 600, speedMPS: 0.1)
      if case .stood = judge.take(fix, .unknown) { stood = Double(second) }
    }
    #expect(stood.map { (180...182).contains($0) } == true)
    #expect(judge.since.map { $0.seconds <= 361 } == true, "since it stopped, not since it was sure")
  }

  @Test func walkingPaceIsNoStanding() {
    var judge = parked(.unknown)
    for second in 1...900 {
      let along = Double(second) * 1.2
      // Round a square of 15 m, within the circle of a poor receiver.
      let place = (along.truncatingRemainder(dividingBy: 60), 0.0)
      _ = judge.take(
        FixMaker.fix(at: 300 + Double(second), east: min(place.0, 60 - place.0), accuracyM: 30, speedMPS: 1.2), .unknown
      )
    }
    #expect(judge.movement != .standing || judge.since.map { $0.seconds < 300 } == true)
  }

  @Test func anythingMayComeAndTheStateStaysSmall() {
    var random = SeededRandom(seed: 5)
    var judge = MovementJudge()
    for second in 0..<5_000 {
      let fix = FixMaker.fix(
        at: Double(second), east: .random(in: -90...90, using: &random),
        accuracyM: .random(in: 1...200, using: &random),
        speedMPS: .random(in: 0...3, using: &random))
      if case .setOff(_, let stoodS) = judge.take(fix, .unknown) { #expect(stoodS >= 0) }
      #expect(judge.allowanceM >= DriftAllowance.leastM || second == 0)
    }
  }
}

@Suite("Rest anchor") struct RestAnchorTests {
  @Test func isTheWeighedMeanOfTheFirstFixes() {
    var anchor = RestAnchor(FixMaker.fix(at: 0, east: 0, accuracyM: 5))
    anchor.add(FixMaker.fix(at: 1, east: 10, accuracyM: 10))
    let offset = FixMaker.origin.offset(to: anchor.coordinate)
    #expect(abs(offset.eastM - 2) < 0.01)
    #expect(anchor.accuracyM == 5)
  }

  @Test func staysWhereItWasAfterThirty() {
    var anchor = RestAnchor(FixMaker.fix(at: 0))
    for second in 1..<30 { anchor.add(FixMaker.fix(at: Double(second))) }
    for second in 30..<500 { anchor.add(FixMaker.fix(at: Double(second), north: 50)) }
    #expect(anchor.coordinate.distanceM(to: FixMaker.origin) < 0.01)
    #expect(anchor.fixes == 500)
  }

  @Test func worksAcrossTheDateLineAndAtThePole() throws {
    let west = try #require(Coordinate(latitude: 0, longitude: 179.9999))
    let east = try #require(Coordinate(latitude: 0, longitude: -179.9999))
    #expect(abs(west.offset(to: east).eastM - 22.24) < 0.01)
    #expect(abs(west.moved(eastM: 22.24, northM: 0).longitude + 179.9999) < 1e-6)
    let pole = try #require(Coordinate(latitude: 90, longitude: 0))
    #expect(pole.moved(eastM: 5, northM: 5) == pole)
  }
}
