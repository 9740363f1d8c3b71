import FleetLogic
import Telemetry
import Testing

@Suite struct WatchAlertTests {
  private func fleet(width: Int = 80, height: Int = 24) -> WatchBench {
    var watch = WatchBench(width: width, height: height)
    watch.send("pallet-7", .online())
    watch.send("gate-north", .online())
    watch.send("gate-north", .noFix(.gpsdGone))
    watch.pass(90)
    watch.send("pallet-7", .shake(1))
    watch.pass(2)
    return watch
  }

  /// A word of the fleet tool about an alert, as it is published.
  private func word(
    _ rule: String, _ node: String?, muted: String? = nil, by author: String? = nil, summary: String = "it shook",
    state: AlertMessage.State = .firing
  ) -> [UInt8] {
    let time = WallTime(seconds: Bench.epoch + 50)
    var message = AlertMessage(
      rule: rule, node: node, state: state, time: time, since: time, summary: summary, count: 1)
    message.muted = muted
    message.acknowledgedBy = author
    message.severity = "critical"
    return message.encode()
  }

  @Test func theNewestFirstAndTheChosenOneInFull() {
    var watch = fleet()
    watch.press(.tab)
    let lines = watch.lines()
    #expect(lines[1] == "alerts, the newest first | no fleet tool; by this viewer's rules")
    #expect(lines[2].hasPrefix("  RULE      OF           AGE  STATE AND SUMMARY"))
    #expect(lines[3].hasPrefix("> shake     pallet-7      2s  firing: pallet-7 shook, peak 1.80 g"))
    #expect(lines[4].hasPrefix("  lost-fix  gate-north    1m  firing: gate-north has had no position"))
    #expect(lines.contains("alert     pallet-7 shook, peak 1.80 g"))
    watch.press(.down)
    #expect(watch.lines()[4].hasPrefix("> lost-fix"))
    #expect(watch.text().contains("alert     gate-north has had no position for 122 s: gpsd does not answer"))
    // A newer alert comes in above; the cursor stays.
    watch.send("gate-north", .shake(1))
    #expect(watch.lines()[5].hasPrefix("> lost-fix"))
  }

  @Test func theFleetToolsWordGoesBeforeThatOfTheViewer() {
    var watch = fleet()
    watch.hear("judder-fleet/status", FleetStatusMessage(.online, time: WallTime(seconds: Bench.epoch)).encode())
    watch.hear("judder-fleet/alerts/shake/pallet-7", word("shake", "pallet-7", muted: "silenced", by: "ann"))
    watch.press(.tab)
    #expect(watch.text().contains("fleet tool online"))
    #expect(watch.text().contains("firing (silenced, ack ann): it shook"))
    // One that the viewer's own rules do not know.
    watch.hear("judder-fleet/alerts/together/@fleet", word("together", nil, summary: "all shook"))
    #expect(watch.text().contains("together  @fleet"))
    #expect(watch.lines()[0].contains("3 alerts"))
    watch.press(.home)
    for _ in 0..<3 { watch.press(.down) }
    watch.hear("judder-fleet/alerts/together/@fleet", [])
    #expect(!watch.text().contains("@fleet"))
    watch.hear(
      "judder-fleet/alerts/shake/pallet-7", word("shake", "pallet-7", state: .resolved))
    #expect(watch.text().contains("firing: pallet-7 shook"), "its own word again")
  }

  @Test func whatIsToldOfAnAlertInFull() {
    var watch = fleet(height: 30)
    watch.hear("judder-fleet/alerts/shake/pallet-7", word("shake", "pallet-7", muted: "maintenance", by: "ann"))
    watch.press(.tab)
    let text = watch.text()
    #expect(text.contains("not told  maintenance"))
    #expect(text.contains("ack by    ann"))
    #expect(text.contains("state     firing, critical, since 2026-11-"))
  }

  @Test func wordsOfOthersAreBounded() {
    var watch = WatchBench()
    for number in 0..<(WatchMemory.mostWords + 5) {
      watch.memory.hear(topic: "judder-fleet/alerts/shake/n\(number)", payload: word("shake", "n\(number)"))
    }
    #expect(watch.memory.overflow == 5)
    watch.press(.tab)
    #expect(watch.text().contains("5 left out"))
    watch.memory.hear(topic: "judder-fleet/alerts/shake/n1", payload: Array("nonsense".utf8))
    watch.memory.hear(topic: "elsewhere/alerts/shake/x", payload: word("shake", "x"))
    #expect(watch.memory.overflow == 5)
  }

