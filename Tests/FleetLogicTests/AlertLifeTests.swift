import Telemetry
import Testing

@testable import FleetLogic

@Suite struct AlertLifeTests {
  @Test func firesAtOnceWithoutADuration() {
    var life = AlertLife()
    #expect(life.holds(after: 0, at: 5) == .fired)
    #expect(life.isFiring)
    #expect(life.count == 1)
    #expect(life.deadline == nil)
  }

  @Test func waitsForTheDuration() {
    var life = AlertLife()
    #expect(life.holds(after: 60, at: 5) == .becamePending)
    #expect(life.deadline == 65)
    #expect(life.holds(after: 60, at: 50) == nil)
    #expect(life.deadline == 65, "saying it again does not start it anew")
    #expect(life.passes(clearAfter: 1, at: 64.9) == nil)
    #expect(life.passes(clearAfter: 1, at: 65) == .fired)
  }

  @Test func dropsWhatIsOverBeforeItFires() {
    var life = AlertLife()
    _ = life.holds(after: 60, at: 0)
    #expect(life.clears(after: 10, at: 59) == .dropped)
    #expect(life.phase == .quiet)
    #expect(life.passes(clearAfter: 10, at: 1000) == nil)
  }

  @Test func resolvesOnlyAfterTheClearDuration() {
    var life = AlertLife()
    _ = life.holds(after: 0, at: 0)
    #expect(life.clears(after: 10, at: 100) == nil)
    #expect(life.isFiring)
    #expect(life.clears(after: 10, at: 105) == nil, "still clearing")
    #expect(life.deadline == 110)
    #expect(life.passes(clearAfter: 10, at: 110) == .resolved)
    #expect(life.phase == .quiet)
  }

  @Test func comesBackWhileClearing() {
    var life = AlertLife()
    _ = life.holds(after: 0, at: 0)
    _ = life.clears(after: 10, at: 1)
    #expect(life.holds(after: 60, at: 5) == .heldAgain)
    #expect(life.passes(clearAfter: 10, at: 100) == nil, "the earlier end no longer counts")
  }

  @Test func lapsesWhenNothingMoreIsHeard() {
    var life = AlertLife()
    _ = life.holds(after: 0, lapsesAfter: 300, at: 0)
    #expect(life.passes(clearAfter: 10, at: 299) == nil)
    #expect(life.passes(clearAfter: 10, at: 300) == nil)
    #expect(life.phase == .clearing(due: 310))
    #expect(life.passes(clearAfter: 10, at: 310) == .resolved)
  }

  @Test func aShorterDurationBringsThePendingForward() {
    var life = AlertLife()
    _ = life.holds(after: 30, at: 0)
    #expect(life.holds(after: 0, at: 10) == .fired)
  }

  @Test func resolvesAtOnceWithoutAClearDuration() {
    var life = AlertLife()
    _ = life.holds(after: 0, at: 0)
    #expect(life.clears(after: 0, at: 1) == .resolved)
  }
}

@Suite struct NamePatternTests {
  @Test(arguments: [
    ("*", "anything", true), ("pump-*", "pump-7", true), ("pump-*", "pumps", false), ("pump-?", "pump-7", true),
    ("pump-?", "pump-17", false), ("*-north-*", "site-north-3", true), ("*-north-*", "north-3", false),
    ("pump-7", "pump-7", true), ("pump-7", "pump-77", false), ("", "", true), ("", "a", false),
    ("a*b*c", "aXbYbZc", true),
  ])
  func matches(pattern: String, name: String, expected: Bool) {
    #expect(NamePattern(pattern).matches(name) == expected)
  }

  @Test func manyStarsDoNotTakeForEver() {
    let pattern = NamePattern(String(repeating: "*a", count: 60) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 63)))
  }
}

@Suite struct PausableClockTests {
  @Test func countsOnlyWhileItRuns() {
    var clock = PausableClock()
    #expect(clock.reading(at: Instant(seconds: 100)) == 0)
    clock.resume(at: Instant(seconds: 100), countingFrom: Instant(seconds: 130))
    #expect(clock.reading(at: Instant(seconds: 120)) == 0, "the grace does not count")
    #expect(clock.reading(at: Instant(seconds: 140)) == 10)
    #expect(clock.moment(of: 15) == Instant(seconds: 145))
    clock.pause(at: Instant(seconds: 150))
    #expect(clock.reading(at: Instant(seconds: 900)) == 20)
    #expect(clock.moment(of: 25) == nil)
    clock.resume(at: Instant(seconds: 900), countingFrom: Instant(seconds: 930))
    #expect(clock.moment(of: 25) == Instant(seconds: 935))
  }
}
