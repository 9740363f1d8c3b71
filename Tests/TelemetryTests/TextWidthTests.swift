import Telemetry
import Testing

@Suite("Text width") struct TextWidthTests {
  @Test(arguments: [
    ("", 5, [""]), ("one two three", 7, ["one two", "three"]), ("one two", 3, ["one", "two"]),
    ("  one   two ", 20, ["one two"]), ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]), ("ab", 0, ["a", "b"]),
    ("\u{6F22}\u{5B57} a", 4, ["\u{6F22}\u{5B57}", "a"]), ("\u{6F22}\u{5B57}", 3, ["\u{6F22}", "\u{5B57}"]),
  ])
  func textIsBrokenAtSpacesAndLongWordsAnywhere(text: String, columns: Int, lines: [String]) {
    #expect(TextWidth.wrap(text, to: columns) == lines)
  }
}
