import Daemon
import Rig
import Testing

@Suite struct ConfigurationTests {
  @Test func emptyFileGivesTheDefaults() throws {
    let configuration = try load("")
    #expect(configuration.text("accelerometer.source") == "iio")
    #expect(configuration.number("accelerometer.rate_hz") == 100)
    #expect(configuration.integer("broker.port") == 1883)
    #expect(configuration.flag("accelerometer.loop"))
    #expect(configuration.texts("accelerometer.labels") == ["lis3dh"])
    #expect(configuration.numbers("accelerometer.mount_matrix") == [1, 0, 0, 0, 1, 0, 0, 0, 1])
    #expect(configuration.optionalText("accelerometer.recording_file") == nil)
    #expect(configuration.optionalNumber("broker.patience_s") == nil)
    #expect(!configuration.isSet("broker.port"))
    #expect(configuration.origin("broker.port") == .builtIn)
    #expect(configuration.rows("rule").isEmpty)
    #expect(configuration.rows("node").isEmpty)
  }

  @Test func fileSetsEveryKind() throws {
    let configuration = try load(
      """
      [accelerometer]
      source = "recording"
      rate_hz = 50
      seed = 0x10
      recording_file = 'C:\\walk.csv'
      loop = false
      labels = ["a", "b\\u0022"]
      mount_matrix = [0, 1, 0, -1.5, 0, 0, 0, 0, 1]
      [broker]
      patience_s = 1.5e3
      """)
    #expect(configuration.text("accelerometer.source") == "recording")
    #expect(configuration.number("accelerometer.rate_hz") == 50)
    #expect(configuration.integer("accelerometer.seed") == 16)
    #expect(configuration.optionalText("accelerometer.recording_file") == "C:\\walk.csv")
    #expect(!configuration.flag("accelerometer.loop"))
    #expect(configuration.texts("accelerometer.labels") == ["a", "b\""])
    #expect(configuration.numbers("accelerometer.mount_matrix")[3] == -1.5)
    #expect(configuration.optionalNumber("broker.patience_s") == 1500)
    #expect(configuration.origin("accelerometer.rate_hz") == .file("node.toml", line: 3, column: 11))
  }

  @Test func dottedAndInlineTablesAreTheSame() throws {
    #expect(try load("broker.port = 1").integer("broker.port") == 1)
    #expect(try load("broker = { port = 2 }").integer("broker.port") == 2)
    #expect(try load("\"broker\".\"port\" = 3").integer("broker.port") == 3)
  }

  @Test func listsOfTablesKeepTheirOrderDefaultsAndPlaces() throws {
    let rules = try load(
      """
      [[rule]]
      name = "shaken"
      kind = "shake"

      [[rule]]
      kind = "silent"
      name = "quiet"
      for_s = 30
      """
    ).rows("rule")
    #expect(rules.map { $0.text("name") } == ["shaken", "quiet"])
    #expect(rules.map { $0.number("for_s") } == [0, 30])
    #expect(rules.map(\.label) == ["rule[1]", "rule[2]"])
    #expect(rules.map(\.place) == ["node.toml:1:1", "node.toml:5:1"])
    #expect(rules[1].setNames == ["name", "kind", "for_s"])
    #expect(rules[1].problem("for_s", "is too short").description == "node.toml:8:9: rule[2].for_s is too short")
  }

  @Test func keyedTablesKeepTheirKeys() throws {
    let nodes = try load(
      """
      [node."van-7"]
      site = "north"
      [node.'a.b "c"']
      lat = 51
      """
    ).rows("node")
    #expect(nodes.map(\.id) == ["van-7", "a.b \"c\""])
    #expect(nodes[0].text("site") == "north")
    #expect(nodes[0].optionalNumber("lat") == nil)
    #expect(nodes[1].optionalNumber("lat") == 51)
    #expect(nodes[1].label == #"node."a.b \"c\"""#)
  }

  @Test(arguments: [
    // What is set: the flag, the variable, the file. Then the value and its origin.
    (true, true, true, 1, "flag --port"), (true, true, false, 1, "flag --port"), (true, false, true, 1, "flag --port"),
    (true, false, false, 1, "flag --port"), (false, true, true, 2, "environment JUDDER_BROKER_PORT"),
    (false, true, false, 2, "environment JUDDER_BROKER_PORT"), (false, false, true, 3, "node.toml:2:8"),
    (false, false, false, 1883, "default"),
  ])
  func flagBeatsEnvironmentBeatsFileBeatsDefault(
    flag: Bool, variable: Bool, file: Bool, value: Int, origin: String
  ) throws {
    let configuration = try load(
      file ? "[broker]\nport = 3" : "", environment: variable ? ["JUDDER_BROKER_PORT": "2"] : [:],
      flags: flag ? [override("broker.port", "1", "--port")] : [])
    #expect(configuration.integer("broker.port") == value)
    #expect(configuration.origin("broker.port").description == origin)
  }

