import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Motion pipeline")
struct MotionPipelineTests {
  private let sensor = AccelerometerDescription(
    name: "lis3dh", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 8)

  /// A pipeline whose sensor has started at 0, and what it said.
  private func started(_ settings: MotionSettings = MotionSettings()) -> MotionPipeline {
    var pipeline = MotionPipeline(settings)
    #expect(pipeline.handle(.started(sensor), at: .start).isEmpty)
    return pipeline
  }

  /// Hands samples in as they come, in batches of 25.
  private func feed(_ pipeline: inout MotionPipeline, _ samples: [Sample]) -> [MotionOutput] {
    stride(from: 0, to: samples.count, by: 25).flatMap { start in
      let batch = Array(samples[start..<min(start + 25, samples.count)])
      return pipeline.handle(.samples(batch), at: batch[batch.count - 1].at + 0.002)
    }
  }

  @Test func aShakeAWindowAndTheFaceComeOutInTheOrderOfTime() throws {
    var pipeline = started()
    let outputs = feed(&pipeline, samples(lengthS: 10, shaken(from: 3, lengthS: 0.8)))
    #expect(orientations(outputs).map(\.face) == [.zUp])
    #expect(shakes(outputs).map(\.phase) == [.began, .ended])
    let window = try #require(windows(outputs).first)
    #expect(window.count == 1000 && window.clipped == 0 && window.missed == 0)
    #expect(warnings(outputs).isEmpty)
    #expect(pipeline.face == .zUp && !pipeline.isShaking)
    guard case .orientation = outputs.first, case .acceleration = outputs.last else {
      Issue.record("the face comes first, the window last")
      return
    }
  }