  @Test func acknowledging() {
    var watch = fleet()
    watch.press(.tab, .character("a"))
    #expect(watch.lines().last == "acknowledge shake of pallet-7, comment: _")
    watch.type("on my waz")
    watch.press(.backspace)
    watch.type("y, q?")
    #expect(
      watch.press(.enter) == [
        .act(.acknowledge(rule: "shake", subject: "pallet-7", comment: "on my way, q?"))
      ])
    watch.screen.say("1 acknowledged\u{1B}[2J")
    #expect(watch.lines().last == "1 acknowledged\\u{1b}[2J")
    watch.press(.down)
    #expect(watch.lines().last?.hasPrefix("Enter node") == true)
  }

  @Test func escapeSendsNothing() {
    var watch = fleet()
    watch.press(.tab, .character("a"))
    watch.type("no")
    #expect(watch.press(.escape) == [])
    #expect(watch.lines().last == "nothing was sent")
    watch.press(.character("s"), .enter, .escape)
    #expect(watch.lines().last == "nothing was sent")
    watch.press(.character("s"))
    #expect(watch.press(.control("c")) == [.quit])
  }

  @Test func silencing() {
    var watch = fleet()
    watch.press(.tab, .down, .character("s"))
    watch.type("2 weeks")
    #expect(watch.press(.enter) == [])
    #expect(watch.lines().last?.hasPrefix("a length is a number and") == true)
    watch.press(.control("u"))
    watch.type("30m")
    watch.press(.enter)
    #expect(watch.lines().last == "silence lost-fix of gate-north for 30 min, why: _")
    watch.type("new aerial")
    #expect(
      watch.press(.enter) == [
        .act(.silence(rule: "lost-fix", subject: "gate-north", durationS: 1800, comment: "new aerial"))
      ])
  }

  @Test func inTheListEveryAlertOfTheNodeIsMeant() {
    var watch = fleet()
    watch.press(.character("s"), .enter)
    #expect(
      watch.press(.enter) == [.act(.silence(rule: "*", subject: "gate-north", durationS: 3600, comment: ""))])
    watch.press(.character("a"))
    #expect(watch.press(.enter) == [.act(.acknowledge(rule: "*", subject: "gate-north", comment: ""))])
  }

  @Test(
    arguments: [
      ("90s", 90), ("30m", 1800), ("2h", 7200), ("1 D", 86400), ("", 3600), ("0s", nil), ("5", nil), ("h", nil),
      ("-1h", nil), ("366d", nil), ("99999999999999h", nil), ("1.5h", nil),
    ] as [(String, Double?)])
  func lengths(typed: String, seconds: Double?) {
    var watch = fleet()
    watch.press(.tab, .character("s"))
    watch.type(typed)
    watch.press(.enter)
    let sent = watch.press(.enter).first
    if case .act(.silence(_, _, let durationS, _)) = sent {
      #expect(durationS == seconds)
    } else {
      #expect(seconds == nil)
    }
  }

  @Test func whatIsTypedIsBounded() {
    var watch = fleet()
    watch.press(.tab, .character("a"))
    for _ in 0..<500 { _ = watch.screen.press(.character("x")) }
    guard case .act(.acknowledge(_, _, let comment)) = watch.press(.enter).first else {
      Issue.record("not sent")
      return
    }
    #expect(comment.count == 200)
  }
}

@Suite struct WatchNodeTests {
  @Test func everythingKnownOfANode() {
    var configuration = FleetState.Configuration()
    configuration.labels = [NodeName("pallet-7")!: Label(title: "Pallet 7", site: "hall", group: "pallets")]
    var watch = WatchBench(configuration, height: 60)
    watch.send("pallet-7", .online())
    watch.send("pallet-7", .fix())
    watch.send("pallet-7", .face(.zUp))
    watch.send("pallet-7", .crossing(.enter))
    for number in 1...5 { watch.send("pallet-7", .acceleration(peak: 0.1 * Double(number))) }
    watch.send("pallet-7", .health)
    watch.pass(30)
    watch.send("pallet-7", .noFix(.stalled, ageS: 31))
    watch.pass(30)
    watch.send("pallet-7", .shake(1))
    watch.pass(4)
    watch.press(.enter)
    let lines = watch.lines()
    #expect(lines[0] == "pallet-7  Pallet 7  site hall  group pallets")
    #expect(lines[2].hasPrefix("> shake  pallet-7    4s  firing: "))
    #expect(lines.contains("peak g    \u{2582}\u{2584}\u{2585}\u{2587}\u{2588}"))
    #expect(lines.contains("          last 0.500 g, most 0.500 g of the last 5 windows"))
    let strip = lines.first { $0.hasPrefix("fix       \u{2588}") }
    #expect(strip?.contains("\u{2588}s") == true && strip?.hasSuffix("s") == true)
    #expect(strip?.filter { $0 == "\u{2588}" }.count == 32 && strip?.filter { $0 == "s" }.count == 38, "30 of 64 s")
    #expect(lines.contains("          the last 64 s: s stalled"))
    for part in [
      "state     online for 1m", "agent     0.1.0, boot 00000001, seq ", "fix       lost for 1m: ",
      "position  47.376900, 8.541700 +-4 m", "fences    in \"depot\"", "side      z+, tilt 0.0 deg",
      "window    mean 0.000, 0.000, 1.000 g, peak 0.500 g", "shake     began, peak 1.80 g", "spool     0 events",
      "link      made 1 times", "messages  1 status, 5 acceleration, 1 shake", "oddities  none",
    ] {
      #expect(lines.contains { $0.hasPrefix(part) }, "\(part)")
    }
    watch.press(.escape)
    #expect(watch.chosen() == "pallet-7")
  }

