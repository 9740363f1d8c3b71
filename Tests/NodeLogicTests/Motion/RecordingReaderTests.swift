import NodeLogic
import Telemetry
import Testing

@Suite("Recording reader")
struct RecordingReaderTests {
  private func read(_ text: String, chunk: Int = 7) throws -> [Sample] {
    var reader = RecordingReader()
    var samples: [Sample] = []
    let bytes = Array(text.utf8)
    for start in stride(from: 0, to: bytes.count, by: chunk) {
      samples += try reader.feed(bytes[start..<min(start + chunk, bytes.count)])
    }
    if let last = try reader.finish() { samples.append(last) }
    return samples
  }

  private func complaint(_ text: String) -> String {
    do {
      _ = try read(text)
      return "none"
    } catch {
      return String(describing: error)
    }
  }

  private let expected = [
    Sample(at: .s(0), g: Vector(0.1, -0.2, 1)), Sample(at: .s(0.5), g: Vector(-1.5, 0, 0.125)),
  ]

  @Test(arguments: [
    "t,x,y,z\n0,0.1,-0.2,1\n0.5,-1.5,0,0.125\n",
    "0,0.1,-0.2,1\n0.5,-1.5,0,0.125",
    "\u{feff}T, X, Y, Z\r\n0.0 , 1e-1,-2e-1, +1\r\n\r\n5E-1,-1.5,-0,.125\r\n",
    "# a comment\n\nt,x,y,z\n# another\n0,0.1,-0.2,1.\n  \n00.50,-1.500,0,0.125\n# the end",
  ])
  func everyShapeOfFileIsRead(text: String) throws {
    for chunk in [1, 2, 3, 7, 1000] {
      #expect(try read(text, chunk: chunk) == expected, "in chunks of \(chunk)")
    }
  }

  @Test func timesThatDoNotRiseArePassedOn() throws {
    #expect(try read("1,0,0,1\n1,0,0,1\n0,0,0,1\n").map(\.at) == [.s(1), .s(1), .s(0)])
  }

  @Test func eachMistakeIsNamedWithItsLineAndWhatWasExpected() {
    #expect(complaint("t,x,y,z\n0,0,0,1\n1,0,abc,1\n") == "line 3, column 3 (y): \"abc\" is not a number")
    #expect(complaint("0,0,0,1\n\n# x\n1,0,,1\n") == "line 4, column 3 (y): \"\" is not a number")
    #expect(complaint("0,0,0,nan\n") == "line 1, column 4 (z): \"nan\" is not a number")
    #expect(complaint("0,0,0,1e999\n") == "line 1, column 4 (z): \"1e999\" is not a number")
    #expect(complaint("0,0x10,0,1\n") == "line 1, column 2 (x): \"0x10\" is not a number")
    #expect(complaint("0,0,0\n") == "line 1: 3 columns; expected 4: t [s], x, y, z [g]")
    #expect(complaint("0,0,0,1,5\n") == "line 1: 5 columns; expected 4: t [s], x, y, z [g]")
    #expect(complaint("0,0,0,1\nt,x,y,z\n") == "line 2, column 1 (t): \"t\" is not a number")
    #expect(complaint("t,x,y,z\nt,x,y,z\n") == "line 2, column 1 (t): \"t\" is not a number")
    #expect(complaint("time,ax,ay,az\n").hasPrefix("line 1: the header is \"time,ax,ay,az\"; expected t,x,y,z"))
    #expect(complaint("a\u{1b}[31m\n").contains("\"a\\u{1b}[31m\""), "control characters are not passed on")
    #expect(complaint(String(repeating: "1", count: 2000)) == "line 1: more than 1024 bytes; expected t,x,y,z")
    for empty in ["", "\n", "t,x,y,z\n", "# nothing"] {
      #expect(complaint(empty).hasSuffix("the file ends without a sample; expected lines of t,x,y,z"))
    }
  }

