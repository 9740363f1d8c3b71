import Telemetry
import Testing

@testable import NodeLogic

/// What a suspended machine does to its clocks.
@Suite struct ClockSleepTests {
  private static let start = 1_796_000_000.0
  private static let nightS = 28_800.0

  /// Fixes 0.2 s late; the true wall time at `Instant.start` is `start` and what it slept.
  private func hear(_ clock: inout GPSClock, _ seconds: ClosedRange<Int>, sleptS: Double = 0) {
    for second in seconds {
      let time = WallTime(seconds: Self.start + sleptS + Double(second) - 0.2)
      clock.hear(time, received: Instant(seconds: Double(second)))
    }
  }

  private func aheadS(_ clock: GPSClock, sleptS: Double) -> Double? {
    clock.state(at: Instant(seconds: 20)).map { $0.wallAtStart.seconds - Self.start - sleptS }
  }

  @Test func gpsTimeIsRightAtOnce() throws {
    var clock = GPSClock()
    hear(&clock, 1...10)
    clock.sleep(Self.nightS)
    #expect((try #require(aheadS(clock, sleptS: Self.nightS)) + 0.2).magnitude < 0.001)
    #expect(clock.state(at: Instant(seconds: 20))?.quality == .gps)
  }

  @Test func aDayWithoutAFixCountsTheSleep() {
    var clock = GPSClock()
    hear(&clock, 1...10)
    clock.sleep(GPSClock.holdS - 100)
    #expect(clock.state(at: Instant(seconds: 20))?.quality == .gps)
    #expect(clock.state(at: Instant(seconds: 111))?.quality == .rtc)
  }

  @Test(arguments: [(0.4, 21...21), (-0.4, 21...21), (0.9, 21...24), (-0.9, 21...24)])
  func aClockThatCountsWholeSecondsIsPutRightByTheNextFixes(wrongS: Double, fixes: ClosedRange<Int>) throws {
    var clock = GPSClock()
    hear(&clock, 1...10)
    clock.sleep(60 + wrongS)
    #expect((try #require(aheadS(clock, sleptS: 60)) + 0.2 - wrongS).magnitude < 0.001)
    hear(&clock, fixes, sleptS: 60)
    #expect((try #require(aheadS(clock, sleptS: 60)) + 0.2).magnitude < 0.001)
  }

  private func fixes(_ clock: inout NodeClock, _ seconds: ClosedRange<Int>, offS: Double = 0) {
    for second in seconds {
      var report = GpsdPosition(device: "/dev/a", mode: 3)
      (report.latitude, report.longitude) = (47, 8)
      report.time = WallTime(seconds: Self.start + Double(second) - 0.2 + offS)
      let now = Instant(seconds: Double(second))
      if let fix = Fix(report, at: now) { _ = clock.hear(fix, at: now + 0.3) }
    }
  }

  private func system(_ wallAtStart: Double, _ quality: ClockQuality) -> ClockState {
    ClockState(wallAtStart: WallTime(seconds: wallAtStart), quality: quality)
  }

  @Test(arguments: [ClockQuality.none, .rtc])
  func besideGPSTimeTheSystemClockCountsTheSleepOnce(quality: ClockQuality) {
    var clock = NodeClock(system: system(Self.start - 7200, quality))
    fixes(&clock, 1...10)
    #expect(clock.source == .gps)
    clock.sleep(Self.nightS)
    let note = clock.setSystem(system(Self.start - 7200 + Self.nightS, quality), at: Instant(seconds: 11))
    #expect(note == nil)
    #expect(clock.source == .gps)
    #expect((clock.state.wallAtStart.seconds - Self.start - Self.nightS + 0.2).magnitude < 0.001)
  }

  @Test func besideADisciplinedClockGPSTimeIsKept() throws {
    var clock = NodeClock(system: system(Self.start, .ntp))
    fixes(&clock, 1...10)
    clock.sleep(Self.nightS)
    #expect(clock.state == system(Self.start + Self.nightS, .ntp), "even before the shell says so")
    let note = clock.setSystem(system(Self.start + Self.nightS + 0.01, .ntp), at: Instant(seconds: 11))
    #expect(note == nil)
    #expect(clock.state == system(Self.start + Self.nightS + 0.01, .ntp))
    _ = clock.setSystem(system(Self.start + Self.nightS, .none), at: Instant(seconds: 12))
    #expect(clock.source == .gps)
    #expect((clock.state.wallAtStart.seconds - Self.start - Self.nightS + 0.2).magnitude < 0.001)
  }

  @Test func aReceiverThatNTPProvedWrongStaysWrong() {
    var clock = NodeClock(system: system(Self.start, .ntp))
    fixes(&clock, 1...10, offS: -259_200)
    _ = clock.setSystem(system(Self.start, .rtc), at: Instant(seconds: 11))
    clock.sleep(Self.nightS)
    fixes(&clock, 12...200, offS: Self.nightS - 259_200)
    #expect(clock.source == .system)
  }

  @Test func aLogOfSleepsIsBoundedAndForgetsNoSeconds() {
    var sleeps = SleepLog()
    for index in 1...100 { sleeps.note(2, after: Instant(seconds: Double(index))) }
    #expect(sleeps.seconds(since: .start) == 200)
    #expect(sleeps.seconds(since: Instant(seconds: 98)) == 6)
    #expect(sleeps.seconds(since: Instant(seconds: 100.1)) == 0)
    #expect(sleeps.aged(Instant(seconds: 98)) == Instant(seconds: 92))
  }
}
