/// Reads the members of one object as the contract describes them. Each complaint names the key.
struct MessageReader {
  private let object: JSONValue
  /// What stands before a key in complaints: "last." inside `last`.
  private let path: String

  /// Reads a payload as far as its version.
  init(payload: [UInt8]) throws(DecodingProblem) {
    do {
      self.init(object: try JSONValue.parse(payload), path: "")
    } catch {
      throw DecodingProblem(error)
    }
    guard object.members != nil else {
      throw DecodingProblem(.notAnObject, "\(Self.describe(object)), expected an object")
    }
    let version = try count("v")
    guard version == Envelope.version else {
      throw DecodingProblem(.version, key: "v", "\"v\" is \(version), this software reads \(Envelope.version)")
    }
  }

  private init(object: JSONValue, path: String) {
    self.object = object
    self.path = path
  }

  func has(_ key: String) -> Bool { object[key] != nil }

  // MARK: Numbers

  func numberIfPresent(_ key: String, in range: ClosedRange<Double>) throws(DecodingProblem) -> Double? {
    guard let found = object[key] else { return nil }
    guard let number = found.number else { throw wrongType(key, found, "a number") }
    guard range.contains(number) else {
      throw outOfRange(key, found, "\(text(range.lowerBound))...\(text(range.upperBound))")
    }
    return number
  }

  func number(_ key: String, in range: ClosedRange<Double>) throws(DecodingProblem) -> Double {
    guard let number = try numberIfPresent(key, in: range) else { throw missing(key, "a number") }
    return number
  }

  /// A whole number from 0 to 2^53.
  func countIfPresent(_ key: String) throws(DecodingProblem) -> Int? {
    guard let found = object[key] else { return nil }
    guard found.number != nil else { throw wrongType(key, found, "a whole number") }
    guard let count = found.integer, count >= 0 else { throw outOfRange(key, found, "a whole number of 0 or more") }
    return count
  }

  func count(_ key: String) throws(DecodingProblem) -> Int {
    guard let count = try countIfPresent(key) else { throw missing(key, "a whole number") }
    return count
  }

