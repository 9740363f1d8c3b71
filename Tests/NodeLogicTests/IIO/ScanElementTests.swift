import NodeLogic
import Testing

@Suite("Scan elements")
struct ScanElementTests {
  @Test func everyPartOfATypeIsRead() throws {
    let element = try ScanElement(parsing: "be:u12/32X4>>20\n")
    #expect(element.byteOrder == .big)
    #expect(!element.isSigned)
    #expect(element.bits == 12 && element.storageBits == 32 && element.repeats == 4 && element.shift == 20)
    #expect(element.size == 16)
    let short = try ScanElement(parsing: " le:s16/16 ")
    #expect(short.byteOrder == .little && short.isSigned)
    #expect(short.repeats == 1 && short.shift == 0 && short.size == 2)
  }

  @Test(
    arguments: zip(
      ["le:s12/16>>4", "le:s16/32>>0", "le:s64/64>>0", "be:s16/16>>0", "le:u8/8", "be:u14/16>>2"],
      [Int64(-2048)...2047, -32768...32767, .min ... .max, -32768...32767, 0...255, 0...16383]))
  func theExtremesFollowFromTheBits(text: String, extremes: ClosedRange<Int64>) throws {
    #expect(try ScanElement(parsing: text).extremes == extremes)
  }

  @Test(arguments: [
    ("", "be or le at the start"), ("me:s16/16", "be or le at the start"), ("le", "a colon after le"),
    ("le:x16/16", "s or u after the colon"), ("le:s/16", "the number of bits after s or u, above 0"),
    ("le:s0/16", "the number of bits after s or u, above 0"), ("le:s-4/16", "the number of bits after s or u, above 0"),
    ("le:s16", "a slash after the number of bits"), ("le:s16/24", "8, 16, 32 or 64 bits of storage after the slash"),
    ("le:s16/", "8, 16, 32 or 64 bits of storage after the slash"), ("le:s17/16", "at most 16 bits in a storage of 16"),
    ("le:s12/16>>5", "a shift of at most 4 bits after >>, so that the value fits into its storage"),
    ("le:s12/16>>", "a shift of at most 4 bits after >>, so that the value fits into its storage"),
    ("le:s16/16X0", "a number from 1 to 256 after X"), ("le:s16/16X", "a number from 1 to 256 after X"),
    ("le:s16/16x2", "nothing, Xrepeat or >>shift after the storage"),
    ("le:s16/16>>0 le", "nothing, Xrepeat or >>shift after the storage"),
    ("le:s99999999999999999999/16", "the number of bits after s or u, above 0"),
  ])
  func aTypeThatIsNoneIsRefusedWithWhatWasExpected(text: String, expected: String) {
    #expect(throws: ScanElement.ParseError(text: text, expected: expected)) {
      try ScanElement(parsing: text)
    }
  }

  @Test func theErrorReadsByItself() {
    #expect(
      ScanElement.ParseError(text: "le:s16", expected: "a slash after the number of bits").description
        == "scan type \"le:s16\": expected a slash after the number of bits")
  }

  @Test func anyTextIsReadOrRefusedWithoutACrash() {
    for seed in UInt64(0)..<500 {
      var random = Lottery(seed: seed)
      let text = (0..<12).map { _ in random.pick(["le:", "be:", "s", "u", "12", "16", "/", "X", ">>", "0", "é", "-"]) }
      _ = try? ScanElement(parsing: text.joined())
      if let element = try? ScanElement(parsing: "le:s16/32" + text.joined()) { #expect(element.size > 0) }
    }
  }
}
