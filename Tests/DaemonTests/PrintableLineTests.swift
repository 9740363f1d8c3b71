import Daemon
import Testing

@Suite struct PrintableLineTests {
  @Test(arguments: [
    ("plain: ä 漢 🙂", "plain: ä 漢 🙂"), ("a\nb\tc\r", "a\\nb\\tc\\r"), ("\u{1B}[31mred", "\\u{1b}[31mred"),
    ("\u{0}", "\\u{0}"), ("\u{7F}\u{9B}2J", "\\u{7f}\\u{9b}2J"), ("a\u{202E}b\u{2028}", "a\\u{202e}b\\u{2028}"),
    ("\r\n", "\\r\\n"),
  ])
  func controlCharactersAreShownNotSent(text: String, safe: String) {
    #expect(printableLine(text) == safe)
  }

  @Test func longTextIsCut() {
    #expect(printableLine(String(repeating: "x", count: 50), limit: 10) == "xxxxxxxxxx...")
    #expect(printableLine("1234567890", limit: 10) == "1234567890")
  }

  @Test func nothingBelowASpaceIsLeft() {
    let all = String(String.UnicodeScalarView((0..<0x3000).compactMap(Unicode.Scalar.init)))
    let bytes = printableLine(all, limit: 1 << 20).utf8
    #expect(!bytes.contains { $0 < 0x20 || $0 == 0x7F })
  }
}
