import Foundation
import Rig
import Telemetry
import Testing

/// The commands that need one sensor and nothing else: tap, record, calibrate.
@Suite(.serialized) struct ToolTests {
  private let place: Workplace
  private let simulated = ["--set", "accelerometer.source=simulated"]

  init() throws { place = try Workplace("e2e-tool") }

  private func node(_ arguments: [String], seconds: Double = 30) throws -> Outcome {
    try outcome(
      of: Programs.node, arguments + ["--config", place.write("nothing.toml", "")], in: place, seconds: seconds)
  }

  // MARK: record

  @Test func whatIsRecordedCanBeReplayedAndMeasured() throws {
    let file = place.path("a.csv")
    let before = Date().timeIntervalSince1970
    let recorded = try node(["record", file, "--seconds", "6"] + simulated)
    #expect(recorded.status == 0, "\(recorded.errors)")
    #expect(recorded.output.isEmpty)
    #expect(
      recorded.errorLines.last?.hasPrefix("\(file): 600 samples in 5.99 s, 100.0 Hz, 0 missed, 0 clipped") == true)
    let rows = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
    #expect(rows.count == 601 && rows.first == "t,x,y,z")
    let time = rows.dropFirst().first?.split(separator: ",").first.flatMap { Double($0) } ?? 0
    #expect((before - 1...before + 5).contains(time), "the calendar's time")

    let refused = try node(["record", file, "--seconds", "1"] + simulated)
    #expect(refused.status == 64 && refused.errorLines.count == 1)
    #expect(refused.errors.contains("--force"))
    #expect(try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").count == 601, "untouched")

