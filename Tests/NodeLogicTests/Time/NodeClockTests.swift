import NodeLogic
import Telemetry
import Testing

/// Which clock of a node counts.
@Suite struct NodeClockTests {
  private static let start = 1_796_000_000.0

  private static func system(_ wallAtStart: Double, _ quality: ClockQuality) -> ClockState {
    ClockState(wallAtStart: WallTime(seconds: wallAtStart), quality: quality)
  }

  /// A node's clock, and what it said.
  private struct Bench {
    var clock: NodeClock
    var notes: [String] = []

    init(_ system: ClockState) { clock = NodeClock(system: system) }

    mutating func fixes(_ seconds: ClosedRange<Int>, offS: Double = 0) {
      for second in seconds {
        var report = GpsdPosition(device: "/dev/a", mode: 3)
        (report.latitude, report.longitude) = (47, 8)
        report.time = WallTime(seconds: NodeClockTests.start + Double(second) - 0.2 + offS)
        let now = Instant(seconds: Double(second))
        if let fix = Fix(report, at: now), let note = clock.hear(fix, at: now + 0.3) { notes.append(note.text) }
      }
    }

    mutating func system(_ state: ClockState, at seconds: Double) {
      if let note = clock.setSystem(state, at: Instant(seconds: seconds)) { notes.append(note.text) }
    }

    mutating func review(at seconds: Double) {
      if let note = clock.review(at: Instant(seconds: seconds)) { notes.append(note.text) }
    }
  }

  @Test(arguments: [ClockQuality.none, .rtc])
  func gpsTimeCountsWhereNothingDisciplinesTheSystemClock(quality: ClockQuality) throws {
    var bench = Bench(Self.system(quality == .none ? 0 : Self.start - 7 * 3600, quality))
    bench.fixes(1...2)
    #expect(bench.clock.source == .system && bench.clock.state.quality == quality)
    bench.fixes(3...200)
    #expect(bench.clock.source == .gps && bench.clock.state.quality == .gps)
    #expect(bench.clock.state.wall(at: Instant(seconds: 200)) - WallTime(seconds: Self.start + 199.8) < 0.001)
    let lag = quality == .none ? "56 y" : "6 h"
    let line = "clock: GPS time, 2026-11-30T00:53:23.100Z; the system clock is \(lag) behind, and is left alone"
    #expect(bench.notes == [line], "said once, with both times")
  }

  @Test func whatNTPProvedWrongIsNotTakenWhenNTPGoes() {
    var bench = Bench(Self.system(0, .none))
    bench.fixes(1...10, offS: -3 * 86_400)
    #expect(bench.clock.source == .gps, "nothing speaks against it yet")
    bench.system(Self.system(Self.start, .ntp), at: 11)
    bench.fixes(12...20, offS: -3 * 86_400)
    bench.system(Self.system(Self.start, .rtc), at: 21)
    bench.fixes(22...200, offS: -3 * 86_400)
    #expect(bench.clock.source == .system && bench.clock.state.quality == .rtc)
    bench.fixes(201...210)
    #expect(bench.clock.source == .gps, "a receiver that has found the time is believed")
  }

  @Test func gpsTimeOfLongAgoIsWorthLessThanAClockDisciplinedSince() {
    var bench = Bench(Self.system(0, .none))
    bench.fixes(1...10)
    bench.review(at: 5 * 86_400)
    #expect(bench.clock.source == .gps && bench.clock.state.quality == .rtc)
    bench.system(Self.system(Self.start + 2, .ntp), at: 5 * 86_400 + 1)
    bench.system(Self.system(Self.start + 2, .rtc), at: 6 * 86_400)
    #expect(bench.clock.source == .system)
    bench.fixes(518_401...518_410)
    #expect(bench.clock.source == .gps)
  }

