import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Shake gate")
struct ShakeGateTests {
  /// A pipeline that took these samples one by one, and what it said.
  private func run(_ samples: [Sample], _ preset: ShakePreset = .handheld) -> (MotionPipeline, [MotionOutput]) {
    var pipeline = MotionPipeline(MotionSettings(preset))
    var outputs = pipeline.handle(
      .started(.init(name: "sensor", source: .iio, rateHz: 20, capture: .generated)), at: .start)
    for sample in samples { outputs += pipeline.handle(.samples([sample]), at: sample.at) }
    return (pipeline, outputs)
  }

  @Test(arguments: [(10.0, true), (18.5, true), (19.3, false), (20, false), (25, false)])
  func aHandsShakeIsLookedForFromTwentyHertz(rateHz: Double, isRefused: Bool) throws {
    let motion = samples(rateHz: rateHz, lengthS: 8, shaken(from: 4, lengthS: 0.9, swingHz: 3))
    let (pipeline, outputs) = run(motion)
    let health = pipeline.health(at: .s(8))
    if isRefused {
      #expect(shakes(outputs).isEmpty)
      #expect(health.error?.contains("20.0 that the preset handheld needs; no shakes are looked for") == true)
      #expect(health.state == .running)
      #expect(health.nearMisses == nil, "nothing is looked for, so nothing is nearly found")
      #expect(warnings(outputs).map(\.description) == [health.error])
    } else {
      #expect(shakes(outputs).map(\.phase) == [.began, .ended])
      #expect(health.error == nil)
      #expect(warnings(outputs).isEmpty)
    }
  }

  @Test func aShakeIsInterruptedWhereTheRateFalls() throws {
    let motion = shaken(from: 3, lengthS: 6, swingHz: 3)
    let fast = samples(rateHz: 100, lengthS: 3.6, motion)
    let slow = samples(rateHz: 8, from: 3.7, lengthS: 4, motion)
    var settings = MotionSettings(.handheld)
    settings.shake.maxS = 100
    var pipeline = MotionPipeline(settings)
    var outputs: [MotionOutput] = []
    for sample in fast + slow { outputs += pipeline.handle(.samples([sample]), at: sample.at) }
    let phases = shakes(outputs)
    #expect(phases.map(\.phase) == [.began, .cancelled])
    #expect(phases.last?.reason == .interrupted)
    #expect(!pipeline.isShaking)
  }

  @Test func aRateThatRisesAgainLooksForShakesAgain() {
    let slow = samples(rateHz: 10, lengthS: 5) { _ in flat }
    let fast = samples(rateHz: 50, from: 5, lengthS: 8, shaken(from: 9, lengthS: 0.8))
    let (pipeline, outputs) = run(slow + fast)
    #expect(shakes(outputs).map(\.phase) == [.began, .ended])
    #expect(warnings(outputs).count == 2)
    #expect(pipeline.health(at: .s(13)).error == nil)
    #expect(pipeline.health(at: .s(13)).nearMisses != nil)
  }

  @Test func somethingBoltedDownIsWatchedAtAnyRateWithAWarning() {
    let motion = samples(rateHz: 12, lengthS: 60) { time in
      flat + Vector(time > 40 && time < 45 ? 0.05 * sin(2 * .pi * 1.5 * time) : 0, 0, 0)
    }
    let (pipeline, outputs) = run(motion, .fixed)
    #expect(shakes(outputs).map(\.phase) == [.began, .ended])
    #expect(warnings(outputs).map(\.description).first?.contains("shakes may be found late, or missed") == true)
    #expect(pipeline.health(at: .s(60)).error == nil)
  }

  @Test func aGateDoesNotFlapAtItsEdge() {
    var gate = ShakeGate(.handheld)
    var rate = RateEstimator()
    var random = Lottery(seed: 5)
    var changes = 0
    for index in 0..<4000 {
      _ = rate.feed((Double(index) + Double.random(in: -0.25...0.25, using: &random)) / 19.0)
      if gate.judge(rate) != nil { changes += 1 }
    }
    #expect(changes <= 3)
  }
}