  /// Of a file: its samples, and the line that was left out.
  private func torn(_ text: String) throws -> (Int, Int?, String?) {
    var reader = RecordingReader()
    let samples = try reader.feed(text.utf8).count + (reader.finish() == nil ? 0 : 1)
    return (samples, reader.tornLine, reader.tornText)
  }

  // The power went while a line was written.
  @Test(arguments: ["0", "0.", "0.04,", "0.04,0,-", "0.04,0,0", "0.04,0,0,", "0.04,0,0,-", "0.04,0,0,1e"])
  func aLastLineThatIsCutOffIsLeftOut(rest: String) throws {
    let found = try torn("t,x,y,z\n0.00,0,0,1\n0.02,0,0,1\n\(rest)")
    #expect(found == (2, 4, "line 4 is cut off and left out"))
  }

  @Test func whatCanBeReadIsNotCutOff() throws {
    #expect(try torn("0,0,0,1\n0.02,0,0,0.9") == (2, nil, nil))
    #expect(try torn("0,0,0,1\n# the e") == (1, nil, nil))
    // A line feed says that somebody meant the line; and what has nothing else is no recording.
    #expect(complaint("0,0,0,1\n0.02,0,-\n") == "line 2, column 3 (y): \"-\" is not a number")
    #expect(complaint("0.02,0,-") == "line 1, column 3 (y): \"-\" is not a number")
    #expect(complaint("t,x,y").hasPrefix("line 1: the header is"))
  }

  @Test func aTimeThatIsNoneIsNamedWithItsLineAndLikelyUnit() {
    func complaint(_ time: String, _ end: String = "\n") -> String? {
      var reader = RecordingReader(times: 0...7_258_118_399)
      do {
        _ = try reader.feed("t,x,y,z\n1,0,0,1\n\(time),0,0,1\(end)".utf8)
        _ = try reader.finish()
        return nil
      } catch {
        return "\(error)"
      }
    }
    let start = "line 3, column 1 (t): "
    let end = "; expected 0 to 7258118399 s"
    let milli = "\(start)1796030848925 cannot be a message's t: that looks like milliseconds\(end)"
    #expect(complaint("1796030848925") == milli)
    #expect(complaint("1796030848925", "") == milli, "it is whole")
    #expect(complaint("1796030848925000")?.contains("microseconds") == true)
    #expect(complaint("1796030848925000000")?.contains("nanoseconds") == true)
    #expect(complaint("-0.5") == "\(start)-0.5 cannot be a message's t\(end)")
    #expect(complaint("7258118399") == nil)
  }

  @Test func anyBytesAreReadOrRefusedWithoutACrash() {
    for seed in UInt64(0)..<300 {
      var random = Lottery(seed: seed)
      let alphabet = Array("0123456789.,-+eE\n\r #tnaxyz\u{0}".utf8) + [0xff, 0xc3]
      let bytes = (0..<200).map { _ in random.pick(alphabet) }
      var reader = RecordingReader()
      let samples = try? reader.feed(bytes)
      for sample in samples ?? [] { #expect(sample.at.seconds.isFinite && sample.g.isFinite) }
    }
  }

  @Test func numbersAreRoundedAsTheStandardLibraryRounds() throws {
    var random = Lottery(seed: 4)
    for _ in 0..<3000 {
      let digits = (0..<random.pick([1, 3, 8, 15, 16, 20])).map { _ in String(random.pick(Array(0...9))) }.joined()
      let split = digits.index(digits.startIndex, offsetBy: Int.random(in: 0...digits.count, using: &random))
      let exponent = random.pick(["", "", "e0", "e-3", "E+12", "e-21", "e25", "e-300", "e-330"])
      let text = random.pick(["", "-", "+"]) + digits[..<split] + "." + digits[split...] + exponent
      let value = try #require(Double(text))
      #expect(try read("0,0,0,\(text)\n").first?.g.z == value, "\(text)")
    }
  }
}
