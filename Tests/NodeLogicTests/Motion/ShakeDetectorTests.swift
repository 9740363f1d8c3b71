import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Shake detector")
struct ShakeDetectorTests {
  @Test func aShortShakeBeginsAndEnds() throws {
    let events = shakeEvents(samples(lengthS: 6, shaken(from: 3, lengthS: 0.8)))
    try #require(events.map(\.phase) == [.began, .ended])
    let (began, ended) = (events[0], events[1])
    #expect(began.id == 1 && ended.id == 1)
    #expect(began.axis == .x)
    #expect((began.start.seconds - 3).magnitude < 0.05)
    #expect(began.at - began.start < 0.6)
    #expect((ended.end.seconds - 3.8).magnitude < 0.15)
    #expect(ended.at - ended.end > 0.3 && ended.at - ended.end < 0.32)
    let frequency = try #require(ended.frequencyHz)
    #expect((frequency - 4.5).magnitude < 0.3)
    #expect(ended.peakG > 1.5 && ended.peakG < 2.2)
    #expect(ended.reason == nil)
    #expect((ended.durationS - (ended.end - ended.start)).magnitude < 1e-12)
  }

  @Test func aLongShakeIsCancelledAfterASecondAndAHalf() throws {
    let events = shakeEvents(samples(lengthS: 8, shaken(from: 3, lengthS: 3)))
    try #require(events.map(\.phase) == [.began, .cancelled])
    #expect(events[1].reason == .tooLong)
    #expect(events[1].durationS > 1.5 && events[1].durationS < 1.65)
  }

  @Test func theReferenceCountsTheMaximumFromBegan() throws {
    let settings = ShakePreset.referenceHandheld.settings
    let events = shakeEvents(samples(lengthS: 8, shaken(from: 3, lengthS: 3)), settings)
    try #require(events.map(\.reason) == [nil, .tooLong])
    #expect(events[1].at - events[0].at > 1 && events[1].at - events[0].at < 1.15)
  }

  @Test func howLongAShakeMayBeDoesNotDependOnHowSoonItWasRecognised() {
    // Quick swings are recognised sooner; 1.3 s of them are not longer for that.
    for swingHz in [2.5, 4.5, 7] {
      for (lengthS, phase) in [(1.3, ShakeMessage.Phase.ended), (1.9, .cancelled)] {
        let events = shakeEvents(samples(lengthS: 8, shaken(from: 3, lengthS: lengthS, peakG: 2.5, swingHz: swingHz)))
        #expect(events.map(\.phase) == [.began, phase], "\(swingHz) Hz for \(lengthS) s")
      }
    }
  }

  @Test func swingsWithoutARhythmAreNoShake() {
    // Alternating knocks, unevenly: 0.08, 0.3, 0.08, 0.3 s apart.
    let edges = [3.0, 3.08, 3.38, 3.46, 3.76, 3.84, 4.14, 4.22]
    let uneven = samples(lengthS: 8) { time in
      guard time >= 3, time < 4.3, let last = edges.lastIndex(where: { $0 <= time }) else { return flat }
      return flat + Vector(last.isMultiple(of: 2) ? 2 : -2, 0, 0)
    }
    #expect(shakeEvents(uneven).isEmpty)
    #expect(!shakeEvents(uneven, ShakePreset.referenceHandheld.settings).isEmpty, "the reference takes it for one")
  }

  @Test func aKnockThatRingsIsNoShake() {
    let ringing = samples(rateHz: 400, lengthS: 8) { time in
      guard time >= 3, time < 3.3 else { return flat }
      return flat + Vector(20 * exp(-(time - 3) / 0.06) * sin(2 * .pi * 14 * (time - 3)), 0, 0)
    }
    #expect(shakeEvents(ringing).isEmpty)
    #expect(!shakeEvents(ringing, ShakePreset.referenceHandheld.settings).isEmpty, "the reference takes it for one")
  }

