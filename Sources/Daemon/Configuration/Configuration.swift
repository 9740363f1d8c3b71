internal import Glibc

/// A value that a flag of the command line gives to a key.
public struct ConfigurationOverride: Equatable, Sendable {
  /// For example `broker.host`.
  public var path: String
  /// The value as it was typed; a list is separated by commas.
  public var text: String
  /// The option as it was spelled, for example `--host`.
  public var flag: String

  public init(path: String, text: String, flag: String) {
    self.path = path
    self.text = text
    self.flag = flag
  }
}

/// A program's configuration: for each key of the schema one checked value, and where it came from.
public struct Configuration: Sendable {
  /// The keys that it was read by.
  public let schema: ConfigurationSchema
  /// The file it was read from.
  public let file: String?
  var tables: [String: ConfigurationTable] = [:]
  private var rows: [String: [ConfigurationTable]] = [:]

  /// Largest file that is read [bytes]; one that is larger is no configuration.
  static let largestFile = 1 << 20

  /// Reads and checks everything: flag > environment > file > default.
  ///
  /// - Parameter file: the path of the TOML file; nil for none.
  /// - Parameter environment: as `processEnvironment()` gives it; only names with `JUDDER_` are looked at.
  /// - Throws: all that is wrong, one line each.
  public static func load(
    _ schema: ConfigurationSchema, file: String?, environment: [String: String] = [:],
    flags: [ConfigurationOverride] = []
  ) throws(ConfigurationFailure) -> Configuration {
    var text: [UInt8] = []
    if let file { text = try readFile(file) }
    return try load(schema, text: text, file: file, environment: environment, flags: flags)
  }

  /// As the other `load`, from the file's bytes. `file` is the name that complaints give.
  public static func load(
    _ schema: ConfigurationSchema, text: [UInt8], file: String?, environment: [String: String] = [:],
    flags: [ConfigurationOverride] = []
  ) throws(ConfigurationFailure) -> Configuration {
    var configuration = Configuration(schema: schema, file: file)
    var problems = configuration.readTOML(text, name: file ?? "configuration")
    problems += configuration.apply(environment)
    problems += configuration.apply(flags)
    problems += configuration.missing()
    guard problems.isEmpty else { throw ConfigurationFailure(problems) }
    return configuration
  }

  private init(schema: ConfigurationSchema, file: String?) {
    self.schema = schema
    self.file = file
    for section in schema.sections where section.form == .table {
      tables[section.name] = ConfigurationTable(section: section, label: section.name, id: nil, place: nil)
    }
  }

  /// The table of a section that is there once. A name that the schema lacks is a mistake in the program.
  public func table(_ name: String) -> ConfigurationTable {
    guard let table = tables[name] else { preconditionFailure("the schema has no single table [\(name)]") }
    return table
  }

  /// The tables of a `[[list]]` in their order, or those of a keyed section in the order of the file.
  public func rows(_ name: String) -> [ConfigurationTable] {
    guard let section = schema.section(name), section.form != .table else {
      preconditionFailure("the schema has no list of tables \(name)")
    }
    return rows[name] ?? []
  }

  private mutating func readTOML(_ text: [UInt8], name: String) -> [ConfigurationProblem] {
    do throws(TOMLDocument.SyntaxError) {
      var reader = ConfigurationReader(schema: schema, file: name)
      reader.read(try TOMLDocument(text))
      tables.merge(reader.tables) { _, new in new }
      rows = reader.rows
      return reader.problems
    } catch {
      let place = "\(name):\(error.place.line):\(error.place.column)"
      return [ConfigurationProblem(place: place, text: "not TOML: \(error.text)")]
    }
  }

  private mutating func apply(_ environment: [String: String]) -> [ConfigurationProblem] {
    let paths = Dictionary(schema.paths.map { (ConfigurationSchema.variable(for: $0), $0) }) { first, _ in first }
    var problems: [ConfigurationProblem] = []
    for (name, text) in environment.sorted(by: { $0.key < $1.key }) {
      guard name.hasPrefix(ConfigurationSchema.environmentPrefix), !schema.reservedVariables.contains(name) else {
        continue
      }
      guard let path = paths[name] else {
        let known = Array(paths.keys.sorted()) + schema.reservedVariables.sorted()
        let text = "no key has this environment variable" + suggestion(for: name, among: known)
        problems.append(ConfigurationProblem(place: name, text: text))
        continue
      }
      if let problem = set(path, text, .environment(name)) { problems.append(problem) }
    }
    return problems
  }

