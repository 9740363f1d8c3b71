import Rig
import Telemetry
import Testing

@Suite struct JSONWriterTests {
  private func fixed(_ value: Double, _ decimals: Int) -> String {
    var json = JSONWriter()
    json.number(value, decimals: decimals)
    return json.text
  }

  private func quoted(_ text: String) -> String {
    var json = JSONWriter()
    json.string(text)
    return json.text
  }

  @Test func numbersAreRoundedAndTrimmed() {
    #expect(fixed(0, 3) == "0")
    #expect(fixed(1, 0) == "1")
    #expect(fixed(1.5, 3) == "1.5")
    #expect(fixed(47.3769123, 7) == "47.3769123")
    #expect(fixed(1_790_000_000.123, 3) == "1790000000.123")
    #expect(fixed(0.0000001, 9) == "0.0000001")
    #expect(fixed(0.0009996, 3) == "0.001")
    #expect(fixed(9.9996, 3) == "10")
    #expect(fixed(99.95, 0) == "100")
    #expect(fixed(0.1 + 0.2, 15) == "0.3")
    #expect(fixed(1.25, 99) == "1.25")
    #expect(fixed(7.9, -1) == "8")
  }

  @Test func thereIsNoNegativeZero() {
    #expect(fixed(-0.0, 3) == "0")
    #expect(fixed(-0.0004, 3) == "0")
    #expect(fixed(-0.0006, 3) == "-0.001")
    #expect(fixed(-1.5, 1) == "-1.5")
  }

  @Test func hugeNumbersHaveNoExponent() {
    #expect(fixed(0x1p53, 3) == "9007199254740992")
    #expect(fixed(-0x1p53, 3) == "-9007199254740992")
    #expect(fixed(0x1p53 - 1, 3) == "9007199254740991")
    #expect(fixed(1.5e300, 3) == "15" + String(repeating: "0", count: 299))
    #expect(fixed(1e16, 3) == "10000000000000000")
    #expect(Double(fixed(.greatestFiniteMagnitude, 3)) == .greatestFiniteMagnitude)
    #expect(fixed(.leastNonzeroMagnitude, 15) == "0")
  }

  @Test func everyNumberReadsBackWithinHalfADecimal() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<20_000 {
      let exponent = Double(Int.random(in: -12...18, using: &random))
      let value = Double.random(in: -1...1, using: &random) * power(10, exponent)
      for decimals in [0, 3, 7, 9] {
        let text = fixed(value, decimals)
        let back = try #require(Double(text))
        #expect((back - value).magnitude <= 0.5000001 * power(10, Double(-decimals)) + value.magnitude * 1e-15)
        #expect(!text.contains("e") && text != "-0")
      }
    }
  }

  private func power(_ base: Double, _ exponent: Double) -> Double {
    var result = 1.0
    for _ in 0..<Int(exponent.magnitude) { result *= base }
    return exponent < 0 ? 1 / result : result
  }

  @Test func whatIsAbsentOrNotFiniteIsLeftOut() {
    var json = JSONWriter()
    json.object {
      $0.number("nan", .nan, decimals: 3)
      $0.number("infinite", .infinity, decimals: 3)
      $0.number("nothing", nil, decimals: 3)
      $0.integer("none", Int?.none)
      $0.string("why", nil)
      $0.boolean("late", nil)
      $0.vector("g", Vector(1, .nan, 0), decimals: 3)
      $0.vector("g", nil, decimals: 3)
    }
    #expect(json.text == "{}")
  }

  @Test func structureNests() {
    var json = JSONWriter(capacity: 0)
    json.object {
      $0.integer("v", 1)
      $0.integer("small", Int64.min)
      $0.integer("large", UInt64.max)
      $0.boolean("late", true)
      $0.vector("g", Vector(0, -0.5, 1), decimals: 2)
      $0.object("empty") { _ in }
      $0.object(named: "a\"b") { $0.string("c", "d") }
      $0.array("rows") {
        $0.array { $0.integer(1) }
        $0.object { $0.integer("n", 2) }
        $0.number(.nan, decimals: 1)
        $0.string("x")
      }
      $0.json("payload", Array("{\"v\":1}".utf8))
    }
    #expect(
      json.text == """
        {"v":1,"small":-9223372036854775808,"large":18446744073709551615,"late":true,"g":[0,-0.5,1],"empty":{},\
        "a\\"b":{"c":"d"},"rows":[[1],{"n":2},null,"x"],"payload":{"v":1}}
        """)
  }

  @Test func textIsEscaped() {
    #expect(quoted("plain") == #""plain""#)
    #expect(quoted("\"\\/") == #""\"\\/""#)
    #expect(quoted("\u{8}\t\n\u{C}\r\u{0}\u{1B}\u{7F}") == #""\b\t\n\f\r\u0000\u001b\u007f""#)
    #expect(quoted("\u{85}\u{9B}31m") == #""\u0085\u009b31m""#)
    #expect(quoted("\u{2028}\u{2029}") == #""\u2028\u2029""#)
    #expect(quoted("\u{202E}x\u{2066}\u{200F}\u{61C}") == #""\u202ex\u2066\u200f\u061c""#)
    #expect(quoted("\u{E0041}") == #""\udb40\udc41""#)
    #expect(quoted("Zürich 東京 🛰") == "\"Zürich 東京 🛰\"")
  }

  @Test func anyTextReadsBackAsItself() throws {
    var random = SeededRandom(seed: 11)
    for _ in 0..<2000 {
      var text = ""
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        let bound: UInt32 = [0x80, 0x100, 0x2100, 0x11_0000].randomElement(using: &random) ?? 0x80
        if let scalar = Unicode.Scalar(UInt32.random(in: 0..<bound, using: &random)) {
          text.unicodeScalars.append(scalar)
        }
      }
      var json = JSONWriter()
      json.string(text)
      let back = try JSONValue.parse(json.bytes).string
      #expect(back.map { Array($0.utf8) } == Array(text.utf8))
    }
  }
}