  @Test func aTurnDuringAShakeIsToldAfterIt() throws {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 3) { _ in flat })
    let shake = shaken(from: 3, lengthS: 1.6)
    let outputs = feed(
      &pipeline, samples(from: 3, lengthS: 4) { time in shake(time) - flat + (time < 3.2 ? flat : Vector(0, 1, 0)) })
    let end = try #require(shakes(outputs).last { $0.phase != .began })
    let turn = try #require(orientations(outputs).first)
    #expect(turn.face == .yUp && turn.previous == .zUp)
    #expect(turn.at - end.at >= 0.49)
  }

  // mqtt-io #158: the age of the last sample
  @Test func healthFollowsTheSensorFromStartToStall() {
    var pipeline = MotionPipeline()
    #expect(pipeline.health(at: .s(1)).state == .starting)
    #expect(pipeline.nextDeadline == nil)
    _ = pipeline.handle(.started(sensor), at: .s(1))
    #expect(pipeline.health(at: .s(1.5)).state == .starting)
    #expect(pipeline.health(at: .s(1.5)).ageS == nil)
    #expect(pipeline.nextDeadline == .s(2))
    let outputs = feed(&pipeline, samples(from: 1.1, lengthS: 0.5) { _ in flat })
    #expect(windows(outputs).isEmpty)
    var health = pipeline.health(at: .s(1.8))
    #expect(health.state == .running)
    #expect(((health.ageS ?? 0) - 0.21).magnitude < 1e-9)
    #expect(((health.rateHz ?? 0) - 100).magnitude < 1e-6)
    let deadline = pipeline.nextDeadline
    #expect(deadline == .s(1.592 + 1))
    #expect(pipeline.tick(at: .s(2.5)).isEmpty)
    let late = pipeline.tick(at: .s(2.6))
    #expect(warnings(late).map(\.isProblem) == [true])
    #expect(windows(late).map(\.closing) == [.silence])
    #expect(windows(late).map(\.count) == [50])
    health = pipeline.health(at: .s(3.6))
    #expect(health.state == .stalled && health.error == "no sample for 2.0 s" && health.gaps == 1)
    #expect(pipeline.nextDeadline == nil)
    #expect(pipeline.tick(at: .s(4)).isEmpty, "said once")
    let again = feed(&pipeline, samples(from: 5, lengthS: 0.2) { _ in flat })
    #expect(warnings(again).map(\.isProblem) == [false])
    health = pipeline.health(at: .s(5.2))
    #expect(health.state == .running && health.error == nil && health.gaps == 1)
  }

  @Test func aSlowSensorIsAllowedThreePeriods() {
    var pipeline = MotionPipeline()
    _ = pipeline.handle(
      .started(.init(name: "slow", source: .iio, rateHz: 0.5, capture: .polled(why: "no trigger"))), at: .start)
    #expect(pipeline.nextDeadline == .s(6))
    #expect(pipeline.health(at: .s(5)).polling == "no trigger")
    #expect(warnings(pipeline.tick(at: .s(6))) == [.stalled(ageS: 6)])
  }

  @Test func silenceCancelsAShake() {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 3.6, shaken(from: 3, lengthS: 2)))
    #expect(pipeline.isShaking)
    let outputs = pipeline.tick(at: .s(4.7))
    #expect(shakes(outputs).map(\.reason) == [.interrupted])
    #expect(!pipeline.isShaking)
  }

  @Test func silenceCancelsAShakeOfTheFixedPresetOnlyWhenItsGapIsOver() throws {
    var pipeline = started(MotionSettings(.fixed))
    let quake = samples(lengthS: 12) { flat + Vector($0 < 10 ? 0 : 0.02 * sin(2 * .pi * 3 * $0), 0, 0) }
    let outputs = feed(&pipeline, quake)
    #expect(shakes(outputs).map(\.phase) == [.began])
    #expect(shakes(pipeline.tick(at: .s(13.1))).isEmpty)
    let deadline = try #require(pipeline.nextDeadline)
    #expect(((deadline.seconds) - (11.992 + 2.5)).magnitude < 1e-9)
    #expect(shakes(pipeline.tick(at: deadline)).map(\.reason) == [.interrupted])
  }

  @Test func aGapAndAFailureAndAStopEachCancelWithTheirReason() {
    let motion = samples(lengthS: 3.6, shaken(from: 3, lengthS: 2))
    for (report, reason) in [
      (AccelerometerReport.gap, ShakeMessage.Reason.interrupted), (.failed(reason: "EIO"), .interrupted),
      (.started(sensor), .interrupted),
    ] {
      var pipeline = started()
      _ = feed(&pipeline, motion)
      #expect(shakes(pipeline.handle(report, at: .s(3.62))).map(\.reason) == [reason])
      #expect(!pipeline.isShaking)
    }
    var pipeline = started()
    _ = feed(&pipeline, motion)
    let outputs = pipeline.stop(at: .s(3.62))
    #expect(shakes(outputs).map(\.reason) == [.stopped])
    #expect(windows(outputs).map(\.closing) == [.stopped])
    #expect(pipeline.nextDeadline == nil)
    #expect(pipeline.stop(at: .s(4)).isEmpty)
  }

  @Test func aFailureIsSaidOncePerReason() {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 1) { _ in flat })
    let first = pipeline.handle(.failed(reason: "EIO"), at: .s(1.1))
    #expect(warnings(first) == [.failed(reason: "EIO")])
    #expect(windows(first).map(\.closing) == [.interrupted])
    #expect(pipeline.handle(.failed(reason: "EIO"), at: .s(2)).isEmpty)
    #expect(warnings(pipeline.handle(.failed(reason: "ENODEV"), at: .s(3))) == [.failed(reason: "ENODEV")])
    let health = pipeline.health(at: .s(3))
    #expect(health.state == .failed && health.error == "ENODEV" && health.gaps == 1)
    #expect(pipeline.tick(at: .s(100)).isEmpty)
    _ = pipeline.handle(.started(sensor), at: .s(101))
    #expect(pipeline.health(at: .s(101)).state == .starting)
  }

  @Test func gapsAreCountedOnceEachAndSaidAtEachDoubling() {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 1) { _ in flat })
    var said = 0
    for index in 0..<10 {
      said += warnings(pipeline.handle(.gap, at: .s(1.01 + Double(index)))).count
      _ = feed(&pipeline, samples(from: 1.5 + Double(index), lengthS: 0.5) { _ in flat })
    }
    #expect(said == 4)
    #expect(pipeline.health(at: .s(12)).gaps == 10)
  }

  @Test func badSamplesAreCountedByReasonAndTheOthersUsed() {
    var pipeline = started()
    let good = samples(lengthS: 9.99) { _ in flat }
    var outputs = feed(&pipeline, good)
    outputs += pipeline.handle(
      .samples([
        Sample(at: .s(9.975), g: Vector(9, 9, 9)), Sample(at: .s(9.99), g: Vector(.nan, 0, 0)),
        Sample(at: .s(5000), g: flat), Sample(at: .s(9.99), g: Vector(1e9, 0, 0)), Sample(at: .s(9.99), g: flat),
      ]), at: .s(10))
    #expect(Set(warnings(outputs).map(\.description)).count == 3)
    #expect(warnings(outputs).contains(.outOfOrder(1)))
    #expect(warnings(outputs).contains(.unusable(2)) && !warnings(outputs).contains(.unusable(3)))
    #expect(pipeline.health(at: .s(10)).dropped == 4)
    #expect(windows(outputs).map(\.count) == [1000])
    #expect(windows(outputs).first?.peakG == 0)
  }

  @Test func samplesOfWhichNoneCanBeUsedAreAStall() {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 1) { _ in flat })
    for index in 0..<20 {
      _ = pipeline.handle(.samples([Sample(at: .s(0.5), g: flat)]), at: .s(1 + 0.1 * Double(index)))
    }
    #expect(pipeline.nextDeadline == .s(1.992))
    #expect(warnings(pipeline.tick(at: .s(3))).count == 1)
    #expect(pipeline.health(at: .s(3)).state == .stalled)
  }

  @Test func theNoiseFloorOutlivesNewSettingsAndNotANewSensor() {
    var pipeline = started()
    var simulator = MotionSimulator(.parked, rateHz: 100, seed: 1)
    _ = feed(&pipeline, (0..<1200).map { _ in simulator.next() })
    let noiseMg = pipeline.health(at: .s(12)).noiseMg
    #expect((noiseMg ?? 0) > 4 && (noiseMg ?? 0) < 6)
    var settings = MotionSettings()
    settings.acceleration.windowS = 2
    _ = pipeline.reconfigure(settings, at: .s(12))
    #expect(pipeline.health(at: .s(12)).noiseMg == noiseMg)
    _ = pipeline.handle(.started(sensor), at: .s(12))
    #expect(pipeline.health(at: .s(12)).noiseMg == nil)
  }

  @Test func aRateBelowTheNeedOfThePresetIsSaidOncePerChange() throws {
    var pipeline = started()
    var outputs = feed(&pipeline, samples(rateHz: 10, lengthS: 20) { _ in flat })
    let said = try #require(warnings(outputs).first)
    #expect(warnings(outputs).count == 1)
    #expect(said.description.hasPrefix("10.0 samples/s are fewer than the 20.0 that the preset handheld needs"))
    outputs = feed(&pipeline, samples(rateHz: 50, from: 20, lengthS: 20) { _ in flat })
    #expect(warnings(outputs).map(\.isProblem) == [false])
  }

  @Test func clippingIsNotClaimedWhereTheScaleIsUnknown() {
    var pipeline = MotionPipeline()
    _ = pipeline.handle(.started(.init(name: "x", source: .iio, rateHz: 100, capture: .buffered)), at: .start)
    #expect(windows(feed(&pipeline, samples(lengthS: 10) { _ in flat })).map(\.clipped) == [nil])
  }

  @Test func newSettingsKeepTheNumberingTheFaceAndTheSensor() {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 3.6, shaken(from: 3, lengthS: 2)))
    var settings = MotionSettings()
    #expect(pipeline.reconfigure(settings, at: .s(3.6)).isEmpty, "nothing changed")
    settings.acceleration.windowS = 2
    let outputs = pipeline.reconfigure(settings, at: .s(3.6))
    #expect(shakes(outputs).map(\.reason) == [.interrupted])
    #expect(windows(outputs).map(\.count) == [360])
    #expect(pipeline.face == .zUp)
    #expect(pipeline.health(at: .s(3.6)).state == .running)
    let later = feed(&pipeline, samples(from: 3.61, lengthS: 6, shaken(from: 7, lengthS: 0.8)))
    #expect(shakes(later).map(\.id) == [2, 2])
    #expect(orientations(later).isEmpty)
    #expect(windows(later).first?.count == 200)
    #expect(windows(later).first?.clipped == 0)
  }

  @Test func anyOrderOfReportsKeepsPhasesPairedAndCountsEverySample() {
    for seed in UInt64(0)..<30 {
      var random = Lottery(seed: seed)
      var settings = MotionSettings()
      settings.acceleration.windowS = random.pick([0.001, 0.5, 10])
      var pipeline = MotionPipeline(settings)
      var simulator = MotionSimulator(.shaken, rateHz: 50, seed: seed)
      var now = Instant.start
      var fed = 0
      var outputs: [MotionOutput] = []
      for _ in 0..<1500 {
        switch random.next() % 40 {
        case 0: outputs += pipeline.handle(.gap, at: now)
        case 1: outputs += pipeline.handle(.failed(reason: random.pick(["EIO", "ENODEV"])), at: now)
        case 2: outputs += pipeline.handle(.started(sensor), at: now)
        case 3:
          outputs += pipeline.handle(.samples([Sample(at: random.pick([.s(.nan), .s(-1), now]), g: flat)]), at: now)
          fed += 1
        case 4: outputs += pipeline.tick(at: now + random.pick([0, 1, 10]))
        case 5: outputs += pipeline.handle(.samples([]), at: now)
        case 6: outputs += pipeline.handle(random.pick([.idle, .woken(at: now)]), at: now)
        case 7: outputs += pipeline.handle(.faults(AccelerometerFaults(retried: 1)), at: now)
        default:
          let batch = (0..<5).map { _ in simulator.next() }
          now = max(now, batch[4].at)
          outputs += pipeline.handle(.samples(batch), at: now)
          fed += batch.count
        }
      }
      outputs += pipeline.stop(at: now)
      let health = pipeline.health(at: now)
      #expect(windows(outputs).reduce(0) { $0 + $1.count } + health.dropped == fed, "seed \(seed)")
      var open: Int?
      for event in shakes(outputs) {
        #expect(event.phase == .began ? open == nil : open == event.id)
        open = event.phase == .began ? event.id : nil
      }
      #expect(open == nil)
    }
  }
}
