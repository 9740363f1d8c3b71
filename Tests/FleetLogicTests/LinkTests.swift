import FleetLogic
import Telemetry
import Testing

@Suite struct LinkTests {
  @Test func timersStandStillWithoutALink() {
    var bench = Bench(rule: Rule(name: "silent", kind: .silent), graceS: 30)
    bench.send("a", .online(healthS: 100))
    _ = bench.pass(200)
    _ = bench.fleet.handle(.disconnected(reason: "connection refused"), at: bench.now)
    #expect(bench.fleet.nextDeadline(after: bench.now) == nil, "nothing can happen")
    #expect(bench.pass(5 * 3600).alerts.isEmpty)
    #expect(bench.node("a")?.presence == .online)
    _ = bench.fleet.handle(.connected, at: bench.now)
    // 170 s of 250 s had counted when the link was lost: the first 30 s were the grace.
    #expect(bench.pass(30 + 79).alerts.isEmpty)
    #expect(bench.pass(2).alerts == ["silent a firing 1"])
  }

  @Test func theGraceCoversTheHoldAfterAWill() {
    var bench = Bench(rule: Rule(name: "silent", kind: .silent), graceS: 30)
    _ = bench.will("a", retained: true)
    #expect(bench.pass(59).alerts.isEmpty)
    #expect(bench.pass(1.5).alerts == ["silent a firing 1"])
  }

  @Test func anotherRulesTimerDoesNotCutTheGraceShort() {
    var quick = Rule(name: "lost-fix", kind: .lostFix)
    quick.forS = 45
    var bench = Bench(FleetState.Configuration(graceS: 30, rules: [quick, Rule(name: "silent", kind: .silent)]))
    bench.send("b", .online())
    bench.send("b", .noFix())
    _ = bench.will("a", retained: true)
    #expect(bench.pass(59).alerts == ["lost-fix b firing 1"])
    #expect(bench.pass(1.5).alerts == ["silent a firing 1"])
  }

  @Test func noNodeIsLostWithTheFleetToolsOwnLink() {
    var bench = Bench()
    for number in 0..<500 { bench.send("n\(number)", .online(healthS: 10)) }
    _ = bench.fleet.handle(.disconnected(reason: "the broker is restarting"), at: bench.now)
    #expect(bench.pass(600).alerts.isEmpty)
    _ = bench.fleet.handle(.connected, at: bench.now)
    for number in 0..<500 { bench.send("n\(number)", .health) }
    #expect(bench.pass(54).alerts.isEmpty)
  }

  @Test func pendingAlertsWaitForTheLink() {
    var bench = Bench(rule: Rule(name: "lost-fix", kind: .lostFix))
    bench.send("a", .online())
    bench.send("a", .noFix())
    _ = bench.pass(50)
    _ = bench.fleet.handle(.disconnected(reason: "x"), at: bench.now)
    #expect(bench.pass(1000).alerts.isEmpty)
    _ = bench.fleet.handle(.connected, at: bench.now)
    #expect(bench.pass(9).alerts.isEmpty)
    #expect(bench.pass(1.1).alerts == ["lost-fix a firing 1"])
  }

  @Test func sayingTheSameAgainChangesNothing() {
    var bench = Bench(connected: false)
    let first = bench.fleet.handle(.disconnected(reason: "refused"), at: bench.now)
    #expect(first.logLines.count == 1)
    #expect(bench.fleet.handle(.disconnected(reason: "refused"), at: bench.now + 1).isEmpty)
    #expect(bench.fleet.handle(.disconnected(reason: "no such host"), at: bench.now + 2).logLines.count == 1)
    #expect(!bench.fleet.handle(.connected, at: bench.now + 3).isEmpty)
    #expect(bench.fleet.handle(.connected, at: bench.now + 4).isEmpty)
  }
}

@Suite struct PublishingTests {
  private let shake = Rule(name: "shake", kind: .shake)

  @Test func anAlertIsRetainedWhileItFiresAndThenTakenAway() throws {
    var bench = Bench(rule: shake)
    let fired = bench.send("a", .shake(1)).publications
    let alert = try #require(fired.first)
    #expect(alert.topic == "judder-fleet/alerts/shake/a")
    #expect(alert.retained)
    #expect(try AlertMessage.decode(payload: alert.payload).state == .firing)
    bench.send("a", .shake(1, .ended))
    let resolved = bench.pass(10).publications.filter { $0.topic == alert.topic }
    #expect(resolved.count == 2)
    #expect(try AlertMessage.decode(payload: #require(resolved.first).payload).state == .resolved)
    #expect(resolved.last == Publication(topic: alert.topic, payload: [], retained: true))
  }

