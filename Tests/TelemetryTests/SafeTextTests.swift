import Rig
import Telemetry
import Testing

@Suite struct SafeTextTests {
  @Test(arguments: [
    ("plain text, Zürich 東京 🛰", "plain text, Zürich 東京 🛰"),
    ("\u{1B}[2J\u{1B}]0;title\u{7}", #"\u{1b}[2J\u{1b}]0;title\u{07}"#),
    ("a\nb\r\tc\u{0}\u{7F}", #"a\nb\r\tc\u{00}\u{7f}"#),
    ("\u{9B}31m\u{85}", #"\u{9b}31m\u{85}"#),
    ("\u{202E}evil\u{202C}\u{2066}x\u{2069}\u{200F}\u{61C}", #"\u{202e}evil\u{202c}\u{2066}x\u{2069}\u{200f}\u{061c}"#),
    ("\u{2028}\u{2029}\u{FEFF}\u{200B}", #"\u{2028}\u{2029}\u{feff}\u{200b}"#),
    ("\u{E0041}", #"\u{e0041}"#),
    (#"C:\x"#, #"C:\\x"#),
    ("", ""),
  ])
  func stringsAreEscaped(original: String, shown: String) {
    #expect(SafeText.escaped(original) == shown)
    #expect(SafeText.escaped(Array(original.utf8)) == shown)
  }

  @Test func bytesThatAreNotUTF8AreEscapedOneByOne() {
    #expect(SafeText.escaped([0x61, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80] as [UInt8]) == #"a\xff\xc3(\xed\xa0\x80"#)
  }

  @Test func longTextIsCut() {
    #expect(SafeText.escaped(String(repeating: "x", count: 80)) == String(repeating: "x", count: 80))
    #expect(SafeText.escaped(String(repeating: "x", count: 81)) == String(repeating: "x", count: 80) + "...")
    #expect(SafeText.escaped(String(repeating: "é", count: 9), limit: 3) == "ééé...")
    #expect(SafeText.escaped("abc", limit: 0) == "...")
    #expect(SafeText.escaped("abc", limit: -1) == "...")
    #expect(SafeText.escaped([UInt8](repeating: 0xFF, count: 10_000_000), limit: 2) == #"\xff\xff..."#)
  }

  @Test func quotesInsideQuotesAreEscaped() {
    #expect(SafeText.quoted(#"say "hi" \ "#) == #""say \"hi\" \\ ""#)
  }

  @Test func noByteSurvivesThatATerminalObeys() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<5000 {
      let bytes = (0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }
      for scalar in SafeText.escaped(bytes).unicodeScalars {
        #expect(
          scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) && !(0x202A...0x202E).contains(scalar.value))
      }
    }
  }
}
