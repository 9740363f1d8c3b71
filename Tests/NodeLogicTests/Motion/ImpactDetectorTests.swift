import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Impact detector")
struct ImpactDetectorTests {
  /// What the detector says of samples, with an interruption after the last.
  private func events(_ samples: [Sample], _ settings: ImpactSettings = ImpactSettings()) -> [ImpactEvent] {
    var detector = ImpactDetector(settings)
    return events(&detector, samples)
  }

  private func events(
    _ detector: inout ImpactDetector, _ samples: [Sample], isShaking: (Double) -> Bool = { _ in false }
  ) -> [ImpactEvent] {
    var events = samples.compactMap { detector.feed($0, isShaking: isShaking($0.at.seconds)) }
    if let last = samples.last, let event = detector.interrupt(at: last.at) { events.append(event) }
    return events
  }

  private func settings(_ change: (inout ImpactSettings) -> Void) -> ImpactSettings {
    var settings = ImpactSettings()
    change(&settings)
    return settings
  }

  /// What the definition gives for a half-sine pulse: above the level, in closed form.
  private func exact(peakG: Double, lengthS: Double, thresholdG: Double = 5) -> (durationS: Double, dvMps: Double) {
    let edge = asin(max(0.1, thresholdG / 3 / peakG))
    return (lengthS * (1 - 2 * edge / .pi), 2 / .pi * peakG * lengthS * cos(edge) * standardGravity)
  }

  // MARK: Known pulses

  @Test(arguments: [400.0, 1600, 3200], [(50.0, 0.011), (20, 0.02), (9, 0.03)])
  func aHalfSineHasTheDurationAndTheVelocityChangeOfItsFormula(rateHz: Double, pulse: (peakG: Double, lengthS: Double))
    throws
  {
    let exact = exact(peakG: pulse.peakG, lengthS: pulse.lengthS)
    // A chord cuts off a sine what goes with the square of the step, and of a corner a third of a step. Gravity follows
    // what is below the threshold, by 1 % of the softest pulse.
    let steps = pulse.lengthS * rateHz
    let tolerance = 0.015 + 1.0 / (steps * steps)
    for phase in 0..<5 {
      let start = 0.4 + Double(phase) / 5 / rateHz
      let push = halfSine(peakG: pulse.peakG, lengthS: pulse.lengthS, from: start)
      let found = events(samples(rateHz: rateHz, lengthS: 0.8) { flat + Vector(0, push($0), 0) })
      try #require(found.count == 1)
      let event = found[0]
      #expect((event.durationS - exact.durationS).magnitude < 0.01 * exact.durationS + 0.5 / rateHz)
      #expect((event.dvMps / exact.dvMps - 1).magnitude < tolerance)
      #expect(event.peakG <= pulse.peakG && event.peakG > 0.985 * pulse.peakG * cos(.pi / 2 / steps))
      #expect((event.start - .s(start) - (pulse.lengthS - exact.durationS) / 2).magnitude < 0.4 / rateHz)
      #expect(event.axis == .y && event.id == 1 && !event.isClipped && event.heldBack == 0)
      #expect(event.at - event.start > 0.25 && event.at - event.start < 0.25 + pulse.lengthS + 0.01)
    }
  }

  @Test func aPulseShorterThanASamplesSpacingIsRightInTheMeanAndItsPeakALowerBound() {
    // 11 ms at 100 Hz: one sample or two, so that the duration is known to a period at each end.
    var sum = 0.0
    var seen = 0
    for phase in 0..<100 {
      let push = halfSine(peakG: 50, lengthS: 0.011, from: 1 + Double(phase) / 10_000)
      for event in events(samples(rateHz: 100, lengthS: 2) { flat + Vector(push($0), 0, 0) }) {
        seen += 1
        sum += event.dvMps
        #expect(event.peakG <= 50)
        #expect(event.durationS < 0.026)
      }
    }
    #expect(seen == 100)
    #expect((sum / 100 / exact(peakG: 50, lengthS: 0.011).dvMps - 1).magnitude < 0.03)
  }

