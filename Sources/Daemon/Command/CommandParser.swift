extension CommandTable {
  /// Reads the arguments, without the program's own name.
  ///
  /// Options may stand before and after the command and between operands; `--` ends them. A value follows its option
  /// as `--port 1883`, `--port=1883`, `-p 1883` or `-p1883`; short options without values may be bundled.
  public func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var parser = CommandParser(table: self)
    return try parser.parse(arguments)
  }
}

/// The arguments of this process, without the program's name. Bytes that are no UTF-8 become U+FFFD.
///
/// Swift looks for them below the environment on the stack, and finds none where a preloaded library has moved the
/// environment before `main`; the kernel has them as well: proc_pid_cmdline(5).
public func programArguments() -> [String] {
  var all = CommandLine.arguments
  if all.isEmpty, let bytes = try? readSmallFile("/proc/self/cmdline", limit: 4 << 20) {
    all = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }
  return Array(all.dropFirst())
}

struct CommandParser {
  let table: CommandTable
  /// The options in their order, as they were spelled.
  private var given: [(option: CommandOption, spelling: String, value: String?)] = []
  private var words: [String] = []

  init(table: CommandTable) {
    self.table = table
  }

  mutating func parse(_ arguments: [String]) throws(UsageError) -> Invocation {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        words += rest
        break
      } else if argument.hasPrefix("--") {
        try readLong(argument.dropFirst(2), &rest)
      } else if argument.hasPrefix("-"), argument.count > 1 {
        try readShort(argument.dropFirst(), &rest)
      } else {
        words.append(argument)
      }
    }
    return try invocation()
  }

  // MARK: Reading

  private mutating func readLong(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let equals = text.firstIndex(of: "=")
    let name = String(text[..<(equals ?? text.endIndex)])
    guard let option = all.first(where: { $0.long == name }) else { throw unknown("--\(name)") }
    var value = equals.map { String(text[text.index(after: $0)...]) }
    if option.value == nil, value != nil { throw error("--\(name) takes no value") }
    if option.value != nil, value == nil { value = try nextValue(of: option, "--\(name)", &rest) }
    try give(option, "--\(name)", value)
  }

  private mutating func readShort(_ text: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
    var letters = text
    while let letter = letters.popFirst() {
      guard let option = all.first(where: { $0.short == letter }) else { throw unknown("-\(letter)") }
      guard option.value != nil else {
        try give(option, "-\(letter)", nil)
        continue
      }
      let attached = letters.first == "=" ? letters.dropFirst() : letters
      let value = letters.isEmpty ? try nextValue(of: option, "-\(letter)", &rest) : String(attached)
      return try give(option, "-\(letter)", value)
    }
  }

  /// The next argument, unless it is an option itself: then the value was forgotten.
  private func nextValue(
    of option: CommandOption, _ spelling: String, _ rest: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    let name = option.valueName ?? "VALUE"
    guard let next = rest.first else { throw error("\(spelling) needs a value: \(spelling) \(name)") }
    if all.contains(where: { $0.spellings.contains(next) }) {
      throw error("\(spelling) needs a value, and '\(next)' is an option; write --\(option.long)=\(next) to mean it")
    }
    rest.removeFirst()
    return next
  }

  private mutating func give(_ option: CommandOption, _ spelling: String, _ value: String?) throws(UsageError) {
    if !option.isRepeatable, option.value != nil, given.contains(where: { $0.option.long == option.long }) {
      throw error("\(spelling) is given twice")
    }
    if let kind = option.value, let value { try check(value, kind, spelling) }
    given.append((option, spelling, value))
  }

  private func check(_ text: String, _ kind: CommandOption.Value, _ name: String) throws(UsageError) {
    switch kind {
    case .text: break
    case .file, .folder:
      if text.isEmpty { throw error("\(name) must not be empty") }
    case .choice(let choices):
      guard choices.contains(text) else {
        let list = choices.joined(separator: ", ")
        throw error("\(name) must be one of \(list), not '\(text)'" + suggestion(for: text, among: choices))
      }
    case .integer(let range):
      guard let number = Int(text), range.contains(number) else {
        throw error(
          "\(name) must be \(describe("whole number", ConfigurationKey.integer("", range, ""))), not '\(text)'")
      }
    case .number(let range):
      guard let number = Double(text), number.isFinite, range.contains(number) else {
        throw error("\(name) must be \(describe("number", ConfigurationKey.number("", range, ""))), not '\(text)'")
      }
    }
  }

  private func describe(_ type: String, _ key: ConfigurationKey) -> String {
    "a \(type)" + (key.rangeText.map { ", \($0)" } ?? "")
  }

  // MARK: Judging

  private func invocation() throws(UsageError) -> Invocation {
    let isFlagGiven = { (name: String) in given.contains { $0.option.long == name } }
    if isFlagGiven("version") { return Invocation(request: .print("\(table.program) \(table.version)\n")) }
    let command = try self.command(needed: !isFlagGiven("help"))
    if isFlagGiven("help") { return Invocation(request: .print(table.help(for: command?.name))) }
    guard let command else { throw error("no command") }

    try checkOptions(of: command)
    var invocation = Invocation(request: .run(command.name))
    invocation.operands = try operands(of: command)
    for (option, spelling, value) in given {
      invocation.values[option.long, default: []] += value.map { [$0] } ?? []
      if let override = try override(option, spelling, value) { invocation.overrides.append(override) }
    }
    switch command.name {
    case Command.completion.name: invocation.request = .print(table.completion(for: invocation.operands[0]) ?? "")
    case Command.manual.name: invocation.request = .print(table.manualPage())
    default: break
    }
    return invocation
  }

  /// The command among the words, or the default one.
  private func command(needed: Bool) throws(UsageError) -> Command? {
    guard let word = words.first else {
      if let name = table.defaultCommand, needed { return table.command(name) }
      guard needed else { return nil }
      throw error("no command; one of \(table.allCommands.map(\.name).joined(separator: ", "))")
    }
    guard let command = table.command(word) else {
      throw error("unknown command '\(word)'" + suggestion(for: word, among: table.allCommands.map(\.name)))
    }
    return command
  }

  private func checkOptions(of command: Command) throws(UsageError) {
    let known = Set(table.options(of: command.name).map(\.long))
    for (option, spelling, _) in given where !known.contains(option.long) {
      let homes = table.commands.map(\.name).filter { option.commands?.contains($0) ?? true }
      throw error("\(spelling) does not go with '\(command.name)', only with \(homes.joined(separator: ", "))")
    }
  }

  private func operands(of command: Command) throws(UsageError) -> [String] {
    let operands = Array(words.dropFirst())
    let needed = command.operands.filter { !$0.isOptional }
    if operands.count < needed.count {
      throw error("'\(command.name)' needs \(needed[operands.count].name)", of: command)
    }
    let isOpen = command.operands.last?.isRepeated ?? false
    if operands.count > command.operands.count, !isOpen {
      throw error("'\(command.name)' has no use for '\(operands[command.operands.count])'", of: command)
    }
    for (index, text) in operands.enumerated() {
      let operand = command.operands[min(index, command.operands.count - 1)]
      try check(text, operand.value, operand.name)
    }
    return operands
  }

  private func override(
    _ option: CommandOption, _ spelling: String, _ value: String?
  ) throws(UsageError) -> ConfigurationOverride? {
    switch option.effect {
    case .none: return nil
    case .sets(let path, let text):
      return ConfigurationOverride(path: path, text: text ?? value ?? "true", flag: spelling)
    case .assigns:
      let parts = (value ?? "").split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw error("\(spelling) takes KEY=VALUE, for example \(spelling) broker.port=8883, not '\(value ?? "")'")
      }
      return ConfigurationOverride(path: String(parts[0]), text: String(parts[1]), flag: "\(spelling) \(parts[0])")
    }
  }

  // MARK: Complaints

  private var all: [CommandOption] { table.options + [.help, .version] }

  private func unknown(_ spelling: String) -> UsageError {
    let known = all.map { "--\($0.long)" }
    let hint = spelling.hasPrefix("--") ? suggestion(for: spelling, among: known) : ""
    return error("unknown option '\(spelling)'" + hint)
  }

  private func error(_ text: String, of command: Command? = nil) -> UsageError {
    let help = [table.program, command?.name, "--help"].compactMap { $0 }.joined(separator: " ")
    return UsageError(description: printableLine(text + (text.hasSuffix("?") ? "" : ";") + " see '\(help)'"))
  }
}