  @Test func whatFiresIsPublishedAgainWithEachLink() {
    var bench = Bench(rule: shake)
    bench.send("a", .shake(1))
    _ = bench.fleet.handle(.disconnected(reason: "x"), at: bench.now)
    let topics = bench.fleet.handle(.connected, at: bench.now + 60).publications.map(\.topic)
    #expect(topics == ["judder-fleet/status", "judder-fleet/alerts/shake/a"])
  }

  @Test func theStatusSaysHowManyAndIsNotSaidTooOften() throws {
    var bench = Bench(rule: shake)
    for number in 0..<100 { bench.send("n\(number)", .shake(1)) }
    let statuses = bench.pass(20).publications.filter { $0.topic == "judder-fleet/status" }
    #expect(statuses.count == 1)
    let status = try FleetStatusMessage.decode(payload: #require(statuses.first).payload)
    #expect(status.nodes == 100)
    #expect(status.firing == 100)
    let last = try #require(bench.fleet.handle(.stop, at: bench.now).publications.first)
    #expect(try FleetStatusMessage.decode(payload: last.payload).state == .stopped)
    #expect(try FleetStatusMessage.decode(payload: bench.fleet.will.payload).state == .lost)
  }

  @Test func nothingIsPublishedWhenThatIsOff() {
    var bench = Bench(FleetState.Configuration(rules: [shake], publishes: false))
    #expect(bench.send("a", .shake(1)).publications.isEmpty)
  }

  // MARK: After a restart

  /// An alert that was published some seconds before this run began.
  private func retained(_ rule: String, _ node: String, at: Double = 400) -> (String, [UInt8]) {
    let message = AlertMessage(
      rule: rule, node: node, state: .firing, time: WallTime(seconds: Bench.epoch - at),
      since: WallTime(seconds: Bench.epoch - 500), summary: "x", count: 3)
    return ("judder-fleet/alerts/\(rule)/\(node)", message.encode())
  }

  @Test func anAlertOfAnEarlierRunIsNotToldAgainAndResolves() throws {
    var bench = Bench(rule: Rule(name: "lost-fix", kind: .lostFix))
    let (topic, payload) = retained("lost-fix", "a")
    #expect(bench.raw(topic, payload, retained: true).alerts.isEmpty)
    #expect(bench.fleet.firingCount == 1)
    bench.send("a", .online(), retained: true)
    bench.send("a", .noFix(), retained: true)
    #expect(bench.pass(100).alerts.isEmpty, "it fires already")
    bench.send("a", .fix())
    let resolved = bench.pass(31)
    #expect(resolved.alerts == ["lost-fix a resolved 3"])
    #expect(resolved.fullAlerts.first?.since == WallTime(seconds: Bench.epoch - 500))
    #expect(resolved.publications.contains(Publication(topic: topic, payload: [], retained: true)))
  }

  @Test func aSilentNodeStaysSilentOverARestart() {
    var bench = Bench(rule: Rule(name: "silent", kind: .silent))
    let (topic, payload) = retained("silent", "a")
    _ = bench.raw(topic, payload, retained: true)
    _ = bench.will("a", retained: true)
    #expect(bench.pass(5000).alerts.isEmpty)
    bench.send("a", .online(), boot: 2)
    #expect(bench.pass(10).alerts == ["silent a resolved 3"])
  }

  @Test func aShakeOfAnEarlierRunResolvesByItself() {
    var bench = Bench(rule: shake)
    let (topic, payload) = retained("shake", "a")
    _ = bench.raw(topic, payload, retained: true)
    #expect(bench.pass(10).alerts == ["shake a resolved 3"])
  }

  @Test func whatThisRunResolvedIsNotTakenOverAgain() {
    var bench = Bench(rule: Rule(name: "lost-fix", kind: .lostFix))
    let (topic, payload) = retained("lost-fix", "a", at: -50)
    let effects = bench.raw(topic, payload, retained: true)
    #expect(effects.publications == [Publication(topic: topic, payload: [], retained: true)])
    #expect(bench.fleet.firingCount == 0)
  }

  @Test func whoOnlyWatchesTakesNothingAway() {
    var bench = Bench(FleetState.Configuration(rules: [shake], publishes: false))
    let (topic, payload) = retained("gone", "a")
    #expect(bench.raw(topic, payload, retained: true).isEmpty)
  }

  @Test func anAlertWithoutARuleIsTakenAway() {
    var bench = Bench(rule: shake)
    let (topic, payload) = retained("gone", "a")
    #expect(
      bench.raw(topic, payload, retained: true).publications == [Publication(topic: topic, payload: [], retained: true)]
    )
    #expect(bench.fleet.firingCount == 0)
  }