  @Test func theRiseBeforeTheThresholdCounts() throws {
    // Half of this pulse lies below 5 g: from the first sample above it, the duration would be 20 ms shorter.
    let push = halfSine(peakG: 7, lengthS: 0.06, from: 1)
    let event = try #require(events(samples(rateHz: 400, lengthS: 2) { flat + Vector(push($0), 0, 0) }).first)
    let exact = exact(peakG: 7, lengthS: 0.06)
    #expect((event.durationS / exact.durationS - 1).magnitude < 0.05)
    #expect((event.dvMps / exact.dvMps - 1).magnitude < 0.05)
    #expect(event.start < .s(1 + 0.06 * asin(5.0 / 7) / .pi))
  }

  @Test(arguments: [
    Vector(1, 0, 0), Vector(0, 0, -1), Vector(0.6, 0, 0.8), Vector(-0.48, 0.6, 0.64), Vector(0, -0.8, 0.6),
  ])
  func anyDirectionGivesTheSameMeasures(direction: Vector) throws {
    let push = halfSine(peakG: 30, lengthS: 0.01, from: 1)
    let event = try #require(events(samples(rateHz: 3200, lengthS: 2) { flat + direction * push($0) }).first)
    let exact = exact(peakG: 30, lengthS: 0.01)
    #expect((event.dvMps / exact.dvMps - 1).magnitude < 0.01)
    #expect((event.durationS / exact.durationS - 1).magnitude < 0.01)
    let sizes = [Axis.x: direction.x.magnitude, .y: direction.y.magnitude, .z: direction.z.magnitude]
    #expect(sizes[event.axis] == sizes.values.max())
  }

  @Test func aLongPulseDoesNotEatItself() throws {
    // A gravity filter that went on would have taken a third of it.
    let push = halfSine(peakG: 12, lengthS: 0.15, from: 1)
    let event = try #require(events(samples(rateHz: 400, lengthS: 2) { flat + Vector(push($0), 0, 0) }).first)
    #expect((event.dvMps / exact(peakG: 12, lengthS: 0.15).dvMps - 1).magnitude < 0.06)
  }

  @Test func jitterAndLostSamplesLeaveTheMeasuresInPlace() throws {
    var random = Lottery(seed: 3)
    let push = halfSine(peakG: 40, lengthS: 0.02, from: 1)
    let even = samples(rateHz: 1600, lengthS: 2) { flat + Vector(push($0), 0, 0) }
    let found = events(even.filter { _ in random.next() % 10 >= 3 })
    try #require(found.count == 1)
    let exact = exact(peakG: 40, lengthS: 0.02)
    #expect((found[0].dvMps / exact.dvMps - 1).magnitude < 0.03)
    #expect((found[0].durationS / exact.durationS - 1).magnitude < 0.05)
  }

  // MARK: What is none

  @Test func aTickIsNoImpactAndALongerOneOfTheSamePeakIs() {
    let tick = halfSine(peakG: 300, lengthS: 0.001, from: 1)
    let blow = halfSine(peakG: 300, lengthS: 0.02, from: 1)
    #expect(events(samples(rateHz: 3200, lengthS: 2) { flat + Vector(tick($0), 0, 0) }).isEmpty)
    let found = events(samples(rateHz: 3200, lengthS: 2) { flat + Vector(blow($0), 0, 0) })
    #expect(found.map { Int($0.dvMps.rounded()) } == [37])
  }

  @Test func aTapIsNoImpact() {
    // 8 g for 4 ms: 0.2 m/s.
    let tap = halfSine(peakG: 8, lengthS: 0.004, from: 1)
    let motion = samples(rateHz: 1600, lengthS: 2) { flat + Vector(0, 0, tap($0)) }
    #expect(events(motion).isEmpty)
    #expect(events(motion, settings { $0.minDVMps = 0.1 }).count == 1)
  }

