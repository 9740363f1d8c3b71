import NodeLogic
import Telemetry
import Testing

/// What the time of a fix is worth: openwrt/packages#16272, canboat/canboat PR#863 and openvehicles OVMS3#284 (1024
/// weeks off), arendst/Tasmota#17896 (a cold receiver's 1980).
@Suite struct FixTimeVerdictTests {
  /// 2026-11-30T00:53:20Z.
  private static let now = 1_796_000_000.0
  private static let rollover = FixTimeVerdict.rolloverS

  private func judge(_ time: Double, _ quality: ClockQuality, host: Double = FixTimeVerdictTests.now) -> FixTimeVerdict
  {
    FixTimeVerdict(WallTime(seconds: time), at: (WallTime(seconds: host), quality))
  }

  @Test(arguments: [ClockQuality.ntp, .gps, .rtc], [-2, -1, 0, 1, 2])
  func aMultipleOf1024WeeksIsToldFromAClock(quality: ClockQuality, count: Int) {
    let expected = count == 0 ? FixTimeVerdict.plausible : .rolledOver(count)
    for slackS in [-80_000, 0, 80_000] as [Double] {
      let verdict = judge(Self.now - Double(count) * Self.rollover + slackS, quality)
      #expect(verdict == expected)
      #expect(verdict.rollovers == (count == 0 ? nil : count))
    }
  }

  @Test func aTimeThatNoCountOfWeeksExplainsIsWrongAndNotFlagged() {
    for offS in [200 * 86_400.0, -200 * 86_400, 20 * 31_556_952, Self.rollover - 3 * 86_400] as [Double] {
      #expect(judge(Self.now - offS, .ntp) == .wrong)
      #expect(judge(Self.now - offS, .gps) == .wrong)
      #expect(judge(Self.now - offS, .ntp).rollovers == nil)
    }
  }

  @Test func aClockThatWasSetOnceIsNoEvidenceAgainstATimeThatCanBeTrue() {
    #expect(judge(Self.now + 200 * 86_400, .rtc) == .plausible)
    #expect(judge(Self.now - Self.rollover + 200 * 86_400, .rtc) == .wrong, "too early to be true, and no multiple")
  }

  @Test func withoutAClockTheCalendarTells() {
    let floor = WallTime.plausibleFrom.seconds
    #expect(judge(Self.now, .none, host: 100) == .plausible)
    #expect(judge(Self.now - Self.rollover, .none, host: 100) == .rolledOver(1))
    #expect(judge(Self.now - 2 * Self.rollover, .none, host: 100) == .rolledOver(2))
    #expect(judge(floor, .none, host: 100) == .plausible)
    #expect(judge(floor - 1, .none, host: 100) == .rolledOver(1))
    #expect(judge(floor + Self.rollover - 1, .none, host: 100) == .plausible)
    #expect(judge(floor + Self.rollover, .none, host: 100) == .wrong)
  }

  @Test(arguments: [315_964_800, 935_280_000, 1_554_595_200] as [Double])
  func aReceiverThatDoesNotKnowTheWeekYetIsWrong(weekZero: Double) {
    // Tasmota#17896: 1980-01-06 plus some minutes, said with a valid flag.
    #expect(judge(weekZero + 300, .none, host: 100) == .wrong)
    #expect(judge(weekZero + 300, .ntp) == .wrong)
    #expect(judge(weekZero + 8 * 86_400, .none, host: 100).rollovers != nil, "a week later it counts")
  }

  @Test func aMessageSaysHowOftenAndKeepsTheReceiversTime() {
    var position = LocationMessage.Position(dimensions: 3, latitude: 47, longitude: 8, ageS: 2, cause: .first)
    position.fixTime = WallTime(seconds: Self.now - Self.rollover)
    let output = LocationOutput(at: Instant(seconds: 12), .fixed(position))
    func rollovers(_ wallAtStart: Double, _ quality: ClockQuality) -> Int? {
      let clock = ClockState(wallAtStart: WallTime(seconds: wallAtStart), quality: quality)
      guard case .fixed(let said)? = Optional(output.message(clock: clock)) else { return nil }
      #expect(said.fixTime == position.fixTime)
      #expect(said.received == WallTime(seconds: wallAtStart + 10))
      return said.fixTimeRollovers
    }
    #expect(rollovers(Self.now - 10, .ntp) == 1)
    #expect(rollovers(0, .none) == 1)
    #expect(rollovers(Self.now - Self.rollover, .rtc) == nil, "the clock says the same")
    #expect(rollovers(Self.now - 100 * 86_400, .ntp) == nil)
  }
}