  @Test func aHoleInTheSamplesCancelsAsInterrupted() throws {
    var all = samples(lengthS: 8, shaken(from: 3, lengthS: 1.2))
    all.removeAll { $0.at > .s(3.6) && $0.at < .s(4) }
    let events = shakeEvents(all)
    try #require(events.map(\.phase) == [.began, .cancelled])
    #expect(events[1].reason == .interrupted)
    #expect(events[1].at == all.first { $0.at >= .s(4) }?.at)
  }

  @Test func aDriverThatTellsOfALossCancelsAsInterrupted() {
    var detector = ShakeDetector()
    let all = samples(lengthS: 3.6, shaken(from: 3, lengthS: 1.2))
    let events = all.compactMap { detector.feed($0) }
    #expect(events.map(\.phase) == [.began])
    #expect(detector.isActive)
    let event = detector.interrupt(at: .s(3.6))
    #expect(event?.phase == .cancelled)
    #expect(event?.reason == .interrupted)
    #expect(event?.at == .s(3.6))
    #expect(!detector.isActive)
    let again = detector.interrupt(at: .s(3.7))
    #expect(again == nil)
  }

  @Test func aStopCancelsAsStopped() throws {
    let events = shakeEvents(samples(lengthS: 3.7, shaken(from: 3, lengthS: 2)))
    try #require(events.map(\.phase) == [.began, .cancelled])
    #expect(events[1].reason == .stopped)
  }

  @Test func nothingBeginsWhileTheFiltersWarmUp() {
    // Shaken from the first sample on: the warm-up takes it for the surroundings.
    #expect(shakeEvents(samples(lengthS: 0.74, shaken(from: 0, lengthS: 2))).isEmpty)
  }

  @Test func aNodeThatStartsTiltedDoesNotShake() {
    #expect(shakeEvents(samples(lengthS: 10) { _ in Vector(0.6, 0.6, 0.53) }).isEmpty)
  }

  @Test func oneBoutOfMotionIsOneShakeUntilItWasQuietForASecond() {
    let first = shaken(from: 3, lengthS: 0.8)
    for (pauseS, shakes) in [(0.7, 1), (2.0, 2)] {
      let second = shaken(from: 3.8 + pauseS, lengthS: 0.8)
      let events = shakeEvents(samples(lengthS: 9) { $0 < 3.8 + pauseS / 2 ? first($0) : second($0) })
      #expect(events.count { $0.phase == .began } == shakes, "pause of \(pauseS) s")
      #expect(events.map(\.id).max() == shakes)
    }
  }

  @Test func aKnockIsNoShake() {
    let knocked = samples(rateHz: 400, lengthS: 6) { time in
      time >= 3 && time < 3.02 ? Vector(8, 0, 1) : flat
    }
    #expect(shakeEvents(knocked).isEmpty)
  }

  @Test func turningRoundByHandIsNoShake() {
    let turned = samples(lengthS: 10) { time in
      let angle = min(max(time - 3, 0), 2) * .pi / 2
      return Vector(sin(angle), 0, cos(angle))
    }
    #expect(shakeEvents(turned).isEmpty)
  }

  @Test(arguments: [20.0, 25, 50, 100, 200, 400, 1000, 3200])
  func theAnswerDoesNotDependOnTheRate(rateHz: Double) throws {
    let short = shakeEvents(samples(rateHz: rateHz, lengthS: 6, shaken(from: 3, lengthS: 0.9)))
    try #require(short.map(\.phase) == [.began, .ended])
    #expect((short[0].at.seconds - 3.36).magnitude < 0.15)
    #expect((short[1].peakG - 1.85).magnitude < 0.35)
    let long = shakeEvents(samples(rateHz: rateHz, lengthS: 8, shaken(from: 3, lengthS: 2.5)))
    #expect(long.map(\.reason) == [nil, .tooLong])
  }

