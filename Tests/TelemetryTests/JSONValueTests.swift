import Rig
import Telemetry
import Testing

@Suite struct JSONValueTests {
  private func parse(_ text: String, _ limits: JSONLimits = .default) throws(JSONProblem) -> JSONValue {
    try JSONValue.parse(Array(text.utf8), limits: limits)
  }

  private func problem(_ text: String, _ limits: JSONLimits = .default) -> JSONProblem? {
    problem(Array(text.utf8), limits)
  }

  private func problem(_ bytes: [UInt8], _ limits: JSONLimits = .default) -> JSONProblem? {
    do {
      _ = try JSONValue.parse(bytes, limits: limits)
      return nil
    } catch {
      return error
    }
  }

  @Test func everyKindOfValueIsRead() throws {
    let value = try parse(#" { "a" : [ 1 , -2.5e1 , true , false , null ] , "b" : { } , "c" : [ ] , "d" : "x" } "#)
    #expect(value["a"]?.array == [.number(1), .number(-25), .bool(true), .bool(false), .null])
    #expect(value["a"]?.array?.last?.isNull == true)
    #expect(value["b"]?.members == [])
    #expect(value["c"]?.array == [])
    #expect(value["d"]?.string == "x")
    #expect(value["e"] == nil)
    #expect(value["d"]?["x"] == nil)
    #expect(value.members?.map(\.key) == ["a", "b", "c", "d"])
    #expect(try parse("3").number == 3)
    #expect(try parse("\"\"").string == "")
    #expect(try parse("true").bool == true)
  }

  @Test func accessorsOfTheWrongKindAreNil() throws {
    let text = try parse("\"1\"")
    #expect(text.number == nil && text.integer == nil && text.bool == nil && text.array == nil && text.members == nil)
    #expect(try parse("1").string == nil)
  }

  @Test func slicesAndRawBuffersAreReadToo() throws {
    let bytes = Array("xx[1]yy".utf8)
    #expect(try JSONValue.parse(bytes[2..<5]) == .array([.number(1)]))
    #expect(try bytes[2..<5].withUnsafeBytes { try JSONValue.parse($0) } == .array([.number(1)]))
  }

  @Test func numbersAreTheNearestDouble() throws {
    for text in [
      "0", "-0", "0.1", "1e22", "1e23", "123456789012345678", "9007199254740993", "2.2250738585072011e-308", "5e-324",
      "1e-400", "0.000001", "1.7976931348623157e308", "6.02214076E+23", "4.35", "179.9999999", "1e+2", "100e-2",
      "0.30000000000000004", "8.5e-05", "72057594037927945", "1790000000.123",
    ] {
      #expect(try parse(text).number == Double(text), "\(text)")
    }
    #expect(try parse("-0").number?.sign == .minus)
  }

  @Test func randomNumbersAreTheNearestDouble() throws {
    var random = SeededRandom(seed: 3)
    for _ in 0..<20_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      #expect(try parse(value.description).number == value)
      let short = Double(Int64.random(in: -1 << 50...1 << 50, using: &random)) / 1e7
      #expect(try parse(short.description).number == short)
    }
  }

  @Test func integersAreExactUpTo2To53() throws {
    #expect(try parse("9007199254740992").integer == 9_007_199_254_740_992)
    #expect(try parse("-9007199254740992").integer == -9_007_199_254_740_992)
    #expect(try parse("9007199254740994").integer == nil)
    #expect(try parse("1e300").integer == nil)
    #expect(try parse("1.5").integer == nil)
    #expect(try parse("2.0").integer == 2)
  }

  @Test func escapesAreResolved() throws {
    #expect(try parse(#""\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\udef0z""#).string == "\"\\/\u{8}\u{C}\n\r\té€\u{1F6F0}z")
    #expect(try parse(#""\u0000""#).string == "\u{0}")
    #expect(try parse("\"Zürich 東京 🛰\"").string == "Zürich 東京 🛰")
  }

  @Test(arguments: [
    "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
    "{'a':1}", "01", "-01", "+1", "-", "1.", ".5", "1e", "1e+", "NaN", "-NaN", "Infinity", "-Infinity", "nul",
    "nulL", "True", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\u", "\"a\nb\"", "\"\u{0}\"",
    "[1 2]", "{\"a\" 1}", "// no", "\u{FEFF}{}", "\u{A0}1",
  ])
  func whatTheGrammarForbidsIsASyntaxProblem(text: String) {
    #expect(problem(text)?.reason == .syntax)
  }

