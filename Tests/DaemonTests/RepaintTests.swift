import Daemon
import Testing

@Suite struct RepaintTests {
  private let size = Terminal.Size(columns: 20, rows: 4)

  @Test func onlyWhatChangedIsWritten() {
    var repaint = Repaint()
    #expect(repaint.text(["a", "b"], size) == "\u{1B}[0m\u{1B}[H\u{1B}[2J\u{1B}[1;1H\u{1B}[2Ka\u{1B}[2;1H\u{1B}[2Kb")
    #expect(repaint.text(["a", "b"], size) == "")
    #expect(repaint.text(["a", "c"], size) == "\u{1B}[2;1H\u{1B}[2Kc")
    #expect(repaint.text(["a"], size) == "\u{1B}[2;1H\u{1B}[2K", "what is gone is cleared")
    #expect(repaint.text(["a", "", "d"], size) == "\u{1B}[3;1H\u{1B}[2Kd")
  }

  @Test func anotherSizeIsDrawnWhole() {
    var repaint = Repaint()
    _ = repaint.text(["a", "b"], size)
    let drawn = repaint.text(["a", "b"], Terminal.Size(columns: 20, rows: 1))
    #expect(drawn == "\u{1B}[0m\u{1B}[H\u{1B}[2J\u{1B}[1;1H\u{1B}[2Ka", "no line below the last")
  }

  @Test func whatSomebodyElseWroteIsDrawnOver() {
    var repaint = Repaint()
    _ = repaint.text(["a"], size)
    repaint.forget()
    #expect(repaint.text(["a"], size).hasSuffix("\u{1B}[2Ka"))
  }
}

@Suite struct TerminalEnvironmentTests {
  @Test(
    arguments: [
      ([:], false), (["LANG": "C.UTF-8"], true), (["LANG": "C.UTF-8", "LC_ALL": "C"], false),
      (["LC_CTYPE": "de_CH.utf8", "LANG": "C"], true), (["LC_ALL": "", "LANG": "en_GB.UTF-8"], true),
      (["LANG": "de_CH.ISO-8859-1"], false),
    ] as [([String: String], Bool)])
  func unicodeIsForLocalesThatAreUTF8(environment: [String: String], isUnicode: Bool) {
    #expect(Terminal.isUnicode(environment: environment) == isUnicode)
  }

  @Test(arguments: [([:], false), (["TERM": "dumb"], false), (["TERM": "xterm"], true)] as [([String: String], Bool)])
  func aDumbTerminalCannotDraw(environment: [String: String], canDraw: Bool) {
    #expect(Terminal.canDraw(environment: environment) == canDraw)
  }

  @Test func whatIsNoTerminalHasNoKeyboard() throws {
    let pipe = try TestPipe()
    #expect(KeyboardTerminal(input: pipe.reader, output: pipe.writer) == nil)
  }
}