  /// A whole number, which may be negative.
  func integerIfPresent(_ key: String, in range: ClosedRange<Int>) throws(DecodingProblem) -> Int? {
    guard let found = object[key] else { return nil }
    guard found.number != nil else { throw wrongType(key, found, "a whole number") }
    guard let integer = found.integer, range.contains(integer) else {
      throw outOfRange(key, found, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return integer
  }

  func timeIfPresent(_ key: String) throws(DecodingProblem) -> WallTime? {
    try numberIfPresent(key, in: Bounds.time).map { WallTime(seconds: $0) }
  }

  func time(_ key: String) throws(DecodingProblem) -> WallTime {
    guard let time = try timeIfPresent(key) else { throw missing(key, "seconds since 1970") }
    return time
  }

  func vectorIfPresent(_ key: String, in range: ClosedRange<Double>) throws(DecodingProblem) -> Vector? {
    guard let found = object[key] else { return nil }
    guard let elements = found.array, elements.count == 3, let x = elements[0].number, let y = elements[1].number,
      let z = elements[2].number
    else { throw wrongType(key, found, "an array of three numbers") }
    for (element, value) in zip(elements, [x, y, z]) where !range.contains(value) {
      throw outOfRange(key, element, "\(text(range.lowerBound))...\(text(range.upperBound))")
    }
    return Vector(x, y, z)
  }

  func vector(_ key: String, in range: ClosedRange<Double>) throws(DecodingProblem) -> Vector {
    guard let vector = try vectorIfPresent(key, in: range) else { throw missing(key, "an array of three numbers") }
    return vector
  }

  /// Whole numbers of 32 bits, `most` at the most.
  func integers(_ key: String, most: Int) throws(DecodingProblem) -> [Int32] {
    guard let found = object[key] else { throw missing(key, "an array of whole numbers") }
    guard let elements = found.array else { throw wrongType(key, found, "an array of whole numbers") }
    guard elements.count <= most else { throw outOfRange(key, found, "\(most) numbers at most") }
    var integers: [Int32] = []
    integers.reserveCapacity(elements.count)
    for element in elements {
      guard let integer = element.integer.flatMap({ Int32(exactly: $0) }) else {
        throw outOfRange(key, element, "whole numbers of 32 bits")
      }
      integers.append(integer)
    }
    return integers
  }

  /// Arrays of three numbers, `most` at the most; nil when absent.
  func vectorsIfPresent(
    _ key: String, in range: ClosedRange<Double>, most: Int
  ) throws(DecodingProblem) -> [Vector]? {
    guard let found = object[key] else { return nil }
    guard let elements = found.array else { throw wrongType(key, found, "an array of arrays of three numbers") }
    guard elements.count <= most else { throw outOfRange(key, found, "\(most) elements at most") }
    var vectors: [Vector] = []
    vectors.reserveCapacity(elements.count)
    for element in elements {
      guard let parts = element.array, parts.count == 3, let x = parts[0].number, let y = parts[1].number,
        let z = parts[2].number
      else { throw wrongType(key, element, "an array of three numbers in each element") }
      for (part, value) in zip(parts, [x, y, z]) where !range.contains(value) {
        throw outOfRange(key, part, "\(text(range.lowerBound))...\(text(range.upperBound))")
      }
      vectors.append(Vector(x, y, z))
    }
    return vectors
  }

  /// The elements of an array; nil when absent.
  func elementsIfPresent(_ key: String, _ expected: String) throws(DecodingProblem) -> [JSONValue]? {
    guard let found = object[key] else { return nil }
    guard let elements = found.array else { throw wrongType(key, found, expected) }
    return elements
  }

  // MARK: Texts

  func textIfPresent(_ key: String) throws(DecodingProblem) -> String? {
    guard let found = object[key] else { return nil }
    guard let text = found.string else { throw wrongType(key, found, "a text") }
    guard text.utf8.count <= Bounds.textBytes else {
      throw outOfRange(key, found, "\(Bounds.textBytes) bytes at most")
    }
    return text
  }

  func text(_ key: String) throws(DecodingProblem) -> String {
    guard let text = try textIfPresent(key) else { throw missing(key, "a text") }
    return text
  }

  /// A value of a configuration: a number, a text or a truth value.
  func settingIfPresent(_ key: String) throws(DecodingProblem) -> SettingValue? {
    switch object[key] {
    case nil: return nil
    case .number(let number): return .number(number)
    case .bool(let flag): return .flag(flag)
    case .string: return try textIfPresent(key).map { .text($0) }
    case .some(let found): throw wrongType(key, found, "a number, a text, true or false")
    }
  }

  /// One word of a closed set.
  func wordIfPresent<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String, _ kind: Word.Type = Word.self
  ) throws(DecodingProblem) -> Word? {
    guard let found = object[key] else { return nil }
    guard let text = found.string else { throw wrongType(key, found, choice(kind)) }
    guard let word = Word(rawValue: text) else {
      throw problem(.unknownWord, key, "is \(Self.describe(found))", choice(kind))
    }
    return word
  }

  func word<Word: RawRepresentable<String> & CaseIterable>(
    _ key: String, _ kind: Word.Type = Word.self
  ) throws(DecodingProblem) -> Word {
    guard let word = try wordIfPresent(key, kind) else { throw missing(key, choice(kind)) }
    return word
  }

  func boot(_ key: String) throws(DecodingProblem) -> BootID {
    guard let boot = BootID(try text(key)) else {
      throw outOfRange(key, "8 lower-case hexadecimal digits")
    }
    return boot
  }

  // MARK: The rest

  func flagIfPresent(_ key: String) throws(DecodingProblem) -> Bool? {
    has(key) ? try flag(key) : nil
  }

  /// False when absent.
  func flag(_ key: String) throws(DecodingProblem) -> Bool {
    guard let found = object[key] else { return false }
    guard let flag = found.bool else { throw wrongType(key, found, "true or false") }
    return flag
  }

  func objectIfPresent(_ key: String) throws(DecodingProblem) -> MessageReader? {
    guard let found = object[key] else { return nil }
    guard found.members != nil else { throw wrongType(key, found, "an object") }
    return MessageReader(object: found, path: "\(path)\(key).")
  }

  func object(_ key: String) throws(DecodingProblem) -> MessageReader {
    guard let object = try objectIfPresent(key) else { throw missing(key, "an object") }
    return object
  }

  // MARK: Complaints

  func missing(_ key: String, _ expected: String) -> DecodingProblem {
    problem(.missing, key, "is missing", expected)
  }

  private func wrongType(_ key: String, _ found: JSONValue, _ expected: String) -> DecodingProblem {
    problem(.wrongType, key, "is \(Self.describe(found))", expected)
  }

  func outOfRange(_ key: String, _ expected: String) -> DecodingProblem {
    outOfRange(key, object[key] ?? .null, expected)
  }

  private func outOfRange(_ key: String, _ found: JSONValue, _ expected: String) -> DecodingProblem {
    problem(.outOfRange, key, "is \(Self.describe(found))", expected)
  }

  private func problem(
    _ reason: DecodingProblem.Reason, _ key: String, _ what: String, _ expected: String
  ) -> DecodingProblem {
    DecodingProblem(reason, key: path + key, "\"\(path)\(key)\" \(what), expected \(expected)")
  }

  private func choice<Word: RawRepresentable<String> & CaseIterable>(_ kind: Word.Type) -> String {
    "one of " + kind.allCases.map(\.rawValue).joined(separator: ", ")
  }

  private static func describe(_ value: JSONValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let truth): truth ? "true" : "false"
    case .number(let number): number.description
    case .string(let text): SafeText.quoted(text)
    case .array(let elements): "an array of \(elements.count)"
    case .object: "an object"
    }
  }

  private func text(_ bound: Double) -> String {
    var json = JSONWriter(capacity: 64)
    json.number(bound, decimals: 3)
    return json.text
  }
}
