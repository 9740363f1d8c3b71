import Foundation
import Rig
import Telemetry
import Testing

/// The ways into a broker. Its own log is the evidence of how the node came in.
@Suite(.serialized) struct AccessTests {
  /// Starts a node, waits until its status is with the broker, and stops it.
  private func expectStatus(
    _ keys: Keys, at broker: Broker, in place: Workplace, environment: [String: String] = [:],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let name = "node-\(UUID().uuidString.prefix(4))"
    let node = try NodeRun(port(broker.port) + keys, in: place, name: name, environment: environment)
    // Its number depends on what was subscribed to before.
    let published = #/Received PUBLISH from judder-node-e2e \(d0, q1, r1, m\d+, 'judder/e2e/status'/#
    let isThere = waitUntil(seconds: 10) { broker.log.contains(published) }
    #expect(isThere, "\(node.log) \(broker.log.suffix(600))", sourceLocation: sourceLocation)
    node.process.send(signal: SIGTERM)
    #expect(node.process.wait(seconds: 5) == 0, sourceLocation: sourceLocation)
  }

  @Test(arguments: [("\"5\"", "p5"), ("\"3.1.1\"", "p2"), ("\"auto\"", "p5")])
  func theVersionIsTheOneAskedFor(version: String, inTheLog: String) throws {
    let place = try Workplace("e2e-access")
    let broker = try Broker(in: place)
    try broker.start()
    try expectStatus(["broker.version": version], at: broker, in: place)
    let greeting = broker.log.split(separator: "\n").last { $0.contains(" as judder-node-e2e (") }
    #expect(
      greeting?.contains("(\(inTheLog), ") == true && greeting?.contains(", k120)") == true, "\(greeting ?? "none")")
  }

  @Test func aBrokerThatRefusesMQTT5GetsTheOlderVersion() throws {
    let place = try Workplace("e2e-access")
    let broker = try Broker(in: place)
    try broker.start()
    // CONNACK of MQTT 3.1.1 with return code 1, as a broker answers that knows no later version.
    let old = try Proxy(to: broker.port, .only311(answer: [0x20, 2, 0, 1]))
    let watcher = try Watcher(broker)
    let node = try NodeRun(port(old.port), in: place)
    #expect(watcher.waitFor(.online), "\(node.log)")
    #expect(broker.log.contains(" as judder-node-e2e (p2,"))
    #expect(node.log.contains { $0.hasSuffix("connected to 127.0.0.1:\(old.port), MQTT 3.1.1") }, "\(node.log)")
  }

  @Test func aClientCertificateOpensTheDoor() throws {
    let place = try Workplace("e2e-access")
    let authority = try CertificateAuthority(in: place)
    var options = Broker.Options()
    options.tls = Broker.TLS(
      identity: try authority.broker(), authorityFile: authority.certificateFile, asksForCertificates: true)
    options.lines = ["use_identity_as_username true"]
    let broker = try Broker(options, in: place)
    try broker.start()
    let client = try authority.client("field-node")
    let keys = [
      "broker.ca_file": "\"\(authority.certificateFile)\"", "broker.certificate_file": "\"\(client.certificateFile)\"",
      "broker.key_file": "\"\(client.keyFile)\"",
    ]
    try expectStatus(keys, at: broker, in: place)
    #expect(broker.log.contains("u'field-node'"), "the certificate's name is the user")
  }

  @Test func aSharedKeyOpensTheDoor() throws {
    let place = try Workplace("e2e-access")
    var options = Broker.Options()
    options.sharedKey = ("field-node", "0123456789abcdef0123456789abcdef")
    options.lines = ["use_identity_as_username true"]
    let broker = try Broker(options, in: place)
    try broker.start()
    let file = try place.write("psk", "field-node:0123456789abcdef0123456789abcdef\n")
    try expectStatus(["broker.psk_file": "\"\(file)\""], at: broker, in: place)
    #expect(broker.log.contains("u'field-node'"))
  }

  @Test(arguments: ["file", "variable", "credential"])
  func aPasswordOpensTheDoor(from source: String) throws {
    let place = try Workplace("e2e-access")
    var options = Broker.Options()
    options.users = [("field-node", "open sesame")]
    let broker = try Broker(options, in: place)
    try broker.start()
    var keys = ["broker.username": "\"field-node\""]
    var environment: [String: String] = [:]
    switch source {
    case "file": keys["broker.password_file"] = "\"\(try place.write("password", "open sesame\n"))\""
    case "variable": environment["JUDDER_PASSWORD"] = "open sesame"
    default:
      // As LoadCredential= of systemd.exec(5) leaves it.
      try place.write("broker-password", "open sesame")
      environment["CREDENTIALS_DIRECTORY"] = place.folder.path(percentEncoded: false)
    }
    try expectStatus(keys, at: broker, in: place, environment: environment)
    #expect(broker.log.contains("u'field-node'"))
  }
}
