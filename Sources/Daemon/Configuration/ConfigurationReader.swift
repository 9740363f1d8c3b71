/// Turns a TOML document into checked tables, and collects whatever is wrong with it.
struct ConfigurationReader {
  let schema: ConfigurationSchema
  /// The file as complaints name it.
  let file: String
  private(set) var problems: [ConfigurationProblem] = []
  private(set) var tables: [String: ConfigurationTable] = [:]
  private(set) var rows: [String: [ConfigurationTable]] = [:]

  private typealias Entry = TOMLDocument.Entry

  init(schema: ConfigurationSchema, file: String) {
    self.schema = schema
    self.file = file
  }

  mutating func read(_ document: TOMLDocument) {
    for entry in document.entries where entry.path.count == 1 {
      guard case .key(let name) = entry.path[0] else { continue }
      let below = document.entries.filter { $0.path.count > 1 && $0.path[0] == entry.path[0] }
      guard let section = schema.section(name) else {
        complainUnknown(name, entry)
        continue
      }
      switch section.form {
      case .table: readTable(section, entry, below)
      case .list: readList(section, entry, below)
      case .keyed: readKeyed(section, entry, below)
      }
    }
  }

  private mutating func readTable(_ section: ConfigurationSection, _ entry: Entry, _ below: [Entry]) {
    guard entry.value == .table else { return complainForm(section, entry) }
    var table = ConfigurationTable(section: section, label: section.name, id: nil, place: place(entry.keyPlace))
    readKeys(of: section, into: &table, below, depth: 1)
    tables[section.name] = table
  }

  private mutating func readList(_ section: ConfigurationSection, _ entry: Entry, _ below: [Entry]) {
    let elements = below.filter { $0.path.count == 2 }
    guard entry.value == .list, elements.allSatisfy({ $0.value == .table }) else {
      return complainForm(section, entry)
    }
    for (index, element) in elements.enumerated() {
      var row = ConfigurationTable(
        section: section, label: "\(section.name)[\(index + 1)]", id: nil, place: place(element.place))
      readKeys(of: section, into: &row, below.filter { $0.path[1] == element.path[1] }, depth: 2)
      requireKeys(of: row)
      rows[section.name, default: []].append(row)
    }
  }

  private mutating func readKeyed(_ section: ConfigurationSection, _ entry: Entry, _ below: [Entry]) {
    guard entry.value == .table else { return complainForm(section, entry) }
    for element in below where element.path.count == 2 {
      guard case .key(let id) = element.path[1], element.value == .table else {
        complainForm(section, element)
        continue
      }
      var row = ConfigurationTable(
        section: section, label: "\(section.name).\(quoted(id))", id: id, place: place(element.keyPlace))
      readKeys(of: section, into: &row, below.filter { $0.path[1] == element.path[1] }, depth: 2)
      requireKeys(of: row)
      rows[section.name, default: []].append(row)
    }
  }

  /// Reads what lies below a table whose own path has `depth` steps.
  private mutating func readKeys(
    of section: ConfigurationSection, into table: inout ConfigurationTable, _ below: [Entry], depth: Int
  ) {
    for entry in below where entry.path.count == depth + 1 {
      guard case .key(let name) = entry.path[depth] else { continue }
      guard let key = section.key(name) else {
        complain(entry.keyPlace, "unknown key '\(name)' in \(section.header)" + hint(for: name, in: section))
        continue
      }
      let elements = below.filter { $0.path.count == depth + 2 && $0.path[depth] == entry.path[depth] }
      do throws(ConfigurationRefusal) {
        let value = try key.value(entry.value, elements: elements.map(\.value), path: "\(table.label).\(name)")
        let origin = ConfigurationOrigin.file(file, line: entry.place.line, column: entry.place.column)
        table.settings[name] = ConfigurationTable.Setting(value: value, origin: origin)
      } catch {
        table.refused.insert(name)
        complain(entry.place, error.text)
      }
    }
  }

  private mutating func requireKeys(of row: ConfigurationTable) {
    for key in row.section.keys where key.isRequired && row.settings[key.name] == nil {
      if row.refused.contains(key.name) { continue }
      let text = "\(row.label) needs '\(key.name)' (\(key.expectation))"
      problems.append(ConfigurationProblem(place: row.place ?? file, text: text))
    }
  }

  // MARK: Complaints

  private mutating func complain(_ place: TOMLDocument.Place, _ text: String) {
    problems.append(ConfigurationProblem(place: self.place(place), text: text))
  }

  private func place(_ place: TOMLDocument.Place) -> String { "\(file):\(place.line):\(place.column)" }

  private mutating func complainUnknown(_ name: String, _ entry: Entry) {
    let homes = schema.sections.filter { $0.key(name) != nil }
    switch entry.value {
    case .table where !homes.contains { $0.name == name }:
      complain(entry.keyPlace, "unknown table [\(name)]" + tableHint(for: name) { "[\($0)]" })
    case .list where !tableHint(for: name, { $0 }).isEmpty && homes.isEmpty:
      complain(entry.keyPlace, "unknown table [[\(name)]]" + tableHint(for: name) { "[[\($0)]]" })
    default:
      let home = homes.first.map { "; it belongs in \($0.header)" } ?? "; every key belongs in a [table]"
      complain(entry.keyPlace, "unknown key '\(name)' outside any table" + home)
    }
  }

  private func tableHint(for name: String, _ brackets: (String) -> String) -> String {
    nearestName(to: name, among: schema.sections.map(\.name)).map { "; did you mean \(brackets($0))?" } ?? ""
  }

  /// Another key of the table, or another table that has the key.
  private func hint(for name: String, in section: ConfigurationSection) -> String {
    if let home = schema.sections.first(where: { $0.key(name) != nil }) { return "; it belongs in \(home.header)" }
    return suggestion(for: name, among: section.keys.map(\.name))
  }

  private mutating func complainForm(_ section: ConfigurationSection, _ entry: Entry) {
    let text =
      switch section.form {
      case .table: "\(section.name) must be one table, written as \(section.header)"
      case .list: "\(section.name) must be written as \(section.header), once for each"
      case .keyed: "everything in [\(section.name)] must be a table of its own, written as \(section.header)"
      }
    complain(entry.keyPlace, text)
  }
}