  @Test func aLongTextScrollsAndEnds() {
    var watch = WatchBench(width: 40, height: 8)
    watch.send("a", .online())
    watch.send("a", .health)
    watch.press(.enter, .end)
    #expect(watch.lines()[0] == "a")
    #expect(watch.text().contains("oddities"))
    watch.press(.up, .pageUp, .home)
    #expect(watch.lines()[1] == "alerts    none")
    watch.press(.down, .pageDown, .character(" "))
    #expect(watch.lines()[1] != "alerts    none")
  }

  @Test func oneOfItsAlertsIsChosen() {
    var watch = WatchBench()
    watch.send("a", .online())
    watch.send("a", .noFix(.gpsdGone))
    watch.pass(90)
    watch.send("a", .shake(1))
    watch.press(.enter, .right, .character("a"))
    #expect(watch.press(.enter) == [.act(.acknowledge(rule: "lost-fix", subject: "a", comment: ""))])
    watch.press(.left, .character("a"))
    #expect(watch.press(.enter) == [.act(.acknowledge(rule: "shake", subject: "a", comment: ""))])
  }

  @Test func aNodeWithoutAlertsCanBeSilencedAndNotAcknowledged() {
    var watch = WatchBench()
    watch.send("a", .online())
    watch.press(.enter)
    #expect(watch.press(.character("a"), .enter) == [])
    watch.press(.character("s"), .enter)
    #expect(watch.press(.enter) == [.act(.silence(rule: "*", subject: "a", durationS: 3600, comment: ""))])
  }

  @Test func fromAnAlertToItsNodeAndBack() {
    var watch = WatchBench()
    watch.send("a", .shake(1))
    watch.press(.tab, .enter)
    #expect(watch.lines()[0] == "a")
    watch.press(.character("?"))
    #expect(watch.lines()[0] == "judder-fleet watch: keys")
    watch.press(.escape)
    #expect(watch.lines()[0] == "a")
    watch.press(.escape)
    #expect(watch.text().contains("alerts, the newest first"))
    watch.press(.tab)
    #expect(watch.text().contains("by name"))
  }

  @Test func helpNamesEveryKey() {
    var watch = WatchBench(height: 40)
    watch.press(.character("?"))
    let text = watch.text()
    for word in ["Enter", "Tab", "/", "o O", "r ", "!", "a ", "s ", "Ctrl-L", "q Ctrl-C", "n no_fix", "r rejected"] {
      #expect(text.contains(word), "\(word)")
    }
  }
}

@Suite struct NodeHistoryTests {
  @Test func theLast120PeaksAreKept() {
    var history = NodeHistory()
    for number in 1...300 { history.note(peakG: Double(number)) }
    #expect(history.peaksG == (181...300).map(Double.init))
    #expect(history.windows == 300)
  }

  @Test func theLast120TurnsOfTheFixAreKept() {
    var history = NodeHistory()
    let lost = LocationMessage.lost(LocationMessage.Loss(reason: .noFix, last: nil))
    let fixed = LocationMessage.fixed(
      LocationMessage.Position(dimensions: 3, latitude: 0, longitude: 0, ageS: 0, cause: .interval))
    for number in 0..<1000 { history.note(number % 2 == 0 ? lost : fixed, at: Instant(seconds: Double(number))) }
    #expect(history.fixSpanS(at: Instant(seconds: 1000)) == 120)
    #expect(history.fixes(slots: 120, at: Instant(seconds: 1000)).suffix(2) == [.lost(.noFix), .fixed])
    // A short loss is seen in a long part of time.
    #expect(history.fixes(slots: 10, at: Instant(seconds: 1000)).allSatisfy { $0 == .lost(.noFix) })
    // Said again, it is no turn.
    for number in 1000..<3000 { history.note(fixed, at: Instant(seconds: Double(number))) }
    #expect(history.fixSpanS(at: Instant(seconds: 3000)) == 2120)
  }

  @Test func lateAndOldWordsAreNoHistory() {
    var watch = WatchBench()
    watch.send("a", .fix(), boot: 2)
    watch.send("a", .noFix(), boot: 1)
    #expect(watch.memory.history(NodeName("a")!)?.fixes(slots: 3, at: watch.bench.now) == [.fixed, .fixed, .fixed])
  }
}
