/// A recursive-descent reader of JSON over borrowed bytes: the structure. Numbers and texts are in files beside this.
struct JSONParser {
  let bytes: UnsafeBufferPointer<UInt8>
  let limits: JSONLimits
  var index = 0
  private var depth = 0
  private var members = 0

  init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  /// The next byte; nil at the end.
  var next: UInt8? { index < bytes.count ? bytes[index] : nil }

  mutating func document() throws(JSONProblem) -> JSONValue {
    guard bytes.count <= limits.bytes else {
      throw JSONProblem(.tooLarge, at: limits.bytes, "\(bytes.count) bytes where \(limits.bytes) are allowed")
    }
    let value = try value()
    skipSpace()
    guard index == bytes.count else { throw unexpected("the end", as: .trailingText) }
    return value
  }

  private mutating func value() throws(JSONProblem) -> JSONValue {
    skipSpace()
    guard let first = next else { throw unexpected("a value") }
    switch first {
    case UInt8(ascii: "{"): return try object()
    case UInt8(ascii: "["): return try array()
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    default: throw unexpected("a value")
    }
  }

  private mutating func object() throws(JSONProblem) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var found: [JSONValue.Member] = []
    var keys = KeySet()
    if skip(UInt8(ascii: "}")) { return .object([]) }
    repeat {
      skipSpace()
      let start = index
      guard next == UInt8(ascii: "\"") else { throw unexpected("a key in double quotes") }
      let key = try string()
      skipSpace()
      guard skip(UInt8(ascii: ":")) else { throw unexpected("':' after a key") }
      try countMember(at: start)
      let member = JSONValue.Member(key, try value())
      skipSpace()
      if let earlier = keys.insert(key, among: found) {
        guard limits.allowsDuplicateKeys else {
          throw JSONProblem(.duplicateKey, at: start, "duplicate key \(SafeText.quoted(key))")
        }
        found[earlier] = member
      } else {
        found.append(member)
      }
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "}")) else { throw unexpected("',' or '}'") }
    return .object(found)
  }

  private mutating func array() throws(JSONProblem) -> JSONValue {
    try enter()
    defer { depth -= 1 }
    var found: [JSONValue] = []
    if skip(UInt8(ascii: "]")) { return .array([]) }
    repeat {
      skipSpace()
      try countMember(at: index)
      found.append(try value())
      skipSpace()
    } while skip(UInt8(ascii: ","))
    guard skip(UInt8(ascii: "]")) else { throw unexpected("',' or ']'") }
    return .array(found)
  }

  /// Steps over an opening bracket and the space after it, one level deeper.
  private mutating func enter() throws(JSONProblem) {
    guard depth < limits.depth else {
      throw JSONProblem(.tooDeep, at: index, "more than \(limits.depth) levels of nesting")
    }
    depth += 1
    index += 1
    skipSpace()
  }

  private mutating func countMember(at offset: Int) throws(JSONProblem) {
    members += 1
    guard members <= limits.members else {
      throw JSONProblem(.tooManyMembers, at: offset, "more than \(limits.members) members and elements")
    }
  }

  private mutating func literal(_ word: StaticString, _ value: JSONValue) throws(JSONProblem) -> JSONValue {
    let length = word.utf8CodeUnitCount
    for offset in 0..<length {
      guard next == word.utf8Start[offset] else { throw unexpected("'\(word)'") }
      index += 1
    }
    return value
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case 0x20, 0x09, 0x0A, 0x0D: index += 1
      default: return
      }
    }
  }

  private mutating func skip(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    index += 1
    return true
  }

  /// The complaint that something else than `expected` stands at the current place.
  func unexpected(_ expected: String, as reason: JSONProblem.Reason = .syntax) -> JSONProblem {
    guard index < bytes.count else { return JSONProblem(.syntax, at: index, "the text ends where \(expected) is due") }
    guard let scalar = scanScalar(bytes, at: index) else {
      return JSONProblem(.notUTF8, at: index, "a byte that is not UTF-8")
    }
    let found = SafeText.quoted(UnsafeBufferPointer(rebasing: bytes[index..<index + scalar.length]))
    return JSONProblem(reason, at: index, "\(found) where \(expected) is due")
  }
}

/// The keys that an object has so far. A few are compared one by one; many are hashed, so that an object with
/// thousands of members doesn't cost their square.
private struct KeySet {
  private var places: [String: Int] = [:]
  private let fewest = 16

  /// Nil if `key` is new, as the next of `members`; otherwise the place of the member that has it.
  mutating func insert(_ key: String, among members: [JSONValue.Member]) -> Int? {
    if members.count < fewest { return members.firstIndex { $0.key == key } }
    if places.isEmpty {
      for (place, member) in members.enumerated() { places[member.key] = place }
    }
    if let place = places[key] { return place }
    places[key] = members.count
    return nil
  }
}
