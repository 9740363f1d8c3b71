import Foundation
import Rig
import Telemetry
import Testing

/// `judder-fleet watch` on a terminal with a keyboard, beside a real broker.
@Suite(.serialized) struct ScreenTests {
  private let place: Workplace
  private let broker: Broker
  private let terminal: PseudoTerminal

  init() throws {
    place = try Workplace("screen")
    broker = try Broker(in: place)
    try broker.start()
    terminal = try PseudoTerminal()
    terminal.resize(columns: 80, rows: 24)
    for node in ["pump-1", "pump-2"] {
      let status = #"{"v":1,"boot":"0000000a","t":1796000000,"clk":"ntp","up":5,"state":"online","agent":"0.1.0"}"#
      try broker.publish("judder/\(node)/status", status, isRetained: true)
    }
  }

  private func watch(_ environment: [String: String] = [:], hasKeyboard: Bool = true) throws -> ChildProcess {
    try ChildProcess(
      Programs.fleet, ["watch", "-h", "127.0.0.1", "-p", "\(broker.port)"], name: "watch", in: place.folder,
      environment: ["LC_ALL": "C.UTF-8", "TERM": "xterm", "NO_COLOR": "1"].merging(environment) { $1 },
      terminal: terminal, hasKeyboard: hasKeyboard)
  }

  /// Collects what is drawn.
  private final class Look {
    let terminal: PseudoTerminal
    var shown = ""

    init(_ terminal: PseudoTerminal) { self.terminal = terminal }

    func sees(_ text: String, seconds: Double = 10) -> Bool {
      waitUntil(seconds: seconds) {
        shown += String(decoding: terminal.read(), as: UTF8.self)
        return shown.contains(text)
      }
    }
  }

  private static let farewell = "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  @Test func keysResizesAndTheEnd() throws {
    let child = try watch()
    defer { child.stop(signal: SIGKILL) }
    let look = Look(terminal)
    #expect(look.sees("pump-2"))
    #expect(look.sees("\u{1B}[?1049h\u{1B}[?25l"))
    #expect(!terminal.isInLineMode)
    terminal.type("?")
    #expect(look.sees("judder-fleet watch: keys"))
    look.shown = ""
    // A lone escape: it is one only after a moment.
    terminal.type("\u{1B}")
    #expect(look.sees("NODE "))
    terminal.type("\u{1B}[B\r")
    #expect(look.sees("messages  1 status"))
    look.shown = ""
    terminal.resize(columns: 40, rows: 10)
    child.send(signal: SIGWINCH)
    #expect(look.sees("\u{1B}[2J"))
    #expect(look.sees("\u{1B}[10;1H"), "the last line is where the terminal ends now")
    #expect(!look.shown.contains("\u{1B}[11;1H"))
    let lines = look.shown.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "\n").split { $0.isNewline }
    #expect(lines.allSatisfy { $0.count <= 40 }, "\(lines)")
    terminal.type("q")
    #expect(child.wait(seconds: 10) == 0, "\(child.errorText())")
    #expect(look.sees(Self.farewell, seconds: 1))
    #expect(terminal.isInLineMode)
    #expect(child.errorText().isEmpty)
  }

  @Test func acknowledgingAsksForAComment() throws {
    let child = try watch()
    defer { child.stop(signal: SIGKILL) }
    let look = Look(terminal)
    #expect(look.sees("pump-2"))
    terminal.type("s2h\rpump is serviced")
    #expect(look.sees("silence every alert of pump-1 for 2 h, why: pump is serviced_"))
    terminal.type("\r")
    #expect(look.sees("no fleet tool answered", seconds: 15))
    terminal.type("q")
    #expect(child.wait(seconds: 10) == 0)
    #expect(terminal.isInLineMode)
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGABRT, SIGQUIT])
  func aSignalLeavesTheTerminalAsItWas(signal: Int32) throws {
    let child = try watch(["SWIFT_BACKTRACE": "enable=no"])
    defer { child.stop(signal: SIGKILL) }
    let look = Look(terminal)
    #expect(look.sees("pump-2") && !terminal.isInLineMode)
    child.send(signal: signal)
    #expect(child.wait(seconds: 10) == (signal == SIGTERM || signal == SIGINT ? 0 : -signal))
    #expect(terminal.isInLineMode)
    #expect(look.sees(Self.farewell, seconds: 1))
  }

  @Test func aStoppedViewerGivesTheTerminalBackUntilItGoesOn() throws {
    let child = try watch()
    defer { child.stop(signal: SIGKILL) }
    let look = Look(terminal)
    #expect(look.sees("pump-2"))
    child.send(signal: SIGTSTP)
    #expect(look.sees(Self.farewell))
    #expect(waitUntil(seconds: 5) { state(of: child) == "T" })
    #expect(terminal.isInLineMode)
    look.shown = ""
    child.send(signal: SIGCONT)
    #expect(look.sees("pump-2"))
    #expect(!terminal.isInLineMode)
    terminal.type("q")
    #expect(child.wait(seconds: 10) == 0)
    #expect(terminal.isInLineMode)
  }

  /// The third field of /proc/PID/stat, proc(5).
  private func state(of child: ChildProcess) -> String? {
    let text = try? String(contentsOfFile: "/proc/\(child.identifier)/stat", encoding: .utf8)
    return text?.split(separator: ")").last?.split(separator: " ").first.map(String.init)
  }

  @Test func aTerminalThatIsGoneEndsIt() throws {
    let child = try watch()
    defer { child.stop(signal: SIGKILL) }
    #expect(Look(terminal).sees("pump-2"))
    terminal.hangUp()
    #expect(child.wait(seconds: 10) == 0, "\(child.errorText())")
  }

  /// Nobody reads what is drawn: signals and the broker are served all the same.
  @Test func aTerminalThatTakesNothingHoldsNothingUp() throws {
    terminal.resize(columns: 400, rows: 200)
    let child = try watch()
    defer { child.stop(signal: SIGKILL) }
    #expect(waitUntil(seconds: 10) { !terminal.isInLineMode })
    for round in 0..<40 {
      terminal.resize(columns: 300 + round, rows: 200)
      child.send(signal: SIGWINCH)
      terminal.type("?\u{1B}")
      usleep(50_000)
    }
    let start = Date()
    child.send(signal: SIGTERM)
    #expect(child.wait(seconds: 10) == 0)
    #expect(Date().timeIntervalSince(start) < 5)
    #expect(terminal.isInLineMode)
  }

  @Test func aDumbTerminalGetsLines() throws {
    let child = try watch(["TERM": "dumb"])
    defer { child.stop(signal: SIGKILL) }
    let look = Look(terminal)
    #expect(look.sees("pump-1 online: the broker's last word"))
    #expect(terminal.isInLineMode)
    child.send(signal: SIGTERM)
    #expect(child.wait(seconds: 10) == 0)
    #expect(!look.shown.contains("\u{1B}"))
  }

  @Test func withoutAKeyboardItIsATable() throws {
    let child = try watch(hasKeyboard: false)
    defer { child.stop(signal: SIGKILL) }
    let look = Look(terminal)
    #expect(look.sees("pump-2  online") && look.sees("2 nodes: 2 online"))
    #expect(!look.shown.contains("Enter details"))
    #expect(terminal.isInLineMode)
    child.send(signal: SIGTERM)
    #expect(child.wait(seconds: 10) == 0)
    #expect(look.sees("\u{1B}[?25h\u{1B}[?1049l"))
  }
}