  @Test func trailingTextIsRefused() {
    #expect(problem("1 2") == JSONProblem(.trailingText, at: 2, "\"2\" where the end is due"))
    #expect(problem("{}{}")?.reason == .trailingText)
    #expect(problem("0x10")?.reason == .trailingText)
    #expect(problem("{}\u{0}")?.reason == .trailingText)
  }

  @Test func numbersThatAreNotFiniteAreRefused() {
    #expect(problem(#"{"a":1e999}"#) == JSONProblem(.notFinite, at: 5, "a number too large to represent"))
    #expect(problem("-1e999")?.reason == .notFinite)
    #expect(problem(String(repeating: "9", count: 400))?.reason == .notFinite)
    #expect(problem("1e99999999999999999999999")?.reason == .notFinite)
  }

  @Test func duplicateKeysAreRefusedAndNamed() throws {
    let found = problem(#"{"mode":3,"x":{"mode":1},"mode":2}"#)
    #expect(found == JSONProblem(.duplicateKey, at: 25, "duplicate key \"mode\""))
    #expect(found?.description == "duplicate key \"mode\" at byte 25")
    #expect(problem("{\"\\u001b[2J\":1,\"\\u001b[2J\":1}")?.what == #"duplicate key "\u{1b}[2J""#)
    #expect(problem(#"{"a":1,"\u0061":2}"#)?.reason == .duplicateKey)
  }

  @Test func theLastOfEqualKeysWinsWhereThatIsAllowed() throws {
    let value = try parse(#"{"mode":3,"x":1,"mode":2}"#, .lenient)
    #expect(value.members == [JSONValue.Member("mode", .number(2)), JSONValue.Member("x", .number(1))])
  }

  @Test func duplicatesAreFoundAmongThousandsOfKeys() {
    let keys = (0..<4000).map { "\"k\($0)\":0" }.joined(separator: ",")
    #expect(problem("{\(keys)}") == nil)
    #expect(problem("{\(keys),\"k0\":0}")?.reason == .duplicateKey)
    #expect(problem("{\(keys),\"k3999\":0}")?.reason == .duplicateKey)
    #expect(problem("{\(keys),\"k5\":0}", .lenient) == nil)
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xF0, 0x9F, 0x22], [0x22, 0x80, 0x22], [0x22, 0xC3], [0xFF],
      [0x5B, 0xC3],
    ] as [[UInt8]])
  func bytesThatAreNotUTF8AreRefused(bytes: [UInt8]) {
    #expect(problem(bytes)?.reason == .notUTF8)
  }

  @Test(arguments: [
    #""\ud83d""#, #""\udef0""#, #""\ud83d\ud83d""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\u0041""#, #""\ud83d\""#,
  ])
  func loneSurrogatesAreRefused(text: String) {
    #expect(problem(text)?.reason == .loneSurrogate)
  }

  @Test func depthIsLimited() throws {
    func nested(_ levels: Int) -> String {
      String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
    }
    #expect(problem(nested(16)) == nil)
    #expect(problem(nested(17)) == JSONProblem(.tooDeep, at: 16, "more than 16 levels of nesting"))
    #expect(problem(String(repeating: "[", count: 60_000))?.reason == .tooDeep)
    #expect(problem(String(repeating: "{\"a\":", count: 10_000))?.reason == .tooDeep)
    #expect(problem("[]", JSONLimits(depth: 0))?.reason == .tooDeep)
    #expect(problem("1", JSONLimits(depth: -5)) == nil)
    let unbounded = JSONLimits(bytes: .max, depth: .max, members: .max)
    #expect(problem(nested(256), unbounded) == nil)
    #expect(problem(nested(1_000_000), unbounded)?.reason == .tooDeep)
  }

  @Test func lengthIsLimited() {
    let text = "\"" + String(repeating: "x", count: 65_534) + "\""
    #expect(problem(text) == nil)
    #expect(problem(text + " ") == JSONProblem(.tooLarge, at: 65_536, "65537 bytes where 65536 are allowed"))
  }

  @Test func membersAreLimited() {
    let zeros = Array(repeating: "0", count: 4096).joined(separator: ",")
    #expect(problem("[\(zeros)]") == nil)
    #expect(problem("[\(zeros),0]")?.reason == .tooManyMembers)
    #expect(problem("{\"a\":[\(zeros)]}")?.reason == .tooManyMembers)
  }

  @Test func problemsSayWhereAndWhat() {
    #expect(problem("{\"a\":tru}") == JSONProblem(.syntax, at: 8, "\"}\" where 'true' is due"))
    #expect(problem("[1") == JSONProblem(.syntax, at: 2, "the text ends where ',' or ']' is due"))
    #expect(problem("{\u{1B}")?.what == #""\u{1b}" where a key in double quotes is due"#)
  }
}