  @Test func ntpWinsAndGPSComesBackWhenItGoes() {
    var bench = Bench(Self.system(0, .none))
    bench.fixes(1...10)
    bench.system(Self.system(Self.start, .ntp), at: 11)
    #expect(bench.clock.source == .system && bench.clock.state.quality == .ntp)
    bench.fixes(12...100)
    #expect(bench.clock.source == .system)
    bench.system(Self.system(Self.start, .rtc), at: 101)
    #expect(bench.clock.source == .gps && bench.clock.state.quality == .gps)
    #expect(bench.notes.count == 3)
    #expect(bench.notes[1].hasSuffix("GPS time is 0.2 s behind"), "\(bench.notes[1])")
  }

  @Test func aSystemClockThatIsSetMeanwhileDoesNotDisturb() {
    var bench = Bench(Self.system(0, .none))
    bench.fixes(1...10)
    let before = bench.clock.state
    bench.system(Self.system(Self.start + 5_000_000, .none), at: 11)
    bench.system(Self.system(Self.start - 40, .rtc), at: 12)
    #expect(bench.clock.state == before)
    bench.fixes(13...20)
    #expect(bench.notes.count == 1)
  }

  @Test func aDayWithoutGPSItIsWorthAClockThatWasSetOnceAndNeverMore() {
    var bench = Bench(Self.system(0, .none))
    bench.fixes(1...10)
    bench.review(at: 86_420)
    #expect(bench.clock.state.quality == .rtc && bench.clock.source == .gps)
    bench.system(Self.system(Self.start - 900, .rtc), at: 86_430)
    #expect(bench.clock.source == .gps, "what sets a battery-backed clock, nobody knows")
    #expect(bench.notes.count == 2)
    #expect(bench.notes.last?.contains("GPS time of more than a day ago") == true)
  }

  @Test(arguments: [ClockQuality.none, .rtc, .ntp])
  func aReceiverWhoseWeeksRolledOverTeachesNothingAndIsCountedOnce(quality: ClockQuality) {
    let system = Self.system(quality == .none ? 0 : Self.start, quality)
    var bench = Bench(system)
    bench.fixes(1...100, offS: -FixTimeVerdict.rolloverS)
    #expect(bench.clock.state == system)
    #expect(bench.clock.rollovers == 1)
    bench.fixes(101...200)
    bench.fixes(201...300, offS: -FixTimeVerdict.rolloverS)
    #expect(bench.clock.rollovers == 2)
    #expect(bench.clock.state.quality == (quality == .ntp ? .ntp : .gps))
    #expect((bench.clock.state.wallAtStart - WallTime(seconds: Self.start)).magnitude < 0.3)
  }

  @Test func aReceiverThatIsOffBySomethingElseIsNeverTaken() {
    // 20 years, which is no multiple of 1024 weeks; and arendst/Tasmota#17896, a cold receiver's 1980.
    for offS in [-20 * 31_556_952.0, 20 * 31_556_952, 315_964_800 - Self.start + 100] as [Double] {
      for quality in [ClockQuality.none, .rtc, .ntp] {
        var bench = Bench(Self.system(quality == .none ? 0 : Self.start, quality))
        bench.fixes(1...200, offS: offS)
        #expect(bench.clock.source == .system && bench.clock.gps.state(at: Instant(seconds: 200)) == nil)
      }
    }
  }

  @Test func aReceiverThatNTPContradictsIsNotTakenWhenNTPGoes() {
    var bench = Bench(Self.system(Self.start, .ntp))
    bench.fixes(1...100, offS: -3600)
    bench.system(Self.system(Self.start, .rtc), at: 100.5)
    #expect(bench.clock.source == .system && bench.clock.state.quality == .rtc)
  }

  @Test func aReceiverThatWasWrongFirstIsPutRightAfterAMinute() {
    var bench = Bench(Self.system(0, .none))
    bench.fixes(1...10, offS: 90 * 86_400)
    #expect(bench.clock.source == .gps)
    bench.fixes(11...80)
    #expect((bench.clock.state.wallAtStart - WallTime(seconds: Self.start)).magnitude < 0.3)
    #expect(bench.notes.count == 2)
    #expect(bench.notes[1].contains("GPS time"))
  }
}