  private mutating func apply(_ flags: [ConfigurationOverride]) -> [ConfigurationProblem] {
    flags.compactMap { set($0.path, $0.text, .flag($0.flag)) }
  }

  private mutating func set(_ path: String, _ text: String, _ origin: ConfigurationOrigin) -> ConfigurationProblem? {
    guard let (section, key) = schema.find(path) else {
      let text = "unknown key '\(path)'" + suggestion(for: path, among: schema.paths)
      return ConfigurationProblem(place: origin.place, text: text, isFromFlag: origin.isFlag)
    }
    do throws(ConfigurationRefusal) {
      let value = try key.value(text: text, path: path)
      tables[section.name]?.settings[key.name] = ConfigurationTable.Setting(value: value, origin: origin)
      return nil
    } catch {
      tables[section.name]?.refused.insert(key.name)
      return ConfigurationProblem(place: origin.place, text: error.text, isFromFlag: origin.isFlag)
    }
  }

  private func missing() -> [ConfigurationProblem] {
    var problems: [ConfigurationProblem] = []
    for section in schema.sections {
      guard let table = tables[section.name] else { continue }
      for key in section.keys where key.isRequired && !table.isSet(key.name) && !table.refused.contains(key.name) {
        let text = "\(section.name).\(key.name) is not set (\(key.expectation))"
        problems.append(ConfigurationProblem(place: table.place ?? file ?? "configuration", text: text))
      }
    }
    return problems
  }

  private static func readFile(_ path: String) throws(ConfigurationFailure) -> [UInt8] {
    do throws(FileError) {
      return try readSmallFile(path, limit: largestFile)
    } catch {
      let hint =
        switch error.code {
        case ENOENT: "; name the configuration file with --config"
        case EACCES: "; run as a user who may read it"
        default: ""
        }
      let code: ExitCode = error.code == EACCES || error.code == EPERM ? .permission : .configuration
      throw ConfigurationFailure([ConfigurationProblem(place: path, text: error.text + hint)], code: code)
    }
  }
}

// Values by their path, `accelerometer.rate_hz`, for tables that are there once.
extension Configuration {
  /// A number; an integer in the file counts as one.
  public func number(_ path: String) -> Double { find(path) { $0.number($1) } }
  /// A whole number.
  public func integer(_ path: String) -> Int { find(path) { $0.integer($1) } }
  /// A text, a path or a choice.
  public func text(_ path: String) -> String { find(path) { $0.text($1) } }
  /// True or false.
  public func flag(_ path: String) -> Bool { find(path) { $0.flag($1) } }
  /// A list of texts.
  public func texts(_ path: String) -> [String] { find(path) { $0.texts($1) } }
  /// A list of numbers.
  public func numbers(_ path: String) -> [Double] { find(path) { $0.numbers($1) } }
  /// A number; nil when it is not set and has no default.
  public func optionalNumber(_ path: String) -> Double? { find(path) { $0.optionalNumber($1) } }
  /// A whole number; nil when it is not set and has no default.
  public func optionalInteger(_ path: String) -> Int? { find(path) { $0.optionalInteger($1) } }
  /// A text, a path or a choice; nil when it is not set and has no default.
  public func optionalText(_ path: String) -> String? { find(path) { $0.optionalText($1) } }
  /// True or false; nil when it is not set and has no default.
  public func optionalFlag(_ path: String) -> Bool? { find(path) { $0.optionalFlag($1) } }
  /// A list of texts; nil when it is not set and has no default.
  public func optionalTexts(_ path: String) -> [String]? { find(path) { $0.optionalTexts($1) } }
  /// A list of numbers; nil when it is not set and has no default.
  public func optionalNumbers(_ path: String) -> [Double]? { find(path) { $0.optionalNumbers($1) } }
  /// Whether somebody set the key: a file, a variable or a flag.
  public func isSet(_ path: String) -> Bool { find(path) { $0.isSet($1) } }
  /// Where the key's value comes from.
  public func origin(_ path: String) -> ConfigurationOrigin { find(path) { $0.origin($1) } }

  /// A complaint about a value, for what only the program can judge.
  public func problem(_ path: String, _ text: String) -> ConfigurationProblem { find(path) { $0.problem($1, text) } }

  private func find<Result>(_ path: String, _ body: (ConfigurationTable, String) -> Result) -> Result {
    guard let (section, key) = schema.find(path) else { preconditionFailure("the schema has no key \(path)") }
    return body(table(section.name), key.name)
  }
}
