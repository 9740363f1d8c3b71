extension CommandTable {
  /// The completion script for `bash`, `zsh` or `fish`; nil for another shell.
  public func completion(for shell: String) -> String? {
    switch shell {
    case "bash": bashCompletion()
    case "zsh": zshCompletion()
    case "fish": fishCompletion()
    default: nil
    }
  }

  /// A name for shell functions.
  var functionName: String { "_" + program.map { $0 == "-" ? "_" : String($0) }.joined() }

  /// A text as one word of a POSIX shell.
  func shellQuoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}

// bash: one function, without help from the bash-completion package.
extension CommandTable {
  func bashCompletion() -> String {
    let name = functionName
    let names = allCommands.map(\.name)
    return """
      # bash completion for \(program)
      \(name)() {
        local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" command="" words="" i
        COMPREPLY=()
        # bash makes words of their own of '=' and what follows it.
        if [[ $current == "=" ]]; then
          current=""
        elif [[ $previous == "=" && COMP_CWORD -ge 2 ]]; then
          previous="${COMP_WORDS[COMP_CWORD-2]}"
        fi
        for ((i = 1; i < COMP_CWORD; i++)); do
          case "${COMP_WORDS[i]}" in
            \(names.joined(separator: "|"))) command="${COMP_WORDS[i]}"; break ;;
          esac
        done
        case "$previous" in
      \(bashValues())  esac
        case "$command" in
      \(bashCommands())  esac
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      }
      complete -F \(name) \(program)

      """
  }

  private func bashValues() -> String {
    options.filter { $0.value != nil }.map { option in
      "    \(option.spellings.joined(separator: "|"))) \(bashAction(option.value ?? .text)) ;;\n"
    }.joined()
  }

  private func bashAction(_ value: CommandOption.Value) -> String {
    switch value {
    case .choice(let choices):
      "COMPREPLY=($(compgen -W \(shellQuoted(choices.joined(separator: " "))) -- \"$current\")); return"
    case .file: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- \"$current\")); return"
    case .folder: "compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- \"$current\")); return"
    case .text, .integer, .number: "return"
    }
  }

  private func bashCommands() -> String {
    let first = allCommands.map(\.name) + spellings(options(of: nil))
    let cases = allCommands.map { command in
      var body = "words=\(shellQuoted(spellings(options(of: command.name)).joined(separator: " ")))"
      if let operand = command.operands.first {
        switch operand.value {
        case .choice(let choices): body = "words=\(shellQuoted(choices.joined(separator: " ")))"
        case .file, .folder: body = "if [[ $current != -* ]]; then \(bashAction(operand.value)); fi; \(body)"
        case .text, .integer, .number: break
        }
      }
      return "    \(command.name)) \(body) ;;\n"
    }
    return "    '') words=\(shellQuoted(first.joined(separator: " "))) ;;\n" + cases.joined()
  }

  private func spellings(_ options: [CommandOption]) -> [String] { options.flatMap(\.spellings) }
}

// zsh: _arguments does the work.
extension CommandTable {
  func zshCompletion() -> String {
    let commands = allCommands.map { "    \(shellQuoted("\(zshPlain($0.name)):\($0.summary)"))\n" }.joined()
    let cases = allCommands.map { command in
      let lines = options(of: command.name).flatMap(zshOption) + zshOperands(command)
      return "        \(command.name))\n          _arguments -s -S \\\n"
        + lines.map { "            \($0)" }.joined(separator: " \\\n") + "\n          ;;\n"
    }.joined()
    let first = options(of: nil).flatMap(zshOption).map { "    \($0)" }.joined(separator: " \\\n")
    return """
      #compdef \(program)
      \(functionName)() {
        local curcontext="$curcontext" state line
        local -a commands
        commands=(
      \(commands)  )
        _arguments -C -s -S \\
      \(first) \\
          '1:command:->command' \\
          '*::argument:->argument'
        case $state in
          command) _describe command commands ;;
          argument)
            case $words[1] in
      \(cases)      esac
            ;;
        esac
      }
      if [[ $funcstack[1] == \(functionName) ]]; then
        \(functionName) "$@"
      else
        compdef \(functionName) \(program)
      fi

      """
  }

  private func zshOption(_ option: CommandOption) -> [String] {
    let others = option.isRepeatable ? "*" : "(\(option.spellings.joined(separator: " ")))"
    let value = option.value.map { ":\(zshPlain(option.valueName ?? "VALUE")):\(zshAction($0))" } ?? ""
    return option.spellings.map { spelling in
      let equals = option.value != nil && spelling.hasPrefix("--") ? "=" : ""
      return shellQuoted("\(others)\(spelling)\(equals)[\(zshPlain(option.summary))]\(value)")
    }
  }

  private func zshOperands(_ command: Command) -> [String] {
    command.operands.map { operand in
      let position = operand.isRepeated ? "*" : operand.isOptional ? ":" : ""
      return shellQuoted("\(position):\(zshPlain(operand.name)):\(zshAction(operand.value))")
    }
  }

  private func zshAction(_ value: CommandOption.Value) -> String {
    switch value {
    case .choice(let choices): "(\(choices.joined(separator: " ")))"
    case .file: "_files"
    case .folder: "_files -/"
    case .text, .integer, .number: " "
    }
  }

  /// Without what _arguments would read as syntax.
  private func zshPlain(_ text: String) -> String {
    text.map { ":[]\\".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}

// fish: one line for each option of each command.
extension CommandTable {
  func fishCompletion() -> String {
    let names = allCommands.map(\.name).joined(separator: " ")
    var lines = ["# fish completion for \(program)", "complete -c \(program) -f"]
    for command in allCommands {
      lines.append(
        "complete -c \(program) -n \(fishQuoted("not __fish_seen_subcommand_from \(names)")) -a \(command.name)"
          + " -d \(fishQuoted(command.summary))")
      for operand in command.operands.prefix(1) {
        guard let arguments = fishArguments(operand.value) else { continue }
        lines.append("complete -c \(program) -n \(condition(command.name)) \(arguments)")
      }
    }
    for option in options + [.help, .version] { lines.append(fishLine(option)) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func fishLine(_ option: CommandOption) -> String {
    let commands = option.commands ?? (options.contains { $0.long == option.long } ? commands.map(\.name) : [])
    var words = ["complete", "-c", program]
    if !commands.isEmpty { words += ["-n", condition(commands.joined(separator: " "))] }
    if let short = option.short { words += ["-s", String(short)] }
    words += ["-l", option.long]
    if let value = option.value { words += ["-x", fishArguments(value) ?? ""].filter { !$0.isEmpty } }
    if option.value == .file || option.value == .folder { words.removeAll { $0 == "-x" } }
    return (words + ["-d", fishQuoted(option.summary)]).joined(separator: " ")
  }

  private func condition(_ commands: String) -> String { fishQuoted("__fish_seen_subcommand_from \(commands)") }

  private func fishArguments(_ value: CommandOption.Value) -> String? {
    switch value {
    case .choice(let choices): "-a \(fishQuoted(choices.joined(separator: " ")))"
    case .file: "-r -F"
    case .folder: "-x -a \(fishQuoted("(__fish_complete_directories)"))"
    case .text, .integer, .number: nil
    }
  }

  private func fishQuoted(_ text: String) -> String {
    "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
