public import Telemetry

/// Values that go before flags, environment and file: what was set while a program runs, and is kept over its restart.
///
/// The file has one `section.key = value` a line, so that a line that is damaged spoils no other.
public struct ConfigurationOverlay: Equatable, Sendable {
  /// One key and its value.
  public struct Entry: Equatable, Sendable {
    /// Section and name, for example `shake.on_g`.
    public var path: String
    public var value: ConfigurationValue
    public var origin: ConfigurationOrigin

    /// As status messages carry it: `shake.on_g=0.9`.
    public var text: String { "\(path)=\(value.toml)" }
  }

  /// Lines of a file that are looked at; a program writes far fewer.
  static let mostLines = 400
  /// The largest file that is read [bytes].
  public static let largestBytes = 64 * 1024

  /// In the order in which they were set.
  public private(set) var entries: [Entry] = []

  public init() {}

  /// Reads a file's bytes; what is wrong with a line is told, and leaves that line out.
  ///
  /// - Parameters:
  ///   - name: the file as complaints name it.
  ///   - check: why a value must not stand here, beyond what the schema says.
  public static func read(
    _ text: [UInt8], name: String, _ schema: ConfigurationSchema,
    check: (String, ConfigurationValue) throws(ConfigurationRefusal) -> Void
  ) -> (overlay: ConfigurationOverlay, problems: [ConfigurationProblem]) {
    var overlay = ConfigurationOverlay()
    var problems: [ConfigurationProblem] = []
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let place = "\(name):\(index + 1)"
      guard index < mostLines else {
        problems.append(ConfigurationProblem(place: place, text: "more than \(mostLines) lines; the rest is left out"))
        break
      }
      do throws(ConfigurationRefusal) {
        for var entry in try read(Array(line), schema) {
          if schema.find(entry.path)?.key.isSecret == true {
            throw ConfigurationRefusal(text: "a secret must not stand here")
          }
          try check(entry.path, entry.value)
          entry.origin = .file(name, line: index + 1, column: 1)
          overlay.put(entry)
        }
      } catch {
        problems.append(ConfigurationProblem(place: place, text: "\(error.text); left out"))
      }
    }
    return (overlay, problems)
  }

  private static func read(_ line: [UInt8], _ schema: ConfigurationSchema) throws(ConfigurationRefusal) -> [Entry] {
    var reader = ConfigurationReader(schema: schema, file: "")
    do throws(TOMLDocument.SyntaxError) {
      reader.read(try TOMLDocument(line))
    } catch {
      throw ConfigurationRefusal(text: "not TOML: \(error.text)")
    }
    if let problem = reader.problems.first { throw ConfigurationRefusal(text: problem.text) }
    if !reader.rows.isEmpty { throw ConfigurationRefusal(text: "expected section.key = value") }
    return reader.tables.flatMap { section, table in
      table.settings.sorted { $0.key < $1.key }.map {
        Entry(path: "\(section).\($0.key)", value: $0.value.value, origin: $0.value.origin)
      }
    }
  }

  /// Sets a key, or takes it out where there is no value.
  public mutating func set(_ path: String, _ value: ConfigurationValue?) {
    if let value {
      put(Entry(path: path, value: value, origin: .message))
    } else {
      entries.removeAll { $0.path == path }
    }
  }

  private mutating func put(_ entry: Entry) {
    entries.removeAll { $0.path == entry.path }
    entries.append(entry)
  }

  /// The file's bytes.
  ///
  /// - Parameter heading: a line for people.
  public func encode(heading: String) -> [UInt8] {
    Array((["# \(heading)"] + entries.map { "\($0.path) = \($0.value.toml)" }).joined(separator: "\n").utf8)
      + [UInt8(ascii: "\n")]
  }
}

extension ConfigurationSchema {
  /// Checks a value of a message as one from a file would be.
  ///
  /// - Throws: unknown key, wrong kind, out of range.
  public func checked(_ path: String, _ value: SettingValue) throws(ConfigurationRefusal) -> ConfigurationValue {
    guard let key = find(path)?.key else {
      throw ConfigurationRefusal(text: "unknown key '\(printableLine(path))'" + suggestion(for: path, among: paths))
    }
    let found: TOMLDocument.Value =
      switch value {
      case .number(let number):
        Int(exactly: number).map { key.kind.isInteger ? .integer($0) : .number(number) } ?? .number(number)
      case .text(let text): .text(text)
      case .flag(let flag): .flag(flag)
      }
    return try key.value(found, elements: [], path: path)
  }
}

extension ConfigurationKey.Kind {
  fileprivate var isInteger: Bool { if case .integer = self { true } else { false } }
}

extension Configuration {
  /// The same with a value that goes before all others. The path must be one of the schema.
  public func setting(_ entry: ConfigurationOverlay.Entry) -> Configuration {
    guard let (section, key) = schema.find(entry.path) else {
      preconditionFailure("the schema has no key \(entry.path)")
    }
    var copy = self
    copy.tables[section.name]?.settings[key.name] = ConfigurationTable.Setting(
      value: entry.value, origin: entry.origin)
    return copy
  }

  /// What holds: what was set, or the default; nil where there is neither.
  public func value(_ path: String) -> ConfigurationValue? {
    guard let (section, key) = schema.find(path) else { return nil }
    return tables[section.name]?.settings[key.name]?.value ?? key.defaultValue
  }
}

extension SettingValue {
  /// As messages carry it; nil for a list, which they do not.
  public init?(_ value: ConfigurationValue) {
    switch value {
    case .number(let number): self = .number(number)
    case .integer(let integer): self = .number(Double(integer))
    case .text(let text): self = .text(text)
    case .flag(let flag): self = .flag(flag)
    case .texts, .numbers: return nil
    }
  }
}
