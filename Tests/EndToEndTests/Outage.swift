import Foundation
import Rig

/// Something that keeps a node from its broker, and how it is put right.
struct Outage {
  /// Also the node's.
  let name: String
  /// How the node is to reach its broker.
  let keys: Keys
  /// What the log must say.
  let words: String
  /// Whether the broker takes anybody after the repair.
  var isOpenAfterRepair = false
  /// Puts it right and answers the broker that the node is to come to.
  let repair: (NodeRun) throws -> Broker

  static func all(in place: Workplace) throws -> [Outage] {
    [
      try refused(in: place), try handshakeCut(in: place), try unknownAuthority(in: place),
      try wrongPassword(in: place), try unknownName(in: place),
    ]
  }

  /// Nobody listens; then a broker starts.
  private static func refused(in place: Workplace) throws -> Outage {
    let broker = try Broker(in: place)
    return Outage(
      name: "refused", keys: ["broker.port": "\(broker.port)"], words: "refuses the connection",
      isOpenAfterRepair: true
    ) { _ in
      try broker.start()
      return broker
    }
  }

  /// A server closes the connection in the middle of the TLS handshake; then a broker takes its place.
  private static func handshakeCut(in place: Workplace) throws -> Outage {
    let authority = try CertificateAuthority("cut", in: place)
    let server = try FaultyServer(.closes)
    var options = Broker.Options()
    options.tls = Broker.TLS(identity: try authority.broker(), authorityFile: authority.certificateFile)
    let broker = try Broker(options, in: place, port: server.port)
    return Outage(
      name: "handshake-cut",
      keys: ["broker.port": "\(server.port)", "broker.ca_file": "\"\(authority.certificateFile)\""],
      words: "closed the connection during the TLS handshake"
    ) { _ in
      server.stop()
      return try started(broker)
    }
  }

  /// The broker's certificate is by an authority that the node does not know; then it gets another.
  private static func unknownAuthority(in place: Workplace) throws -> Outage {
    let known = try CertificateAuthority("known", in: place)
    let unknown = try CertificateAuthority("unknown", in: place)
    var options = Broker.Options()
    options.tls = Broker.TLS(identity: try unknown.broker(), authorityFile: unknown.certificateFile)
    let wrong = try Broker(options, in: place)
    try wrong.start()
    return Outage(
      name: "unknown-authority",
      keys: ["broker.port": "\(wrong.port)", "broker.ca_file": "\"\(known.certificateFile)\""], words: "authority"
    ) { _ in
      wrong.stop()
      options.tls = Broker.TLS(identity: try known.broker(), authorityFile: known.certificateFile)
      return try started(Broker(options, in: place, port: wrong.port))
    }
  }

  /// The broker has another password for the node; then it gets the right one.
  private static func wrongPassword(in place: Workplace) throws -> Outage {
    var options = Broker.Options()
    options.users = [("e2e", "another")]
    let wrong = try Broker(options, in: place)
    try wrong.start()
    let secret = try place.write("outage-password", "right\n")
    return Outage(
      name: "wrong-password",
      keys: [
        "broker.port": "\(wrong.port)", "broker.username": "\"e2e\"", "broker.password_file": "\"\(secret)\"",
      ],
      words: "'e2e'"
    ) { _ in
      wrong.stop()
      options.users = [("e2e", "right")]
      return try started(Broker(options, in: place, port: wrong.port))
    }
  }

  /// A name that nobody knows (RFC 2606 reserves `.invalid` for that). No test can put the name service right: the
  /// configuration is, and read again.
  private static func unknownName(in place: Workplace) throws -> Outage {
    let broker = try Broker(in: place)
    try broker.start()
    let keys = ["broker.host": "\"no-such-host.invalid\"", "broker.port": "\(broker.port)"]
    return Outage(name: "unknown-name", keys: keys, words: "'no-such-host.invalid'", isOpenAfterRepair: true) { node in
      let text = try String(contentsOfFile: node.file, encoding: .utf8)
      try node.reload(text: text.replacingOccurrences(of: "no-such-host.invalid", with: "127.0.0.1"))
      return broker
    }
  }

  /// A port is free only a moment after its last owner has gone.
  private static func started(_ broker: Broker) throws -> Broker {
    var failure: (any Error)?
    let isUp = waitUntil(seconds: 5) {
      do {
        try broker.start()
        return true
      } catch {
        failure = error
        return false
      }
    }
    if !isUp, let failure { throw failure }
    return broker
  }
}
