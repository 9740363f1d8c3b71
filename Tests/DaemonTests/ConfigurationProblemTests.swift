import Daemon
import Foundation
import Rig
import Testing

@Suite struct ConfigurationProblemTests {
  @Test(arguments: [
    // Unknown names.
    ("[accelerometer]\n  rate = 5", "node.toml:2:3: unknown key 'rate' in [accelerometer]; did you mean 'rate_hz'?"),
    (
      "[accelerometer]\nrate-hz = 5", "node.toml:2:1: unknown key 'rate-hz' in [accelerometer]; did you mean 'rate_hz'?"
    ),
    ("[accelerometer]\nquux = 5", "node.toml:2:1: unknown key 'quux' in [accelerometer]"),
    ("[accelerometer]\nport = 5", "node.toml:2:1: unknown key 'port' in [accelerometer]; it belongs in [broker]"),
    ("[acelerometer]\nrate_hz = 5", "node.toml:1:2: unknown table [acelerometer]; did you mean [accelerometer]?"),
    ("[xyz]", "node.toml:1:2: unknown table [xyz]"),
    ("[[rules]]\na = 1", "node.toml:1:3: unknown table [[rules]]; did you mean [[rule]]?"),
    ("rate_hz = 5", "node.toml:1:1: unknown key 'rate_hz' outside any table; it belongs in [accelerometer]"),
    ("xyz = 5", "node.toml:1:1: unknown key 'xyz' outside any table; every key belongs in a [table]"),
    // The wrong form.
    ("[[broker]]", "node.toml:1:3: broker must be one table, written as [broker]"),
    ("broker = 5", "node.toml:1:1: broker must be one table, written as [broker]"),
    ("[rule]\nname = \"a\"", "node.toml:1:2: rule must be written as [[rule]], once for each"),
    ("rule = [1]", "node.toml:1:1: rule must be written as [[rule]], once for each"),
    (
      "[node]\nsite = \"a\"",
      "node.toml:2:1: everything in [node] must be a table of its own, written as [node.\"ID\"]"
    ),
    ("[broker]\nport.x = 5", "node.toml:2:1: broker.port must be a whole number, 1 to 65535; found a table"),
    // Out of range, not a choice, a check of the program.
    (
      "[accelerometer]\nrate_hz = 9000",
      "node.toml:2:11: accelerometer.rate_hz = 9000 is out of range; it must be 1 to 3200 Hz"
    ),
    ("[broker]\nport = 0", "node.toml:2:8: broker.port = 0 is out of range; it must be 1 to 65535"),
    ("[broker]\npatience_s = -1", "node.toml:2:14: broker.patience_s = -1 is out of range; it must be at least 0 s"),
    ("[broker]\npatience_s = inf", "node.toml:2:14: broker.patience_s = inf must be finite"),
    ("[accelerometer]\nrate_hz = nan", "node.toml:2:11: accelerometer.rate_hz = nan must be finite"),
    (
      "[accelerometer]\nsource = \"iioo\"",
      "node.toml:2:10: accelerometer.source = \"iioo\" is not one of iio, evdev, recording, none; did you mean 'iio'?"
    ),
    ("[accelerometer]\nmount_matrix = [1]", "node.toml:2:16: accelerometer.mount_matrix = [1] must have 9 numbers"),
    (
      "[accelerometer]\nmount_matrix = [[1, 2], [3, 4]]",
      "node.toml:2:16: accelerometer.mount_matrix must be a list of numbers; found a list in it; write all numbers one "
        + "after the other in one list"
    ),
    (
      "[accelerometer]\nrecording_file = \"\"",
      "node.toml:2:18: accelerometer.recording_file = \"\" must not be empty"
    ),
    (
      "[broker]\nhost = \"a\\u001bb\"",
      "node.toml:2:8: broker.host = \"a\\u001bb\" must not contain control characters"
    ),
    ("[broker]\npassword = \"a\\u0000b\"", "node.toml:2:12: broker.password must not contain control characters"),
    ("[broker]\npassword = 12", "node.toml:2:12: broker.password must be text; found a whole number"),
    (
      "[accelerometer]\nlabels = [\"a\", 3]",
      "node.toml:2:10: accelerometer.labels must be a list of texts; found the whole number 3 in it"
    ),
    // What a row needs.
    ("[[rule]]\nname = \"a\"", "node.toml:1:1: rule[1] needs 'kind' (one of shake, lost-fix, silent)"),
    ("[[rule]]\nname = 5\nkind = \"shake\"", "node.toml:2:8: rule[1].name must be text; found the whole number 5"),
    ("[node.\"v 1\"]\nlat = 91", "node.toml:2:7: node.\"v 1\".lat = 91 is out of range; it must be -90 to 90 degrees"),
  ])
  func complaint(text: String, expected: String) {
    #expect(problems(text) == [expected])
  }

