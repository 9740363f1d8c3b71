import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Gravity filter and high pass")
struct GravityFilterTests {
  @Test func theFirstSampleIsGravitySoThatNothingStepsAtTheStart() {
    var filter = HighPass(highPassHz: 0.7, lowPassHz: 15)
    for _ in 0..<100 {
      #expect(filter.feed(Vector(0.3, -0.4, 0.8), after: 0.01).length < 1e-12)
    }
    #expect(filter.gravity == Vector(0.3, -0.4, 0.8))
  }

  @Test func aStepIsFollowedByTheShareThatTheTimeConstantSays() {
    var filter = GravityFilter(cornerHz: 0.5)
    filter.feed(.zero, after: 0)
    // One time constant, 1 / (2 pi 0.5 Hz), in even and in uneven steps.
    let tau = 1 / (2 * Double.pi * 0.5)
    for _ in 0..<50 { filter.feed(flat, after: tau / 50) }
    #expect(((filter.gravity?.z ?? 0) - (1 - exp(-1))).magnitude < 1e-9)
    filter.reset()
    filter.feed(.zero, after: 0)
    for part in [0.5, 0.3, 0.15, 0.05] { filter.feed(flat, after: tau * part) }
    #expect(((filter.gravity?.z ?? 0) - (1 - exp(-1))).magnitude < 1e-9)
  }

  @Test func anUnchangedStepGivesTheSameAsAComputedOne() {
    var cached = GravityFilter(cornerHz: 0.7)
    cached.feed(.zero, after: 0)
    for _ in 0..<10 { cached.feed(flat, after: 0.02) }
    var expected = 0.0
    for _ in 0..<10 { expected += (1 - exp(-2 * .pi * 0.7 * 0.02)) * (1 - expected) }
    #expect(((cached.gravity?.z ?? 0) - expected).magnitude < 1e-14)
  }

  @Test(arguments: [50.0, 100, 400, 1000])
  func halfThePowerPassesAtTheCornerAtEveryRate(rateHz: Double) {
    var filter = HighPass(highPassHz: 0.05, lowPassHz: 4)
    var largest = 0.0
    for sample in samples(rateHz: rateHz, lengthS: 20, { Vector(sin(2 * .pi * 4 * $0), 0, 1) }) {
      let linear = filter.feed(sample.g, after: 1 / rateHz)
      if sample.at.seconds > 15 { largest = max(largest, linear.x) }
    }
    // 1/sqrt 2 for the continuous filter; sampling at 50 Hz takes a few per cent more.
    #expect((largest - 0.5.squareRoot()).magnitude < (rateHz < 100 ? 0.12 : 0.06))
  }
}
