/// One key of a configuration: all that help, checks and the commented file need to know about it.
public struct ConfigurationKey: Sendable {
  /// What values a key takes.
  public enum Kind: Equatable, Sendable {
    /// A finite number. An infinite bound of the range is none.
    case number(ClosedRange<Double>)
    case integer(ClosedRange<Int>)
    /// Text without control characters.
    case text
    /// The path of a file or folder.
    case path
    case flag
    case choice([String])
    case texts
    /// A list of finite numbers.
    case numbers
  }

  /// Without its table, for example `rate_hz`.
  public var name: String
  public var kind: Kind
  /// The unit of a number, for people: `Hz`; nil where there is none.
  public var unit: String?
  /// Nil when there is none: then `defaultNote` says what happens.
  public var defaultValue: ConfigurationValue?
  /// What holds when the key is not set and has no default, for example `from the preset`.
  public var defaultNote: String?
  /// One sentence for the commented file.
  public var summary: String
  /// Never printed.
  public var isSecret = false
  /// Whether leaving it out is an error.
  public var isRequired = false
  /// Answers what is wrong with a value that fits the kind (`must be ...`), or nil.
  public var check: (@Sendable (ConfigurationValue) -> String?)?

  /// The same key, never printed.
  public var secret: ConfigurationKey { changed { $0.isSecret = true } }
  /// The same key, without which there is no configuration.
  public var required: ConfigurationKey {
    changed {
      $0.isRequired = true
      $0.defaultNote = nil
    }
  }

  /// The same key with a check of its own. `check` answers what is wrong (`must be ...`), or nil.
  public func checked(_ check: @escaping @Sendable (ConfigurationValue) -> String?) -> ConfigurationKey {
    changed { $0.check = check }
  }

  private func changed(_ change: (inout ConfigurationKey) -> Void) -> ConfigurationKey {
    var copy = self
    change(&copy)
    return copy
  }
}

// How a schema's table is written. Each takes a default, or the note that says what holds without.
extension ConfigurationKey {
  /// A finite number, within `range` [`unit`].
  public static func number(
    _ name: String, _ range: ClosedRange<Double> = -Double.infinity...Double.infinity, unit: String? = nil,
    default value: Double? = nil, note: String? = nil, _ summary: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name: name, kind: .number(range), unit: unit, defaultValue: value.map { .number($0) }, defaultNote: note,
      summary: summary)
  }

  /// A whole number, within `range` [`unit`].
  public static func integer(
    _ name: String, _ range: ClosedRange<Int> = Int.min...Int.max, unit: String? = nil, default value: Int? = nil,
    note: String? = nil, _ summary: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name: name, kind: .integer(range), unit: unit, defaultValue: value.map { .integer($0) }, defaultNote: note,
      summary: summary)
  }

  /// A text without control characters.
  public static func text(
    _ name: String, default value: String? = nil, note: String? = nil, _ summary: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name: name, kind: .text, defaultValue: value.map { .text($0) }, defaultNote: note, summary: summary)
  }

  /// The path of a file or folder; not empty.
  public static func path(
    _ name: String, default value: String? = nil, note: String? = nil, _ summary: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name: name, kind: .path, defaultValue: value.map { .text($0) }, defaultNote: note, summary: summary)
  }

  /// True or false.
  public static func flag(
    _ name: String, default value: Bool? = nil, note: String? = nil, _ summary: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name: name, kind: .flag, defaultValue: value.map { .flag($0) }, defaultNote: note, summary: summary)
  }

  /// One of a few texts.
  public static func choice(
    _ name: String, _ choices: [String], default value: String? = nil, note: String? = nil, _ summary: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name: name, kind: .choice(choices), defaultValue: value.map { .text($0) }, defaultNote: note, summary: summary)
  }

  /// A list of texts without control characters.
  public static func texts(
    _ name: String, default value: [String]? = nil, note: String? = nil, _ summary: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name: name, kind: .texts, defaultValue: value.map { .texts($0) }, defaultNote: note, summary: summary)
  }

  /// A list of finite numbers [`unit`]; `checked` can require how many.
  public static func numbers(
    _ name: String, unit: String? = nil, default value: [Double]? = nil, note: String? = nil, _ summary: String
  ) -> ConfigurationKey {
    ConfigurationKey(
      name: name, kind: .numbers, unit: unit, defaultValue: value.map { .numbers($0) }, defaultNote: note,
      summary: summary)
  }
}

extension ConfigurationKey {
  /// What the key takes, for people: `number in Hz, 1 to 3200`.
  public var expectation: String {
    switch kind {
    case .number, .integer:
      [typeName, unit.map { " in \($0)" } ?? "", rangeText.map { ", \($0)" } ?? ""].joined()
    case .choice(let choices): "one of " + choices.joined(separator: ", ")
    case .text, .path, .flag, .texts, .numbers: typeName + (unit.map { " in \($0)" } ?? "")
    }
  }

  private var typeName: String {
    switch kind {
    case .number: "number"
    case .integer: "whole number"
    case .text: "text"
    case .path: "path"
    case .flag: "true or false"
    case .choice: "text"
    case .texts: "list of texts"
    case .numbers: "list of numbers"
    }
  }

  /// `1 to 3200`, `at least 1`, `at most 5`; nil when there is no bound.
  var rangeText: String? {
    switch kind {
    case .number(let range):
      between(
        range.lowerBound > -.infinity ? plain(range.lowerBound) : nil,
        range.upperBound < .infinity ? plain(range.upperBound) : nil)
    case .integer(let range):
      between(
        range.lowerBound > Int.min ? String(range.lowerBound) : nil,
        range.upperBound < Int.max ? String(range.upperBound) : nil)
    default: nil
    }
  }

  private func between(_ low: String?, _ high: String?) -> String? {
    switch (low, high) {
    case (let low?, let high?): "\(low) to \(high)"
    case (let low?, nil): "at least \(low)"
    case (nil, let high?): "at most \(high)"
    case (nil, nil): nil
    }
  }
}