  @Test func steadyVibrationRaisesTheLevelSoThatOnlyMoreIsAShake() {
    // 0.6 g RMS all along: after some time constants the level is twice that, and the same 1 g swings are nothing.
    var detector = ShakeDetector()
    let ride = samples(lengthS: 90) { flat + Vector(0.85 * sin(2 * .pi * 3 * $0), 0, 0) }
    let events = ride.compactMap { detector.feed($0) }
    #expect(events.isEmpty)
    #expect(detector.levelG > 1)
    #expect(detector.activityG > 0.4 && detector.activityG < 0.8)
  }

  @Test func samplesOutOfOrderOrNotFiniteAreCountedAndChangeNothing() {
    let good = samples(lengthS: 6, shaken(from: 3, lengthS: 0.8))
    var detector = ShakeDetector()
    var events: [ShakeEvent] = []
    for sample in good {
      if let event = detector.feed(sample) { events.append(event) }
      var bad = [sample, Sample(at: sample.at - 1, g: Vector(5, 5, 5)), Sample(at: .s(.nan), g: flat)]
      for value in [Double.nan, .infinity, -.infinity, 1e300] {
        bad.append(Sample(at: sample.at + 0.001, g: Vector(0, value, 0)))
      }
      for sample in bad {
        let event = detector.feed(sample)
        #expect(event == nil)
      }
    }
    #expect(events == shakeEvents(good))
    #expect(detector.droppedOutOfOrder == 2 * good.count)
    #expect(detector.droppedNotFinite == 5 * good.count)
    #expect(detector.dropped == 7 * good.count)
  }

  @Test func settingsThatMakeNoSenseAreToldAndCrashNothing() {
    let motion = samples(lengthS: 5, shaken(from: 1, lengthS: 2))
    for key in ShakeSettings.Key.allCases {
      for value in [0, -1, 1e9, -.infinity, .infinity, .nan] {
        var settings = ShakeSettings()
        settings[key] = value
        let isTaken = !(settings[key] != value)
        #expect(!settings.problems.isEmpty || key.range.contains(value) || !isTaken, "\(key.rawValue) = \(value)")
        // Whatever is found is well-formed all the same: a shake begins, and then ends or is cancelled.
        let events = shakeEvents(motion, settings)
        for (index, event) in events.enumerated() {
          #expect(event.id == index / 2 + 1, "\(key.rawValue) = \(value)")
          #expect((event.phase == .began) == index.isMultiple(of: 2), "\(key.rawValue) = \(value)")
          #expect(event.start <= event.end && event.end <= event.at, "\(key.rawValue) = \(value)")
          #expect(event.peakG > 0 && event.peakG < 100, "\(key.rawValue) = \(value)")
        }
        #expect(events.count.isMultiple(of: 2), "\(key.rawValue) = \(value): a stop leaves no shake open")
      }
    }
  }

  @Test func anyOrderOfAnySamplesKeepsPhasesInOrder() {
    for seed in UInt64(0)..<20 {
      var random = Lottery(seed: seed)
      var detector = ShakeDetector()
      var open: Int?
      var time = 0.0
      for _ in 0..<5000 {
        time += random.pick([0.01, 0.01, 0.01, 0.02, 0, -0.5, 0.3, 3])
        let g = Vector(
          random.pick([0, 2, -2, 0.1, .nan, 1e308]), random.pick([0, 1, -3]), random.pick([1, 1, 1, -1, .infinity]))
        let event =
          switch random.pick([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]) {
          case 1: detector.interrupt(at: .s(time))
          case 2: detector.stop(at: .s(time))
          default: detector.feed(Sample(at: .s(time), g: g))
          }
        guard let event else { continue }
        if event.phase == .began {
          #expect(open == nil)
          open = event.id
        } else {
          #expect(open == event.id)
          open = nil
        }
        #expect(event.peakG.isFinite && event.energyG2S.isFinite && event.cavGS.isFinite)
        #expect(detector.isActive == (open != nil))
      }
    }
  }
}

/// Seeded choices for property tests.
struct Lottery: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  /// One of `choices`, which is not empty.
  mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &self)]
  }
}
