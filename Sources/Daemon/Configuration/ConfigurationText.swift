// A configuration and a schema as text: what is in force, and the commented example.

extension Configuration {
  /// One line a key: its value, unit and origin; secrets masked.
  ///
  ///     accelerometer.rate_hz = 100  # Hz, node.toml:12:11
  ///     # broker.username is not set: no authentication
  public func describe() -> [String] {
    schema.sections.flatMap { section in
      let all = section.form == .table ? [table(section.name)] : rows(section.name)
      return all.flatMap { $0.describe() }
    }
  }
}

extension Configuration {
  /// The keys whose values differ from those of another configuration of the same schema: `broker.port`; for lists of
  /// tables the section's name alone.
  public func changes(from other: Configuration) -> [String] {
    schema.sections.flatMap { section -> [String] in
      guard section.form == .table else {
        let pairs = (rows(section.name), other.rows(section.name))
        let isSame = pairs.0.count == pairs.1.count && zip(pairs.0, pairs.1).allSatisfy { $0.hasSameValues(as: $1) }
        return isSame ? [] : [section.name]
      }
      let (new, old) = (table(section.name), other.table(section.name))
      return section.keys.filter { new.value($0) != old.value($0) }.map { "\(section.name).\($0.name)" }
    }
  }
}

extension ConfigurationTable {
  /// The value in force: what was set, or the default.
  fileprivate func value(_ key: ConfigurationKey) -> ConfigurationValue? {
    settings[key.name]?.value ?? key.defaultValue
  }

  fileprivate func hasSameValues(as other: ConfigurationTable) -> Bool {
    id == other.id && section.keys.allSatisfy { value($0) == other.value($0) }
  }

  func describe() -> [String] {
    section.keys.compactMap { key in
      guard let value = value(key) else {
        return key.defaultNote.map { "# \(label).\(key.name) is not set: \($0)" }
      }
      let shown = key.isSecret ? "\"********\"" : value.toml
      let comment = [key.unit, origin(key.name).description].compactMap { $0 }.joined(separator: ", ")
      return "\(label).\(key.name) = \(shown)  # \(printableLine(comment))"
    }
  }
}

extension ConfigurationSchema {
  /// A complete TOML file: every key with its type, unit, range and default, each set to its default in a comment, so
  /// that the file as it stands changes nothing. A key without a default is left to be filled in.
  public func commentedFile() -> String {
    var lines: [String] = heading.flatMap { wrapped($0, width: commentWidth) }.map { comment($0) }
    for section in sections {
      lines.append("")
      lines += wrapped(section.summary, width: commentWidth).map { comment($0) }
      // A list or keyed table stays a comment: its header alone would already make an entry.
      lines.append(section.form == .table ? section.header : "#" + section.header)
      for key in section.keys {
        lines.append("")
        lines += key.comment.map { comment($0) }
        lines.append("#\(key.name) =" + (key.defaultValue.map { " " + $0.toml } ?? ""))
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private var commentWidth: Int { 98 }

  private func comment(_ line: String) -> String { line.isEmpty ? "#" : "# \(line)" }
}

extension ConfigurationKey {
  /// Summary, then type, unit, range and default.
  fileprivate var comment: [String] {
    var facts = expectation
    if isRequired {
      facts += "; required"
    } else if let defaultValue {
      facts += "; default \(isSecret ? "hidden" : defaultValue.toml)"
    } else {
      facts += "; not set: \(defaultNote ?? "nothing")"
    }
    return wrapped(summary, width: 98) + wrapped(facts + ".", width: 98)
  }
}

/// The words of a text in lines of at most `width` characters; a longer word keeps a line of its own. Line breaks in
/// the text stay.
func wrapped(_ text: String, width: Int) -> [String] {
  text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { paragraph -> [String] in
    var lines: [String] = []
    var line = ""
    for word in paragraph.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    return lines + [line]
  }
}
