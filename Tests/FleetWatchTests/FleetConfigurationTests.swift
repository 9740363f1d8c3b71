import Daemon
import FleetLogic
import Foundation
import MQTT
import Sinks
import Telemetry
import Testing

@testable import FleetWatch

@Suite struct FleetSchemaTests {
  @Test func hasNoDefects() {
    #expect(FleetSchema.schema.defects() == [])
  }

  private func projectFile(_ path: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test func theExampleOfTheReadmeIsRead() throws {
    let parts = try projectFile("README.md").components(separatedBy: "```toml\n")
    try #require(parts.count == 2)
    let read = try load(parts[1].components(separatedBy: "```")[0])
    #expect(read.fleet.rules.map(\.kind) == [.shake] && read.fleet.labels.count == 1)
    #expect(read.sinks.map(\.kind) == [.webhook] && read.warnings.count <= 1, "\(read.warnings)")
  }

  @Test func theFileInTheConfigFolderIsMadeOfIt() throws {
    let file = try projectFile("config/fleet.toml")
    #expect(file == FleetSchema.schema.commentedFile(), "judder-fleet config > config/fleet.toml")
  }

  @Test func theFileChangesNothing() throws {
    let file = try load(FleetSchema.schema.commentedFile())
    let nothing = try load("")
    #expect(file.fleet == nothing.fleet)
    #expect(file.sinks == nothing.sinks)
    #expect(file.broker == nothing.broker)
  }
}

@Suite struct FleetCommandsTests {
  @Test func hasNoDefects() {
    #expect(FleetCommands.table.defects(schema: FleetSchema.schema) == [])
  }

  @Test func takesTheOptionsOfMosquittoSub() throws {
    let line = "run -h broker -p 8883 -u me -i id -k 60 -V mqttv311 --cafile ca.pem --cert c.pem --key k.pem -d"
    let invocation = try FleetCommands.table.parse(line.split(separator: " ").map(String.init))
    let set = Dictionary(uniqueKeysWithValues: invocation.overrides.map { ($0.path, $0.text) })
    #expect(set["broker.host"] == "broker")
    #expect(set["broker.port"] == "8883")
    #expect(set["broker.username"] == "me")
    #expect(set["broker.client_id"] == "id")
    #expect(set["broker.keepalive_s"] == "60")
    #expect(set["broker.ca_file"] == "ca.pem")
    #expect(set["log.level"] == "debug")
    #expect(invocation.text("protocol-version").flatMap { FleetCommands.versions[$0] } == "3.1.1")
  }

  @Test func everyVersionIsOneOfTheConfigurations() throws {
    for version in FleetCommands.versions.values { _ = try load("[broker]\nversion = \"\(version)\"") }
  }
}

@Suite struct FleetConfigurationTests {
  @Test func withoutRulesThereIsOneOfEachKind() throws {
    let configuration = try load("")
    var standard = FleetState.Configuration()
    standard.control = .refused
    #expect(configuration.fleet == standard)
    #expect(configuration.sinks.map(\.kind) == [.console, .mqtt])
    #expect(configuration.broker.clientID == "judder-fleet-test")
  }

  @Test func peopleMayAskWhatTheConfigurationAllowsAndNothingOfWatch() throws {
    var configuration = try load("[fleet]\ncommands = true")
    #expect(configuration.fleet.control == .allowed)
    configuration.watch()
    #expect(configuration.fleet.control == .none)
  }

  @Test func rulesAreReadWithTheDefaultsOfTheirKind() throws {
    let configuration = try load(
      """
      [[rule]]
      kind = "shake"
      name = "hard-shake"
      nodes = "pump-*"
      severity = "critical"
      min_peak_g = 1.5
      [[rule]]
      kind = "silent"
      for_s = 90
      hold_s = 5
      """)
    var events = Condition.Events()
    events.minPeakG = 1.5
    var hard = Rule(name: "hard-shake", .shake(events), scope: Scope(nodes: [NamePattern("pump-*")]))
    hard.severity = .critical
    var silence = Condition.Silence()
    silence.holdS = 5
    var silent = Rule(name: "silent", .silent(silence))
    silent.forS = 90
    #expect(configuration.fleet.rules == [hard, silent])
  }

