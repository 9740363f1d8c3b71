import FleetLogic
import Telemetry
import Testing

@Suite struct WatchListTests {
  /// Four nodes of different fortunes.
  private func fleet(width: Int = 80, height: Int = 24, isColoured: Bool = false) -> WatchBench {
    var configuration = FleetState.Configuration()
    configuration.labels = [
      NodeName("mast-2")!: Label(title: "Mast on the Hill", site: "hill", group: "masts"),
      NodeName("gate-north")!: Label(site: "yard"),
    ]
    var watch = WatchBench(configuration, width: width, height: height, isColoured: isColoured)
    watch.send("pallet-7", .online())
    watch.send("pallet-7", .fix())
    watch.send("pallet-7", .acceleration(peak: 0.031))
    watch.pass(10)
    watch.send("gate-north", .online())
    watch.send("gate-north", .noFix(.gpsdGone, ageS: 500))
    watch.send("gate-north", .acceleration(peak: 0.5))
    watch.pass(10)
    watch.send("mast-2", .online())
    watch.send("mast-2", .stopped)
    watch.pass(70)
    watch.send("crane-1", .online())
    watch.send("crane-1", .fix())
    watch.send("crane-1", .acceleration(peak: 0.1))
    watch.send("crane-1", .shake(1))
    return watch
  }

  @Test func at80ColumnsWithACursor() {
    var watch = fleet()
    let lines = watch.lines()
    #expect(lines.count == 24)
    #expect(lines[0] == "4 nodes: 3 online, 1 stopped | 2 alerts | 0.0 msg/s | 0 rejected")
    #expect(lines[1] == "by name | 1/4")
    #expect(lines[2] == "   ! NODE        STATE    SEEN  FIX                PEAK g  LAST SHAKE      LINK")
    #expect(lines[3] == ">  1 crane-1     online     0s  3D 1s +-4m           0.10  began 1.80g 0s  -")
    #expect(lines[4] == "   1 gate-north  online     1m  lost:gpsd_gone 9m    0.50  -               -")
    #expect(lines[5] == "     mast-2      stopped    1m  -                       -  -               -")
    #expect(lines.contains("! shake 0s: crane-1 shook, peak 1.80 g"))
    #expect(lines[23].hasPrefix("Enter details"))
  }

  @Test(
    arguments: [
      (0, ["crane-1", "gate-north", "mast-2", "pallet-7"]), (1, ["crane-1", "gate-north", "pallet-7", "mast-2"]),
      (2, ["crane-1", "mast-2", "gate-north", "pallet-7"]), (3, ["gate-north", "crane-1", "pallet-7", "mast-2"]),
      (4, ["gate-north", "pallet-7", "crane-1", "mast-2"]), (5, ["crane-1", "gate-north", "mast-2", "pallet-7"]),
    ])
  func eachOrder(steps: Int, expected: [String]) {
    var watch = fleet()
    for _ in 0..<steps { watch.press(.character("o")) }
    #expect(watch.shown() == expected)
    for _ in 0..<6 { watch.press(.character("O")) }
    #expect(watch.shown() == expected, "round and back")
  }

  @Test func reversedKeepsWhatIsUnknownLast() {
    var watch = fleet()
    watch.press(.character("r"))
    #expect(watch.shown() == ["pallet-7", "mast-2", "gate-north", "crane-1"])
    watch.press(.character("o"), .character("o"), .character("o"))
    #expect(watch.shown() == ["pallet-7", "crane-1", "gate-north", "mast-2"], "mast-2 has no peak")
    #expect(watch.text().contains("by peak, reversed"))
  }

  @Test func theCursorStaysOnItsNodeWhenTheOrderChanges() {
    var watch = fleet()
    watch.press(.down)
    #expect(watch.chosen() == "gate-north")
    for _ in 0..<6 {
      watch.press(.character("o"))
      #expect(watch.chosen() == "gate-north")
    }
    watch.send("alpha", .online())
    #expect(watch.chosen() == "gate-north")
    watch.press(.character("r"))
    #expect(watch.chosen() == "gate-north")
  }

