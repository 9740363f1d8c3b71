import FleetLogic
import Telemetry
import Testing

@Suite struct FleetTableTests {
  /// A fleet in which a little of everything happened.
  private func fleet() -> Bench {
    var bench = Bench()
    bench.send("pallet-7", .online())
    bench.send("pallet-7", .fix())
    bench.send("pallet-7", .face(.zUp))
    bench.send("pallet-7", .acceleration(peak: 0.031))
    bench.send("pallet-7", .health)
    bench.send("gate-north", .online())
    bench.send("gate-north", .noFix(.gpsdGone))
    bench.send("mast-2", .online())
    _ = bench.pass(90)
    bench.send("pallet-7", .shake(1))
    _ = bench.will("mast-2")
    _ = bench.pass(12)
    return bench
  }

  @Test func at80Columns() {
    let bench = fleet()
    let lines = FleetTable(width: 80).lines(bench.fleet, at: bench.now)
    #expect(
      lines == [
        "3 nodes: 2 online, 1 lost | 2 alerts | 0.0 msg/s | 0 rejected",
        "",
        "NODE        STATE   SEEN  FIX                FACE  PEAK g  LAST SHAKE       LINK",
        "gate-north  online    1m  lost:gpsd_gone 2m  -          -  -                -",
        "mast-2      lost      1m  -                  -          -  -                -",
        "pallet-7    online   12s  3D 1m +-4m         z+      0.03  began 1.80g 12s  good",
        "",
        "! shake 12s: pallet-7 shook, peak 1.80 g",
        "! lost-fix 1m: gate-north has had no position for 132 s: gpsd does not answer",
      ])
  }

  @Test func aDisarmedNodeIsShownFromItsStatus() {
    var bench = fleet()
    var message = StatusMessage(.online)
    message.isArmed = false
    let told = bench.send("gate-north", .status(message)).compactMap { effect in
      if case .change(let change) = effect { PlainLine.of(change) } else { nil }
    }
    #expect(told.count == 1 && told.first?.hasSuffix("gate-north disarmed: publishes no motion") == true, "\(told)")
    #expect(FleetTable(width: 120).lines(bench.fleet, at: bench.now)[3].hasSuffix("disarmed"))
    message.isArmed = true
    bench.send("gate-north", .status(message))
    #expect(FleetTable(width: 120).lines(bench.fleet, at: bench.now)[3].hasSuffix("-"))
  }

  @Test func at120Columns() {
    let bench = fleet()
    let lines = FleetTable(width: 120).lines(bench.fleet, at: bench.now)
    #expect(
      lines.prefix(6) == [
        "3 nodes: 2 online, 1 lost | 2 alerts | 0.0 msg/s | 0 rejected",
        "",
        "NODE        STATE   SEEN  FIX                POSITION            FACE  PEAK g  LAST SHAKE       LINK",
        "gate-north  online    1m  lost:gpsd_gone 2m  (47.37690,8.54170)  -          -  -                -",
        "mast-2      lost      1m  -                  -                   -          -  -                -",
        "pallet-7    online   12s  3D 1m +-4m         47.37690,8.54170    z+      0.03  began 1.80g 12s  good",
      ])
  }

  private func fixOf(_ bench: Bench) -> String {
    let line = FleetTable(width: 120).lines(bench.fleet, at: bench.now)[3]
    return line.split(separator: " ").dropFirst(3).prefix(2).joined(separator: " ")
  }

  @Test func theAgeOfALossIsThatOfTheLastPosition() {
    var bench = Bench()
    bench.send("a", .fix())
    _ = bench.pass(30)
    bench.send("a", .noFix(ageS: 31))
    _ = bench.pass(5)
    #expect(fixOf(bench) == "lost:no_fix 36s")
    bench.send("a", .noFix(ageS: 36))
    _ = bench.pass(2)
    #expect(fixOf(bench) == "lost:no_fix 38s", "asked for it, it said so again")
    bench.send("a", .noFix(.stalled, ageS: 38))
    #expect(fixOf(bench) == "lost:stalled 38s", "another reason makes the fix no newer")
  }

  @Test func aNodeThatNeverHadAPositionHasTheAgeOfItsFirstLoss() {
    var bench = Bench()
    bench.send("a", .noFix(ageS: nil))
    _ = bench.pass(40)
    bench.send("a", .noFix(.stalled, ageS: nil))
    _ = bench.pass(2)
    #expect(fixOf(bench) == "lost:stalled 42s")
  }

  @Test func aLossThatNamesNoPositionKeepsTheAgeOfTheLastOneKnown() {
    var bench = Bench()
    bench.send("a", .fix())
    _ = bench.pass(20)
    bench.send("a", .noFix(ageS: nil), boot: 2)
    #expect(fixOf(bench) == "lost:no_fix 21s")
  }

  @Test func neverWiderThanTheTerminal() {
    var bench = fleet()
    bench.send(String(repeating: "x", count: 63), .online())
    for width in 20...140 {
      for line in FleetTable(width: width).lines(bench.fleet, at: bench.now) {
        #expect(line.count <= width, "\(width): \(line)")
      }
    }
  }

  @Test func moreNodesThanLinesShowThoseInTroubleFirst() {
    var bench = Bench(FleetState.Configuration(rules: []))
    for number in 100..<300 { bench.send("n\(number)", .online()) }
    _ = bench.will("n250")
    let lines = FleetTable(width: 80, height: 10).lines(bench.fleet, at: bench.now)
    #expect(lines.count == 10)
    #expect(lines[3].hasPrefix("n250  lost"))
    #expect(lines.last == "... and 194 more nodes")
  }

  @Test func coloursAreOptional() {
    let bench = fleet()
    let plain = FleetTable(width: 80).lines(bench.fleet, at: bench.now).joined()
    let coloured = FleetTable(width: 80, isColoured: true).lines(bench.fleet, at: bench.now).joined()
    #expect(!plain.contains("\u{1B}"))
    #expect(coloured.contains("\u{1B}[31mlost"))
  }

  @Test func theOwnLinksTroubleIsSaid() {
    var bench = fleet()
    _ = bench.fleet.handle(.disconnected(reason: "refused\u{1B}[2J"), at: bench.now)
    let lines = FleetTable(width: 80).lines(bench.fleet, at: bench.now + 125)
    #expect(lines[1] == "no link to the broker for 2m: refused\\u{1b}[2J")
  }

  @Test func whatIsKnownOnlyFromTheBrokerHasTheAgeOfItsOwnTime() {
    var bench = Bench()
    bench.send("a", .fix(), retained: true, sentAgo: 7200)
    bench.send("b", .fix(), retained: true, clock: .none, sentAgo: 7200)
    let lines = FleetTable(width: 120).lines(bench.fleet, at: bench.now)
    #expect(lines[3].hasPrefix("a     unknown    2h  3D 2h +-4m"))
    #expect(lines[4].hasPrefix("b     unknown     -  3D - +-4m"), "nothing vouches for its clock")
  }
}

