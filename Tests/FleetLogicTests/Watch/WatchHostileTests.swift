import FleetLogic
import Telemetry
import Testing

/// Text of strangers in every place that takes text, through every view at several sizes.
@Suite struct WatchHostileTests {
  private static let nasty = [
    "\u{1B}[2J\u{1B}[H", "\u{1B}]0;title\u{7}", "\u{9B}31m", "\u{202E}gnp.exe", "\u{2066}x\u{2069}",
    "a\r\nforged line", "\u{8}\u{8}\u{8}", String(repeating: "\u{301}", count: 300), "\u{200B}\u{FEFF}",
    String(repeating: "\u{6F22}", count: 60), "\u{1F4A9}\u{200D}\u{1F4A9}", "\u{2028}\u{2029}\u{85}", "\u{0}\u{7F}",
    "e\u{301}\u{E0041}", "\\u{1b}[0m", "%n%s$(reboot)",
  ]

  private func fleet(_ text: String, width: Int, height: Int, isColoured: Bool, isUnicode: Bool) -> WatchBench {
    var configuration = FleetState.Configuration()
    configuration.labels = [NodeName("a")!: Label(title: text, site: "hall", group: "pallets")]
    configuration.rules.append(Rule(name: "fence", kind: .geofence))
    var watch = WatchBench(
      configuration, width: width, height: height, isColoured: isColoured, isUnicode: isUnicode)
    var status = StatusMessage(.online)
    status.agent = text
    status.accelerometer = text
    status.source = text
    status.preset = text
    status.gpsd = text
    watch.send("a", .status(status))
    watch.send("a", .crossing(.enter, of: text))
    watch.send("a", .acceleration())
    var health = HealthMessage(
      spool: .init(events: 1, bytes: 2, oldestS: 3, evicted: 4),
      link: .init(connects: 1, unacknowledged: 0, dropped: 0, refused: 0))
    health.spool.trouble = text
    var sensor = HealthMessage.Accelerometer(state: .failed, gaps: 1, dropped: 1)
    sensor.polling = text
    sensor.error = text
    health.accelerometer = sensor
    watch.send("a", .health(health))
    watch.send("a", .noFix())
    watch.send("a", .shake(1))
    watch.pass(90)
    let time = WallTime(seconds: Bench.epoch)
    for subject in ["a", "@hall", "@fleet"] {
      var word = AlertMessage(
        rule: "shake", node: subject == "a" ? "a" : nil, state: .firing, time: time, since: time, summary: text,
        count: 1)
      word.muted = text
      word.acknowledgedBy = text
      word.severity = text
      word.title = text
      watch.hear("judder-fleet/alerts/shake/\(subject)", word.encode())
    }
    _ = watch.bench.fleet.handle(.disconnected(reason: text), at: watch.bench.now)
    return watch
  }