  @Test func aKeyOfAnotherKindIsAMistake() {
    #expect(
      problems("[[rule]]\nkind = \"shake\"\nhold_s = 3")
        == [
          "fleet.toml:3:10: rule[1].hold_s is for rules of the kind silent, and this one is shake; remove it"
        ])
  }

  @Test func aRuleOnAFenceNamesIt() throws {
    let rules = try load("[[rule]]\nkind = \"geofence\"\nfence = \"depot\"").fleet.rules
    var geofence = Condition.Geofence()
    geofence.fence = "depot"
    let expected = Rule(name: "geofence", .geofence(geofence))
    #expect(rules == [expected])
    #expect(
      problems("[[rule]]\nkind = \"shake\"\nfence = \"depot\"")
        == [
          "fleet.toml:3:9: rule[1].fence is for rules of the kind geofence, and this one is shake; remove it"
        ])
  }

  @Test func twoRulesOfOneNameAreAMistake() {
    let found = problems("[[rule]]\nkind = \"shake\"\n[[rule]]\nkind = \"silent\"\nname = \"shake\"")
    #expect(found == ["fleet.toml:5:8: rule[2].name gives the name 'shake' to a second rule; set another name"])
  }

  @Test func aNameThatIsNoTopicLevelIsAMistake() {
    #expect(problems("[[rule]]\nkind = \"shake\"\nname = \"a/b\"").first?.contains("fleet.toml:3:8") == true)
  }

  @Test func aRuleWithoutAKindIsAMistake() {
    #expect(problems("[[rule]]\nname = \"x\"").first?.contains("kind") == true)
  }

  @Test func sinksAreWhatIsListed() throws {
    let configuration = try load("[[sink]]\nkind = \"json\"\nname = \"audit\"\nfile = \"/tmp/alerts\"")
    #expect(configuration.sinks.map(\.name) == ["audit"])
    #expect(!configuration.fleet.publishes, "no sink of the kind mqtt")
    #expect(problems("[[sink]]\nkind = \"mqtt\"\nfile = \"x\"").count == 1)
  }

  @Test func jsonOnStandardOutputReplacesOnlyLinesThere() throws {
    var configuration = try load(
      "[[sink]]\nkind = \"console\"\n[[sink]]\nkind = \"console\"\nfile = \"x\"\n[[sink]]\nkind = \"mqtt\"")
    configuration.writeJSON()
    #expect(configuration.sinks.map(\.kind) == [.json, .console, .mqtt])
  }

  @Test func aPasswordOfTheCommandLineGoesBeforeTheEnvironment() throws {
    let configuration = try FleetConfiguration(
      Configuration.load(FleetSchema.schema, text: Array("[broker]\nusername = \"me\"".utf8), file: "fleet.toml"),
      clientID: "x", password: "from the line", environment: ["JUDDER_PASSWORD": "from the environment"])
    #expect(configuration.broker.password == Array("from the line".utf8))
  }

  @Test func aPrefixMayHaveWildcardsAndTheAlertsPrefixMayNot() throws {
    #expect(try load("[fleet]\nprefix = \"+/judder\"").fleet.prefix.subscription == "+/judder/+/+")
    #expect(problems("[fleet]\nalerts_prefix = \"+/x\"").count == 1)
    #expect(problems("[fleet]\nprefix = \"a//b\"").count == 1)
  }
}

private func load(_ text: String) throws -> FleetConfiguration {
  try FleetConfiguration(
    Configuration.load(FleetSchema.schema, text: Array(text.utf8), file: "fleet.toml"), clientID: "judder-fleet-test",
    password: nil, environment: [:])
}

private func problems(_ text: String) -> [String] {
  do {
    _ = try load(text)
    return []
  } catch let failure as ConfigurationFailure {
    return failure.problems.map(\.description)
  } catch {
    return ["\(error)"]
  }
}