@Suite struct PlainLineTests {
  @Test func oneLineAChange() {
    var bench = Bench()
    var effects = bench.send("pallet-7", .online())
    effects += bench.send("pallet-7", .fix())
    effects += bench.send("pallet-7", .fix(48))
    effects += bench.send("pallet-7", .noFix(.stalled))
    effects += bench.send("pallet-7", .crossing(.enter, isFirst: true))
    effects += bench.send("pallet-7", .crossing(.leave, insideS: 7200))
    effects += bench.send("pallet-7", .face(.zUp))
    effects += bench.send("pallet-7", .shake(1))
    effects += bench.send("pallet-7", .shake(1, .cancelled))
    effects += bench.send("pallet-7", .online(), boot: 2)
    effects += bench.will("pallet-7", boot: 2)
    let time = "2026-11-30T00:53:20.000Z"
    #expect(
      effects.changes.compactMap { PlainLine.of($0) } == [
        "\(time) pallet-7 online: it said so",
        "\(time) pallet-7 position 47.37690,8.54170 +-4 m, 3D, 1s old",
        "\(time) pallet-7 position lost: the receiver says nothing new",
        "\(time) pallet-7 came into \"depot\", crossed unseen",
        "\(time) pallet-7 left \"depot\" after 2h",
        "\(time) pallet-7 face z+",
        "\(time) pallet-7 shake began, peak 1.80 g",
        "\(time) pallet-7 shake cancelled (too_long) after 2.5 s, peak 1.80 g",
        "\(time) pallet-7 started anew: boot 00000002, before it 00000001",
        "\(time) pallet-7 lost: its connection was lost",
      ])
    #expect(
      effects.fullAlerts.map { PlainLine.of($0) } == [
        "\(time) pallet-7 alert shake firing (warning): pallet-7 shook, peak 1.80 g"
      ])
  }
}

/// A line's time is when the fleet tool learned of a crossing; what happened earlier must not look like news.
@Suite struct LateCrossingLineTests {
  private func lines(_ effects: [Effect]) -> [String] {
    effects.changes.compactMap { PlainLine.of($0) }.filter { $0.contains("depot") }
      .map { String($0.split(separator: " ", maxSplits: 1)[1]) }
  }

  @Test func oneFromABacklogSaysHowLongAgoItWas() {
    var bench = Bench()
    #expect(lines(bench.send("a", .crossing(.enter), seq: 5, sentAgo: 7300)) == ["a came into \"depot\", 2 h ago"])
    #expect(lines(bench.send("a", .crossing(.leave), seq: 8, sentAgo: 3)) == ["a left \"depot\""])
  }

