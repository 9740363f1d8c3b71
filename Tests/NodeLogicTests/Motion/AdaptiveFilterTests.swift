import Telemetry
import Testing

@testable import NodeLogic

@Suite struct AdaptiveFilterTests {
  /// The share of a step along x that is followed after `timeS`, when the length changes by `byG`.
  private func followed(_ byG: Double, timeS: Double, steps: Int = 200) -> Double {
    var filter = AdaptiveFilter(cornerHz: 0.7)
    filter.feed(Vector(1, 0, 0), after: 0)
    for _ in 0..<steps { filter.feed(Vector(1 + byG, 0, 0), after: timeS / Double(steps)) }
    return ((filter.value?.x ?? 0) - 1) / byG
  }

  @Test func theFirstSampleIsTheFirstAnswer() {
    var filter = AdaptiveFilter(cornerHz: 0.7)
    #expect(filter.feed(Vector(0.3, -0.4, 0.8), after: 0) == Vector(0.3, -0.4, 0.8))
    #expect(filter.feed(Vector(0.3, -0.4, 0.8), after: 0.01) == Vector(0.3, -0.4, 0.8))
  }

  @Test func littleMovementIsFollowedWithAThirdOfTheCornerAndMuchWithAllOfIt() {
    let tau = 1 / (2 * Double.pi * 0.7)
    // One time constant of the corner, 2 pi included: 1 - 1/e when open, 1 - exp(-1/3) when closed.
    #expect((followed(0.02, timeS: tau) - (1 - exp(-1.0 / 3))).magnitude < 1e-9)
    #expect((followed(1000, timeS: tau) - (1 - exp(-1))).magnitude < 1e-3)
    let half = followed(0.03, timeS: 0.001, steps: 1)
    let (closed, open) = (1 - exp(-0.001 / 3 / tau), 1 - exp(-0.001 / tau))
    #expect((half - (closed + open) / 2).magnitude < 1e-9, "half open at one and a half steps of 0.02 g")
  }

  @Test func evenAndUnevenStepsComeToTheSame() {
    var filter = AdaptiveFilter(cornerHz: 0.7)
    filter.feed(Vector(1, 0, 0), after: 0)
    for part in [0.5, 0.3, 0.15, 0.05] { filter.feed(Vector(1.01, 0, 0), after: part) }
    #expect((((filter.value?.x ?? 0) - 1) / 0.01 - followed(0.01, timeS: 1)).magnitude < 1e-9)
  }

  @Test func itIsQuieterThanGravityAtRestAndQuickerThanItsOwnThird() throws {
    var random = Lottery(seed: 5)
    var means: [AccelerationMessage.Filter: [Double]] = [:]
    let noise = samples(rateHz: 100, lengthS: 20) { _ in
      flat + Vector(Double.random(in: -0.01...0.01, using: &random), 0, 0)
    }
    for word in [AccelerationMessage.Filter.gravity, .adaptive] {
      var settings = AccelerationSettings()
      settings.filter = word
      settings.windowS = 0.01
      settings.restWindowS = 0
      var builder = WindowBuilder(settings)
      means[word] = noise.flatMap { builder.feed($0, periodS: 0.01) }.map(\.meanG.x)
    }
    let loudness = means.mapValues { $0.suffix(1500).reduce(0) { $0 + $1 * $1 } }
    #expect(try #require(loudness[.adaptive]) < 0.5 * (try #require(loudness[.gravity])))
  }
}
