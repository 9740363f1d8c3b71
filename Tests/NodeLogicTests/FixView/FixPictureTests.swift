import Telemetry
import Testing

@testable import NodeLogic

/// The picture of a terminal, and the objects of JSON.
@Suite("Picture of positions") struct FixPictureTests {
  private func lostView() throws -> FixFixture {
    var view = try FixFixture(device: "/dev/ttyÜSB\u{1B}[2J0")
    for second in 1...5 { view.fix(at: Double(second), north: 20 * Double(second)) }
    view.fix(at: 6, north: 90_000)
    for second in 7...45 { view.noFix(at: Double(second), seen: 7) }
    view.entries += view.state.lacksSensor(String(repeating: "no such thing ", count: 30), at: view.now)
    return view
  }

  @Test func aPictureIsATableAndTheLastEvents() throws {
    var view = try FixFixture()
    for second in 1...3 { view.fix(at: Double(second), north: 14 * Double(second)) }
    view.feed(.report(.sky(GpsdSky(device: "/dev/a", used: 8, seen: 12))))
    view.pass(to: 3.5)
    let allowanceM = try #require(view.state.glance?.allowanceM)
    #expect(
      view.picture(72) == [
        "gpsd       localhost:2947, release 3.22, answers for 3.5 s",
        "receivers  /dev/a (NMEA0183), 3D +- 5.0 m, followed",
        "satellites 8 used of 12 heard",
        "report     mode 3, 47.0003777, 8.0000000, 0.50 s ago",
        "errors     eph 5.0 m, epv 7.0 m",
        "           altMSL 400 m, altHAE 448 m, speed 14.00 m/s, track 141.3 deg",
        "time       2027-01-15T08:00:02.880Z, 0.12 s behind the host's clock",
        "           (ntp)",
        "decision   published: distance, 28 m from the last published, 25 m",
        "           needed (0.20 s ago)",
        "next       distance in 25 m (0.0 m of 25 m); interval in 300 s",
        "movement   not known yet for 2.5 s, 28 m from 47.0001259, 8.0000000, up",
        "           to \(ViewText.distance(allowanceM)) is drift",
        "sensor     looking for it",
        "way        odometer 0.0 m, trip 0.0 m",
        "published  distance, 0.20 s ago: 47.0003777, 8.0000000 +- 5.0 m",
        "position   there, last good fix 0.50 s ago",
        "counts     3 fixes: 2 published (distance 1, first 1), 1 withheld (near",
        "           1), 0 rejected, 0 losses",
        "lines      0 bad, 0 repeated, 0 backwards",
        "",
        "08:00:00 receivers: /dev/a (NMEA0183)",
        "08:00:00 gpsd: answers, release 3.22",
        "08:00:01 report: 3D fix from /dev/a",
        "08:00:01 published: first",
        "08:00:02 withheld: 14 m from the last published, 25 m needed; interval ~",
        "08:00:03 published: distance, 28 m from the last published, 25 m needed",
      ])
  }

  @Test(arguments: [20, 40, 60, 80, 120], [1, 5, 12, 24, 60])
  func nothingIsWiderOrLongerThanTheTerminal(width: Int, rows: Int) throws {
    let view = try lostView()
    for isUnicode in [false, true] {
      let lines = view.picture(width, rows: rows, isUnicode: isUnicode)
      #expect(lines.count <= rows && !lines.isEmpty)
      for line in lines {
        #expect(TextWidth.of(line) <= width, "\(line)")
        #expect(!line.unicodeScalars.contains { $0.value < 32 }, "\(line)")
        #expect(line.allSatisfy(\.isASCII) || isUnicode, "\(line)")
      }
    }
  }

  @Test func inALowTerminalTheDecisionIsTheLastToGo() throws {
    let view = try lostView()
    #expect(view.picture(80, rows: 1).first?.hasPrefix("decision   rejected: ") == true)
    let names = view.picture(120, rows: 5).map { $0.prefix(11).split(separator: " ").first.map(String.init) ?? "" }
    #expect(names.filter { !$0.isEmpty } == ["gpsd", "report", "decision", "next", "position"])
    #expect(view.picture(80, rows: 60, isUnicode: true).joined().contains("±"))
  }

  @Test func coloursDoNotChangeTheText() throws {
    let view = try lostView()
    let coloured = FixPicture(width: 60, rows: 40, isColoured: true).lines(view.state, at: view.now)
    #expect(coloured.contains { $0.contains("\u{1B}[31m") }, "a loss is red")
    let stripped = coloured.map { $0.replacing(/\u{1B}\[[0-9]*m/, with: "") }
    #expect(stripped == view.picture(60, rows: 40))
  }

  // MARK: JSON

  @Test func eachEventIsAnObject() throws {
    let view = try lostView()
    let objects = try view.entries.map { try JSONValue.parse(Array($0.json().utf8)) }
    #expect(objects.allSatisfy { ($0["event"] == nil) != ($0["topic"] == nil) })
    let events = objects.filter { $0["event"] != nil }
    #expect(events.allSatisfy { $0["up"]?.number != nil })
    let decisions = events.filter { $0["event"]?.string == "decision" }
    #expect(
      decisions.map { $0["reason"]?.string } == ["first", "near", "distance", "near", "distance", "acceleration"])
    #expect(decisions.map { $0["verdict"]?.string }.last == "rejected")
    let jump = try #require(decisions.last)
    #expect(jump["distance_m"]?.number == 89_900 && jump["lat"]?.number != nil && jump["acc_m"]?.number == 5)
    #expect(jump["text"]?.string?.hasPrefix("rejected: 89900 m in ") == true)
    #expect(decisions[1]["moved_m"]?.number == 20 && decisions[1]["needed_m"]?.number == 25)
    #expect(events.first { $0["event"]?.string == "gpsd" }?["release"]?.string == "3.22")
    #expect(events.first { $0["event"]?.string == "lost" }?["reason"]?.string == "no_fix")
  }

  @Test func aMessageIsTopicAndPayloadAsAReplayPrintsThem() throws {
    let view = try lostView()
    let messages = try view.entries.map { try JSONValue.parse(Array($0.json().utf8)) }.filter { $0["topic"] != nil }
    #expect(messages.count == 4)
    #expect(messages.allSatisfy { $0["topic"]?.string == "judder/n/location" })
    #expect(messages.map { $0["payload"]?["seq"]?.number } == [1, 2, 3, 4])
    #expect(messages.map { $0["payload"]?["why"]?.string } == ["first", "distance", "distance", "lost"])
  }
}