  @Test(arguments: [50.0, 400])
  func aStepInTiltIsNoImpactHoweverLowTheThreshold(rateHz: Double) {
    let turned = samples(rateHz: rateHz, lengthS: 6) { time in
      let angle = min(1, max(0, (time - 2) / 0.3)) * .pi
      return Vector(sin(angle), 0, cos(angle))
    }
    let tipped = samples(rateHz: rateHz, lengthS: 6) { $0 < 2 ? flat : Vector(1, 0, 0) }
    for thresholdG in [0.3, 0.6, 1, 1.3, 3] {
      let settings = settings { $0.thresholdG = thresholdG }
      #expect(events(turned, settings).isEmpty, "\(thresholdG) g")
      #expect(events(tipped, settings).isEmpty, "\(thresholdG) g")
    }
  }

  @Test func gravityIsLearntAnewAfterAStepThatWouldHaveHeldItForEver() throws {
    let blow = halfSine(peakG: 10, lengthS: 0.02, from: 4)
    let found = events(
      samples(rateHz: 400, lengthS: 5) { ($0 < 2 ? flat : Vector(1, 0, 0)) + Vector(0, 0, blow($0)) },
      settings { $0.thresholdG = 0.6 })
    try #require(found.count == 1)
    #expect(found[0].axis == .z && (found[0].peakG - 10).magnitude < 0.1)
  }

  @Test func whatLandsLyingDifferentlyIsNotAnEndlessPulse() throws {
    let blow = halfSine(peakG: 20, lengthS: 0.012, from: 2)
    let found = events(
      samples(rateHz: 800, lengthS: 4) { ($0 < 2.006 ? flat : Vector(0, 1, 0)) + Vector(0, blow($0), 0) })
    try #require(found.count == 1)
    #expect((found[0].durationS / 0.012 - 1).magnitude < 0.15)
  }

  @Test func timesThatDoNotRiseAreNotUsed() {
    var detector = ImpactDetector()
    #expect(detector.feed(Sample(at: .s(1), g: flat)) == nil)
    for _ in 0..<100 { #expect(detector.feed(Sample(at: .s(1), g: Vector(90, 0, 0))) == nil) }
    #expect(!detector.isActive)
  }

  // MARK: Bouts

  /// A case that rings at 120 Hz after a blow of 6 ms.
  private func ringing(_ time: Double) -> Vector {
    guard time >= 1 else { return flat }
    let after = time - 1
    return flat + Vector(0, 0, 60 * exp(-after / 0.03) * sin(2 * .pi * 120 * after))
  }

  @Test(arguments: [400.0, 1600, 3200])
  func ringingIsOneImpact(rateHz: Double) throws {
    let found = events(samples(rateHz: rateHz, lengthS: 2, ringing))
    try #require(found.count == 1)
    // The first half swing: 4.2 ms.
    #expect(found[0].durationS < 0.0045 && found[0].durationS > 0.003)
    #expect(found[0].start > .s(0.999) && found[0].start < .s(1.004))
  }

  @Test func theStrongestPulseOfABoutIsTold() throws {
    let first = halfSine(peakG: 10, lengthS: 0.01, from: 1)
    let second = halfSine(peakG: 25, lengthS: 0.01, from: 1.15)
    let third = halfSine(peakG: 8, lengthS: 0.01, from: 1.3)
    let found = events(
      samples(rateHz: 1600, lengthS: 2) { flat + Vector(first($0), second($0), third($0)) })
    try #require(found.count == 1)
    #expect(
      found[0].axis == .y && (found[0].peakG - 25).magnitude < 0.1 && (found[0].start - .s(1.15)).magnitude < 0.001)
  }

  @Test func blowsFurtherApartThanTheQuietTimeAreTwo() {
    let first = halfSine(peakG: 10, lengthS: 0.01, from: 1)
    let second = halfSine(peakG: 10, lengthS: 0.01, from: 1.4)
    let motion = samples(rateHz: 1600, lengthS: 2) { flat + Vector(first($0) + second($0), 0, 0) }
    #expect(events(motion).map(\.id) == [1, 2])
    #expect(events(motion, settings { $0.mergeS = 0.5 }).count == 1)
  }

  @Test func whatRattlesWithoutAPauseIsToldEveryTwoSeconds() {
    let found = events(samples(rateHz: 400, lengthS: 9) { flat + Vector(0, 0, 20 * sin(2 * .pi * 20 * $0)) })
    #expect(found.count == 5 && found.allSatisfy { (19...21).contains($0.peakG) })
  }

