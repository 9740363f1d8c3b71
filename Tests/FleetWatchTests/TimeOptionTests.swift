import Telemetry
import Testing

@testable import FleetWatch

@Suite("Times on the command line")
struct TimeOptionTests {
  private let now = WallTime(seconds: 1_796_011_500)

  @Test(
    "Durations count back from now, RFC 3339 may have an offset",
    arguments: [
      ("90s", 1_796_011_410.0), ("1.5h", 1_796_006_100), ("7d", 1_795_406_700), ("15m", 1_796_010_600),
      ("2026-11-30T04:05:00Z", 1_796_011_500), ("2026-11-30t05:05:00.5+01:00", 1_796_011_500.5),
      ("2026-11-29T23:35:00-04:30", 1_796_011_500),
    ])
  func read(text: String, seconds: Double) {
    #expect(TimeOption.time(text, now: now)?.seconds == seconds)
  }

  @Test(
    "Anything else is none",
    arguments: ["", "s", "5x", "-5s", "1e3s", "2026-11-30", "2026-11-30T04:00:00", "2026-11-30T04:00:00+25:00", "nand"])
  func refuse(text: String) { #expect(TimeOption.time(text, now: now) == nil) }
}
