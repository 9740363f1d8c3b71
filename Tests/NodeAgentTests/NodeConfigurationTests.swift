import Daemon
import Foundation
import MQTT
import NodeLogic
import Sensors
import Telemetry
import Testing

@testable import NodeAgent

@Suite struct NodeSchemaTests {
  @Test func hasNoDefects() {
    #expect(NodeSchema.schema.defects() == [])
    #expect(NodeCommands.table.defects(schema: NodeSchema.schema) == [])
  }

  @Test func theFileInTheConfigFolderIsMadeOfIt() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let file = try String(contentsOf: root.appending(path: "config/node.toml"), encoding: .utf8)
    #expect(file == NodeSchema.schema.commentedFile(), "make config writes it anew")
  }

  @Test func theFileChangesNothing() throws {
    let file = try load(NodeSchema.schema.commentedFile())
    let nothing = try load("")
    #expect(file.logic == nothing.logic)
    #expect(file.accelerometer == nothing.accelerometer)
    #expect(file.broker == nothing.broker)
    #expect(file.gpsd == nothing.gpsd)
  }

  @Test func everyKeyOfAPresetIsThere() {
    let names = NodeSchema.schema.section("shake")?.keys.map(\.name) ?? []
    #expect(ShakeSettings.Key.allCases.allSatisfy { names.contains($0.rawValue) })
    #expect(ShakeSettings.Key.allCases.allSatisfy { !$0.summary.isEmpty })
  }
}

@Suite struct NodeConfigurationTests {
  @Test func theDefaultsAreThoseOfTheParts() throws {
    let configuration = try load("")
    #expect(configuration.name == NodeName("pump-2"))
    #expect(configuration.prefix == .standard)
    #expect(configuration.logic.motion == MotionSettings(.handheld))
    #expect(configuration.logic.location == LocationTracker.Settings())
    #expect(configuration.gpsd?.endpoint == "localhost:2947")
    #expect(configuration.broker.clientID == "judder-node-pump-2")
    #expect(configuration.broker.keepaliveS == 120)
    #expect(configuration.broker.backoff.spreadS == 40)
    #expect(configuration.broker.security == .none)
  }

  @Test func valuesOverrideThePreset() throws {
    let shake = try load("[shake]\npreset = \"fixed\"\non_g = 0.002\nreversals = 4").logic.motion?.shake
    var expected = ShakePreset.fixed.settings
    expected.onG = 0.002
    expected.reversals = 4
    #expect(shake == expected)
  }

  @Test func valuesThatDoNotGoTogetherAreAMistake() {
    let found = problems("[shake]\nlow_pass_hz = 2\nhigh_pass_hz = 4")
    #expect(found.count == 1)
    #expect(found.first?.contains("low_pass_hz (2.0) must be above high_pass_hz (4.0)") == true)
  }

  @Test func impactsAndFallsTakeTheirSections() throws {
    let text = """
      [impact]
      enabled = false
      threshold_g = 8
      min_duration_s = 0.004
      min_dv_mps = 1
      merge_s = 0.5
      per_minute = 20
      [freefall]
      enabled = false
      level_g = 0.4
      min_s = 0.3
      max_s = 1.5
      """
    let motion = try #require(try load(text).logic.motion)
    var impact = ImpactSettings()
    impact.isEnabled = false
    impact.thresholdG = 8
    impact.minDurationS = 0.004
    impact.minDVMps = 1
    impact.mergeS = 0.5
    impact.perMinute = 20
    #expect(motion.impact == impact)
    var fall = FreeFallSettings()
    fall.isEnabled = false
    fall.levelG = 0.4
    fall.minS = 0.3
    fall.maxS = 1.5
    #expect(motion.freeFall == fall)
    #expect(problems("[impact]\nthreshold_g = 0").first?.contains("impact.threshold_g") == true)
    #expect(problems("[impact]\nper_minute = 0").first?.contains("impact.per_minute") == true)
    #expect(problems("[freefall]\nmin_s = 3").first?.contains("must not be below min_s (3.0)") == true)
  }

  @Test(arguments: ["-x", "Pump", "a/b", ""])
  func aNameThatIsNoTopicLevelIsAMistake(_ name: String) {
    #expect(problems("[node]\nid = \"\(name)\"").first?.hasPrefix("node.toml:2:6: node.id") == true)
  }

