import Foundation
import Rig
import Telemetry
import Testing

/// `judder-node fix`: what gpsd says, what would be published, and why the rest would not.
@Suite(.serialized) struct FixTests {
  private let place: Workplace

  init() throws { place = try Workplace("e2e-fix") }

  private func arguments(_ port: Int, _ more: [String]) throws -> [String] {
    let keys: Keys = [
      "gpsd.enabled": "true", "gpsd.host": "\"127.0.0.1\"", "gpsd.port": "\(port)", "location.lost_after_s": "1",
      // Nobody reads these here: a tool's user may not be allowed to.
      "broker.username": "\"e2e\"", "broker.password_file": "\"/nonexistent\"",
    ]
    return ["fix", "--config", try place.write("fix.toml", NodeRun.text(keys))] + more
  }

  private func start(_ gpsd: GpsdRig, _ more: [String] = []) throws -> ChildProcess {
    try ChildProcess(
      Programs.node, arguments(gpsd.port, more), name: "fix-\(UUID().uuidString.prefix(4))", in: place.folder)
  }

  private func lines(_ child: ChildProcess) -> [Substring] { child.outputText().split(separator: "\n") }

  /// Waits for a line that says something.
  private func waits(_ child: ChildProcess, for text: String, seconds: Double = 20) -> Bool {
    waitUntil(seconds: seconds) { lines(child).contains { $0.contains(text) } }
  }

  // MARK: What goes well

  @Test func aDriveIsToldDecisionByDecision() throws {
    let gpsd = try GpsdRig(in: place)
    let child = try start(gpsd)
    defer { child.stop(signal: SIGKILL) }
    #expect(gpsd.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(), to: gpsd, rateHz: 2)
    defer { player.stop() }
    #expect(waits(child, for: "published: distance, "), "\(child.outputText()) \(child.errorText())")
    #expect(waits(child, for: "withheld: "))
    child.send(signal: SIGINT)
    #expect(child.wait(seconds: 5) == 0)

    let told = lines(child).map { $0.split(separator: " ", maxSplits: 1).last.map(String.init) ?? "" }
    #expect(told.contains { $0.hasPrefix("gpsd: answers, release ") })
    #expect(told.contains { $0.hasPrefix("receivers: \(gpsd.device)") || $0.contains("tcp://") }, "\(told)")
    #expect(told.contains("accelerometer: none is configured; drift is judged by speed and accuracy alone"))
    #expect(told.contains { $0.hasPrefix("report: 3D fix") })
    // Each message stands behind the decision that led to it, and is one that the contract knows.
    let indices = told.indices.filter { told[$0].hasPrefix("=> judder/e2e/location ") }
    #expect(indices.count >= 2)
    for index in indices {
      let payload = told[index].split(separator: " ", maxSplits: 2).last ?? ""
      let telegram = try Telegram.decode(stream: .location, payload: Array(payload.utf8))
      guard case .location(.fixed(let position)) = telegram.body else { continue }
      #expect(told[index - 1].hasPrefix("published: \(position.cause.rawValue)"), "\(told[index - 1])")
    }
    let summary = child.errorText().split(separator: "\n")
    #expect(summary.count == 1, "\(child.errorText())")
    #expect(summary.last?.contains(" published (") == true && summary.last?.contains("0 losses") == true)
  }

