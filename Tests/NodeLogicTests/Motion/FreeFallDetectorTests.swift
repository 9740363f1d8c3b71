import Foundation
import NodeLogic
import Telemetry
import Testing

@Suite("Free-fall detector")
struct FreeFallDetectorTests {
  /// Rest, a fall with a few thousandths of a g of noise, and rest.
  private func dropped(rateHz: Double, fallS: Double, from startS: Double = 1, feltG: Double = 0.02) -> [Sample] {
    var random = Lottery(seed: 5)
    return samples(rateHz: rateHz, lengthS: startS + fallS + 1) { time in
      guard time >= startS, time < startS + fallS else { return flat }
      return Vector(feltG, 0, 0.001 * Double(random.next() % 8))
    }
  }

  private func events(_ samples: [Sample], _ settings: FreeFallSettings = FreeFallSettings()) -> [FreeFallEvent] {
    var detector = FreeFallDetector(settings)
    return samples.compactMap { detector.feed($0) }
  }

  @Test(arguments: [25.0, 100, 1600], [0.25, 0.45, 1.2])
  func aFallIsToldAtItsEndWithItsHeight(rateHz: Double, fallS: Double) throws {
    let found = events(dropped(rateHz: rateHz, fallS: fallS))
    try #require(found.count == 1)
    let event = found[0]
    #expect((event.durationS - fallS).magnitude <= 1.01 / rateHz)
    #expect((event.start - .s(1)).magnitude <= 0.51 / rateHz)
    #expect((event.at - .s(1 + fallS)).magnitude <= 1.01 / rateHz)
    #expect((event.dropM - 0.5 * 9.80665 * event.durationS * event.durationS).magnitude < 1e-12)
    #expect(event.id == 1)
  }

  @Test func fortyFiveHundredthsOfASecondAreAMetre() throws {
    let event = try #require(events(dropped(rateHz: 400, fallS: 0.4515)).first)
    #expect((event.dropM - 1).magnitude < 0.02)
  }

  @Test func aShortFallIsNone() {
    #expect(events(dropped(rateHz: 100, fallS: 0.15)).isEmpty)
    var settings = FreeFallSettings()
    settings.minS = 0.12
    #expect(events(dropped(rateHz: 100, fallS: 0.15), settings).count == 1)
  }

  @Test func aFallThatDoesNotEndIsToldOnceAtItsLimit() throws {
    let found = events(dropped(rateHz: 100, fallS: 30))
    try #require(found.count == 1)
    #expect((found[0].durationS - 2).magnitude < 0.02 && (found[0].at - .s(3)).magnitude < 0.02)
  }

  // iio-sensor-proxy #43
  @Test func aSensorThatSaysZeroForEverDoesNotFall() {
    let dead = samples(rateHz: 100, lengthS: 20) { $0 < 1 ? flat : .zero }
    #expect(events(dead).isEmpty)
    let deadThenBack = samples(rateHz: 100, lengthS: 4) { $0 < 1 || $0 > 2 ? flat : .zero }
    #expect(events(deadThenBack).isEmpty)
    let frozen = samples(rateHz: 100, lengthS: 4) { $0 < 1 || $0 > 2 ? flat : Vector(0.01, 0.02, -0.03) }
    #expect(events(frozen).isEmpty)
  }

  @Test func aGustDoesNotEndAFallAndALandingDoes() throws {
    let fall = dropped(rateHz: 100, fallS: 0.6).map { sample in
      (1.25...1.28).contains(sample.at.seconds) ? Sample(at: sample.at, g: Vector(0.4, 0, 0)) : sample
    }
    let found = events(fall)
    try #require(found.count == 1)
    #expect((found[0].durationS - 0.6).magnitude < 0.011)
    let twice = dropped(rateHz: 100, fallS: 0.6).map { sample in
      (1.29...1.31).contains(sample.at.seconds) ? Sample(at: sample.at, g: Vector(0.6, 0, 0)) : sample
    }
    #expect(events(twice).map(\.id) == [1, 2])
  }

  @Test func whatSpinsNeedsAHigherLevel() {
    // 5 turns a second, 5 mm from the axis: 0.5 g.
    let spinning = dropped(rateHz: 100, fallS: 0.5, feltG: 0.5)
    #expect(events(spinning).isEmpty)
    var settings = FreeFallSettings()
    settings.levelG = 0.6
    #expect(events(spinning, settings).count == 1)
  }

  @Test func aHoleInTheSamplesIsNoFall() {
    var detector = FreeFallDetector()
    for sample in dropped(rateHz: 100, fallS: 0.4) where !(1.05...1.35).contains(sample.at.seconds) {
      #expect(detector.feed(sample) == nil)
    }
    var other = FreeFallDetector()
    for sample in dropped(rateHz: 100, fallS: 0.4) {
      if sample.at == .s(1.2) { other.interrupt() }
      #expect(other.feed(sample) == nil)
    }
  }

  @Test func whatHitsSoonAfterAFallBelongsToIt() {
    var detector = FreeFallDetector()
    #expect(detector.fallS(before: .s(1)) == nil)
    for sample in dropped(rateHz: 100, fallS: 0.4) { _ = detector.feed(sample) }
    for offset in [-0.03, 0, 0.2, 0.49] {
      #expect(((detector.fallS(before: .s(1.4 + offset)) ?? 0) - 0.4).magnitude < 0.011, "\(offset)")
    }
    #expect(detector.fallS(before: .s(1.2)) == nil)
    #expect(detector.fallS(before: .s(2)) == nil)
  }

  @Test func whatBouncesIsStillToldOfItsFirstFall() {
    var detector = FreeFallDetector()
    var random = Lottery(seed: 5)
    let bounced = samples(rateHz: 100, lengthS: 3) { time in
      let falls = (1...1.4).contains(time) || (1.42...1.64).contains(time)
      return falls ? Vector(0.001 * Double(random.next() % 8), 0, 0.02) : flat
    }
    #expect(bounced.compactMap { detector.feed($0) }.count == 2)
    #expect(((detector.fallS(before: .s(1.41)) ?? 0) - 0.4).magnitude < 0.02)
  }

  @Test func settingsHaveRanges() {
    #expect(FreeFallSettings().problems.isEmpty)
    for key in FreeFallSettings.Key.allCases {
      var settings = FreeFallSettings()
      settings[key] = key.range.upperBound + 1
      #expect(settings.problems.contains { $0.hasPrefix("\(key.rawValue) is ") }, "\(key)")
      #expect(settings[key] == key.range.upperBound + 1)
    }
    var settings = FreeFallSettings()
    settings.maxS = 0.15
    #expect(settings.problems == ["max_s (0.15) must not be below min_s (0.2)"])
  }
}