  @Test func oneThatANewerOneOvertookSaysSo() {
    var bench = Bench()
    bench.send("a", .crossing(.leave), seq: 8)
    #expect(
      lines(bench.send("a", .crossing(.enter), seq: 7, sentAgo: 60))
        == ["a came into \"depot\", 60 s ago, and has crossed it since"])
    #expect(
      lines(bench.send("a", .crossing(.enter), seq: 6, sentAgo: 2)) == [
        "a came into \"depot\", and has crossed it since"
      ])
    #expect(lines(bench.send("a", .crossing(.leave), seq: 8)) == [], "a second time")
  }

  @Test func oneThatTheBrokerKeptIsNoNews() {
    var bench = Bench()
    #expect(
      lines(bench.send("a", .crossing(.leave), retained: true, sentAgo: 90_000)) == ["a left \"depot\", 25 h ago"])
    var clockless = Bench()
    #expect(
      lines(clockless.send("a", .crossing(.leave), retained: true, clock: .none)) == ["a left \"depot\", some time ago"]
    )
  }

  @Test func oneOfAFormerBootIsNoNews() {
    var bench = Bench()
    bench.send("a", .online(), boot: 1)
    bench.send("a", .online(), boot: 2)
    bench.send("a", .crossing(.enter), boot: 2)
    #expect(
      lines(bench.send("a", .crossing(.leave), boot: 1, sentAgo: 30))
        == ["a left \"depot\", 30 s ago, and has crossed it since"])
  }
}

@Suite struct FleetJSONTests {
  @Test func alertsAndMessagesAndNodes() throws {
    var bench = Bench()
    bench.send("a", .online())
    bench.send("a", .fix())
    let effects = bench.send("a", .shake(1))
    let alert = try #require(effects.fullAlerts.first)
    let node = try #require(bench.node("a"))
    let read = try JSONValue.parse(FleetJSON.alert(alert))
    #expect(read["kind"]?.string == "alert")
    #expect(read["state"]?.string == "firing")
    #expect(read["value"]?.number == 1.8)
    let objects = try effects.changes.map { try JSONValue.parse(FleetJSON.change($0, node, bench.fleet.clock)) }
    #expect(objects.map { $0["kind"]?.string } == ["message", "node"])
    #expect(objects[0]["message"]?["peak_g"]?.number == 1.8)
    #expect(objects[0]["receipt"]?.string == "newest")
    #expect(objects[1]["change"]?.string == "shake")
    #expect(objects[1]["fix"]?["lat"]?.number == 47.3769)
    #expect(objects[1]["counts"]?["shake"]?.integer == 1)
    #expect(objects[1]["link"]?["flaps"]?.integer == 0)
  }

  /// Age and place are of the same position: the one that the loss names, which may never have been published.
  @Test func aLossHasTheAgeAndThePlaceOfTheLastPosition() throws {
    var bench = Bench()
    bench.send("a", .fix(40))
    _ = bench.pass(60)
    let effects = bench.send("a", .noFix(ageS: 31))
    let change = try #require(effects.changes.last)
    let node = try #require(bench.node("a"))
    let fix = try #require(JSONValue.parse(FleetJSON.change(change, node, bench.fleet.clock))["fix"])
    #expect(fix["dimensions"]?.integer == 0)
    #expect(fix["age_s"]?.number == 31)
    #expect(fix["lat"]?.number == 47.3769)
    #expect(fix["acc_m"]?.number == 4)
  }

  @Test func theLink() throws {
    var bench = Bench(connected: false)
    _ = bench.fleet.handle(.disconnected(reason: "refused"), at: bench.now)
    let read = try JSONValue.parse(#require(FleetJSON.link(bench.fleet.link, at: bench.fleet.moment(bench.now))))
    #expect(read["state"]?.string == "disconnected")
    #expect(read["reason"]?.string == "refused")
    #expect(FleetJSON.link(.none, at: bench.fleet.moment(bench.now)) == nil)
  }
}

@Suite struct AgeTests {
  @Test(
    arguments: [
      (nil, "-"), (0, "0s"), (59.9, "59s"), (60, "1m"), (3599, "59m"), (3600, "1h"), (86399, "23h"), (172_800, "2d"),
      (.nan, "-"), (-5, "0s"), (1e300, "11574074d"),
    ] as [(Double?, String)])
  func ages(seconds: Double?, expected: String) {
    #expect(Age.text(seconds) == expected)
  }

  @Test(
    arguments: [(0.9, "0 s"), (90, "90 s"), (600, "10 min"), (7199, "119 min"), (7200, "2 h"), (172_800, "2 d")]
      as [(Double, String)])
  func inASentence(seconds: Double, expected: String) {
    var bench = Bench(rule: Rule(name: "lost-fix", kind: .lostFix))
    bench.send("a", .noFix(ageS: seconds))
    _ = bench.pass(60)
    let alert = bench.fleet.firingAlerts(at: bench.now - 60).first
    #expect(alert?.summary == "a has had no position for \(expected): the receiver has no fix")
  }

  @Test(
    arguments: [
      (1.005, 2, "1.00"), (-0.001, 2, "0.00"), (-1.5, 0, "-2"), (47.3769, 5, "47.37690"), (.nan, 2, "-"),
      (1e300, 2, "1e+300"),
    ] as [(Double, Int, String)])
  func decimals(value: Double, places: Int, expected: String) {
    #expect(Decimal.text(value, decimals: places) == expected)
  }
}
