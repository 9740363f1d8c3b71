import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Near misses")
struct ShakeNearMissTests {
  private typealias NearMisses = HealthMessage.Accelerometer.NearMisses

  private func detector(_ samples: [Sample], _ settings: ShakeSettings = ShakeSettings()) -> ShakeDetector {
    var detector = ShakeDetector(settings)
    for sample in samples { _ = detector.feed(sample) }
    return detector
  }

  @Test func toAndFroTooWeaklyIsWeak() throws {
    // A sine of 0.8 g has an RMS of 0.57 g, and crosses the 0.56 g that count as a swing.
    let misses = detector(samples(lengthS: 8, shaken(from: 3, lengthS: 1, peakG: 0.8))).nearMisses
    #expect(misses.weak == 1)
    #expect(misses.fewReversals == 0)
    let strongest = try #require(misses.strongestG)
    #expect(strongest > 0.5 && strongest < 0.7, "\(strongest) g")
  }

  @Test func aJoltHasTooFewReversals() throws {
    let misses = detector(samples(lengthS: 8, shaken(from: 3, lengthS: 0.25, peakG: 3, swingHz: 4))).nearMisses
    #expect(misses.weak == 0)
    #expect(misses.fewReversals == 1)
    #expect(try #require(misses.strongestG) > 0.7)
  }

  @Test func theStrongestIsThatOfAllNearMisses() throws {
    let motion = samples(lengthS: 16) { time in
      time < 8 ? shaken(from: 3, lengthS: 1, peakG: 0.85)(time) : shaken(from: 10, lengthS: 1, peakG: 0.8)(time)
    }
    let both = detector(motion).nearMisses
    let first = detector(Array(motion.prefix(800))).nearMisses
    #expect(both.weak == 2 && first.weak == 1)
    #expect(both.strongestG == first.strongestG)
  }

  @Test func aShakeAndStillnessAreNone() {
    for motion in [shaken(from: 3, lengthS: 0.8), shaken(from: 3, lengthS: 4), { _ in flat }] {
      #expect(
        detector(samples(lengthS: 10, motion)).nearMisses == NearMisses(weak: 0, fewReversals: 0, strongestG: nil))
    }
  }

  @Test func theThresholdThatTheyShowFindsThem() throws {
    let motion = samples(lengthS: 8, shaken(from: 3, lengthS: 1, peakG: 0.8))
    var settings = ShakeSettings()
    settings.onG = 0.9 * (try #require(detector(motion).nearMisses.strongestG))
    #expect(shakeEvents(motion, settings).map(\.phase) == [.began, .ended])
  }

  @Test func theyAreInHealthAndOutliveNewSettings() {
    var pipeline = MotionPipeline()
    for sample in samples(lengthS: 8, shaken(from: 3, lengthS: 1, peakG: 0.8)) {
      _ = pipeline.handle(.samples([sample]), at: sample.at)
    }
    #expect(pipeline.health(at: .s(8)).nearMisses?.weak == 1)
    var settings = MotionSettings()
    settings.shake.onG = 0.5
    _ = pipeline.reconfigure(settings, at: .s(8))
    #expect(pipeline.health(at: .s(8)).nearMisses?.weak == 1)
  }
}
