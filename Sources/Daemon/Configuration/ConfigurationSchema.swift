/// One table of a configuration file.
public struct ConfigurationSection: Sendable {
  /// How often a table may be there, and how it is written.
  public enum Form: Equatable, Sendable {
    /// `[name]`, at most once.
    case table
    /// `[[name]]`, any number of times.
    case list
    /// `[name."KEY"]`, once for each key; `by` names what the key is, for example `ID`.
    case keyed(by: String)
  }

  /// Without brackets, for example `broker`.
  public var name: String
  public var form: Form
  /// What the table is about, for the commented file.
  public var summary: String
  /// In the order of the commented file.
  public var keys: [ConfigurationKey]

  public init(_ name: String, _ form: Form = .table, summary: String, _ keys: [ConfigurationKey]) {
    self.name = name
    self.form = form
    self.summary = summary
    self.keys = keys
  }

  /// The key of that name, without its table.
  public func key(_ name: String) -> ConfigurationKey? { keys.first { $0.name == name } }

  /// As it is written in a file: `[broker]`, `[[rule]]` or `[node."ID"]`.
  var header: String {
    switch form {
    case .table: "[\(name)]"
    case .list: "[[\(name)]]"
    case .keyed(let key): "[\(name).\"\(key)\"]"
    }
  }
}

/// Every key that a program's configuration knows. Files, environment variables, flags, the printed configuration and
/// the commented example are all checked against, or made from, this one table.
public struct ConfigurationSchema: Sendable {
  /// The first lines of the commented file, without `#`.
  public var heading: [String]
  /// In the order of the commented file.
  public var sections: [ConfigurationSection]
  /// Environment variables with `environmentPrefix` that mean something else.
  public var reservedVariables: Set<String>

  /// How every variable of the programs begins.
  public static let environmentPrefix = "JUDDER_"

  public init(
    heading: [String], sections: [ConfigurationSection], reservedVariables: Set<String> = ["JUDDER_PASSWORD"]
  ) {
    self.heading = heading
    self.sections = sections
    self.reservedVariables = reservedVariables
  }

  /// The section of that name.
  public func section(_ name: String) -> ConfigurationSection? { sections.first { $0.name == name } }

  /// The section and key of a path such as `accelerometer.rate_hz`, where it is one of a single table.
  func find(_ path: String) -> (section: ConfigurationSection, key: ConfigurationKey)? {
    let parts = path.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let section = section(parts[0]), section.form == .table, let key = section.key(parts[1])
    else { return nil }
    return (section, key)
  }

  /// The paths that flags and environment variables can set.
  public var paths: [String] {
    sections.filter { $0.form == .table }.flatMap { section in section.keys.map { "\(section.name).\($0.name)" } }
  }

  /// The variable that sets a path: `JUDDER_ACCELEROMETER_RATE_HZ` for `accelerometer.rate_hz`.
  public static func variable(for path: String) -> String {
    environmentPrefix + String(path.uppercased().map { $0 == "." ? "_" : $0 })
  }

  /// What is wrong with the table itself: duplicate names, defaults that its own checks refuse, a key with neither a
  /// default nor a note. A program's tests expect none.
  public func defects() -> [String] {
    var defects: [String] = []
    if Set(sections.map(\.name)).count < sections.count { defects.append("two sections have one name") }
    let variables = paths.map(ConfigurationSchema.variable(for:))
    if Set(variables).count < variables.count { defects.append("two keys have one environment variable") }
    for section in sections {
      for (index, key) in section.keys.enumerated() {
        let path = "\(section.name).\(key.name)"
        if section.keys[..<index].contains(where: { $0.name == key.name }) { defects.append("\(path) is there twice") }
        defects += self.defects(of: key).map { "\(path) \($0)" }
      }
    }
    return defects
  }

  private func defects(of key: ConfigurationKey) -> [String] {
    var defects: [String] = []
    if let value = key.defaultValue, let complaint = key.complaint(about: value) {
      defects.append("has the default \(value.toml), which \(complaint)")
    }
    if key.summary.isEmpty { defects.append("has no summary") }
    if key.isRequired, key.defaultValue != nil { defects.append("is required and has a default") }
    if !key.isRequired, key.defaultValue == nil, key.defaultNote == nil {
      defects.append("has neither a default nor a note")
    }
    return defects
  }
}
