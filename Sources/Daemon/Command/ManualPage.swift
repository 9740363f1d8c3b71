extension CommandTable {
  /// The manual page, in the macros of man(7).
  public func manualPage() -> String {
    var page = Roff()
    page.line(
      ".TH \(Roff.argument(program.uppercased())) \(manualSection) \"\" \(Roff.argument("\(program) \(version)")) \"\"")
    // Neither hyphens in names of keys nor stretched lines.
    page.line(".nh")
    page.line(".ad l")
    page.section("Name")
    page.line("\(Roff.text(program)) \\- \(Roff.text(summary))")
    page.section("Synopsis")
    for (index, command) in commands.enumerated() {
      if index > 0 { page.line(".br") }
      page.synopsis(program, command, isDefault: command.name == defaultCommand)
    }
    page.section("Description")
    page.paragraphs(description)
    page.section("Commands")
    for command in allCommands { page.command(command, self) }
    page.section("Options")
    for option in options + [.help, .version] { page.option(option, self) }
    page.entries("Environment", environment)
    page.entries("Files", files)
    page.entries("Exit status", exitCodes.map { Entry(String($0.rawValue), $0.summary) })
    page.examples(examples)
    if !seeAlso.isEmpty {
      page.section("See also")
      page.line(Roff.text(seeAlso.joined(separator: ", ")))
    }
    return page.text
  }
}

/// Writes the roff of man(7).
private struct Roff {
  private(set) var text = ""

  mutating func line(_ line: String) { text += line + "\n" }

  mutating func section(_ name: String) { line(".SH \(Roff.argument(name.uppercased()))") }

  mutating func paragraphs(_ paragraphs: [String]) {
    for (index, paragraph) in paragraphs.enumerated() {
      if index > 0 { line(".PP") }
      line(Roff.text(paragraph))
    }
  }

  mutating func synopsis(_ program: String, _ command: Command, isDefault: Bool) {
    let name = isDefault ? "[\\fB\(Roff.text(command.name))\\fR]" : "\\fB\(Roff.text(command.name))\\fR"
    let operands = command.operands.map { " \\fI\(Roff.text($0.term))\\fR" }.joined()
    line("\\fB\(Roff.text(program))\\fR \(name) [\\fIOPTION\\fR]...\(operands)")
  }

  mutating func command(_ command: Command, _ table: CommandTable) {
    line(".TP")
    let operands = command.operands.map { " \\fI\(Roff.text($0.term))\\fR" }.joined()
    line("\\fB\(Roff.text(command.name))\\fR\(operands)")
    line(Roff.text(sentence(command.fullSummary(in: table))))
    for detail in command.details { line(Roff.text(detail)) }
  }

  mutating func option(_ option: CommandOption, _ table: CommandTable) {
    line(".TP")
    let spellings = option.spellings.map { "\\fB\(Roff.text($0))\\fR" }.joined(separator: ", ")
    line(spellings + (option.valueName.map { " \\fI\(Roff.text($0))\\fR" } ?? ""))
    line(Roff.text(sentence(option.summary(in: table))))
    if let path = option.configurationPath { line("Sets the configuration key \\fB\(Roff.text(path))\\fR.") }
  }

  mutating func entries(_ heading: String, _ entries: [CommandTable.Entry]) {
    guard !entries.isEmpty else { return }
    section(heading)
    for entry in entries {
      line(".TP")
      line("\\fB\(Roff.text(entry.term))\\fR")
      line(Roff.text(sentence(entry.summary)))
    }
  }

  mutating func examples(_ examples: [CommandTable.Entry]) {
    guard !examples.isEmpty else { return }
    section("Examples")
    for example in examples {
      line(".PP")
      line(Roff.text(example.summary))
      line(".PP")
      line(".RS 4")
      line(".nf")
      line(Roff.text(example.term))
      line(".fi")
      line(".RE")
    }
  }

  private func sentence(_ text: String) -> String {
    guard let first = text.first else { return text }
    let last = text.last == "." || text.last == ")" ? "" : "."
    return String(first).uppercased() + text.dropFirst() + (text.last == ")" ? "." : last)
  }

  /// Text in which roff sees no macros, escapes or typographic dashes and quotes.
  static func text(_ text: String) -> String {
    let escaped = text.reduce(into: "") { result, character in
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "`": result += "\\(ga"
      case "~": result += "\\(ti"
      case "^": result += "\\(ha"
      case "\n": result += "\n.br\n"
      default: result.append(character)
      }
    }
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }

  static func argument(_ text: String) -> String {
    "\"" + self.text(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq") + "\""
  }
}
