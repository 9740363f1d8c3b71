import Telemetry
import Testing

@testable import NodeLogic

/// One after another: what a person sees of positions.
@Suite("View of positions") struct FixViewTests {
  /// A drive to the north at 14 m/s for `lengthS`, with a fix each second.
  private func drive(_ lengthS: Int, _ settings: LocationTracker.Settings = .init()) throws -> FixFixture {
    var view = try FixFixture(settings)
    for second in 1...lengthS { view.fix(at: Double(second), north: 14 * Double(second)) }
    view.pass(to: Double(lengthS) + 0.5)
    return view
  }

  // MARK: Lines

  @Test func eachDecisionIsALineWithItsReason() throws {
    let view = try drive(4)
    #expect(
      view.texts == [
        "receivers: /dev/a (NMEA0183)", "gpsd: answers, release 3.22", "report: 3D fix from /dev/a",
        "published: first",
        "withheld: 14 m from the last published, 25 m needed; interval in 299 s",
        "published: distance, 28 m from the last published, 25 m needed",
        "withheld: 14 m from the last published, 25 m needed; interval in 299 s",
      ])
  }

  @Test func aMessageStandsAfterItsDecisionAsItWouldGoOut() throws {
    let view = try drive(1)
    let last = try #require(view.entries.last)
    #expect(last.text.hasPrefix("=> judder/n/location {\"v\":1,\"boot\":\"00000000\",\"seq\":1,\"t\":1800000001.3,"))
    let payload = try #require(last.text.split(separator: " ", maxSplits: 2).last)
    let telegram = try Telegram.decode(stream: .location, payload: Array(payload.utf8))
    guard case .location(.fixed(let position)) = telegram.body else {
      Issue.record("\(telegram)")
      return
    }
    #expect(position.cause == .first && position.accuracyM == 5)
    #expect(!position.isBacklog, "shown is delivered")
    let clock = ClockState(wallAtStart: FixFixture.begin, quality: .ntp)
    #expect(last.line(clock).hasPrefix("2027-01-15T08:00:01.300Z => "))
  }

  @Test func aRejectedFixIsNamedWithItsNumbers() throws {
    var view = try drive(2)
    view.fix(at: 3, north: 42, accuracyM: 350)
    view.fix(at: 4, north: 74_000)
    view.fix(at: 5, north: 70, status: 8)
    view.pass(to: 6)
    let rejected = view.texts.filter { $0.hasPrefix("rejected") }
    #expect(rejected.count == 3, "\(rejected)")
    #expect(rejected[0] == "rejected: accuracy 350 m, worse than 200 m")
    #expect(rejected[1].hasPrefix("rejected: 73972 m in 2.0 s, no vehicle comes farther than "), "\(rejected[1])")
    #expect(rejected[2] == "rejected: from a simulator")
    #expect(view.messages.count == 1, "none of them is published")
    let counts =
      "5 fixes: 1 published (first 1), 1 withheld (near 1),"
      + " 3 rejected (acceleration 1, accuracy 1, simulated 1)"
    #expect(view.row("counts")?.hasPrefix(counts) == true, "\(view.state.summary)")
  }

  @Test func aLossIsToldWithItsReasonAndWhatWasBefore() throws {
    var view = try drive(2)
    for second in 3...40 { view.noFix(at: Double(second), seen: 5) }
    #expect(view.texts.contains("report: no fix (mode 1) from /dev/a, 0 of 5 satellites used"))
    let lost = view.texts.filter { $0.hasPrefix("lost") }
    #expect(lost == ["lost: no_fix, last good fix 30 s ago at 47.0002518, 8.0000000"])
    #expect(view.messages.last?.contains("\"fix\":0,\"why\":\"lost\",\"reason\":\"no_fix\"") == true)
    #expect(view.row("position") == "lost for 8.0 s: no_fix, last good fix 38 s ago")
    #expect(view.row("next") == "regained, with the next good fix")
    view.fix(at: 41, north: 28)
    view.pass(to: 42)
    #expect(view.texts.last?.hasPrefix("published: regained") == true)
    #expect(
      view.state.summary
        == "3 fixes: 2 published (first 1, regained 1), 1 withheld (near 1), 0 rejected, 1 loss (no_fix 1)")
  }

  @Test func whatALossWaitsForIsSeenBeforeItComes() throws {
    var view = try drive(2)
    for second in 3...12 { view.noFix(at: Double(second)) }
    #expect(view.row("position") == "there, last good fix 10 s ago; lost in 20 s, no_fix")
    view = try drive(2)
    view.pass(to: 12)
    #expect(view.row("position") == "there, last good fix 10 s ago; lost in 20 s, stalled")
    #expect(view.row("report")?.hasSuffix(", 10 s ago") == true)
  }

  @Test func anIntervalIsALineOfItsOwn() throws {
    var view = try FixFixture(.init(intervalS: 10))
    view.fix(at: 1)
    view.fix(at: 2)
    view.pass(to: 15)
    #expect(view.messages.count == 2)
    #expect(view.messages.last?.contains("\"why\":\"interval\"") == true)
    #expect(view.picture().last?.hasSuffix("published: interval") == true)
  }

  // MARK: gpsd

  @Test func gpsdGoesAndComesBack() throws {
    var view = try drive(2)
    view.pass(to: 3)
    view.feed(.link(.down(reason: "gpsd closed the connection")))
    view.pass(to: 5)
    #expect(view.row("gpsd") == "localhost:2947, gpsd closed the connection, for 2.0 s")
    #expect(view.row("receivers") == nil, "nobody says what there is")
    #expect(view.row("report") == "none yet")
    view.pass(to: 33)
    #expect(view.texts.last == "lost: gpsd_gone, last good fix 30 s ago at 47.0002518, 8.0000000")
    view.feed(.link(.up(release: "3.25")))
    #expect(view.texts.last == "gpsd: answers, release 3.25")
    #expect(view.row("gpsd") == "localhost:2947, release 3.25, answers for 0.00 s")
  }

  @Test func receiversComeAndGo() throws {
    var view = try FixFixture(isUp: false)
    #expect(view.row("gpsd") == "localhost:2947, connecting for 0.00 s")
    view.feed(.report(.devices([])))
    view.feed(.link(.up(release: "3.22")))
    view.feed(.report(.devices([])))
    #expect(view.row("receivers") == "gpsd has none")
    view.feed(.report(.device(GpsdDevice(path: "/dev/a", driver: "u-blox", isActivated: true))))
    view.feed(.report(.device(GpsdDevice(path: "/dev/a", isActivated: false))))
    // gpsd names it without its driver, and repeats itself.
    view.feed(.report(.devices([GpsdDevice(path: "/dev/b", isActivated: true)])))
    view.feed(.report(.devices([GpsdDevice(path: "/dev/b", isActivated: true)])))
    #expect(
      view.texts == [
        "receivers: none", "gpsd: answers, release 3.22", "receivers: none", "receivers: /dev/a (u-blox)",
        "receivers: none", "receivers: /dev/b",
      ])
  }

  @Test func theFollowedReceiverIsMarkedAndShown() throws {
    var view = try FixFixture()
    view.feed(.report(.device(GpsdDevice(path: "/dev/b", driver: "u-blox", isActivated: true))))
    view.fix(at: 1)
    view.fix(at: 1.5, north: 500, accuracyM: 9, device: "/dev/b")
    view.fix(at: 2)
    #expect(view.row("receivers") == "/dev/a (NMEA0183), 3D +- 5.0 m, followed; /dev/b (u-blox), 3D +- 9.0 m")
    #expect(view.row("report")?.contains("47.0000000, 8.0000000") == true, "not the other's")
    #expect(view.texts.contains("withheld: /dev/a is followed"))
  }

  @Test func aPinnedReceiverThatIsMissingIsNamed() throws {
    let view = try FixFixture(.init(device: "/dev/c"))
    #expect(view.row("receivers") == "/dev/a (NMEA0183); /dev/c is asked for and not there")
  }

  @Test func badLinesAreToldOnceASecond() throws {
    var view = try FixFixture()
    for _ in 0..<100 { view.feed(.unreadable(.notJSON)) }
    view.pass(to: 1.5)
    view.feed(.unreadable(.tooLong))
    #expect(view.texts.count { $0.hasPrefix("gpsd sent a line that cannot be used") } == 2)
    #expect(view.row("lines") == "101 bad, 0 repeated, 0 backwards")
  }

  // MARK: Rows

  @Test func theReportIsShownAsGpsdGaveIt() throws {
    let view = try drive(2)
    #expect(view.row("report") == "mode 3, 47.0002518, 8.0000000, 0.50 s ago")
    #expect(view.row("errors") == "eph 5.0 m, epv 7.0 m")
    #expect(view.row("")?.contains("altMSL 400 m, altHAE 448 m, speed 14.00 m/s, track 141.3 deg") == true)
    #expect(view.row("time") == "2027-01-15T08:00:01.880Z, 0.12 s behind the host's clock (ntp)")
    var surveyed = try FixFixture()
    surveyed.fix(at: 1, status: 7)
    #expect(surveyed.row("report")?.hasPrefix("mode 3, status 7 (surveyed), ") == true)
    surveyed.fix(at: 2, status: 8)
    #expect(surveyed.row("report")?.hasPrefix("mode 3, status 8 (simulated), ") == true)
  }

  @Test func aWeekRolloverIsShownWithItsDate() throws {
    var view = try FixFixture()
    view.fix(at: 1, time: FixFixture.begin.seconds - FixTimeVerdict.rolloverS + 1.4)
    #expect(
      view.row("time")
        == "2007-06-01T08:00:01.400Z, 1024 weeks too early, really 2027-01-15T08:00:01.400Z, 0.40 s ahead of the"
        + " host's clock (ntp)")
  }

  @Test func whatComesNextIsCountedDown() throws {
    let view = try drive(4)
    #expect(view.row("next") == "distance in 11 m (14 m of 25 m); interval in 299 s")
    #expect(view.row("movement")?.hasPrefix("moving for ") == true, "\(view.row("movement") ?? "")")
    #expect(view.row("published")?.hasPrefix("distance, 1.2 s ago: 47.0003777, 8.0000000 +- 5.0 m") == true)
    #expect(view.row("way")?.hasPrefix("odometer ") == true)
  }

  @Test func aParkedNodeStandsWhereItsAnchorIs() throws {
    var view = try FixFixture()
    view.pass(to: 1)
    for second in 1...200 {
      view.pass(to: Double(second))
      var report = GpsdPosition(device: "/dev/a", mode: 3)
      (report.latitude, report.longitude, report.ephM) = (47, 8, 5)
      report.time = FixFixture.begin + Double(second)
      view.feed(.report(.position(report)))
    }
    view.pass(to: 201)
    #expect(view.row("movement")?.hasPrefix("standing for ") == true, "\(view.row("movement") ?? "")")
    #expect(view.row("movement")?.contains("0.0 m from 47.0000000, 8.0000000, up to ") == true)
    #expect(view.row("next")?.hasPrefix("distance when it sets off (0.0 m of 25 m); interval in ") == true)
    #expect(view.row("decision")?.hasPrefix("withheld: standing, 0.0 m from there, up to ") == true)
  }

  @Test func fencesHaveARowEach() throws {
    var settings = LocationTracker.Settings()
    let centre = try #require(Coordinate(latitude: 47, longitude: 8))
    let far = try #require(Coordinate(latitude: 47.1, longitude: 8))
    settings.fences = [
      try Geofence(name: "yard", .circle(centre: centre, radiusM: 200)),
      try Geofence(name: "har\nbour", .circle(centre: far, radiusM: 1000)),
    ]
    var view = try FixFixture(settings)
    #expect(view.row("fences") == "yard: not known yet")
    for second in 1...10 { view.fix(at: Double(second)) }
    view.pass(to: 11)
    let lines = view.picture(100)
    let first = try #require(lines.firstIndex { $0.hasPrefix("fences ") })
    #expect(lines[first] == "fences     yard: inside, edge 200 m away from within")
    #expect(lines[first + 1] == "           har\\nbour: outside, edge 10.1 km away")
    #expect(view.messages.contains { $0.contains(" judder/n/geofence ") }, "\(view.messages)")
    #expect(view.picture(100).contains { $0.hasSuffix("published: enter yard") })
  }

  @Test func withoutAnAccelerometerThatIsSaidOnce() throws {
    var view = try FixFixture()
    view.entries += view.state.lacksSensor("another program has it", at: view.now)
    view.entries += view.state.handle(.failed(reason: "another program has it"), at: view.now)
    let text = "another program has it; drift is judged by speed and accuracy alone"
    #expect(view.texts.filter { $0.hasPrefix("accelerometer") } == ["accelerometer: \(text)"])
    #expect(view.row("sensor") == text)
  }
}
