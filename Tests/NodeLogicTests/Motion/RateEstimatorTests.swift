import NodeLogic
import Testing

@Suite("Rate estimator")
struct RateEstimatorTests {
  // klipper #3027, ArduPilot #6156
  @Test(arguments: [1.0, 12.3, 31.25, 97.4, 1600])
  func theRateIsMeasuredFromTheTimestamps(rateHz: Double) throws {
    var estimator = RateEstimator()
    for index in 0..<200 { #expect(estimator.feed(Double(index) / rateHz) == 0) }
    #expect((try #require(estimator.rateHz) / rateHz - 1).magnitude < 1e-6)
    #expect(estimator.gaps == 0)
  }

  @Test func aBurstAtTheStartIsNoRateAndMakesNothingMissing() {
    var rate = RateEstimator()
    // What was held up before the start arrives at once, and then a sample a millisecond.
    let times = (0..<6).map { Double($0) * 0.0002 } + (1...60).map { 0.001 + Double($0) * 0.001 }
    var missed = 0
    for time in times { missed += rate.feed(time) }
    #expect(missed == 0)
    #expect(((rate.rateHz ?? 0) - 1000).magnitude < 1)
  }

  @Test func nothingIsSaidBeforeFourSpacings() {
    var estimator = RateEstimator()
    for index in 0..<4 {
      _ = estimator.feed(Double(index) * 0.01)
      #expect(estimator.rateHz == nil)
    }
    _ = estimator.feed(0.04)
    #expect(estimator.rateHz != nil)
  }

  @Test func jitterAndRoundedTimestampsDoNotMoveIt() throws {
    var random = Lottery(seed: 3)
    var estimator = RateEstimator()
    for index in 0..<1000 {
      let time = Double(index) / 48.5 + Double.random(in: -0.004...0.004, using: &random)
      _ = estimator.feed((time * 10_000).rounded() / 10_000)
    }
    #expect((try #require(estimator.rateHz) - 48.5).magnitude < 0.5)
  }

  @Test func missingSamplesAndGapsAreCounted() {
    var estimator = RateEstimator()
    var time = 0.0
    for _ in 0..<20 {
      _ = estimator.feed(time)
      time += 0.02
    }
    #expect(estimator.feed(time + 0.02) == 1)
    #expect(estimator.gaps == 0, "two missing samples interrupt nothing")
    #expect(estimator.feed(time + 1.02) == 49)
    #expect(estimator.gaps == 1)
    #expect(estimator.feed(1e300) == 1_000_000_000)
  }

  @Test(arguments: [2, 5, 40])
  func samplesThatAreHeldUpAndThenComeAtOnceAreNotMissing(held: Int) throws {
    var estimator = RateEstimator()
    var missed = 0
    for index in 0..<2300 {
      let phase = index % 330
      let lateness = index > 100 && phase < held ? Double(held - phase) * 0.00098 : 0
      missed += estimator.feed(Double(index) * 0.001 + lateness)
    }
    #expect(missed == 0)
    #expect((try #require(estimator.rateHz) - 1000).magnitude < 1)
  }

  @Test func lostSamplesStayLostWhateverJitterFollows() {
    var random = Lottery(seed: 5)
    var estimator = RateEstimator()
    var missed = 0
    for index in 0..<3000 where index < 1000 || index % 500 > 6 {
      missed += estimator.feed(Double(index) * 0.01 + Double.random(in: -0.002...0.002, using: &random))
    }
    #expect(missed == 4 * 7)
  }

  @Test func aGapThatTheDriverToldIsNotCountedTwice() {
    var estimator = RateEstimator()
    for index in 0..<20 { _ = estimator.feed(Double(index) * 0.02) }
    estimator.noteGap()
    _ = estimator.feed(2)
    #expect(estimator.gaps == 1)
    _ = estimator.feed(4)
    #expect(estimator.gaps == 2)
  }

  @Test func anotherRateIsTakenAtOnce() throws {
    var estimator = RateEstimator()
    for index in 0..<500 { _ = estimator.feed(Double(index) * 0.01) }
    for index in 0..<40 { _ = estimator.feed(5 + Double(index) * 0.04) }
    #expect((try #require(estimator.rateHz) - 25).magnitude < 0.01)
  }
}
