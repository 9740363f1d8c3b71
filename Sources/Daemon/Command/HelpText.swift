extension CommandTable {
  /// The text of `--help`, at most 80 columns wide.
  ///
  /// - Parameter command: nil for the whole program.
  public func help(for command: String? = nil) -> String {
    guard let command = command.flatMap({ self.command($0) }) else { return programHelp() }
    var lines = ["\(program) \(command.name) - \(command.summary)", "", "Usage: \(usage(of: command))"]
    for paragraph in command.details { lines += [""] + wrapped(paragraph, width: HelpText.width) }
    lines += HelpText.list("Options", options(of: command.name).map { Entry($0.term, $0.fullSummary) })
    return lines.joined(separator: "\n") + "\n"
  }

  private func programHelp() -> String {
    var lines = ["\(program) - \(summary)", ""]
    for (index, command) in commands.enumerated() {
      lines.append((index == 0 ? "Usage: " : "       ") + usage(of: command))
    }
    for paragraph in description { lines += [""] + wrapped(paragraph, width: HelpText.width) }
    lines += HelpText.list("Commands", allCommands.map { Entry($0.name, $0.fullSummary(in: self)) })
    lines += HelpText.list("Options", (options + [.help, .version]).map { Entry($0.term, $0.summary(in: self)) })
    lines += HelpText.list("Environment", environment)
    lines += HelpText.list("Files", files)
    lines += HelpText.list("Exit status", exitCodes.map { Entry(String($0.rawValue), $0.summary) })
    if !examples.isEmpty {
      lines += ["", "Examples:"]
      for example in examples {
        lines += wrapped(example.summary, width: HelpText.width - 2).map { "  " + $0 }
        lines.append("    " + example.term)
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// `judder-node replay [OPTION]... FILE`.
  func usage(of command: Command) -> String {
    let isBuiltIn = !commands.contains { $0.name == command.name }
    let name = command.name == defaultCommand ? "[\(command.name)]" : command.name
    return ([program, name] + (isBuiltIn ? [] : ["[OPTION]..."]) + command.operands.map(\.term)).joined(separator: " ")
  }
}

extension Command {
  func fullSummary(in table: CommandTable) -> String { name == table.defaultCommand ? summary + " (default)" : summary }
}

extension Command.Operand {
  /// `FILE`, `[FILE]` or `FILE...`.
  var term: String {
    let name = isRepeated ? "\(name)..." : name
    return isOptional ? "[\(name)]" : name
  }
}

extension CommandOption {
  /// The summary, and what values there are.
  var fullSummary: String {
    switch value {
    case .choice(let choices): "\(summary): \(choices.joined(separator: ", "))"
    case .integer(let range): summary + bounds(ConfigurationKey.integer("", range, "").rangeText)
    case .number(let range): summary + bounds(ConfigurationKey.number("", range, "").rangeText)
    case .text, .file, .folder, nil: summary
    }
  }

  /// The same, with the commands that take it, where not all do.
  func summary(in table: CommandTable) -> String {
    guard let commands, commands.count < table.commands.count else { return fullSummary }
    return "\(fullSummary) (\(commands.joined(separator: ", ")))"
  }

  private func bounds(_ text: String?) -> String { text.map { ", \($0)" } ?? "" }
}

enum HelpText {
  static let width = 80
  /// Where summaries begin.
  private static let indent = 26

  /// A headed list of terms, with their summaries in a column of their own.
  static func list(_ heading: String, _ entries: [CommandTable.Entry]) -> [String] {
    guard !entries.isEmpty else { return [] }
    let longest = entries.map(\.term.count).max() ?? 0
    let column = min(indent, longest + 4)
    return ["", "\(heading):"] + entries.flatMap { lines($0, column: column) }
  }

  private static func lines(_ entry: CommandTable.Entry, column: Int) -> [String] {
    let summary = wrapped(entry.summary, width: width - column)
    let margin = String(repeating: " ", count: column)
    let term = "  " + entry.term
    guard term.count + 2 <= column else { return [term] + summary.map { margin + $0 } }
    let first = term + String(repeating: " ", count: column - term.count) + (summary.first ?? "")
    return [first] + summary.dropFirst().map { margin + $0 }
  }
}
