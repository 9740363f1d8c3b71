import Foundation
import Rig
import Telemetry
import Testing

@Suite struct WallTimeTextTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"),
    (1_272_628_063, "2010-04-30T11:47:43.000Z"),
    (951_782_400.5, "2000-02-29T00:00:00.500Z"),
    (-1, "1969-12-31T23:59:59.000Z"),
    (-62_167_219_200, "0000-01-01T00:00:00.000Z"),
    (253_402_300_799.999, "9999-12-31T23:59:59.999Z"),
    (4_107_542_400, "2100-03-01T00:00:00.000Z"),
    (1_796_011_506.789, "2026-11-30T04:05:06.789Z"),
  ])
  func timesHaveTheirText(seconds: Double, text: String) throws {
    #expect(WallTime(seconds: seconds).rfc3339 == text)
    let back = try #require(WallTime(rfc3339: text))
    #expect((back.seconds - seconds).magnitude < 1e-4)
  }

  @Test func roundingCarriesIntoTheYear() {
    #expect(WallTime(seconds: 1_798_761_599.9996).rfc3339 == "2027-01-01T00:00:00.000Z")
  }

  @Test func whatIsNoCalendarTimeStaysSeconds() {
    #expect(WallTime(seconds: 1e20).rfc3339 == "@1e+20")
    #expect(WallTime(seconds: .nan).rfc3339 == "@nan")
    #expect(WallTime(seconds: -.infinity).rfc3339 == "@-inf")
    #expect(WallTime(seconds: 253_402_300_799.9999).rfc3339.hasPrefix("@"))
  }

  @Test func theFractionMayHaveAnyLengthUpToNine() {
    #expect(WallTime(rfc3339: "1970-01-01T00:00:01Z")?.seconds == 1)
    #expect(WallTime(rfc3339: "1970-01-01T00:00:01.5Z")?.seconds == 1.5)
    #expect(WallTime(rfc3339: "1970-01-01T00:00:01.123456789Z")?.seconds == 1.123456789)
  }

  @Test func aLeapSecondIsTheFirstOfTheNextMinute() {
    #expect(WallTime(rfc3339: "2016-12-31T23:59:60.000Z") == WallTime(rfc3339: "2017-01-01T00:00:00Z"))
  }

  @Test(arguments: [
    "", "2010", "2010-04-30", "2010-04-30T11:47:43", "2010-04-30T11:47:43.000", "2010-04-30 11:47:43Z",
    "2010-04-30t11:47:43z", "2010-04-30T11:47:43.Z", "2010-04-30T11:47:43.1234567890Z", "2010-04-30T11:47:43.000ZZ",
    "2010-04-30T11:47:43.000+00:00", "2010-04-31T00:00:00Z", "2010-02-29T00:00:00Z", "2100-02-29T00:00:00Z",
    "2010-00-01T00:00:00Z", "2010-13-01T00:00:00Z", "2010-01-00T00:00:00Z", "2010-01-01T24:00:00Z",
    "2010-01-01T00:60:00Z", "2010-01-01T00:00:61Z", "+010-01-01T00:00:00Z", "10-01-01T00:00:00Z",
    "2010-1-01T00:00:00Z", "２０10-01-01T00:00:00Z", " 2010-01-01T00:00:00Z",
    "2010-01-01T00:00:00.000000000000000000000000000000Z",
  ])
  func anythingElseIsNoTime(text: String) {
    #expect(WallTime(rfc3339: text) == nil)
  }

  @Test func theArithmeticAgreesWithFoundation() throws {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions = [.withInternetDateTime]
    var random = SeededRandom(seed: 23)
    for _ in 0..<5000 {
      let seconds = Double(Int64.random(in: 0..<7_258_118_400, using: &random))
      let text = formatter.string(from: Date(timeIntervalSince1970: seconds))
      #expect(WallTime(seconds: seconds).rfc3339 == text.dropLast() + ".000Z")
      #expect(WallTime(rfc3339: text)?.seconds == seconds)
    }
  }
}