    let replay = try node(["replay", file])
    #expect(replay.status == 0)
    #expect(
      replay.errorLines.count == 1 && replay.errors.contains(": 600 samples in 5.99 s, 100.0 Hz"), "\(replay.errors)")

    let rest = try node(["calibrate", "--from", file])
    #expect(rest.status == 0, "\(rest.errors)")
    #expect(rest.output.contains("offset   x 2") && rest.output.contains("\non_g = 0.01"), "\(rest.output)")
  }

  @Test func anInterruptedRecordingIsWhole() throws {
    let child = try ChildProcess(Programs.node, ["record", "-"] + simulated, name: "record", in: place.folder)
    defer { child.stop(signal: SIGKILL) }
    #expect(waitUntil(seconds: 15) { child.outputText().split(separator: "\n").count > 100 })
    child.send(signal: SIGINT)
    #expect(child.wait(seconds: 5) == 0)
    let rows = child.outputText().split(separator: "\n", omittingEmptySubsequences: false)
    #expect(rows.last?.isEmpty == true, "the last line is whole")
    #expect(rows.dropFirst().dropLast().allSatisfy { $0.split(separator: ",").count == 4 })
    #expect(child.errorText().contains("standard output: \(rows.count - 2) samples"), "\(child.errorText())")
  }

  @Test func aFullDiskIsSaidInOneLine() throws {
    let full = try node(["record", "/dev/full", "--force"] + simulated)
    #expect(full.status == 75)
    #expect(full.errorLines == ["judder-node: /dev/full: No space left on device"])
    let nowhere = try node(["record", place.path("no/such/folder.csv"), "--seconds", "1"] + simulated)
    #expect(nowhere.status == 69 && nowhere.errorLines.count == 1)
  }

  @Test func withoutASensorTheReasonIsGiven() throws {
    let root = ["--set", "accelerometer.sysfs_root=\(place.path("nothing"))"]
    for command in [["record", "-"], ["calibrate"], ["calibrate", "--positions", "6"], ["tap", "--seconds", "1"]] {
      let result = try node(command + root)
      #expect(result.status == 69, "\(command): \(result.errors)")
      #expect(result.errorLines.last?.contains(place.path("nothing")) == true, "\(result.errors)")
    }
  }

  @Test func withoutASensorNoFileIsMadeAndNoneIsLost() throws {
    let root = ["--set", "accelerometer.sysfs_root=\(place.path("nothing"))"]
    let file = place.path("none.csv")
    #expect(try node(["record", file] + root).status == 69)
    #expect(!FileManager.default.fileExists(atPath: file))
    try "t,x,y,z\n0,0,0,1\n".write(toFile: file, atomically: true, encoding: .utf8)
    #expect(try node(["record", file, "--force"] + root).status == 69)
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("t,x,y,z\n0,0,0,1"))
  }

  // MARK: tap

  @Test func withoutATerminalThereIsALineASecond() throws {
    let tap = try node(["tap", "--seconds", "3.5"] + simulated)
    #expect(tap.status == 0, "\(tap.errors)")
    #expect(tap.outputLines.contains("z+ is up"))
    #expect(tap.outputLines.count { $0.hasPrefix("x 0.0") && $0.contains(" idle, ") } == 3, "\(tap.output)")
    #expect(!tap.output.contains("\u{1B}"))
  }

  @Test func objectsAreALineEach() throws {
    let keys = try shakenAgainAndAgain(in: place)
    let file = try #require(keys["accelerometer.recording_file"]).trimmingCharacters(in: ["\""])
    let tap = try node([
      "tap", "--json", "--seconds", "3.5", "--set", "accelerometer.source=recording",
      "--set", "accelerometer.recording_file=\(file)",
    ])
    #expect(tap.status == 0, "\(tap.errors)")
    let objects = try tap.outputLines.map { try JSONValue.parse(Array($0.utf8)) }
    #expect(objects.count { $0["detector"] != nil } == 3)
    #expect(objects.allSatisfy { $0["up"]?.number != nil })
    let shakes = objects.filter { $0["event"]?.string == "shake" }
    #expect(shakes.map { $0["payload"]?["phase"]?.string } == ["began", "ended"])
  }

  @Test func aTerminalIsDrawnOnAndGivenBack() throws {
    let terminal = try PseudoTerminal()
    terminal.resize(columns: 60, rows: 20)
    let child = try ChildProcess(
      Programs.node, ["tap"] + simulated, name: "tap", in: place.folder,
      environment: ["LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TERM": "xterm"], terminal: terminal)
    defer { child.stop(signal: SIGKILL) }
    var shown: [UInt8] = []
    let has = { (text: String) in
      shown += terminal.read()
      return String(decoding: shown, as: UTF8.self).contains(text)
    }
    #expect(waitUntil(seconds: 15) { has("z+, tilt ") })
    #expect(has("\u{1B}[?25l") && has("\u{2588}"))
    #expect(!has("\u{1B}[1m"), "NO_COLOR")
    // At most as wide as the terminal, before and after it changes.
    #expect(widest(shown) == 60)
    shown = []
    terminal.resize(columns: 25, rows: 5)
    child.send(signal: SIGWINCH)
    #expect(waitUntil(seconds: 5) { has("simulated-parked, simula~") })
    shown = Array(shown.suffix(from: shown.firstRange(of: Array("simulated-parked, simula~".utf8))?.lowerBound ?? 0))
    #expect(waitUntil(seconds: 5) { has("\u{1B}[H") })
    #expect(widest(shown) <= 25)
    shown = []
    child.send(signal: SIGTERM)
    #expect(child.wait(seconds: 5) == 0)
    #expect(has("\u{1B}[?25h\u{1B}[?1049l"), "the cursor and the screen are back")
  }

  @Test func aTerminalThatIsDumbGetsLines() throws {
    let terminal = try PseudoTerminal()
    let child = try ChildProcess(
      Programs.node, ["tap"] + simulated, name: "tap-dumb", in: place.folder,
      environment: ["LC_ALL": "C.UTF-8", "TERM": "dumb"], terminal: terminal)
    defer { child.stop(signal: SIGKILL) }
    var shown: [UInt8] = []
    let isLine = {
      shown += terminal.read()
      return String(decoding: shown, as: UTF8.self).contains(" idle, ")
    }
    #expect(waitUntil(seconds: 15) { isLine() })
    child.send(signal: SIGTERM)
    #expect(child.wait(seconds: 5) == 0)
    shown += terminal.read()
    #expect(!shown.contains(0x1B))
  }

  /// The longest line drawn, in characters.
  private func widest(_ shown: [UInt8]) -> Int {
    let text = String(decoding: shown, as: UTF8.self).replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "\n")
    return text.split { $0.isNewline }.map(\.count).max() ?? 0
  }

  // MARK: calibrate

  @Test func aNodeThatMovesIsToldToRepeat() throws {
    let moving = try node(
      [
        "calibrate", "--seconds", "6", "--set", "accelerometer.source=simulated", "--set",
        "accelerometer.scenario=driven",
      ])
    #expect(moving.status == 1)
    #expect(moving.output.isEmpty, "no figures of something that moved")
    #expect(moving.errorLines.last?.hasSuffix("and repeat") == true, "\(moving.errors)")
  }

  /// Six sides in a sensor whose z axis is off by 50 mg and shows 2 % too little, turned by a quarter about z.
  private func sixSides(holdS: Double) -> String {
    let sides: [(Double, Double, Double)] = [(0, 0, 1), (0, 0, -1), (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)]
    var rows = ["t,x,y,z"]
    for (index, side) in sides.enumerated() {
      for step in 0..<Int((holdS + 0.5) * 50) {
        let time = Double(index) * (holdS + 0.5) + Double(step) / 50
        let turning = Double(step) < 25 ? 0.4 * sin(Double(step)) : 0
        let noise = 0.002 * sin(Double(step * step))
        rows.append("\(time),\(side.1 + noise),\(-side.0 + turning),\(0.98 * side.2 + 0.05 - noise)")
      }
    }
    return rows.joined(separator: "\n") + "\n"
  }

  @Test func sixSidesOfARecordingBecomeLinesToPaste() throws {
    let file = try place.write("six.csv", sixSides(holdS: 5))
    let six = try node(["calibrate", "--positions", "6", "--from", file])
    #expect(six.status == 0, "\(six.errors)")
    #expect(six.errorLines.count { $0.contains(" is up: ") } == 6)
    let pasted = try place.write("pasted.toml", six.output)
    let check = try outcome(of: Programs.node, ["check", "--print-config", "--config", pasted], in: place)
    #expect(check.status == 0, "\(check.errors)")
    let values = { (key: String) -> [Double] in
      let line = check.outputLines.first { $0.hasPrefix("accelerometer.\(key) = ") } ?? ""
      return line.split(separator: "\"").dropFirst().first?.split { ",; ".contains($0) }.compactMap { Double($0) } ?? []
    }
    for (value, expected) in zip(values("mount_matrix"), [0.0, -1, 0, 1, 0, 0, 0, 0, 1]) {
      #expect((value - expected).magnitude < 0.002)
    }
    #expect(values("mount_matrix").count == 9)
    #expect(((values("scale_correction").last ?? 0) - 1 / 0.98).magnitude < 0.001)
    #expect(((values("offset_g").last ?? 0) - 0.05).magnitude < 0.001)
  }

  @Test func aPersonIsAskedForSideAfterSide() throws {
    let file = try place.write("six.csv", sixSides(holdS: 2.5))
    let six = try node(
      [
        "calibrate", "--positions", "6", "--seconds", "1", "--set", "accelerometer.source=recording",
        "--set", "accelerometer.recording_file=\(file)",
      ], seconds: 40)
    #expect(six.status == 0, "\(six.errors)")
    #expect(six.errorLines.first?.hasPrefix("1 of 6: put the node so that its z+ side is up") == true)
    #expect(six.errorLines.count { $0.contains(" is up: ") } == 6)
    #expect(six.output.contains("\nscale_correction = \""))
  }

  @Test func sidesThatAreMissingAreNamed() throws {
    let rows = (0..<500).map { "\(Double($0) / 50),0,0,1" }
    let file = try place.write("one.csv", rows.joined(separator: "\n"))
    let six = try node(["calibrate", "--positions", "6", "--from", file])
    #expect(six.status == 1)
    #expect(six.errorLines.last == "judder-node: no position with z-, x+, x-, y+, y- up")
    let short = try node(["calibrate", "--from", place.write("short.csv", "0,0,0,1\n0.1,0,0,1\n")])
    #expect(short.status == 69 && short.errorLines.count == 1)
  }

  // MARK: The correction at work

  @Test func aCorrectionHoldsForTheSamplesOfABuffer() throws {
    let tree = try IIOTree(in: place)
    let device = try tree.add(.lis3dh)
    let kernel = try ScanWriter(device, rateHz: 100) { _ in SIMD3(0.1, 0.2, 0.9) }
    defer { kernel.close() }
    let file = place.path("corrected.csv")
    var arguments = ["record", file, "--seconds", "2"]
    for (key, value) in [
      ("sysfs_root", tree.sysfsRoot), ("dev_root", tree.devRoot), ("scale_correction", "1, 1, 1.25"),
      ("offset_g", "0, 0, 0.1"), ("mount_matrix", "0,1,0; -1,0,0; 0,0,1"),
    ] { arguments += ["--set", "accelerometer.\(key)=\(value)"] }
    let recorded = try node(arguments)
    #expect(recorded.status == 0, "\(recorded.errors)")
    let corrected = try meanG(file)
    #expect(isNear(corrected, [0.2, -0.1, 1]), "\(corrected)")
    let raw = try node(arguments + ["--sensor-axes", "--force"])
    #expect(raw.status == 0, "\(raw.errors)")
    let shown = try meanG(file)
    #expect(isNear(shown, [0.1, 0.2, 0.9]), "\(shown)")
  }

  private func isNear(_ a: [Double], _ b: [Double]) -> Bool {
    a.count == b.count && zip(a, b).allSatisfy { ($0 - $1).magnitude < 0.002 }
  }

  /// The mean of a recording's x, y and z [g].
  private func meanG(_ file: String) throws -> [Double] {
    let rows = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").dropFirst()
    let values = rows.map { $0.split(separator: ",").dropFirst().compactMap { Double($0) } }
    return (0..<3).map { axis in values.reduce(0) { $0 + $1[axis] } / Double(values.count) }
  }
}
