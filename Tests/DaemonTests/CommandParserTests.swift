import Daemon
import Testing

@Suite struct CommandParserTests {
  @Test(arguments: [
    ["run", "--config", "a", "--port", "1"], ["--config=a", "--port=1", "run"], ["-c", "a", "run", "-p1"],
    ["run", "-ca", "-p=1"], ["-p", "1", "-c=a", "run"],
  ])
  func valuesMayBeWrittenInEveryCustomaryWay(arguments: [String]) throws {
    let invocation = try commandTable.parse(arguments)
    #expect(invocation.command == "run")
    #expect(invocation.text("config") == "a")
    #expect(invocation.integer("port") == 1)
    #expect(invocation.overrides.map(\.path) == ["broker.port"])
    #expect(invocation.overrides.map(\.text) == ["1"])
  }

  @Test func shortFlagsMayBeBundled() throws {
    let invocation = try commandTable.parse(["run", "-djp", "7"])
    #expect(invocation.isGiven("debug") && invocation.isGiven("json"))
    #expect(invocation.integer("port") == 7)
    #expect(!invocation.isGiven("config"))
  }

  @Test func flagsSetWhatTheTableSays() throws {
    let overrides = try commandTable.parse(["run", "-d", "-h", "b", "--set", "a.b=c=d", "--set=x.y="]).overrides
    #expect(
      overrides == [
        override("accelerometer.source", "none", "-d"), override("broker.host", "b", "-h"),
        override("a.b", "c=d", "--set a.b"), override("x.y", "", "--set x.y"),
      ])
  }

  @Test func operandsMayStandAnywhere() throws {
    let invocation = try commandTable.parse(["replay", "a.csv", "--rate", "2.5", "b.csv", "--", "--json", "-"])
    #expect(invocation.operands == ["a.csv", "b.csv", "--json", "-"])
    #expect(invocation.number("rate") == 2.5)
    #expect(!invocation.isGiven("json"))
  }

  @Test func emptyAndDashedValuesAreValues() throws {
    #expect(try commandTable.parse(["run", "--host", ""]).text("host") == "")
    #expect(try commandTable.parse(["run", "--host", "-x"]).text("host") == "-x")
    #expect(try commandTable.parse(["run", "--host=--json"]).text("host") == "--json")
  }

  @Test(arguments: [
    (["run", "--jsn"], "unknown option '--jsn'; did you mean '--json'? see 'judder-node --help'"),
    (["run", "--zzzzzz"], "unknown option '--zzzzzz'; see 'judder-node --help'"),
    (["run", "-dx"], "unknown option '-x'; see 'judder-node --help'"),
    (["run", "--config"], "--config needs a value: --config FILE; see 'judder-node --help'"),
    (
      ["run", "--config", "--json"],
      "--config needs a value, and '--json' is an option; write --config=--json to mean it; see 'judder-node --help'"
    ),
    (["run", "--json=1"], "--json takes no value; see 'judder-node --help'"),
    (["run", "-p", "0"], "-p must be a whole number, 1 to 65535, not '0'; see 'judder-node --help'"),
    (["run", "--port", "x"], "--port must be a whole number, 1 to 65535, not 'x'; see 'judder-node --help'"),
    (["replay", "f", "--rate", "nan"], "--rate must be a number, 0.5 to 100, not 'nan'; see 'judder-node --help'"),
    (
      ["replay", "f", "--preset", "fixd"],
      "--preset must be one of handheld, fixed, not 'fixd'; did you mean 'fixed'? see 'judder-node --help'"
    ),
    (["run", "-c", "a", "--config", "b"], "--config is given twice; see 'judder-node --help'"),
    (["run", "--config="], "--config must not be empty; see 'judder-node --help'"),
    (
      ["run", "--set", "broker.port"],
      "--set takes KEY=VALUE, for example --set broker.port=8883, not 'broker.port'; see 'judder-node --help'"
    ),
    (["run", "--preset", "fixed"], "--preset does not go with 'run', only with replay; see 'judder-node --help'"),
    (["rnu"], "unknown command 'rnu'; did you mean 'run'? see 'judder-node --help'"),
    ([], "no command; one of run, check, replay, completion, manual; see 'judder-node --help'"),
    (["run", "x"], "'run' has no use for 'x'; see 'judder-node run --help'"),
    (["replay"], "'replay' needs FILE; see 'judder-node replay --help'"),
    (
      ["completion", "csh"],
      "SHELL must be one of bash, zsh, fish, not 'csh'; did you mean 'zsh'? "
        + "see 'judder-node --help'"
    ),
    (["a\u{1B}[2J"], "unknown command 'a\\u{1b}[2J'; see 'judder-node --help'"),
  ])
  func mistakesAreNamedInOneLine(arguments: [String], expected: String) {
    let error = #expect(throws: UsageError.self) { try commandTable.parse(arguments) }
    #expect(error?.description == expected)
    #expect(error?.termination == Termination(.usage, [expected]))
  }

  @Test func defaultCommandRunsWhenNoneIsGiven() throws {
    var table = commandTable
    table.defaultCommand = "run"
    #expect(try table.parse(["--json"]).command == "run")
    #expect(try table.parse(["check"]).command == "check")
    #expect(throws: UsageError.self) { try table.parse(["--preset", "fixed"]) }
  }

  @Test func helpAndVersionNeedNothingElse() throws {
    #expect(try commandTable.parse(["--version"]).request == .print("judder-node 0.1.0\n"))
    #expect(try commandTable.parse(["--help"]).request == .print(commandTable.help()))
    #expect(try commandTable.parse(["replay", "--help"]).request == .print(commandTable.help(for: "replay")))
    #expect(try commandTable.parse(["--help", "replay"]).request == .print(commandTable.help(for: "replay")))
  }

  @Test func tableWithoutDefectsHasNone() {
    #expect(commandTable.defects(schema: schema).isEmpty)
  }

  @Test func defectsOfATableAreFound() {
    var bad = commandTable
    bad.options += [.flag("json", "again"), .flag("far", commands: ["walk"], "x").setting("broker.hots")]
    bad.defaultCommand = "walk"
    #expect(
      bad.defects(schema: schema) == [
        "no command walk", "two options have one spelling",
        "--far belongs to the command walk, which is not there", "--far sets broker.hots, which is not in the schema",
      ])
  }

  /// Whatever is typed ends in an invocation or in one line.
  @Test func arbitraryArgumentsNeverTrap() {
    let words = [
      "run", "replay", "--", "-", "--config", "--config=", "-c", "-p", "-p=", "--set", "--set==", "-", "--=", "-=", "é",
      "", "--help", "-d", "-dj", "--json", "completion", "bash", "manual", "--port=5", "=", "-h", "a=b",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<3000 {
      let arguments = (0..<Int.random(in: 0...6, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }
      do {
        _ = try commandTable.parse(arguments)
      } catch {
        #expect(!error.description.contains("\n"), "\(arguments)")
        #expect(error.description.contains("see 'judder-node"), "\(arguments)")
      }
    }
  }
}
