import Rig
import Telemetry
import Testing

/// Documents that were damaged at random: reading never crashes, and what it accepts is really JSON.
@Suite struct JSONMutationTests {
  private static let documents: [String] = [
    #"{"v":1,"boot":"00c0ffee","seq":7,"t":1790000000.123,"clk":"ntp","up":12.5,"fix":3,"lat":47.3769,"lon":8.5417}"#,
    #"{"class":"TPV","device":"/dev/tty0","mode":3,"time":"2010-04-30T11:47:43.000Z","eph":12.1,"tags":[[],{},null]}"#,
    #"[1,-2.5e-3,1e22,0.1,true,false,null,"\ud83d\udef0\u0000\n\\\"é東🛰",{"a":{"b":{"c":[[[[]]]]}}}]"#,
    #"  { "satellites" : [ { "PRN" : 5 , "used" : true } , { "PRN" : 7 , "used" : false } ] , "n" : 1e308 }  "#,
  ]

  private func mutate(_ original: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = original
    let tokens: [[UInt8]] = ["{", "}", "[", "]", "\"", "\\", ",", ":", "\\u", "e", "-", "0", ".", "null"].map {
      Array($0.utf8)
    }
    for _ in 0..<Int.random(in: 1...6, using: &random) {
      let place = Int.random(in: 0...bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 2 where place < bytes.count: bytes.remove(at: place)
      case 3: bytes.insert(contentsOf: tokens.randomElement(using: &random) ?? [], at: place)
      case 4: bytes.removeSubrange(place...)
      default:
        let from = Int.random(in: 0...place, using: &random)
        bytes.insert(contentsOf: Array(bytes[from..<place]), at: from)
      }
    }
    return bytes
  }

  @Test func damagedDocumentsNeverCrashTheReader() throws {
    var random = SeededRandom(seed: 20_260_101)
    var accepted = 0
    var refused: [JSONProblem.Reason: Int] = [:]
    for round in 0..<40_000 {
      let bytes = mutate(Array(Self.documents[round % Self.documents.count].utf8), &random)
      do {
        let value = try JSONValue.parse(bytes)
        accepted += 1
        #expect(try JSONValue.parse(written(value)) == value)
      } catch {
        refused[error.reason, default: 0] += 1
        #expect((0...bytes.count).contains(error.offset))
        #expect(error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
      }
    }
    #expect(accepted > 1000)
    for reason in [JSONProblem.Reason.syntax, .notUTF8, .trailingText, .duplicateKey, .loneSurrogate, .notFinite] {
      #expect(refused[reason, default: 0] > 0, "\(reason)")
    }
  }

  /// The value as JSON again. Numbers are written by their shortest description, which reads back as the same.
  private func written(_ value: JSONValue) -> [UInt8] {
    switch value {
    case .null: return Array("null".utf8)
    case .bool(let truth): return Array((truth ? "true" : "false").utf8)
    case .number(let number): return Array(number.description.utf8)
    case .string(let text):
      var json = JSONWriter()
      json.string(text)
      return json.bytes
    case .array(let elements):
      return [0x5B] + Array(elements.map(written).joined(separator: [0x2C])) + [0x5D]
    case .object(let members):
      return [0x7B]
        + Array(members.map { written(.string($0.key)) + [0x3A] + written($0.value) }.joined(separator: [0x2C]))
        + [0x7D]
    }
  }
}
