import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Arming")
struct ArmingTests {
  private let sensor = AccelerometerDescription(
    name: "adxl345", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 16)

  private func started(_ settings: MotionSettings = MotionSettings()) -> MotionPipeline {
    var pipeline = MotionPipeline(settings)
    #expect(pipeline.handle(.started(sensor), at: .start).isEmpty)
    return pipeline
  }

  private func feed(_ pipeline: inout MotionPipeline, _ samples: [Sample]) -> [MotionOutput] {
    samples.flatMap { pipeline.handle(.samples([$0]), at: $0.at) }
  }

  private func waveforms(_ outputs: [MotionOutput]) -> [WaveformChunk] {
    outputs.compactMap { if case .waveform(let chunk) = $0 { chunk } else { nil } }
  }

  /// Rest, a fall from 3 s to 3.4 s, a landing on another side, rest, and a shake at 6 s.
  private func everything(from startS: Double, lengthS: Double) -> [Sample] {
    var random = Lottery(seed: 2)
    let landing = halfSine(peakG: 30, lengthS: 0.03, from: startS + 3.4)
    let shake = shaken(from: startS + 6, lengthS: 0.8)
    return samples(from: startS, lengthS: lengthS) { time in
      let since = time - startS
      if since < 3 { return flat }
      if since < 3.4 { return Vector(0.02, 0, 0.001 * Double(random.next() % 8)) }
      return Vector(0, 1 + landing(time), 0) + shake(time) - flat
    }
  }

  @Test func everythingIsPublishedWhileArmed() {
    var pipeline = started()
    let outputs = feed(&pipeline, everything(from: 0, lengthS: 12))
    #expect(pipeline.isArmed)
    #expect(impacts(outputs).count == 1 && freeFalls(outputs).count == 1)
    #expect(orientations(outputs).map(\.face) == [.zUp, .yUp])
    #expect(shakes(outputs).map(\.phase) == [.began, .ended])
    #expect(windows(outputs).count == 1)
  }