  @Test func theFleetToolsOwnMessagesAreNoMistakes() {
    var bench = Bench(rule: shake)
    let (topic, payload) = retained("shake", "a")
    _ = bench.raw(topic, payload)
    _ = bench.raw(topic, [])
    _ = bench.raw("judder-fleet/status", Array("{}".utf8))
    #expect(bench.fleet.tally.own == 3)
    #expect(bench.fleet.firingCount == 0)
    _ = bench.raw(topic, Array("nonsense".utf8), retained: true)
    #expect(bench.fleet.tally.rejected == [.payload(.syntax): 1])
  }
}

@Suite struct TallyTests {
  @Test func aStreamOfALaterVersionIsNoMistake() {
    var bench = Bench()
    _ = bench.raw("judder/a/temperature", Array("{}".utf8))
    #expect(bench.fleet.tally.unknownStreams == 1)
    #expect(bench.fleet.tally.rejectedTotal == 0)
    #expect(bench.fleet.nodes.isEmpty)
  }

  @Test func aRetainedMessageThatIsTakenAwayIsNoMistake() {
    var bench = Bench()
    _ = bench.raw("judder/a/status", [])
    _ = bench.raw("judder/a/shake", [])
    #expect(bench.fleet.tally.cleared == 1)
    #expect(bench.fleet.tally.rejectedTotal == 1)
  }

  @Test func moreNodesThanAllowedAreRefusedAndCounted() {
    var bench = Bench(FleetState.Configuration(maxNodes: 10_000))
    for number in 0..<10_500 { bench.send("n\(number)", .online()) }
    #expect(bench.fleet.nodes.count == 10_000)
    #expect(bench.fleet.tally.rejected == [.tooManyNodes: 500])
    #expect(bench.send("n5", .shake(1)).alerts == ["shake n5 firing 1"], "the known ones are unaffected")
  }

  @Test func oneSampleAMinuteOfEachReasonIsLogged() {
    var bench = Bench()
    var lines: [String] = []
    for _ in 0..<1000 {
      lines += bench.raw("judder/a/shake", Array("{".utf8)).logLines
      lines += bench.raw("judder/A/shake", Array("{".utf8)).logLines
    }
    #expect(lines.count == 2)
    _ = bench.pass(60)
    #expect(
      bench.raw("judder/a/shake", Array("{".utf8)).logLines.first?.contains("(and 999 more of this kind)") == true)
  }

  @Test func thePrefixMayHaveWildcards() throws {
    let prefix = try PrefixPattern("+/judder")
    var bench = Bench(FleetState.Configuration(prefix: prefix))
    #expect(bench.fleet.subscriptions == ["+/judder/+/+", "+/judder/+/shake/waveform", "judder-fleet/alerts/+/+"])
    let payload = Telegram(Envelope(boot: BootID(1)), .status(StatusMessage(.lost))).encode()
    _ = bench.raw("acme/judder/a/status", payload)
    _ = bench.raw("judder/a/status", payload)
    #expect(bench.fleet.tally.newest == 1)
    #expect(bench.fleet.tally.rejected == [.topic(.levels): 1])
  }

  @Test func theRateIsThatOfTheLastSeconds() {
    var bench = Bench()
    for _ in 0..<20 {
      for _ in 0..<50 { bench.send("a", .acceleration()) }
      _ = bench.pass(1)
    }
    #expect(bench.fleet.messagesPerSecond(at: bench.now) == 50)
    _ = bench.pass(60)
    #expect(bench.fleet.messagesPerSecond(at: bench.now) == 0)
  }

  @Test func aClockThatIsSetIsLogged() {
    var bench = Bench()
    var offS = 0.0
    func set(byS: Double) -> [String] {
      offS += byS
      let state = ClockState(wallAtStart: WallTime(seconds: Bench.epoch + offS), quality: .ntp)
      return bench.fleet.handle(.clock(state), at: bench.now).logLines
    }
    #expect(set(byS: 0.5).isEmpty, "slewed")
    #expect(set(byS: 90) == ["the clock was set forward by 90 s"])
    #expect(set(byS: -400 * 86_400) == ["the clock was set back by 400 d"])
  }
}
