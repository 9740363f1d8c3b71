import Testing

@testable import NodeLogic

@Suite("Travel") struct TravelTests {
  private func anchor(north: Double = 0, at seconds: Double = 0) -> RestAnchor {
    RestAnchor(FixMaker.fix(at: seconds, north: north))
  }

  @Test func addsChordsLongerThanTheNoise() {
    var travel = Travel()
    travel.setOff(from: anchor(), isNewTrip: false)
    for metres in [10.0, 20, 24] { travel.move(to: FixMaker.fix(at: metres, north: metres)) }
    #expect(travel.odometer.totalM == 0)
    travel.move(to: FixMaker.fix(at: 30, north: 30))
    #expect(abs(travel.odometer.totalM - 30) < 0.01)
    // With an accuracy of 40 m each, 60 m are none.
    travel.move(to: FixMaker.fix(at: 40, north: 90, accuracyM: 40))
    #expect(abs(travel.odometer.totalM - 30) < 0.01)
    travel.move(to: FixMaker.fix(at: 50, north: 95, accuracyM: 40))
    #expect(abs(travel.odometer.totalM - 95) < 0.01)
  }

  @Test func aGapCountsAsTheStraightLine() {
    var travel = Travel()
    travel.setOff(from: anchor(), isNewTrip: false)
    travel.move(to: FixMaker.fix(at: 2_000, north: 30_000))
    #expect(abs(travel.odometer.totalM - 30_000) < 50)
  }

  @Test func theRestOfAChordCountsWhenTheNodeStands() {
    var travel = Travel()
    travel.setOff(from: anchor(), isNewTrip: false)
    travel.move(to: FixMaker.fix(at: 10, north: 30))
    travel.stop(at: anchor(north: 42))
    #expect(abs(travel.odometer.totalM - 42) < 0.01)
    travel.stop(at: anchor(north: 90))
    #expect(abs(travel.odometer.totalM - 42) < 0.01, "it stood")
  }

  @Test func aJumpIsNoWay() {
    var travel = Travel()
    travel.setOff(from: anchor(), isNewTrip: false)
    travel.jump()
    travel.move(to: FixMaker.fix(at: 10, north: 30_000))
    travel.move(to: FixMaker.fix(at: 11, north: 30_040))
    #expect(abs(travel.odometer.totalM - 40) < 0.5)
  }

  @Test func aNewTripBeginsAtZeroAndTheOdometerGoesOn() {
    var travel = Travel(Odometer(totalM: 1_000, tripM: 200))
    travel.setOff(from: anchor(), isNewTrip: false)
    travel.move(to: FixMaker.fix(at: 10, north: 50))
    #expect(abs(travel.odometer.tripM - 250) < 0.01)
    travel.setOff(from: anchor(), isNewTrip: true)
    travel.move(to: FixMaker.fix(at: 20, north: 60))
    #expect(abs(travel.odometer.tripM - 60) < 0.01)
    #expect(abs(travel.odometer.totalM - 1_110) < 0.01)
  }
}