  @Test func aClippedPulseSaysSo() throws {
    let push = halfSine(peakG: 40, lengthS: 0.02, from: 1)
    let motion = samples(rateHz: 800, lengthS: 2) { flat + Vector(min(push($0), 16), 0, 0) }
    let clipped = motion.map { Sample(at: $0.at, g: $0.g, isClipped: $0.g.x >= 15.7) }
    let event = try #require(events(clipped).first)
    #expect(event.isClipped && (event.peakG - 16).magnitude < 0.01)
    let other = try #require(events(motion).first)
    #expect(!other.isClipped)
  }

  @Test func tooManyInAMinuteAreCountedAndTheNumbersShowIt() {
    // One a second for two minutes.
    let motion = samples(rateHz: 400, lengthS: 120.5) { time in
      flat + Vector(0, 0, halfSine(peakG: 20, lengthS: 0.01, from: 0.5)(time.truncatingRemainder(dividingBy: 1)))
    }
    var detector = ImpactDetector()
    let found = events(&detector, motion)
    // Six at once, and six more a minute.
    #expect(found.count == 6 + 11)
    #expect(found.prefix(6).map(\.heldBack) == [0, 0, 0, 0, 0, 0])
    #expect(detector.lastID == 120 && detector.heldBack == 120 - 17)
    for (before, event) in zip(found, found.dropFirst()) { #expect(event.id - before.id == event.heldBack + 1) }
  }

  @Test func anInterruptionTellsWhatIsOverAndForgetsWhatIsNot() {
    let push = halfSine(peakG: 20, lengthS: 0.02, from: 1)
    let motion = samples(rateHz: 400, lengthS: 2) { flat + Vector(push($0), 0, 0) }
    var detector = ImpactDetector()
    #expect(motion.prefix(405).compactMap { detector.feed($0) }.isEmpty && detector.isActive)
    #expect(detector.interrupt(at: .s(1.0125)) == nil && !detector.isActive)
    detector = ImpactDetector()
    _ = motion.prefix(415).compactMap { detector.feed($0) }
    #expect(detector.interrupt(at: .s(1.04))?.id == 1)
    // A hole between samples does the same.
    detector = ImpactDetector()
    _ = motion.prefix(415).compactMap { detector.feed($0) }
    #expect(detector.feed(Sample(at: .s(1.4), g: flat))?.id == 1)
  }

  // MARK: Shakes

  @Test func theSwingsOfAViolentShakeAreNoImpacts() {
    var detector = ImpactDetector()
    let shake = shaken(from: 1, lengthS: 2, peakG: 8)
    let found = events(&detector, samples(rateHz: 200, lengthS: 4, shake)) { $0 > 1.5 && $0 < 3.2 }
    #expect(found.isEmpty && detector.swings >= 1)
  }

  @Test func aKnockDuringAShakeIsAnImpact() throws {
    var detector = ImpactDetector()
    let shake = shaken(from: 1, lengthS: 2, peakG: 6)
    let knock = halfSine(peakG: 40, lengthS: 0.008, from: 2.1)
    let motion = samples(rateHz: 800, lengthS: 4) { shake($0) + Vector(0, 0, knock($0)) }
    let found = events(&detector, motion) { $0 > 1.5 && $0 < 3.2 }
    try #require(found.count == 1)
    #expect(found[0].axis == .z && found[0].peakG > 39)
  }

  // MARK: Settings

  @Test func theDefaultsAreWithinTheirRangesAndEveryKeyReadsBack() {
    #expect(ImpactSettings().problems.isEmpty)
    for key in ImpactSettings.Key.allCases {
      var settings = ImpactSettings()
      for end in [key.range.lowerBound, key.range.upperBound] {
        settings[key] = end
        #expect(settings[key] == end && settings.problems.isEmpty, "\(key)")
      }
      settings[key] = key.range.upperBound + 1
      #expect(settings.problems.count == 1, "\(key)")
    }
    var settings = ImpactSettings()
    settings[.thresholdG] = 0
    #expect(settings.problems == ["threshold_g is 0.0; expected 0.1 to 1000.0"])
  }
}