  @Test func variablesAndFlagsSetEveryKind() throws {
    let texts = [
      "accelerometer.source": "evdev", "accelerometer.rate_hz": "12.5", "accelerometer.seed": "7",
      "accelerometer.recording_file": "/a b.csv", "accelerometer.loop": "false", "accelerometer.labels": "a, b c ,d",
      "accelerometer.mount_matrix": "1,0,0,0,1,0,0,0,-1", "broker.host": "h",
    ]
    let environment = Dictionary(uniqueKeysWithValues: texts.map { (ConfigurationSchema.variable(for: $0), $1) })
    let byVariable = try load("", environment: environment)
    let byFlag = try load("", flags: texts.map { override($0, $1) })
    for configuration in [byVariable, byFlag] {
      #expect(configuration.text("accelerometer.source") == "evdev")
      #expect(configuration.number("accelerometer.rate_hz") == 12.5)
      #expect(configuration.integer("accelerometer.seed") == 7)
      #expect(configuration.optionalText("accelerometer.recording_file") == "/a b.csv")
      #expect(!configuration.flag("accelerometer.loop"))
      #expect(configuration.texts("accelerometer.labels") == ["a", "b c", "d"])
      #expect(configuration.numbers("accelerometer.mount_matrix")[8] == -1)
      #expect(configuration.text("broker.host") == "h")
    }
  }

  @Test func printedConfigurationNamesOriginsAndHidesSecrets() throws {
    let lines = try load(
      "[broker]\nport = 3\npassword = \"hunter2\"\n[[rule]]\nname=\"n\"\nkind=\"shake\"",
      environment: ["JUDDER_ACCELEROMETER_RATE_HZ": "25"]
    ).describe()
    #expect(lines.contains("accelerometer.rate_hz = 25  # Hz, environment JUDDER_ACCELEROMETER_RATE_HZ"))
    #expect(lines.contains("broker.port = 3  # node.toml:2:8"))
    #expect(lines.contains("broker.host = \"localhost\"  # default"))
    #expect(lines.contains("broker.password = \"********\"  # node.toml:3:12"))
    #expect(lines.contains("# accelerometer.recording_file is not set: needed by the source recording"))
    #expect(lines.contains("rule[1].name = \"n\"  # node.toml:5:6"))
    #expect(lines.contains("rule[1].for_s = 0  # s, default"))
    #expect(!lines.joined().contains("hunter2"))
  }

  @Test func changesBetweenTwoConfigurationsAreNamed() throws {
    let old = try load("[broker]\nport = 1883\nhost = \"a\"\n[node.x]\nsite = \"n\"")
    let new = try load(
      """
      [broker]
      host = "b"
      patience_s = 1
      [[rule]]
      name = "r"
      kind = "shake"
      [node.x]
      site = "n"
      """)
    #expect(new.changes(from: old) == ["broker.host", "broker.patience_s", "rule"])
    #expect(old.changes(from: new) == ["broker.host", "broker.patience_s", "rule"])
    #expect(new.changes(from: new).isEmpty)
    #expect(try load("[node.y]\nsite = \"n\"").changes(from: try load("[node.x]\nsite = \"n\"")) == ["node"])
  }

  @Test func commentedFileIsTomlThatChangesNothing() throws {
    let text = schema.commentedFile()
    let asItStands = try load(text)
    #expect(asItStands.describe() == (try load("")).describe())
    #expect(text.contains("# Samples a second.\n# number in Hz, 1 to 3200; default 100.\n#rate_hz = 100\n"))
    #expect(text.contains("#[[rule]]\n"))
    #expect(text.contains("#[node.\"ID\"]\n"))
    #expect(!text.split(separator: "\n").contains { $0.count > 100 })
  }

  @Test func commentedFileWithoutItsCommentMarksSetsTheDefaults() throws {
    let lines = schema.commentedFile().split(separator: "\n").map(String.init)
    let open = lines.map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? String($0.dropFirst()) : $0 }
    // What has no default has no value to be filled in with, and says so where it is left open.
    let filled = open.map { $0 == "name =" ? "name = \"x\"" : $0 == "kind =" ? "kind = \"shake\"" : $0 }
    #expect(throws: ConfigurationFailure.self) { try load(filled.joined(separator: "\n")) }
    let configuration = try load(filled.filter { !$0.hasSuffix(" =") }.joined(separator: "\n"))
    for (section, key) in schema.sections.flatMap({ section in section.keys.map { (section, $0) } }) {
      guard section.form == .table, key.defaultValue != nil else { continue }
      #expect(configuration.origin("\(section.name).\(key.name)") != .builtIn, "\(key.name)")
    }
    #expect(configuration.number("accelerometer.rate_hz") == 100)
    #expect(configuration.rows("rule").count == 1)
    #expect(configuration.rows("node").map(\.id) == ["ID"])
  }

  @Test func schemaWithoutDefectsHasNone() {
    #expect(schema.defects().isEmpty)
  }

  @Test func defectsOfASchemaAreFound() {
    let bad = ConfigurationSchema(
      heading: [],
      sections: [
        ConfigurationSection(
          "a", summary: "",
          [
            .number("x", 0...1, default: 2, "Out of its own range."), .text("y", "No default, no note."),
            .text("y", default: "", ""), .choice("z", ["p"], default: "q", "Not a choice."),
          ]),
        ConfigurationSection("a", summary: "", []),
      ])
    #expect(
      bad.defects() == [
        "two sections have one name", "two keys have one environment variable",
        "a.x has the default 2, which is out of range; it must be 0 to 1", "a.y has neither a default nor a note",
        "a.y is there twice", "a.y has no summary", "a.z has the default \"q\", which is not one of p",
      ])
  }

  @Test func fileIsReadFromDisk() throws {
    let place = try Workplace()
    let path = try place.write("node.toml", "[broker]\nport = 12")
    #expect(try Configuration.load(schema, file: path).integer("broker.port") == 12)
    #expect(try Configuration.load(schema, file: path).origin("broker.port").description == "\(path):2:8")
  }
}