  /// Takes the screen's own colours away; what is left must not control anything.
  private func check(_ watch: inout WatchBench, _ where: String, width: Int, height: Int, isUnicode: Bool) {
    let lines = watch.lines()
    #expect(lines.count <= height, "\(`where`)")
    for line in lines {
      let plain = line.replacing(/\u{1B}\[[0-9]{1,2}m/, with: "")
      let unsafe = plain.unicodeScalars.first { scalar in
        // The joiner of emoji and scripts is a format character that misleads nobody.
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || [0x2028, 0x2029].contains(scalar.value)
          || (scalar.properties.generalCategory == .format && scalar.value != 0x200D)
      }
      #expect(unsafe == nil, "\(`where`): \(plain.debugDescription)")
      #expect(TextWidth.of(plain) <= width, "\(`where`): \(plain)")
      if !isUnicode { #expect(plain.utf8.allSatisfy { $0 < 0x80 }, "\(`where`): \(plain)") }
    }
  }

  @Test(arguments: [(80, 24), (40, 10), (132, 50), (20, 5), (1, 1), (41, 60)])
  func nothingButTheScreensOwnSequencesComesOut(width: Int, height: Int) {
    for (number, text) in Self.nasty.enumerated() {
      let (isColoured, isUnicode) = (number % 2 == 0, number % 3 != 0)
      var watch = fleet(text, width: width, height: height, isColoured: isColoured, isUnicode: isUnicode)
      let look = { (watch: inout WatchBench, name: String) in
        self.check(&watch, "\(number) \(name)", width: width, height: height, isUnicode: isUnicode)
      }
      look(&watch, "list")
      watch.press(.character("/"))
      watch.type(text)
      look(&watch, "typing")
      watch.press(.enter)
      look(&watch, "filtered")
      watch.press(.escape, .enter)
      for _ in 0..<6 {
        look(&watch, "node")
        watch.press(.pageDown)
      }
      watch.press(.escape, .tab)
      for _ in 0..<4 {
        look(&watch, "alerts")
        watch.press(.down)
      }
      watch.press(.character("a"))
      watch.type(text)
      look(&watch, "comment")
      watch.press(.escape, .character("s"))
      watch.type(text)
      watch.press(.enter)
      look(&watch, "length")
      watch.press(.escape)
      watch.screen.say(text)
      look(&watch, "note")
      watch.press(.character("?"))
      look(&watch, "help")
    }
  }

  @Test func everyWidthFits() {
    for width in 1...140 {
      var watch = fleet("\u{6F22}e\u{301}x", width: width, height: 24, isColoured: width % 2 == 0, isUnicode: true)
      check(&watch, "list", width: width, height: 24, isUnicode: true)
      watch.press(.enter)
      check(&watch, "node", width: width, height: 24, isUnicode: true)
      watch.press(.escape, .tab)
      check(&watch, "alerts", width: width, height: 24, isUnicode: true)
    }
  }

  @Test func withoutUnicodeSparklinesAreASCII() {
    var watch = fleet("x", width: 80, height: 50, isColoured: false, isUnicode: false)
    watch.press(.enter)
    #expect(watch.text().contains("peak g    #"))
    #expect(watch.text().contains("fix       nnn"))
  }
}

@Suite struct WatchCostTests {
  /// 10 000 nodes, 2000 of them with an alert. Debug builds are many times slower than what people run.
  @Test(.timeLimit(.minutes(1))) func tenThousandNodesAreDrawnInNoTime() {
    var configuration = FleetState.Configuration(rules: [Rule(name: "shake", kind: .shake)])
    configuration.publishes = false
    var watch = WatchBench(configuration, height: 50)
    var envelope = Envelope(boot: BootID(1), time: WallTime(seconds: Bench.epoch), clock: .ntp, uptime: 100)
    let windows = (0..<97).map { Telegram(envelope, .acceleration(peak: Double($0) / 100)).encode() }
    envelope.sequence = 1
    let shake = Telegram(envelope, .shake(1)).encode()
    for number in 0..<10_000 {
      let name = "node-\(number * 7919 % 10_000)"
      watch.hear("judder/\(name)/acceleration", windows[number % 97])
      if number % 5 == 0 { watch.hear("judder/\(name)/shake", shake) }
    }
    #expect(watch.bench.fleet.nodes.count == 10_000 && watch.bench.fleet.firingCount == 2000)
    let clock = ContinuousClock()
    var worst: [String: Duration] = [:]
    for step in 0..<6 {
      _ = watch.screen.press(.character("o"))
      _ = watch.screen.press(.end)
      let took = clock.measure { _ = watch.lines() }
      worst["order \(step)"] = took
    }
    _ = watch.screen.press(.character("/"))
    for character in ["9", "9"] as [Unicode.Scalar] { _ = watch.screen.press(.character(character)) }
    worst["filter"] = clock.measure { _ = watch.lines() }
    _ = watch.screen.press(.escape)
    _ = watch.screen.press(.tab)
    worst["alerts"] = clock.measure { _ = watch.lines() }
    _ = watch.screen.press(.enter)
    worst["node"] = clock.measure { _ = watch.lines() }
    for (name, took) in worst.sorted(by: { $0.key < $1.key }) { print("watch, 10 000 nodes, \(name): \(took)") }
    #if DEBUG
      let limit = Duration.milliseconds(1500)
    #else
      let limit = Duration.milliseconds(100)
    #endif
    #expect(worst.values.allSatisfy { $0 < limit }, "\(worst)")
  }
}
