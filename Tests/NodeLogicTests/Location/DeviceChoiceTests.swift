import Telemetry
import Testing

@testable import NodeLogic

@Suite("Device choice") struct DeviceChoiceTests {
  /// Two receivers for so many seconds; answers when the second was first admitted.
  private func run(
    _ choice: inout DeviceChoice, seconds: Int, from start: Int = 0, a: Double?, b: Double?, modeA: Int = 3,
    modeB: (Int) -> Int = { _ in 3 }, isLost: Bool = false
  ) -> Int? {
    var first: Int?
    for second in start..<(start + seconds) {
      let at = Double(second)
      let one = FixMaker.report(at: at, accuracyM: a, mode: modeA, device: "a")
      if admits(&choice, one, at: at, isLost: false), choice.followed == nil { choice.follow("a") }
      let two = FixMaker.report(at: at + 0.5, accuracyM: b, mode: modeB(second), device: "b")
      if admits(&choice, two, at: at + 0.5, isLost: isLost), first == nil { first = second }
    }
    return first
  }

  private func admits(
    _ choice: inout DeviceChoice, _ report: GpsdPosition, at seconds: Double, isLost: Bool = false,
    pinned: String? = nil
  ) -> Bool {
    choice.admits(
      report, usable: report.coordinate != nil, isFollowedLost: isLost, pinned: pinned, at: Instant(seconds: seconds))
  }

  @Test func staysWithTheFirstOfTwoAlike() {
    var choice = DeviceChoice()
    #expect(run(&choice, seconds: 600, a: 10, b: 6) == nil)
    #expect(choice.followed == "a")
    #expect(choice.isSeveral)
  }

  @Test func goesOverToOneTwiceAsGoodAfterHalfAMinute() {
    var choice = DeviceChoice()
    #expect(run(&choice, seconds: 60, a: 10, b: 5) == 30)
    #expect(choice.followed == "b")
  }

  @Test func threeDimensionsBeatTwoWhateverTheAccuracy() {
    var choice = DeviceChoice()
    #expect(run(&choice, seconds: 60, a: 5, b: 9, modeA: 2) == 30)
    var other = DeviceChoice()
    #expect(run(&other, seconds: 60, a: 50, b: 9, modeB: { _ in 2 }) == nil)
  }

  @Test func betterNowAndThenIsNotEnough() {
    var choice = DeviceChoice()
    #expect(run(&choice, seconds: 600, a: 10, b: 5, modeB: { $0 % 20 < 10 ? 3 : 2 }) == nil)
  }

  @Test func anEpochThatBeginsWithLessIsNoneTheWorse() {
    var choice = DeviceChoice()
    #expect(run(&choice, seconds: 61, a: 10, b: 5, modeB: { $0 % 2 == 0 ? 3 : 2 }) == 30)
  }

  @Test func anyIsWelcomeWhileTheFollowedOneIsLost() {
    var choice = DeviceChoice()
    #expect(run(&choice, seconds: 2, a: 5, b: 50, isLost: true) == 0)
  }

  @Test func aPinnedOneIsTheOnlyOne() {
    var choice = DeviceChoice()
    let pinned = FixMaker.report(at: 0, device: "a")
    let other = FixMaker.report(at: 0, accuracyM: 0.1, device: "b")
    let nameless = FixMaker.report(at: 0, device: nil)
    for second in 0..<100 {
      let at = Double(second)
      #expect(admits(&choice, pinned, at: at, pinned: "a"))
      #expect(!admits(&choice, other, at: at, isLost: true, pinned: "a"))
      #expect(admits(&choice, nameless, at: at, pinned: "a"))
    }
  }

  @Test func remembersEightAndNeverForgetsTheFollowedOne() {
    var choice = DeviceChoice()
    choice.follow("a")
    _ = admits(&choice, FixMaker.report(at: 0, device: "a"), at: 0)
    for number in 0..<500 {
      _ = admits(&choice, FixMaker.report(at: 1, device: "dev\(number)"), at: 1 + Double(number))
    }
    #expect(choice.heard.count == DeviceChoice.most)
    #expect(choice.heard.contains { $0.path == "a" })
    #expect(choice.heard.contains { $0.path == "dev499" })
  }

  @Test(arguments: [10.0, 30]) func anotherReceiverTakesOverBeforeThereIsALossToTell(lostAfterS: Double) {
    var fixture = LocationFixture(LocationTracker.Settings(lostAfterS: lostAfterS))
    for second in 0..<200 {
      let at = Double(second)
      if second < 100 { fixture.fix(at: at + 0.1) } else { fixture.noFix(at: at + 0.1) }
      fixture.fix(at: at + 0.6, device: "/dev/b")
    }
    #expect(fixture.story == ["first@0.4"])
    #expect(fixture.tracker.devices.followed == "/dev/b")
  }
}
