import Testing

@testable import MQTT

@Suite("Settings that cannot work")
struct SettingsCheckTests {
  @Test("the defaults work, with the port that belongs to them")
  func defaults() throws {
    var settings = BrokerSettings(host: "broker.example")
    try settings.check()
    #expect(settings.endpoint == "broker.example:1883")
    settings.security = .certificates(.init())
    try settings.check()
    #expect(settings.endpoint == "broker.example:8883")
    settings.host = "::1"
    #expect(settings.endpoint == "[::1]:8883")
  }

  static let wrong: [(setting: String, change: @Sendable (inout BrokerSettings) -> Void)] = [
    ("host", { $0.host = "" }),
    ("host", { $0.host = "a\0b" }),
    ("port", { $0.port = 0 }),
    ("port", { $0.port = 65_536 }),
    ("clientID", { $0.sessionExpiryS = 60 }),
    ("clientID", { $0.will = Will(topic: "a", payload: [], delayS: 30) }),
    ("clientID", { $0.clientID = "a\0b" }),
    ("username", { $0.username = "" }),
    ("password", { $0.password = [1] }),
    (
      "password",
      {
        $0.username = "node"
        $0.password = [1, 0, 2]
      }
    ),
    ("identity", { $0.security = .sharedKey(identity: "", key: "00") }),
    ("key", { $0.security = .sharedKey(identity: "a", key: "0") }),
    ("key", { $0.security = .sharedKey(identity: "a", key: "xy") }),
    ("key", { $0.security = .sharedKey(identity: "a", key: "") }),
    ("certificateFile", { $0.security = .certificates(.init(certificateFile: "a.crt")) }),
    ("certificateFile", { $0.security = .certificates(.init(keyFile: "a.key")) }),
    ("serverName", { $0.security = .certificates(.init(serverName: "other.example")) }),
    ("keepaliveS", { $0.keepaliveS = 4 }),
    ("keepaliveS", { $0.keepaliveS = 65_536 }),
    ("window", { $0.window = 0 }),
    ("queueCapacity", { $0.queueCapacity = 0 }),
    ("connectDeadlineS", { $0.connectDeadlineS = 0 }),
    ("connackDeadlineS", { $0.connackDeadlineS = .nan }),
    ("acknowledgementDeadlineS", { $0.acknowledgementDeadlineS = .infinity }),
    ("backoff", { $0.backoff.firstS = 0 }),
    ("backoff", { $0.backoff.maxS = 0.5 }),
    ("backoff", { $0.backoff.stableS = .nan }),
    ("subscriptions", { $0.subscriptions = [.init("a/#/b")] }),
    ("subscriptions", { $0.subscriptions = [.init("a+")] }),
    ("subscriptions", { $0.subscriptions = [.init("")] }),
    ("will", { $0.will = Will(topic: "a/+", payload: []) }),
    ("will", { $0.will = Will(topic: "", payload: []) }),
  ]

  @Test("are named, each with its setting", arguments: wrong.indices)
  func problem(index: Int) throws {
    var settings = BrokerSettings(host: "broker.example")
    SettingsCheckTests.wrong[index].change(&settings)
    let problem = #expect(throws: SettingsProblem.self) { try settings.check() }
    #expect(problem?.setting == SettingsCheckTests.wrong[index].setting)
    #expect(problem?.description.contains("\n") == false)
    #expect(throws: SettingsProblem.self) { try BrokerSession(settings) }
  }

  @Test("the server name may be the host")
  func serverName() throws {
    var settings = BrokerSettings(host: "broker.example")
    settings.security = .certificates(.init(serverName: "broker.example"))
    try settings.check()
  }

  @Test("a delayed will keeps the session as long as the delay, on the wire")
  func expiry() {
    var settings = BrokerSettings(host: "broker.example")
    #expect(settings.expiryOnTheWireS == 0)
    settings.will = Will(topic: "a", payload: [], delayS: 30)
    #expect(settings.expiryOnTheWireS == 30)
    settings.sessionExpiryS = 3600
    #expect(settings.expiryOnTheWireS == 3600)
  }
}