  @Test(arguments: [
    ("[broker\nport = 1", "node.toml:1:8: not TOML: "), ("[broker]\nport = ", "node.toml:2:8: not TOML: "),
    ("[broker]\nport = 1\nport = 2", "node.toml:3:"), ("a = \"\u{1}\"", "node.toml:1:6: not TOML: "),
    ("[a]\n[a]", "node.toml:2:1: not TOML: "),
  ])
  func syntaxErrorsHaveLineAndColumn(text: String, start: String) {
    let found = problems(text)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(start) == true, "\(found)")
  }

  @Test func brokenUTF8IsASyntaxError() {
    let text: [UInt8] = Array("[broker]\nhost = \"".utf8) + [0xFF, 0xFE] + Array("\"".utf8)
    let failure = #expect(throws: ConfigurationFailure.self) {
      try Configuration.load(schema, text: text, file: "node.toml")
    }
    #expect(failure?.problems.first?.place.hasPrefix("node.toml:2:") == true)
    #expect(failure?.code == .configuration)
  }

  /// Every kind of value for every kind of key: what doesn't fit is refused at the value's place.
  @Test func everyWrongTypeIsRefused() {
    let values = [
      "text": "\"xyzzy\"", "integer": "5", "number": "5.5", "flag": "true", "time": "1979-05-27", "table": "{ a = 1 }",
      "list": "[{}]",
    ]
    let fits: [String: Set<String>] = [
      "accelerometer.rate_hz": ["integer", "number"], "accelerometer.seed": ["integer"], "broker.host": ["text"],
      "accelerometer.recording_file": ["text"], "accelerometer.loop": ["flag"], "accelerometer.source": [],
      "accelerometer.labels": [], "accelerometer.mount_matrix": [],
    ]
    for (path, kinds) in fits {
      for (kind, value) in values {
        let found = problems("\(path) = \(value)")
        if kinds.contains(kind) {
          #expect(found.isEmpty, "\(path) = \(value)")
        } else {
          #expect(found.count == 1, "\(path) = \(value): \(found)")
          #expect(found.first?.hasPrefix("node.toml:1:\(path.count + 4): \(path) ") == true, "\(found)")
        }
      }
    }
  }

  @Test func everyWrongTextOfAVariableIsRefused() {
    for (path, text) in [
      ("accelerometer.rate_hz", "fast"), ("accelerometer.rate_hz", ""), ("accelerometer.rate_hz", "nan"),
      ("accelerometer.seed", "1.5"), ("accelerometer.seed", "1e3"), ("accelerometer.seed", "99999999999999999999"),
      ("accelerometer.loop", "yes"), ("accelerometer.source", ""), ("accelerometer.mount_matrix", "1,x"),
      ("accelerometer.recording_file", ""), ("broker.host", "a\nb"),
    ] {
      let name = ConfigurationSchema.variable(for: path)
      let found = problems("", environment: [name: text])
      #expect(found.count == 1, "\(name)=\(text)")
      #expect(found.first?.hasPrefix("\(name): \(path) ") == true, "\(found)")
      #expect(problems("", flags: [override(path, text, "--x")]).first?.hasPrefix("--x: \(path) ") == true)
    }
    #expect(
      problems("", environment: ["JUDDER_BROKER_PORT": "abc"]) == [
        "JUDDER_BROKER_PORT: broker.port must be a whole number, 1 to 65535; found \"abc\""
      ])
  }

  @Test func everythingThatIsWrongIsSaidAtOnce() {
    let found = problems(
      "[broker]\nport = 0\nhots = \"a\"\n[accelerometer]\nloop = 1",
      environment: ["JUDDER_BROKER_HOTS": "x", "JUDDER_ACCELEROMETER_SEED": "-1", "PATH": "/bin"],
      flags: [override("broker.prot", "1", "--set broker.prot")])
    #expect(
      found == [
        "node.toml:2:8: broker.port = 0 is out of range; it must be 1 to 65535",
        "node.toml:3:1: unknown key 'hots' in [broker]; did you mean 'host'?",
        "node.toml:5:8: accelerometer.loop must be true or false; found the whole number 1",
        "JUDDER_ACCELEROMETER_SEED: accelerometer.seed = -1 is out of range; it must be 0 to 99",
        "JUDDER_BROKER_HOTS: no key has this environment variable; did you mean 'JUDDER_BROKER_HOST'?",
        "--set broker.prot: unknown key 'broker.prot'; did you mean 'broker.port'?",
      ])
  }

  @Test func reservedVariablesAreLeftAlone() {
    #expect(problems("", environment: ["JUDDER_PASSWORD": "x", "judder_x": "y"]).isEmpty)
  }

  @Test func complaintsNeverCarryControlCharacters() {
    let found = problems("[\"a\\u001b[2J\\nb\"]")
    #expect(found == ["node.toml:1:2: unknown table [a\\u{1b}[2J\\nb]"])
  }

  @Test func onlyWrongFlagsAreAMatterOfUsage() {
    let cases: [(String, [ConfigurationOverride], ExitCode)] = [
      ("", [override("broker.port", "x")], .usage), ("broker.port = 0", [], .configuration),
      ("broker.port = 0", [override("broker.port", "x")], .configuration),
    ]
    for (text, flags, code) in cases {
      #expect(throws: ConfigurationFailure.self) { try load(text, flags: flags) }
      do { _ = try load(text, flags: flags) } catch { #expect((error as? ConfigurationFailure)?.code == code) }
    }
  }

  @Test func requiredKeyOfASingleTable() throws {
    let needy = ConfigurationSchema(
      heading: [], sections: [ConfigurationSection("a", summary: "A.", [.integer("b", 1...2, "B.").required])])
    func found(_ text: String) -> [String] {
      do {
        _ = try Configuration.load(needy, text: Array(text.utf8), file: "f")
        return []
      } catch { return error.problems.map(\.description) }
    }
    #expect(found("") == ["f: a.b is not set (whole number, 1 to 2)"])
    #expect(found("\n[a]") == ["f:2:2: a.b is not set (whole number, 1 to 2)"])
    #expect(found("[a]\nb = 7") == ["f:2:5: a.b = 7 is out of range; it must be 1 to 2"])
    #expect(found("[a]\nb = 1").isEmpty)
  }

  @Test func missingFileIsAConfigurationError() throws {
    let place = try Workplace()
    let failure = #expect(throws: ConfigurationFailure.self) {
      try Configuration.load(schema, file: place.path("absent.toml"))
    }
    #expect(failure?.code == .configuration)
    #expect(
      failure?.problems.map(\.description) == [
        "\(place.path("absent.toml")): cannot be read: No such file or directory; "
          + "name the configuration file with --config"
      ])
  }

  @Test func unreadableFileIsAPermissionError() throws {
    let place = try Workplace()
    let path = try place.write("node.toml", "")
    #expect(chmod(path, 0) == 0)
    let failure = asNobody {
      #expect(throws: ConfigurationFailure.self) { try Configuration.load(schema, file: path) }
    }
    #expect(failure?.code == .permission)
    #expect(
      failure?.problems.map(\.description) == [
        "\(path): cannot be read: Permission denied; run as a user who may read it"
      ])
  }

  @Test func folderAndHugeFileAreRefused() throws {
    let place = try Workplace()
    let huge = try place.write("huge.toml", String(repeating: "#\n", count: 600_000))
    for path in [place.folder.path, huge] {
      let failure = #expect(throws: ConfigurationFailure.self) { try Configuration.load(schema, file: path) }
      #expect(failure?.code == .configuration)
    }
  }

  /// What would exhaust the stack of a careless reader ends in one complaint.
  @Test func deepNestingIsNoCrash() {
    let deep = String(repeating: ".a", count: 400_000)
    #expect(problems("broker" + deep + " = 1") == ["node.toml:1:1007: not TOML: more than 500 dots in one line"])
    #expect(problems("\n[broker" + deep + "]") == ["node.toml:2:1008: not TOML: more than 500 dots in one line"])
    for opening in ["[", "{a=", "[{a="] {
      #expect(problems("[broker]\nhost = " + String(repeating: opening, count: 20_000)).count == 1)
    }
    let allowed = String(repeating: ".a", count: 490)
    let deepest = (0..<7).reduce("1") { value, _ in "{ a\(allowed) = [\n\(value)\n] }" }
    #expect(problems("[broker\(allowed)]\na\(allowed) = \(deepest)").count == 1)
  }
}

/// Runs `body` with the file access of an unprivileged user, also when the tests run as root: setfsuid(2), which
/// holds for the calling thread alone.
private func asNobody<Result>(_ body: () -> Result) -> Result {
  typealias SetUser = @convention(c) (UInt32) -> Int32
  guard let symbol = dlsym(nil, "setfsuid") else { return body() }
  let setUser = unsafeBitCast(symbol, to: SetUser.self)
  _ = setUser(65534)
  defer { _ = setUser(geteuid()) }
  return body()
}