  @Test func aPrefixWithAWildcardIsAMistake() {
    #expect(problems("[node]\nprefix = \"a/+\"").first?.contains("node.toml:2:10") == true)
  }

  @Test func aHostNameWithoutLettersNeedsAnID() {
    #expect(problems("", hostName: "...").first?.contains("node.id is not set") == true)
  }

  @Test func aSingularMountMatrixIsAMistake() throws {
    let found = problems("[accelerometer]\nmount_matrix = \"1, 0, 0; 0, 1, 0; 1, 1, 0\"")
    #expect(found.first?.contains("determinant") == true)
    let turned = try load("[accelerometer]\nmount_matrix = \"0, 1, 0; -1, 0, 0; 0, 0, 1\"").accelerometer.mountMatrix
    #expect(turned == (try MountMatrix(parsing: "0,1,0;-1,0,0;0,0,1")))
  }

  @Test func aRecordingNeedsItsFile() {
    #expect(problems("[accelerometer]\nsource = \"recording\"").first?.contains("recording_file is needed") == true)
  }

  @Test func withoutSensorsOnlyTheirPartsAreOff() throws {
    let configuration = try load("[accelerometer]\nsource = \"none\"\n[gpsd]\nenabled = false")
    #expect(configuration.logic.motion == nil)
    #expect(configuration.logic.location == nil)
    #expect(configuration.gpsd == nil)
    #expect(configuration.logic.gpsd == nil)
  }

  @Test func anAddressOfVersionSixIsWrittenInBrackets() throws {
    #expect(try load("[gpsd]\nhost = \"::1\"").gpsd?.endpoint == "[::1]:2947")
  }
}

@Suite struct AccelerationKeysTests {
  @Test(arguments: [
    ("raw", AccelerationMessage.Filter.raw), ("gravity", .gravity), ("user", .user), ("adaptive", .adaptive),
  ])
  func eachFilterHasItsWord(_ word: String, _ filter: AccelerationMessage.Filter) throws {
    #expect(try load("[acceleration]\nfilter = \"\(word)\"").logic.motion?.acceleration.filter == filter)
  }

  @Test func theUpdateIntervalGoesFromAMillisecondToAnHour() throws {
    #expect(try load("[acceleration]\nwindow_s = 0.001").logic.motion?.acceleration.windowS == 0.001)
    #expect(try load("[acceleration]\nwindow_s = 3600").logic.motion?.acceleration.windowS == 3600)
    #expect(problems("[acceleration]\nwindow_s = 0.0009").count == 1)
    #expect(problems("[acceleration]\nwindow_s = 3601").count == 1)
  }

  @Test func measuresAreWordsBetweenCommas() throws {
    #expect(try load("").logic.motion?.acceleration.measures == [])
    let some = try load("[acceleration]\nmeasures = \"crest, bands\"").logic.motion?.acceleration.measures
    #expect(some == [.crest, .bands])
    let all = try load("[acceleration]\nmeasures = \"all\"").logic.motion?.acceleration.measures
    #expect(all?.count == 6)
    let found = problems("[acceleration]\nmeasures = \"crest, vdw\"")
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("node.toml:2:12: acceleration.measures") == true, "\(found)")
    #expect(found.first?.contains("'vdw' is no measure; there are crest, vdv, cav, ppv, kurtosis, bands, all") == true)
  }

  @Test func liveSamplesHaveTheirRateAndLength() throws {
    let live = try load("[acceleration]\nlive_hz = 50\nlive_batch_s = 2").logic.motion?.acceleration
    #expect(live?.liveHz == 50 && live?.liveBatchS == 2)
  }

  @Test func aBudgetKnowsTheTopicAndTheLink() throws {
    #expect(try load("").logic.budget == nil)
    let plain = try load("[node]\nbudget_mb_per_month = 20\nprefix = \"site/judder\"").logic.budget
    #expect(
      plain == DataBudget.Settings(limitBytes: 20e6, topicBytes: "site/judder/pump-2/".count, keepaliveS: 120))
    let text = "[node]\nbudget_mb_per_month = 0.5\n[broker]\ntls = true\nkeepalive_s = 600"
    let encrypted = try load(text).logic.budget
    #expect(encrypted?.isEncrypted == true && encrypted?.keepaliveS == 600 && encrypted?.limitBytes == 500_000)
  }
}

