import FleetLogic
import Telemetry
import Testing

@Suite struct KeyDecoderTests {
  private func keys(_ bytes: [UInt8]) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.keys(bytes, at: .start)
  }

  private func keys(_ text: String) -> [Key] { keys(Array(text.utf8)) }

  @Test(
    arguments: [
      ("\u{1B}[A", .up), ("\u{1B}OB", .down), ("\u{1B}[C", .right), ("\u{1B}[D", .left), ("\u{1B}[5~", .pageUp),
      ("\u{1B}[6~", .pageDown), ("\u{1B}[H", .home), ("\u{1B}[F", .end), ("\u{1B}[1~", .home), ("\u{1B}[4~", .end),
      ("\u{1B}OH", .home), ("\u{1B}[8~", .end), ("\u{1B}[1;5A", .up), ("\r", .enter), ("\n", .enter),
      ("\t", .tab), ("\u{7F}", .backspace), ("\u{8}", .backspace), ("\u{3}", .control("c")), ("q", .character("q")),
      ("\u{E9}", .character("\u{E9}")), ("\u{6F22}", .character("\u{6F22}")), ("\u{1F4A9}", .character("\u{1F4A9}")),
    ] as [(String, Key)])
  func eachSequenceIsOneKeyHoweverItIsCut(text: String, key: Key) {
    #expect(keys(text) == [key])
    var decoder = KeyDecoder()
    var found: [Key] = []
    for (number, byte) in text.utf8.enumerated() {
      found += decoder.keys([byte], at: Instant(seconds: Double(number) * 0.02))
    }
    #expect(found == [key])
    #expect(decoder.deadline == nil)
  }

  @Test func aLoneEscapeIsToldByTime() {
    var decoder = KeyDecoder()
    #expect(decoder.keys([0x1B], at: .start) == [])
    #expect(decoder.deadline == .start + KeyDecoder.escapeS)
    #expect(decoder.keys(at: .start + 0.05) == [])
    #expect(decoder.keys(at: .start + KeyDecoder.escapeS) == [.escape])
    #expect(decoder.deadline == nil)
    // What comes too late is text.
    #expect(decoder.keys([0x1B], at: .start + 1) == [])
    #expect(decoder.keys(Array("[A".utf8), at: .start + 2) == [.escape, .character("["), .character("A")])
  }

  @Test func escapeAndAnotherKeyAtOnceAreTwoKeys() {
    #expect(keys("\u{1B}q") == [.escape, .character("q")])
    #expect(keys("\u{1B}\u{1B}[A") == [.escape, .up])
  }

  @Test func whatIsNoKeyIsLeftOut() {
    #expect(keys("\u{1B}[200~x\u{1B}[201~") == [.character("x")], "pasting is framed")
    #expect(keys("\u{1B}[<0;10;20Mx") == [.enter, .character("x")] || keys("\u{1B}[<0;10;20Mx") == [.character("x")])
    #expect(keys("\u{1B}[[Aq") == [.character("q")])
    #expect(keys([0xC0, 0x80, 0xFF, 0x80, UInt8(ascii: "a")]) == [.character("a")])
    #expect(keys([0xE2, 0x82, UInt8(ascii: "a")]) == [.character("a")], "a character that was cut short")
    #expect(keys([0xC2, 0x9B, UInt8(ascii: "a")]) == [.character("a")], "a control character of eight bits")
    #expect(keys([0, 0x1C, UInt8(ascii: "a")]) == [.character("a")])
  }

  @Test func nothingIsHeldForEver() {
    var decoder = KeyDecoder()
    let digits = Array("\u{1B}[".utf8) + Array(repeating: UInt8(ascii: "1"), count: 10_000)
    _ = decoder.keys(digits, at: .start)
    #expect(decoder.keys([UInt8(ascii: "q")], at: .start + 1).last == .character("q"))
  }

  @Test func anyBytesAreTaken() {
    var decoder = KeyDecoder()
    var state: UInt64 = 88_172_645_463_325_252
    var count = 0
    for round in 0..<20_000 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      let byte = round % 3 == 0 ? [0x1B, 0x5B, 0x4F, 0x7E][Int(state % 4)] : UInt8(truncatingIfNeeded: state)
      for key in decoder.keys([byte], at: Instant(seconds: Double(round) * 0.01)) {
        count += 1
        if case .character(let scalar) = key { #expect(scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)) }
      }
    }
    #expect(count > 1000)
  }
}
