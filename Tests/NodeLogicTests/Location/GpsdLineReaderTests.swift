import NodeLogic
import Testing

@Suite struct GpsdLineReaderTests {
  private func line(_ text: String) -> GpsdLineReader.Piece { .line(Array(text.utf8)) }

  @Test func cutsSeveralLinesOfOneRead() {
    var reader = GpsdLineReader()
    #expect(reader.append(Array("a\r\nbb\n\n\r\nc".utf8)) == [line("a"), line("bb")])
    #expect(reader.append(Array("c\n".utf8)) == [line("cc")])
  }

  @Test func joinsALineThatComesByteByByte() {
    var reader = GpsdLineReader()
    var pieces: [GpsdLineReader.Piece] = []
    for byte in Array("{\"class\":\"TPV\"}\r\n".utf8) { pieces += reader.append([byte]) }
    #expect(pieces == [line("{\"class\":\"TPV\"}")])
  }

  @Test func keepsALineOfExactlyTheLimit() {
    var reader = GpsdLineReader()
    let longest = [UInt8](repeating: 65, count: GpsdLineReader.longestLineBytes)
    #expect(reader.append(longest + [10]) == [.line(longest)])
  }

  @Test func discardsAnEndlessLineToItsEndAndGoesOn() {
    var reader = GpsdLineReader()
    var pieces: [GpsdLineReader.Piece] = []
    for _ in 0..<100 { pieces += reader.append([UInt8](repeating: 65, count: 4096)) }
    pieces += reader.append(Array("tail\nnext\n".utf8))
    #expect(pieces == [.tooLong, line("next")])
  }

  @Test func forgetsAnUnfinishedLineForANewConnection() {
    var reader = GpsdLineReader()
    _ = reader.append(Array("half".utf8))
    reader.reset()
    #expect(reader.append(Array("whole\n".utf8)) == [line("whole")])
  }
}
