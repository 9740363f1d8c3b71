import NodeLogic
import Telemetry
import Testing

/// Calendar time from fixes.
@Suite struct GPSClockTests {
  private static let start = 1_796_000_000.0

  /// Fixes whose true wall time at `Instant.start` is `start`, each `lateS` late.
  private struct Receiver {
    var clock = GPSClock()

    /// - Parameter offS: by how much the receiver's time is wrong.
    mutating func fix(at seconds: Double, lateS: Double = 0.2, offS: Double = 0) {
      let time = WallTime(seconds: GPSClockTests.start + seconds - lateS + offS)
      clock.hear(time, received: Instant(seconds: seconds))
    }

    /// How far the clock is behind the true time [s]; nil when there is none.
    func behindS(at seconds: Double) -> Double? {
      clock.state(at: Instant(seconds: seconds)).map {
        GPSClockTests.start - $0.wallAtStart.seconds
      }
    }

    func quality(at seconds: Double) -> ClockQuality? { clock.state(at: Instant(seconds: seconds))?.quality }
  }

  private func isAbout(_ value: Double?, _ expected: Double, within: Double = 0.001) -> Bool {
    value.map { ($0 - expected).magnitude <= within } ?? false
  }

  @Test func itTakesSeveralFixesThatAgree() {
    var receiver = Receiver()
    receiver.fix(at: 1)
    receiver.fix(at: 2, lateS: 0.5)
    #expect(receiver.clock.state(at: Instant(seconds: 2)) == nil)
    receiver.fix(at: 3, lateS: 0.3)
    #expect(receiver.quality(at: 3) == .gps)
    #expect(isAbout(receiver.behindS(at: 3), 0.2), "the quickest is the nearest")
  }

  @Test func itDoesNotTrustFixesThatDisagree() {
    var receiver = Receiver()
    for second in 1...20 { receiver.fix(at: Double(second), offS: Double(second)) }
    #expect(receiver.clock.state(at: Instant(seconds: 20)) == nil, "a recording played twice as fast")
  }

  @Test func fixesThatWereHeldUpComeAtOnceAndTeachNothing() {
    var receiver = Receiver()
    for index in 0..<10 { receiver.fix(at: 10 + Double(index) * 0.001, lateS: 5 - Double(index) * 0.1) }
    #expect(receiver.clock.state(at: Instant(seconds: 11)) == nil)
    for second in 11...13 { receiver.fix(at: Double(second)) }
    #expect(isAbout(receiver.behindS(at: 13), 0.2))
  }

  @Test func aQuickerFixRaisesItAndSlowerOnesLetItSinkNoFasterThanACrystalDrifts() {
    var receiver = Receiver()
    for second in 1...10 { receiver.fix(at: Double(second), lateS: 0.4) }
    receiver.fix(at: 11, lateS: 0.1)
    #expect(isAbout(receiver.behindS(at: 11), 0.1))
    for second in 12...111 { receiver.fix(at: Double(second), lateS: 0.4) }
    #expect(isAbout(receiver.behindS(at: 111), 0.11, within: 1e-4), "100 s at 100 ppm")
  }

  @Test(arguments: [-80e-6, 80e-6])
  func itFollowsACrystalThatDrifts(rate: Double) {
    var receiver = Receiver()
    for second in 1...20_000 {
      let lateS = 0.15 + 0.3 * Double(second % 7) / 6
      receiver.fix(at: Double(second), lateS: lateS, offS: rate * Double(second))
      guard second > 100 else { continue }
      #expect(isAbout(receiver.behindS(at: Double(second)), 0.15 - rate * Double(second), within: 0.002))
    }
  }

  @Test func outliersAndJumpsToAndFroChangeNothing() {
    var receiver = Receiver()
    for second in 1...10 { receiver.fix(at: Double(second)) }
    for second in 11...600 {
      // Half of them are off, by times that even agree with one another, until the next good one.
      receiver.fix(at: Double(second), offS: second % 2 == 0 ? -3600 : 0)
      #expect(isAbout(receiver.behindS(at: Double(second)), 0.2, within: 0.07))
    }
  }

  @Test func timeThatGoesBackForAWhileIsNotFollowed() {
    var receiver = Receiver()
    for second in 1...10 { receiver.fix(at: Double(second)) }
    for second in 11...60 { receiver.fix(at: Double(second), offS: -20) }
    #expect(isAbout(receiver.behindS(at: 60), 0.2))
    receiver.fix(at: 61)
    for second in 62...110 { receiver.fix(at: Double(second), offS: -20) }
    #expect(isAbout(receiver.behindS(at: 110), 0.2, within: 0.01), "it counts from anew")
  }

  @Test(arguments: [-18.0, 18, 7200])
  func aJumpThatLastsAMinuteIsTaken(offS: Double) {
    var receiver = Receiver()
    for second in 1...10 { receiver.fix(at: Double(second)) }
    for second in 11...70 { receiver.fix(at: Double(second), offS: offS) }
    #expect(isAbout(receiver.behindS(at: 70), 0.2))
    receiver.fix(at: 71, offS: offS)
    #expect(isAbout(receiver.behindS(at: 71), 0.2 - offS))
    #expect(receiver.quality(at: 71) == .gps)
  }

  @Test func aDayWithoutAFixMakesItWorthAClockThatWasSetOnce() {
    var receiver = Receiver()
    for second in 1...10 { receiver.fix(at: Double(second)) }
    #expect(receiver.quality(at: 10 + 86_400) == .gps)
    #expect(receiver.quality(at: 11 + 86_400) == .rtc)
    #expect(isAbout(receiver.behindS(at: 11 + 86_400), 0.2), "it runs freely")
  }

  @Test func afterALongGapTheDriftIsTakenAfterThreeFixes() {
    var receiver = Receiver()
    for second in 1...10 { receiver.fix(at: Double(second)) }
    let later = 2 * 86_400.0
    for second in 0...1 { receiver.fix(at: later + Double(second), offS: 12) }
    #expect(receiver.quality(at: later + 1) == .rtc)
    receiver.fix(at: later + 2, offS: 12)
    #expect(receiver.quality(at: later + 2) == .gps)
    #expect(isAbout(receiver.behindS(at: later + 2), 0.2 - 12))
  }

  @Test func theSameMomentTwiceCountsOnce() {
    var receiver = Receiver()
    for _ in 1...5 { receiver.fix(at: 1) }
    receiver.fix(at: 2)
    #expect(receiver.clock.state(at: Instant(seconds: 2)) == nil)
  }
}
