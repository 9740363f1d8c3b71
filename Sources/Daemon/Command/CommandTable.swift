/// A program's command line: commands, options and what help, manual page and completions say about them. Everything
/// that anybody reads or types comes from this one table.
///
/// `--help`, `--version` and the commands `completion` and `manual` are there without being listed.
public struct CommandTable: Sendable {
  /// A term and what it means: a file, a variable, an example.
  public struct Entry: Equatable, Sendable {
    /// What is explained, as it is typed.
    public var term: String
    /// What it means, in one line.
    public var summary: String

    public init(_ term: String, _ summary: String) {
      self.term = term
      self.summary = summary
    }
  }

  /// As it is typed, for example `judder-node`.
  public var program: String
  /// One line without a full stop.
  public var summary: String
  /// As `--version` prints it.
  public var version: String
  /// Paragraphs.
  public var description: [String]
  /// In the order of the help.
  public var commands: [Command]
  /// In the order of the help; without `--help` and `--version`.
  public var options: [CommandOption]
  /// What runs when no command is given; nil when that is an error.
  public var defaultCommand: String?
  /// Environment variables that the program reads.
  public var environment: [Entry] = []
  /// Files that the program reads or writes.
  public var files: [Entry] = []
  /// Command lines, and what each is for.
  public var examples: [Entry] = []
  /// The exit codes that the program uses.
  public var exitCodes: [ExitCode] = ExitCode.allCases
  /// Other manual pages, for example `mosquitto_sub(1)`.
  public var seeAlso: [String] = []
  /// 1 for a program of a user, 8 for a daemon.
  public var manualSection = 8

  public init(
    program: String, summary: String, version: String, description: [String], commands: [Command],
    options: [CommandOption], defaultCommand: String? = nil
  ) {
    self.program = program
    self.summary = summary
    self.version = version
    self.description = description
    self.commands = commands
    self.options = options
    self.defaultCommand = defaultCommand
  }

  /// The listed commands, then the built-in ones.
  public var allCommands: [Command] { commands + [.completion, .manual] }

  /// The command of that name, listed or built-in.
  public func command(_ name: String) -> Command? { allCommands.first { $0.name == name } }

  /// The options that a command takes, `--help` and `--version` last. Nil: those that stand without any command.
  public func options(of command: String?) -> [CommandOption] {
    let name = command ?? defaultCommand
    let own = options.filter { option in
      guard let name, commands.contains(where: { $0.name == name }) else { return false }
      return option.commands?.contains(name) ?? true
    }
    return own + [.help, .version]
  }

  /// What is wrong with the table itself: a program's tests expect nothing.
  public func defects(schema: ConfigurationSchema? = nil) -> [String] {
    var defects: [String] = []
    let names = allCommands.map(\.name)
    if Set(names).count < names.count { defects.append("two commands have one name") }
    if let defaultCommand, command(defaultCommand) == nil { defects.append("no command \(defaultCommand)") }
    let spellings = (options + [.help, .version]).flatMap(\.spellings)
    if Set(spellings).count < spellings.count { defects.append("two options have one spelling") }
    for option in options {
      for command in option.commands ?? [] where !commands.contains(where: { $0.name == command }) {
        defects.append("--\(option.long) belongs to the command \(command), which is not there")
      }
      if let path = option.configurationPath, let schema, schema.find(path) == nil {
        defects.append("--\(option.long) sets \(path), which is not in the schema")
      }
    }
    return defects
  }
}

/// One command of a program.
public struct Command: Sendable {
  /// An argument that is not an option.
  public struct Operand: Sendable {
    /// In capitals, for example `FILE`.
    public var name: String
    public var value: CommandOption.Value
    /// Whether it may be left out.
    public var isOptional: Bool
    /// Whether there may be more than one; only for the last.
    public var isRepeated: Bool

    public init(
      _ name: String, _ value: CommandOption.Value = .text, isOptional: Bool = false, isRepeated: Bool = false
    ) {
      self.name = name
      self.value = value
      self.isOptional = isOptional
      self.isRepeated = isRepeated
    }
  }

  /// As it is typed.
  public var name: String
  /// One line without a full stop.
  public var summary: String
  /// Paragraphs.
  public var details: [String]
  /// In their order; only the last may be repeated.
  public var operands: [Operand]

  public init(_ name: String, _ summary: String, details: [String] = [], operands: [Operand] = []) {
    self.name = name
    self.summary = summary
    self.details = details
    self.operands = operands
  }

  static let completion = Command(
    "completion", "print a completion script for a shell",
    details: [
      "bash: source it, or put it into /usr/share/bash-completion/completions. zsh: a folder of $fpath. fish: "
        + "/usr/share/fish/vendor_completions.d."
    ],
    operands: [Operand("SHELL", .choice(["bash", "zsh", "fish"]))])
  static let manual = Command("manual", "print the manual page", details: ["It is in the roff of man(7)."])
}

/// One option of a program.
public struct CommandOption: Sendable {
  /// What an operand or the value of an option may be.
  public enum Value: Equatable, Sendable {
    case text
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    case choice([String])
    case file
    case folder
  }

  /// What an option does besides being given.
  enum Effect: Equatable, Sendable {
    case none
    /// Its value, or the text, becomes the value of a configuration key.
    case sets(path: String, to: String?)
    /// Its value is KEY=VALUE for any configuration key.
    case assigns
  }

  /// Without dashes.
  public var long: String
  /// One letter, without its dash; nil when there is none.
  public var short: Character?
  /// In capitals; nil for an option without a value.
  public var valueName: String?
  public var value: Value?
  /// One line without a full stop.
  public var summary: String
  /// The commands that take it; nil for all.
  public var commands: [String]?
  /// Whether it may be given more than once.
  public var isRepeatable = false
  var effect = Effect.none

  /// An option without a value.
  public static func flag(
    _ long: String, short: Character? = nil, commands: [String]? = nil, _ summary: String
  ) -> CommandOption {
    CommandOption(long: long, short: short, summary: summary, commands: commands)
  }

  /// An option with a value. `name` is in capitals.
  public static func value(
    _ long: String, short: Character? = nil, _ name: String, _ value: Value = .text, commands: [String]? = nil,
    _ summary: String
  ) -> CommandOption {
    CommandOption(long: long, short: short, valueName: name, value: value, summary: summary, commands: commands)
  }

  /// `--set KEY=VALUE`: any key of the configuration, as often as wanted.
  public static func assignment(commands: [String]? = nil) -> CommandOption {
    var option = value(
      "set", "KEY=VALUE", commands: commands,
      "set a key of the configuration, for example broker.port=8883; may be repeated")
    option.isRepeatable = true
    option.effect = .assigns
    return option
  }

  static let help = flag("help", "print this help, or that of a command")
  static let version = flag("version", "print the version")

  /// The same option, whose value becomes that of a configuration key; `text` for an option without a value.
  public func setting(_ path: String, to text: String? = nil) -> CommandOption {
    var option = self
    option.effect = .sets(path: path, to: text)
    return option
  }

  /// The same option, which may be given more than once.
  public var repeatable: CommandOption {
    var option = self
    option.isRepeatable = true
    return option
  }

  /// The configuration key that it sets.
  public var configurationPath: String? { if case .sets(let path, _) = effect { path } else { nil } }

  /// `-h` and `--host`.
  var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--\(long)"] }

  /// `-h, --host HOST`.
  var term: String { spellings.joined(separator: ", ") + (valueName.map { " \($0)" } ?? "") }
}