@Suite struct BrokerKeysTests {
  @Test func certificatesTurnEncryptionOn() throws {
    let settings = try load("[broker]\nca_file = \"ca.pem\"\ncertificate_file = \"c.pem\"\nkey_file = \"k.pem\"").broker
    #expect(settings.effectivePort == 8883)
    #expect(
      settings.security
        == .certificates(.init(authority: .file("ca.pem"), certificateFile: "c.pem", keyFile: "k.pem")))
  }

  @Test func encryptionAloneTrustsTheSystemsAuthorities() throws {
    #expect(try load("[broker]\ntls = true").broker.security == .certificates(.init()))
  }

  @Test(arguments: [
    ("tls = false\nca_file = \"ca.pem\"", "node.toml:3:11", "tls is false"),
    ("ca_file = \"a\"\nca_path = \"b\"", "node.toml:3:11", "does not go together with ca_file"),
    ("certificate_file = \"a\"", "node.toml:2:20", "belong together"),
    ("server_name = \"other\"", "node.toml:2:15", "differs from host"),
    ("psk_file = \"x\"\nca_file = \"a\"", "node.toml:3:11", "does not go together with psk_file"),
    ("password_file = \"/nonexistent\"", "node.toml:2:17", "No such file"),
  ])
  func whatDoesNotGoTogetherIsAMistake(_ text: String, _ place: String, _ complaint: String) {
    let found = problems("[broker]\n" + text)
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix(place) == true, "\(found)")
    #expect(found.first?.contains(complaint) == true, "\(found)")
  }

  @Test func thePasswordComesFromTheFileThenTheCredentialThenTheVariable() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "judder-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "password")
    try "from-file\n".write(to: file, atomically: true, encoding: .utf8)
    try "from-systemd".write(to: folder.appending(path: "broker-password"), atomically: true, encoding: .utf8)
    let user = "[broker]\nusername = \"me\"\n"
    var environment = ["JUDDER_PASSWORD": "from-variable"]
    #expect(try load(user, environment).broker.password == Array("from-variable".utf8))
    environment["CREDENTIALS_DIRECTORY"] = folder.path
    #expect(try load(user, environment).broker.password == Array("from-systemd".utf8))
    #expect(
      try load(user + "password_file = \"\(file.path)\"", environment).broker.password == Array("from-file".utf8))
  }

  @Test func aSecretThatEverybodyCanReadIsDoubtful() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "judder-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try "secret".write(to: file, atomically: true, encoding: .utf8)
    let text = "[broker]\nusername = \"me\"\npassword_file = \"\(file.path)\""
    chmod(file.path, 0o644)
    #expect(try load(text).warnings == ["\(file.path): every user can read this secret; chmod o-r it"])
    chmod(file.path, 0o600)
    #expect(try load(text).warnings.isEmpty)
  }

  @Test func aSharedKeyIsReadFromItsFile() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "judder-psk-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    try "node:1:00ffEE\n".write(to: file, atomically: true, encoding: .utf8)
    let settings = try load("[broker]\npsk_file = \"\(file.path)\"").broker
    #expect(settings.security == .sharedKey(identity: "node:1", key: "00ffEE"))
    try "no key".write(to: file, atomically: true, encoding: .utf8)
    #expect(problems("[broker]\npsk_file = \"\(file.path)\"").first?.contains("IDENTITY:KEY") == true)
  }
}

@Suite struct WillTests {
  @Test func theWillNamesTheBootAndIsRetained() throws {
    let topic = Topic(prefix: .standard, node: try #require(NodeName("pump-2")), stream: .status)
    let will = BrokerLinkage.will(topic, BootID(0xabc))
    #expect(will.topic == "judder/pump-2/status")
    #expect(will.isRetained)
    #expect(will.qos == .atLeastOnce)
    #expect(will.delayS == 30)
    #expect(String(decoding: will.payload, as: UTF8.self) == #"{"v":1,"boot":"00000abc","state":"lost"}"#)
  }
}

private func load(
  _ text: String, _ environment: [String: String] = [:], hostName: String = "pump-2"
) throws -> NodeConfiguration {
  try NodeConfiguration(
    Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml"), environment: environment,
    hostName: hostName)
}

private func problems(_ text: String, hostName: String = "pump-2") -> [String] {
  do {
    _ = try load(text, hostName: hostName)
    return []
  } catch let failure as ConfigurationFailure {
    return failure.problems.map(\.description)
  } catch {
    return ["\(error)"]
  }
}
