// From what was written to a checked value: one path for files, another for the texts of flags and variables.

/// Why a value was refused: the complaint without its place.
public struct ConfigurationRefusal: Error, Equatable, Sendable {
  /// What is wrong and what was expected.
  public var text: String

  public init(text: String) { self.text = text }
}

extension ConfigurationKey {
  /// Checks a value from a file.
  ///
  /// - Parameter path: how the complaint names the key, for example `accelerometer.rate_hz`.
  /// - Parameter elements: what a list holds.
  func value(
    _ found: TOMLDocument.Value, elements: [TOMLDocument.Value], path: String
  ) throws(ConfigurationRefusal) -> ConfigurationValue {
    let value: ConfigurationValue
    switch (kind, found) {
    case (.number, .number(let number)): value = .number(number)
    case (.number, .integer(let integer)): value = .number(Double(integer))
    case (.integer, .integer(let integer)): value = .integer(integer)
    case (.flag, .flag(let flag)): value = .flag(flag)
    case (.text, .text(let text)), (.path, .text(let text)), (.choice, .text(let text)): value = .text(text)
    case (.texts, .list): value = .texts(try texts(elements, path: path))
    case (.numbers, .list): value = .numbers(try numbers(elements, path: path))
    default: throw wrongType(describe(found), path: path)
    }
    return try checked(value, path: path)
  }

  /// Checks the text of a flag or of an environment variable. Lists are separated by commas.
  func value(text: String, path: String) throws(ConfigurationRefusal) -> ConfigurationValue {
    let value: ConfigurationValue
    switch kind {
    case .number:
      guard let number = Double(text) else { throw wrongType(shown(text), path: path) }
      value = .number(number)
    case .integer:
      guard let integer = Int(text) else { throw wrongType(shown(text), path: path) }
      value = .integer(integer)
    case .flag:
      guard let flag = Bool(text) else { throw wrongType(shown(text), path: path) }
      value = .flag(flag)
    case .text, .path, .choice: value = .text(text)
    case .texts: value = .texts(parts(of: text))
    case .numbers:
      var numbers: [Double] = []
      for part in parts(of: text) {
        guard let number = Double(part) else { throw wrongType(shown(text), path: path) }
        numbers.append(number)
      }
      value = .numbers(numbers)
    }
    return try checked(value, path: path)
  }

  /// What is wrong with a value of the right type, if anything.
  func complaint(about value: ConfigurationValue) -> String? {
    switch (kind, value) {
    case (.number(let range), .number(let number)):
      if !number.isFinite { return "must be finite" }
      if !range.contains(number) { return outOfRange }
    case (.integer(let range), .integer(let integer)):
      if !range.contains(integer) { return outOfRange }
    case (.choice(let choices), .text(let text)):
      if !choices.contains(text) {
        return "is not one of " + choices.joined(separator: ", ") + suggestion(for: text, among: choices)
      }
    case (.text, .text(let text)), (.path, .text(let text)):
      if text.unicodeScalars.contains(where: isControl) { return "must not contain control characters" }
      if kind == .path, text.isEmpty { return "must not be empty" }
    case (.texts, .texts(let texts)):
      if texts.contains(where: { $0.unicodeScalars.contains(where: isControl) }) {
        return "must not contain control characters"
      }
    case (.numbers, .numbers(let numbers)):
      if !numbers.allSatisfy(\.isFinite) { return "must be finite" }
    case (.flag, .flag): break
    default: return "must be \(expectation)"
    }
    return check?(value)
  }

  private var outOfRange: String {
    "is out of range; it must be \(rangeText ?? "in range")" + (unit.map { " \($0)" } ?? "")
  }

  private func checked(_ value: ConfigurationValue, path: String) throws(ConfigurationRefusal) -> ConfigurationValue {
    guard let complaint = complaint(about: value) else { return value }
    throw ConfigurationRefusal(text: isSecret ? "\(path) \(complaint)" : "\(path) = \(value.toml) \(complaint)")
  }

  private func wrongType(_ found: String, path: String) -> ConfigurationRefusal {
    ConfigurationRefusal(text: "\(path) must be \(article)\(expectation); found \(found)")
  }

  private var article: String {
    switch kind {
    case .choice, .flag, .text: ""
    default: "a "
    }
  }

  private func shown(_ text: String) -> String { isSecret ? "something else" : quoted(text) }

  private func describe(_ found: TOMLDocument.Value) -> String {
    switch found {
    case .text(let text): isSecret ? "a text" : "the text \(quoted(text))"
    case .integer(let integer): isSecret ? "a whole number" : "the whole number \(integer)"
    case .number(let number): isSecret ? "a number" : "the number \(plain(number))"
    case .flag(let flag): flag ? "true" : "false"
    case .time: "a date or time"
    case .table: "a table"
    case .list: "a list"
    }
  }

  private func texts(_ elements: [TOMLDocument.Value], path: String) throws(ConfigurationRefusal) -> [String] {
    var texts: [String] = []
    for element in elements {
      guard case .text(let text) = element else { throw wrongType("\(describe(element)) in it", path: path) }
      texts.append(text)
    }
    return texts
  }

  private func numbers(_ elements: [TOMLDocument.Value], path: String) throws(ConfigurationRefusal) -> [Double] {
    var numbers: [Double] = []
    for element in elements {
      switch element {
      case .number(let number): numbers.append(number)
      case .integer(let integer): numbers.append(Double(integer))
      case .list: throw wrongType("a list in it; write all numbers one after the other in one list", path: path)
      default: throw wrongType("\(describe(element)) in it", path: path)
      }
    }
    return numbers
  }

  private func parts(of text: String) -> [String] {
    text.split(separator: ",").map { part in
      String(part.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
  }
}
