import Testing

/// Whatever comes: no trap, no loop, nothing invented, and every loss is told in time.
@Suite struct NodeFuzzTests {
  @Test(arguments: 1...UInt64(10)) func nothingThatComesMakesItSayWhatIsNotSo(seed: UInt64) throws {
    var fuzz = try NodeFuzz(seed: seed)
    try fuzz.run(steps: 1000)
    #expect(fuzz.problems == [])
  }
}
