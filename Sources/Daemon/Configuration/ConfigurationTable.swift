/// The checked values of one table.
///
/// The accessors take the names of the schema. A name that the schema lacks, or an accessor of another kind than the
/// key's, is a mistake in the program and stops it; nothing that a user writes can.
public struct ConfigurationTable: Sendable {
  struct Setting: Equatable, Sendable {
    var value: ConfigurationValue
    var origin: ConfigurationOrigin
  }

  let section: ConfigurationSection
  /// How complaints name the table: `broker`, `rule[1]` (from 1), `node."van-7"`.
  public let label: String
  /// The key of a keyed table.
  public let id: String?
  /// Where the table begins, `fleet.toml:12:1`; nil when no file has it.
  public let place: String?
  /// What was set, without the defaults.
  var settings: [String: Setting] = [:]
  /// Keys whose value was complained about, so that nothing complains again that they are not set.
  var refused: Set<String> = []

  /// A number; an integer in the file counts as one.
  public func number(_ name: String) -> Double { certain(name, optionalNumber(name)) }
  /// A whole number.
  public func integer(_ name: String) -> Int { certain(name, optionalInteger(name)) }
  /// A text, a path or a choice.
  public func text(_ name: String) -> String { certain(name, optionalText(name)) }
  /// True or false.
  public func flag(_ name: String) -> Bool { certain(name, optionalFlag(name)) }
  /// A list of texts.
  public func texts(_ name: String) -> [String] { certain(name, optionalTexts(name)) }
  /// A list of numbers.
  public func numbers(_ name: String) -> [Double] { certain(name, optionalNumbers(name)) }

  /// A number; nil when it is not set and has no default.
  public func optionalNumber(_ name: String) -> Double? {
    value(name) { if case .number(let number) = $0 { number } else { nil } }
  }

  /// A whole number; nil when it is not set and has no default.
  public func optionalInteger(_ name: String) -> Int? {
    value(name) { if case .integer(let integer) = $0 { integer } else { nil } }
  }

  /// A text, a path or a choice; nil when it is not set and has no default.
  public func optionalText(_ name: String) -> String? {
    value(name) { if case .text(let text) = $0 { text } else { nil } }
  }

  /// True or false; nil when it is not set and has no default.
  public func optionalFlag(_ name: String) -> Bool? {
    value(name) { if case .flag(let flag) = $0 { flag } else { nil } }
  }

  /// A list of texts; nil when it is not set and has no default.
  public func optionalTexts(_ name: String) -> [String]? {
    value(name) { if case .texts(let texts) = $0 { texts } else { nil } }
  }

  /// A list of numbers; nil when it is not set and has no default.
  public func optionalNumbers(_ name: String) -> [Double]? {
    value(name) { if case .numbers(let numbers) = $0 { numbers } else { nil } }
  }

  /// Whether somebody set the key: a file, a variable or a flag.
  public func isSet(_ name: String) -> Bool { settings[key(name).name] != nil }

  /// Where the key's value comes from.
  public func origin(_ name: String) -> ConfigurationOrigin { settings[key(name).name]?.origin ?? .builtIn }

  /// A complaint about a key's value, for what only the program can judge: `fleet.toml:12:9: rule[1].for_s <text>`.
  public func problem(_ name: String, _ text: String) -> ConfigurationProblem {
    let origin = origin(name)
    let named = origin == .builtIn ? place ?? "configuration" : origin.place
    return ConfigurationProblem(place: named, text: "\(label).\(name) \(text)", isFromFlag: origin.isFlag)
  }

  /// The keys of the table that somebody set, in the schema's order.
  public var setNames: [String] { section.keys.map(\.name).filter { settings[$0] != nil } }

  private func key(_ name: String) -> ConfigurationKey {
    guard let key = section.key(name) else { preconditionFailure("\(section.header) has no key \(name)") }
    return key
  }

  private func value<Value>(_ name: String, _ convert: (ConfigurationValue) -> Value?) -> Value? {
    guard let value = settings[name]?.value ?? key(name).defaultValue else { return nil }
    guard let converted = convert(value) else { preconditionFailure("\(label).\(name) is of another kind") }
    return converted
  }

  private func certain<Value>(_ name: String, _ value: Value?) -> Value {
    guard let value else { preconditionFailure("\(label).\(name) is optional: use the optional accessor") }
    return value
  }
}