@Suite("Time of a fix") struct FixTimeCheckTests {
  private let host = WallTime(seconds: 1_800_000_000)

  private func check(_ offsetS: Double, _ quality: ClockQuality = .ntp) -> FixTimeCheck {
    FixTimeCheck(
      host + offsetS, host: ClockState(wallAtStart: host + -5, quality: quality), received: Instant(seconds: 5))
  }

  @Test(arguments: [1, 2, -1])
  func weeksAreTakenBack(times: Int) {
    let check = check(-Double(times) * FixTimeVerdict.rolloverS + 3)
    #expect(check.rollovers == times && check.offsetS == 3 && check.isOff)
    #expect(check.corrected == host + 3)
  }

  @Test func aTimeThatIsSimplyWrongIsNoRollover() {
    for offsetS in [90_000, -300_000_000, FixTimeVerdict.rolloverS + 90_000] {
      let check = check(offsetS)
      #expect(check.rollovers == 0 && (check.offsetS - offsetS).magnitude < 1e-6 && check.isOff)
      #expect(check.corrected == check.time)
    }
    #expect(!check(-0.2).isOff && !check(59).isOff && check(-61).isOff)
    #expect(!check(-3600, .rtc).isOff, "a clock that was set once may itself be wrong")
  }

  @Test func aHostClockThatIsWorthNothingIsSaid() {
    #expect(check(120, .none).text == "120 s ahead of a host clock that nothing vouches for")
    #expect(check(-120, .rtc).text == "120 s behind the host's clock (rtc)")
  }
}

@Suite("A fix in words") struct FixSentenceTests {
  private func fix(_ change: (inout GpsdPosition) -> Void) throws -> String {
    var report = GpsdPosition(device: "/dev/a", mode: 3)
    (report.latitude, report.longitude) = (47.25, 8.5)
    change(&report)
    return try #require(Fix(report, at: .start)).sentence
  }

  @Test func whatIsKnownIsSaidAndNothingElse() throws {
    #expect(try fix { _ in } == "3D fix at 47.2500000, 8.5000000, accuracy unknown")
    let whole = try fix {
      ($0.ephM, $0.altitudeMSLM, $0.altitudeHAEM, $0.epvM, $0.status) = (4.2, 408, 456, 7, 2)
    }
    #expect(whole == "3D fix at 47.2500000, 8.5000000 ± 4.2 m (eph), dgps, 408 m above the sea (± 7.0 m)")
    #expect(
      try fix { ($0.epxM, $0.epyM, $0.altitudeHAEM, $0.status) = (3, 4, 456, 7) }
        == "3D fix at 47.2500000, 8.5000000 ± 5.0 m (epxy), surveyed: a fixed station's own coordinates, 456 m above"
        + " the ellipsoid")
    #expect(
      try fix { ($0.altitudeUntaggedM, $0.status) = (408, 5) }
        == "3D fix at 47.2500000, 8.5000000, accuracy unknown, dead reckoning without satellites, 408 m high, gpsd"
        + " does not say above what")
    #expect(try fix { ($0.mode, $0.altitudeMSLM, $0.status) = (2, 408, 1) }.hasSuffix("accuracy unknown"))
  }
}