  @Test func jsonIsDecisionsAndMessages() throws {
    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(), to: gpsd, rateHz: 4)
    defer { player.stop() }
    let result = try outcome(
      of: Programs.node, arguments(gpsd.port, ["--json", "--seconds", "6"]), in: place, seconds: 30)
    #expect(result.status == 0, "\(result.errors)")
    let objects = try result.outputLines.map { try JSONValue.parse(Array($0.utf8)) }
    let decisions = objects.filter { $0["event"]?.string == "decision" }
    #expect(decisions.count >= 4, "\(result.output)")
    #expect(decisions.allSatisfy { $0["lat"]?.number != nil && $0["text"]?.string != nil && $0["up"]?.number != nil })
    let messages = objects.filter { $0["topic"]?.string == "judder/e2e/location" }
    let published = decisions.count { $0["verdict"]?.string == "published" }
    #expect(messages.count == published && published >= 1, "\(result.output)")
    #expect(messages.first?["payload"]?["why"]?.string == "first")
    #expect(objects.contains { $0["event"]?.string == "gpsd" && $0["state"]?.string == "up" })
  }

  @Test func aTerminalIsDrawnOnAndGivenBack() throws {
    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(), to: gpsd, rateHz: 2)
    defer { player.stop() }
    let terminal = try PseudoTerminal()
    terminal.resize(columns: 60, rows: 30)
    let child = try ChildProcess(
      Programs.node, arguments(gpsd.port, []), name: "fix-picture", in: place.folder,
      environment: ["LC_ALL": "C", "NO_COLOR": "1", "TERM": "xterm"], terminal: terminal)
    defer { child.stop(signal: SIGKILL) }
    var shown: [UInt8] = []
    let has = { (text: String) in
      shown += terminal.read()
      return String(decoding: shown, as: UTF8.self).contains(text)
    }
    #expect(waitUntil(seconds: 15) { has("decision   ") && has("next       ") && has("mode 3, 47.3") })
    #expect(shown.allSatisfy { $0 < 128 } && !has("\u{1B}[1m"))
    #expect(widest(shown) <= 60)
    shown = []
    terminal.resize(columns: 16, rows: 3)
    child.send(signal: SIGWINCH)
    #expect(waitUntil(seconds: 5) { has("\u{1B}[H") })
    shown = []
    #expect(waitUntil(seconds: 5) { has("\u{1B}[H") && has("\u{1B}[J") })
    #expect(widest(shown) <= 16)
    child.send(signal: SIGTERM)
    #expect(child.wait(seconds: 5) == 0)
    #expect(has("\u{1B}[?25h\u{1B}[?1049l"), "the cursor and the screen are back")
    #expect(child.errorText().contains(" published"))
  }

  /// The longest line drawn, in characters.
  private func widest(_ shown: [UInt8]) -> Int {
    let text = String(decoding: shown, as: UTF8.self).replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "\n")
    return text.split { $0.isNewline }.map(\.count).max() ?? 0
  }

  // MARK: What does not

  @Test func withoutGpsdItEndsWithTheReason() throws {
    let port = try Workplace.freePort()
    let result = try outcome(of: Programs.node, arguments(port, ["--seconds", "1.5"]), in: place)
    #expect(result.status == 69, "\(result.output) \(result.errors)")
    #expect(result.output.contains("gpsd: cannot connect: "), "\(result.output)")
    #expect(result.errorLines.last?.contains("127.0.0.1:\(port)") == true, "\(result.errors)")
    let off = try outcome(
      of: Programs.node, arguments(port, ["--set", "gpsd.enabled=false", "--seconds", "1"]), in: place)
    #expect(off.status == 64 && off.errors.contains("gpsd.enabled"), "\(off.errors)")
  }

  @Test func gpsdGoesAndComesBackWhileItRuns() throws {
    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(), to: gpsd, rateHz: 2)
    defer { player.stop() }
    let child = try start(gpsd)
    defer { child.stop(signal: SIGKILL) }
    #expect(waits(child, for: "published: first"), "\(child.outputText())")
    gpsd.stop()
    #expect(waits(child, for: "lost: gpsd_gone, last good fix "), "\(child.outputText())")
    #expect(lines(child).contains { $0.contains("\"reason\":\"gpsd_gone\"") })
    try gpsd.start()
    #expect(waits(child, for: "published: regained", seconds: 30), "\(child.outputText())")
    child.send(signal: SIGTERM)
    #expect(child.wait(seconds: 5) == 0)
    #expect(child.errorText().contains("1 loss (gpsd_gone 1)"), "\(child.errorText())")
  }

  @Test func withoutAReceiverThatIsSaid() throws {
    let gpsd = try GpsdRig(.pty, in: place)
    try gpsd.unplug(tellsGpsd: true)
    let result = try outcome(of: Programs.node, arguments(gpsd.port, ["--seconds", "9"]), in: place)
    #expect(result.status == 0, "gpsd answers; \(result.errors)")
    #expect(result.output.contains(" receivers: none\n"), "\(result.output)")
    #expect(result.output.contains("lost: device_gone, no good fix before"), "\(result.output)")
  }

  @Test func withoutAFixTheReportsSaySo() throws {
    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    let player = RoutePlayer(NMEARoute(withoutFix: [0..<1000]), to: gpsd, rateHz: 2)
    defer { player.stop() }
    let child = try start(gpsd)
    defer { child.stop(signal: SIGKILL) }
    #expect(waits(child, for: "report: no fix (mode 1)"), "\(child.outputText())")
    #expect(waits(child, for: "lost: no_fix, no good fix before"), "\(child.outputText())")
    #expect(!lines(child).contains { $0.contains("published: ") })
  }

  @Test func aSimulatorIsRejected() throws {
    let gpsd = try GpsdRig(in: place, opensAtOnce: true)
    #expect(gpsd.waitUntilOpen())
    let child = try start(gpsd)
    defer { child.stop(signal: SIGKILL) }
    let (route, begin) = (NMEARoute(), Date())
    #expect(
      waitUntil(seconds: 20) {
        // Quality 8 of NMEA 0183, and the mode indicator S.
        let real = route.sentences(at: (Date().timeIntervalSince(begin) * 10).rounded() / 10)
        let simulated = real.split(whereSeparator: \.isNewline).map { sentence in
          let body = sentence.dropFirst().prefix { $0 != "*" }.replacing(",1,08,", with: ",8,08,")
          return NMEARoute.sentence(body.hasSuffix(",A") ? body.dropLast() + "S" : String(body))
        }
        try? gpsd.send(simulated.joined())
        usleep(200_000)
        return lines(child).contains { $0.contains("rejected: from a simulator") }
      }, "\(child.outputText())")
    #expect(!lines(child).contains { $0.contains("=> ") && $0.contains("\"lat\"") })
  }
}