  @Test func moving() {
    var watch = fleet()
    watch.press(.up)
    #expect(watch.chosen() == "crane-1")
    watch.press(.character("j"), .character("j"), .character("k"))
    #expect(watch.chosen() == "gate-north")
    watch.press(.end)
    #expect(watch.chosen() == "pallet-7")
    watch.press(.down)
    #expect(watch.chosen() == "pallet-7")
    watch.press(.home)
    #expect(watch.chosen() == "crane-1")
    watch.press(.pageDown)
    #expect(watch.chosen() == "pallet-7")
    watch.press(.pageUp)
    #expect(watch.chosen() == "crane-1")
  }

  @Test func aLongListScrollsWithTheCursor() {
    var watch = WatchBench(FleetState.Configuration(rules: []), height: 10)
    for number in 100..<300 { watch.send("n\(number)", .online()) }
    #expect(watch.shown().first == "n100" && watch.shown().count <= 7)
    watch.press(.end)
    #expect(watch.shown().last == "n299" && watch.chosen() == "n299")
    watch.press(.up, .up)
    #expect(watch.chosen() == "n297" && watch.shown().last == "n299", "it scrolls no sooner than it must")
    watch.press(.home)
    #expect(watch.shown().first == "n100")
    #expect(watch.text().contains("by name | 1/200"))
    // A lower terminal still shows the cursor.
    watch.press(.end)
    watch.screen.resize(width: 80, height: 6)
    #expect(watch.chosen() == "n299")
  }

  @Test(
    arguments: [
      ("gate", ["gate-north"]), ("HILL", ["mast-2"]), ("masts", ["mast-2"]), ("yard", ["gate-north"]),
      ("stopped", ["mast-2"]), ("t-", ["mast-2", "pallet-7"]), ("nothing", []),
    ])
  func filterByText(typed: String, expected: [String]) {
    var watch = fleet()
    watch.press(.character("/"))
    watch.type(typed)
    #expect(watch.shown() == expected, "while it is typed")
    watch.press(.enter)
    #expect(watch.shown() == expected)
    #expect(watch.text().contains("/\(typed) | \(expected.count) of 4"))
    watch.press(.escape)
    #expect(watch.shown().count == 4)
  }

  @Test func escapeWhileTypingKeepsTheFilterOfBefore() {
    var watch = fleet()
    watch.press(.character("/"))
    watch.type("gate")
    watch.press(.enter, .character("/"))
    #expect(watch.lines().last == "/gate_")
    watch.press(.control("u"))
    watch.type("mast")
    #expect(watch.shown() == ["mast-2"])
    watch.press(.escape)
    #expect(watch.shown() == ["gate-north"])
    watch.press(.character("/"), .backspace, .backspace)
    #expect(watch.lines().last == "/ga_")
  }

  @Test func onlyThoseWithAlerts() {
    var watch = fleet()
    watch.press(.character("!"))
    #expect(watch.shown() == ["crane-1", "gate-north"])
    watch.press(.character("!"))
    #expect(watch.shown().count == 4)
  }

  @Test func keysThatAreTypedIntoAPromptDoNothingElse() {
    var watch = fleet()
    watch.press(.character("/"))
    #expect(watch.type("q?ash") == [])
    #expect(watch.lines().last == "/q?ash_")
  }

  @Test func quitting() {
    var watch = fleet()
    #expect(watch.press(.character("q")) == [.quit])
    #expect(watch.press(.control("c")) == [.quit])
    #expect(watch.press(.control("l")) == [.repaint])
    #expect(watch.press(.character("?"), .character("q")) == [.quit])
  }

  @Test func anEmptyFleetIsNoTrouble() {
    var watch = WatchBench()
    #expect(watch.lines()[0].hasPrefix("0 nodes"))
    #expect(watch.press(.enter, .down, .end, .character("a"), .tab, .enter, .character("s"), .escape) == [])
    #expect(watch.text().contains("no alert fires") || watch.text().contains("0 nodes"))
  }

  @Test func coloursOnlyWhenAskedFor() {
    var plain = fleet()
    #expect(!plain.text().contains("\u{1B}"))
    var coloured = fleet(isColoured: true)
    #expect(coloured.text().contains("\u{1B}[7m>  1 crane-1"))
    var narrow = fleet(width: 30, isColoured: true)
    #expect(!narrow.text().contains("\u{1B}"), "what is cut has no colours")
  }
}
