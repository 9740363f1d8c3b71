/// A value as a configuration holds it, after it was checked against its key.
public enum ConfigurationValue: Equatable, Sendable {
  case number(Double)
  case integer(Int)
  case text(String)
  case flag(Bool)
  case texts([String])
  case numbers([Double])

  /// As it is written in TOML.
  public var toml: String {
    switch self {
    case .number(let number): plain(number)
    case .integer(let integer): String(integer)
    case .text(let text): quoted(text)
    case .flag(let flag): flag ? "true" : "false"
    case .texts(let texts): "[" + texts.map(quoted).joined(separator: ", ") + "]"
    case .numbers(let numbers): "[" + numbers.map(plain).joined(separator: ", ") + "]"
    }
  }
}

/// The shortest text that reads back as the number, without a trailing `.0`.
func plain(_ number: Double) -> String {
  let text = "\(number)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// A TOML basic string.
func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\t": result += "\\t"
    default:
      if isControl(scalar) {
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
  }
  return result + "\""
}

/// Where a value came from.
public enum ConfigurationOrigin: Equatable, Sendable, CustomStringConvertible {
  case builtIn
  case file(String, line: Int, column: Int)
  /// The name of the variable.
  case environment(String)
  /// The option as it is spelled, with its dashes.
  case flag(String)
  /// A message set it while the program runs.
  case message

  /// `default`, `node.toml:12:3`, `environment JUDDER_BROKER_HOST` or `flag --host`.
  public var description: String {
    switch self {
    case .builtIn: "default"
    case .file(let name, let line, let column): "\(name):\(line):\(column)"
    case .environment(let name): "environment \(name)"
    case .flag(let name): "flag \(name)"
    case .message: "set over the broker"
    }
  }

  var isFlag: Bool { if case .flag = self { true } else { false } }

  /// As it begins a complaint.
  var place: String {
    switch self {
    case .builtIn: "default"
    case .file, .message: description
    case .environment(let name), .flag(let name): name
    }
  }
}