  @Test func nothingMeasuredIsPublishedWhileDisarmed() {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 2) { _ in flat })
    let last = pipeline.disarm(at: .s(2))
    #expect(windows(last).map(\.closing) == [.stopped] && windows(last).map(\.count) == [200] && last.count == 1)
    #expect(!pipeline.isArmed && pipeline.disarm(at: .s(2)).isEmpty)
    #expect(feed(&pipeline, everything(from: 2, lengthS: 400)).isEmpty)
    #expect(pipeline.stop(at: .s(403)).isEmpty)
  }

  @Test func anActiveShakeIsCancelledAsStoppedAtThatMoment() {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 3.6, shaken(from: 3, lengthS: 2)))
    #expect(pipeline.isShaking)
    let event = shakes(pipeline.disarm(at: .s(3.6)))
    #expect(event.map(\.phase) == [.cancelled] && event.map(\.reason) == [.stopped] && event.map(\.at) == [.s(3.6)])
    #expect(!pipeline.isShaking)
  }

  @Test func anImpactThatIsOverIsStillTold() {
    var pipeline = started()
    let blow = halfSine(peakG: 20, lengthS: 0.03, from: 2)
    _ = feed(&pipeline, samples(lengthS: 2.1) { flat + Vector(blow($0), 0, 0) })
    #expect(impacts(pipeline.disarm(at: .s(2.1))).map(\.id) == [1])
  }

  @Test func theSensorIsStillWatched() {
    var pipeline = started()
    _ = pipeline.disarm(at: .s(0))
    #expect(pipeline.health(at: .s(0.5)).state == .disarmed)
    _ = feed(&pipeline, samples(lengthS: 2) { _ in flat })
    var health = pipeline.health(at: .s(2))
    #expect(health.state == .disarmed && ((health.rateHz ?? 0) - 100).magnitude < 0.01 && (health.ageS ?? 1) < 0.02)
    #expect(pipeline.nextDeadline == .s(2.99))
    let late = pipeline.tick(at: .s(3))
    #expect(warnings(late).count == 1 && late.count == 1)
    #expect(pipeline.health(at: .s(3)).state == .stalled)
    #expect(warnings(feed(&pipeline, samples(from: 4, lengthS: 1) { _ in flat })).map(\.isProblem) == [false])
    #expect(warnings(pipeline.handle(.failed(reason: "EIO"), at: .s(5))) == [.failed(reason: "EIO")])
    #expect(pipeline.health(at: .s(5)).state == .failed)
    // The third gap is not worth a line, the fourth is.
    #expect(pipeline.handle(.gap, at: .s(5.1)).isEmpty)
    #expect(pipeline.handle(.gap, at: .s(5.2)) == [.warning(.gaps(4))])
    let slow = feed(&pipeline, samples(rateHz: 10, from: 6, lengthS: 20) { _ in flat })
    #expect(warnings(slow).contains { if case .tooSlow = $0 { true } else { false } })
    health = pipeline.health(at: .s(26))
    #expect(health.state == .disarmed && health.gaps >= 2)
  }

  @Test func neitherSettingsNorTheSensorArmIt() {
    var pipeline = started()
    _ = pipeline.disarm(at: .s(0))
    var settings = MotionSettings()
    settings.acceleration.windowS = 1
    #expect(pipeline.reconfigure(settings, at: .s(1)).isEmpty)
    #expect(!pipeline.isArmed)
    _ = pipeline.handle(.failed(reason: "ENODEV"), at: .s(2))
    #expect(pipeline.handle(.started(sensor), at: .s(3)).isEmpty)
    #expect(!pipeline.isArmed)
    #expect(windows(feed(&pipeline, everything(from: 4, lengthS: 12))).isEmpty)
  }

  @Test func armingStartsCleanly() throws {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 2) { _ in flat })
    _ = pipeline.disarm(at: .s(2))
    // Meanwhile it was turned; filters that had stopped would see a step of 1.4 g.
    _ = feed(&pipeline, samples(from: 2, lengthS: 3) { _ in Vector(1, 0, 0) })
    #expect(pipeline.arm(at: .s(5)).isEmpty && pipeline.isArmed && pipeline.arm(at: .s(5)).isEmpty)
    var settings = MotionSettings()
    settings.impact.thresholdG = 0.5
    settings.acceleration.restWindowS = settings.acceleration.windowS
    #expect(pipeline.reconfigure(settings, at: .s(5)).isEmpty)
    let outputs = feed(&pipeline, samples(from: 5, lengthS: 10) { _ in Vector(1, 0, 0) })
    #expect(shakes(outputs).isEmpty && impacts(outputs).isEmpty && freeFalls(outputs).isEmpty)
    #expect(orientations(outputs).map(\.face) == [.xUp] && orientations(outputs).map(\.previous) == [.zUp])
    let window = try #require(windows(outputs).first)
    #expect(window.start == .s(5) && window.count == 1000 && window.missed == 0)
    #expect((window.peakG ?? 1) < 1e-9)
  }

  @Test func liveSamplesPauseAndTheirLeaseRunsOn() {
    var pipeline = started()
    _ = feed(&pipeline, samples(lengthS: 2) { _ in flat })
    _ = pipeline.live(until: .s(20), at: .s(2))
    _ = feed(&pipeline, samples(from: 2, lengthS: 1.5) { _ in flat })
    _ = pipeline.disarm(at: .s(3.5))
    #expect(pipeline.isLive)
    #expect(feed(&pipeline, samples(from: 3.5, lengthS: 6) { _ in flat }).isEmpty)
    _ = pipeline.arm(at: .s(9.5))
    #expect(windows(feed(&pipeline, samples(from: 9.5, lengthS: 5) { _ in flat })).contains { $0.closing == .live })
    _ = pipeline.disarm(at: .s(14.5))
    #expect(pipeline.tick(at: .s(20)).allSatisfy { if case .warning = $0 { true } else { false } })
    #expect(!pipeline.isLive)
  }

  @Test func aWaveformEndsWithItsShakeAndHasNothingOfTheTimeBetween() throws {
    var settings = MotionSettings()
    settings.waveform = WaveformSettings()
    var pipeline = started(settings)
    _ = feed(&pipeline, samples(lengthS: 3.6, shaken(from: 3, lengthS: 2)))
    #expect(waveforms(pipeline.disarm(at: .s(3.6))).map(\.isLast) == [true])
    #expect(feed(&pipeline, samples(from: 3.6, lengthS: 2) { _ in flat }).isEmpty)
    _ = pipeline.arm(at: .s(5.6))
    let outputs = feed(&pipeline, samples(from: 5.6, lengthS: 4, shaken(from: 6.4, lengthS: 0.8)))
    #expect(try #require(waveforms(outputs).first).start >= .s(5.6))
  }

  @Test func whateverHappensNothingIsPublishedWhileDisarmedAndNumbersRise() {
    for seed in UInt64(0)..<12 {
      var random = Lottery(seed: seed)
      var pipeline = MotionPipeline()
      var simulator = MotionSimulator(random.pick([.dropped, .shaken]), rateHz: 100, seed: seed)
      var now = Instant.start
      var hits: [Int] = []
      var open: Int?
      for _ in 0..<600 {
        var outputs: [MotionOutput] = []
        let wasArmed = pipeline.isArmed
        switch random.next() % 60 {
        case 0, 1: outputs = pipeline.disarm(at: now)
        case 2, 3, 4: outputs = pipeline.arm(at: now)
        case 5: outputs = pipeline.handle(.gap, at: now)
        case 6: outputs = pipeline.handle(.failed(reason: "EIO"), at: now)
        case 7: outputs = pipeline.handle(.started(sensor), at: now)
        case 8: outputs = pipeline.tick(at: now + random.pick([0, 2]))
        case 9: outputs = pipeline.stop(at: now)
        default:
          let batch = (0..<25).map { _ in simulator.next() }
          now = max(now, batch[24].at)
          outputs = pipeline.handle(.samples(batch), at: now)
        }
        if !wasArmed { #expect(outputs.count == warnings(outputs).count, "seed \(seed)") }
        hits += impacts(outputs).map(\.id)
        for event in shakes(outputs) {
          #expect(event.phase == .began ? open == nil : open == event.id)
          open = event.phase == .began ? event.id : nil
        }
        if !pipeline.isArmed { #expect(open == nil && !pipeline.isShaking) }
      }
      #expect(zip(hits, hits.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  @Test func aQuickDisarmAndArmLeavesNoTrace() {
    var pipeline = started()
    var plain = started()
    _ = feed(&pipeline, samples(lengthS: 2) { _ in flat })
    _ = feed(&plain, samples(lengthS: 2) { _ in flat })
    _ = pipeline.disarm(at: .s(2))
    _ = pipeline.arm(at: .s(2))
    let later = samples(from: 2, lengthS: 10, shaken(from: 5, lengthS: 0.8))
    #expect(shakes(feed(&pipeline, later)).map(\.phase) == shakes(feed(&plain, later)).map(\.phase))
  }
}

@Suite("Impacts and falls in the pipeline")
struct ShockPipelineTests {
  private func run(_ samples: [Sample], _ settings: MotionSettings = MotionSettings()) -> [MotionOutput] {
    var pipeline = MotionPipeline(settings)
    return samples.flatMap { pipeline.handle(.samples([$0]), at: $0.at) }
  }

  private var dropped: [Sample] {
    var simulator = MotionSimulator(.dropped, rateHz: 100, seed: 4)
    return (0..<1500).map { _ in simulator.next() }
  }

  @Test func aLandingTellsTheFallBefore() throws {
    let outputs = run(dropped)
    let fall = try #require(freeFalls(outputs).first)
    let hit = try #require(impacts(outputs).first)
    #expect(hit.fallS == fall.durationS)
    #expect(fall.at < hit.at)
  }

  @Test func eachCanBeTurnedOff() {
    var settings = MotionSettings()
    settings.freeFall.isEnabled = false
    #expect(freeFalls(run(dropped, settings)).isEmpty && impacts(run(dropped, settings)).map(\.fallS) == [nil])
    settings.impact.isEnabled = false
    settings.freeFall.isEnabled = true
    #expect(impacts(run(dropped, settings)).isEmpty && freeFalls(run(dropped, settings)).count == 1)
  }

  @Test func aRangeBelowTheThresholdIsSaid() {
    var pipeline = MotionPipeline()
    let narrow = AccelerometerDescription(
      name: "lis3dh", source: .iio, rateHz: 100, capture: .buffered, fullScaleG: 2)
    let said = warnings(pipeline.handle(.started(narrow), at: .start))
    #expect(said == [.narrowRange(fullScaleG: 2, thresholdG: 5)])
    #expect(said.first?.isProblem == true)
    #expect(said.first?.description.hasPrefix("its range of 2.0 g ends below the 5.0 g that open an impact") == true)
    var settings = MotionSettings()
    settings.impact.thresholdG = 1.5
    #expect(pipeline.reconfigure(settings, at: .s(1)).isEmpty)
    settings.impact.isEnabled = false
    settings.impact.thresholdG = 9
    #expect(pipeline.reconfigure(settings, at: .s(2)).isEmpty)
  }

  @Test func tooManyImpactsAreSaidAtEachDoubling() {
    let rattling = samples(rateHz: 400, lengthS: 20) { time in
      flat + Vector(0, 0, halfSine(peakG: 20, lengthS: 0.01, from: 0.25)(time.truncatingRemainder(dividingBy: 0.5)))
    }
    let said = warnings(run(rattling)).compactMap {
      if case .impactsHeldBack(let count, 6) = $0 { count } else { nil }
    }
    #expect(said == [1, 2, 4, 8, 16, 32])
  }

  @Test func aViolentShakeIsAShakeAndItsSwingsAreNoImpacts() {
    for lengthS in [0.8, 3] {
      let outputs = run(samples(rateHz: 200, lengthS: 8, shaken(from: 2, lengthS: lengthS, peakG: 9)))
      #expect(shakes(outputs).first?.phase == .began)
      #expect(impacts(outputs).isEmpty, "\(lengthS) s")
    }
  }

  @Test func aBlowThatMakesAFixedNodeRingIsAnImpact() {
    let ringing = samples(rateHz: 200, lengthS: 12) { time in
      let after = time - 8
      guard after > 0 else { return flat }
      return flat + Vector(12 * exp(-after / 0.2) * sin(2 * .pi * 8 * after), 0, 0)
    }
    let outputs = run(ringing, MotionSettings(.fixed))
    #expect(shakes(outputs).map(\.phase).first == .began)
    #expect(impacts(outputs).count == 1)
  }

  @Test func newSettingsKeepTheNumbers() {
    var pipeline = MotionPipeline()
    _ = dropped.flatMap { pipeline.handle(.samples([$0]), at: $0.at) }
    var settings = MotionSettings()
    settings.impact.thresholdG = 6
    _ = pipeline.reconfigure(settings, at: .s(15))
    let blow = halfSine(peakG: 20, lengthS: 0.03, from: 17)
    let outputs = samples(from: 15, lengthS: 4) { flat + Vector(blow($0), 0, 0) }
      .flatMap { pipeline.handle(.samples([$0]), at: $0.at) }
    #expect(impacts(outputs).map(\.id) == [2])
  }

  @Test func anInterruptionAndSilenceTellAnImpactThatIsOver() {
    let blow = halfSine(peakG: 20, lengthS: 0.03, from: 2)
    let motion = samples(lengthS: 2.1) { flat + Vector(blow($0), 0, 0) }
    for report in [AccelerometerReport.gap, .failed(reason: "EIO")] {
      var pipeline = MotionPipeline()
      _ = motion.flatMap { pipeline.handle(.samples([$0]), at: $0.at) }
      #expect(impacts(pipeline.handle(report, at: .s(2.11))).count == 1)
    }
    var pipeline = MotionPipeline()
    _ = motion.flatMap { pipeline.handle(.samples([$0]), at: $0.at) }
    #expect(impacts(pipeline.tick(at: .s(4))).count == 1)
  }

  @Test func theMessagesCarryTheMeasures() {
    let clock = ClockState(wallAtStart: WallTime(seconds: 1000), quality: .ntp)
    let event = ImpactEvent(
      id: 3, at: .s(5), start: .s(4.5), peakG: 12, durationS: 0.011, dvMps: 1.2, axis: .y, isClipped: true, fallS: 0.4,
      heldBack: 2)
    let place = Place(latitude: 47, longitude: 8, fixAgeS: 3)
    #expect(
      event.message(clock: clock, place: place)
        == ImpactMessage(
          id: 3, start: WallTime(seconds: 1004.5), peakG: 12, durationS: 0.011, velocityChangeMPS: 1.2, axis: .y,
          isClipped: true, fallS: 0.4, place: place))
    let fall = FreeFallEvent(id: 2, at: .s(5), start: .s(4), durationS: 0.5)
    #expect(
      fall.message(clock: clock)
        == FreeFallMessage(id: 2, start: WallTime(seconds: 1004), durationS: 0.5, dropM: fall.dropM))
    #expect((fall.dropM - 1.2258).magnitude < 1e-4)
  }
}
