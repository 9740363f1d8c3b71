import MQTT
import Rig
import Testing

extension WithBroker {
  @Suite("Coming in")
  struct Admission {
    @Test("user name and password, right and wrong", arguments: [BrokerSettings.Version.v5, .v311])
    func password(version: BrokerSettings.Version) throws {
      let rig = try RunningBroker { options, _ in options.users = [("node", "secret")] }
      var settings = localSettings(rig.broker.port)
      settings.version = version
      settings.username = "node"
      settings.password = Array("secret".utf8)
      try SessionWatch(settings).connected()
      settings.password = Array("wrong".utf8)
      let wrong = try SessionWatch(settings).problem()
      #expect(wrong.kind == .notAuthorized && wrong.needsAttention && wrong.summary.contains("'node'"))
      settings.username = nil
      settings.password = nil
      #expect(try SessionWatch(settings).problem() == .notAuthorized)
    }

    @Test("a broker that says so refuses a user name or password", arguments: [(false, 4), (true, 0x86)])
    func credentials(isV5: Bool, code: UInt8) throws {
      let server = try FaultyServer(isV5 ? FaultyServer.connack5(code) : FaultyServer.connack311(code))
      defer { server.stop() }
      var settings = localSettings(server.port)
      settings.version = isV5 ? .v5 : .v311
      #expect(try SessionWatch(settings).problem() == .badCredentials)
    }

    @Test("TLS with our authority", arguments: ["127.0.0.1", "localhost"])
    func tls(host: String) throws {
      let (rig, authority) = try tlsBroker()
      let watch = try SessionWatch(tlsSettings(rig.broker.port, host: host, .file(authority.certificateFile)))
      try watch.connected()
      _ = watch.publish("a", "x", token: 1)
      #expect(try watch.delivery(of: 1) == .withoutSubscribers)
    }

    @Test("TLS from an authority we do not know")
    func unknownAuthority() throws {
      let (rig, _) = try tlsBroker()
      let stranger = try CertificateAuthority("stranger", in: rig.workplace)
      let watch = try SessionWatch(tlsSettings(rig.broker.port, .file(stranger.certificateFile)))
      #expect(try watch.problem() == .tlsUnknownAuthority)
      let system = try SessionWatch(tlsSettings(rig.broker.port, .system)).problem()
      #expect(system.kind == .tlsUnknownAuthority, "\(system)")
    }

    @Test("TLS with a certificate for another name, unless any name will do")
    func otherName() throws {
      let (rig, authority) = try tlsBroker(names: ["DNS:other.example"])
      var settings = tlsSettings(rig.broker.port, .file(authority.certificateFile))
      #expect(try SessionWatch(settings).problem() == .tlsNameMismatch)
      settings.security = .certificates(.init(authority: .file(authority.certificateFile), acceptsAnyName: true))
      try SessionWatch(settings).connected()
    }

    @Test("client certificates: right, missing, from a stranger, expired")
    func clientCertificate() throws {
      let (rig, authority) = try tlsBroker(asksForCertificates: true)
      let stranger = try CertificateAuthority("stranger", in: rig.workplace)
      try SessionWatch(
        tlsSettings(rig.broker.port, .file(authority.certificateFile), try authority.client("node-a"))
      ).connected()
      let rejected: [CertificateAuthority.Identity?] = [
        nil, try stranger.client("node-a"), try authority.client("node-b", .expired),
      ]
      for identity in rejected {
        let watch = try SessionWatch(tlsSettings(rig.broker.port, .file(authority.certificateFile), identity))
        let problem = try watch.problem()
        // The broker's complaint may be lost with the connection it closes at the same moment.
        #expect([.tlsClientCertificateRefused, .tlsHandshakeCut].contains(problem.kind), "\(problem)")
        if identity == nil { #expect(problem.remedy.contains("certificate")) }
      }
    }

    @Test("files that are missing, empty or do not belong together")
    func files() throws {
      let (rig, authority) = try tlsBroker()
      let empty = try rig.workplace.write("empty.pem", "")
      let (one, two) = (try authority.client("node-a"), try authority.client("node-b"))
      let good = BrokerSettings.Certificates.Authority.file(authority.certificateFile)
      let wrong: [BrokerSettings.Certificates] = [
        .init(authority: .file("/nowhere/ca.crt")), .init(authority: .file(empty)),
        .init(authority: good, certificateFile: one.certificateFile, keyFile: two.keyFile),
        .init(authority: good, certificateFile: one.certificateFile, keyFile: "/nowhere/key"),
        .init(authority: good, certificateFile: empty, keyFile: one.keyFile),
      ]
      for certificates in wrong {
        var settings = localSettings(rig.broker.port)
        settings.security = .certificates(certificates)
        let problem = try SessionWatch(settings).problem()
        #expect(problem.kind == .tlsFiles, "\(problem)")
      }
    }

    @Test("a handshake that is cut or reset is over at once, and tried again")
    func cutHandshake() throws {
      let workplace = try Workplace("mqtt")
      let authority = try CertificateAuthority(in: workplace)
      for fault in [FaultyServer.Fault.closes, .resets] {
        let server = try FaultyServer(fault)
        defer { server.stop() }
        let watch = try SessionWatch(tlsSettings(server.port, .file(authority.certificateFile)))
        #expect(try watch.problem(seconds: 3) == .tlsHandshakeCut)
        #expect(try watch.problem(seconds: 3) == .tlsHandshakeCut)
      }
    }

    @Test("TLS with a port that does not speak it, and the other way round")
    func mixedUp() throws {
      let (rig, authority) = try tlsBroker()
      let plain = try Broker(in: rig.workplace)
      try plain.start()
      let watch = try SessionWatch(tlsSettings(plain.port, .file(authority.certificateFile)))
      #expect([.tlsNotSpoken, .tlsHandshakeCut].contains(try watch.problem().kind))
      let other = try SessionWatch(localSettings(rig.broker.port))
      #expect([.closedOnGreeting, .protocolViolation].contains(try other.problem().kind))
    }

    @Test("a shared key, right and wrong")
    func sharedKey() throws {
      let rig = try RunningBroker { options, _ in options.sharedKey = ("node", "00a1b2c3d4") }
      var settings = localSettings(rig.broker.port)
      settings.security = .sharedKey(identity: "node", key: "00a1b2c3d4")
      let watch = try SessionWatch(settings)
      try watch.connected()
      _ = watch.publish("a", "x", token: 1)
      #expect(try watch.delivery(of: 1) == .withoutSubscribers)
      for (identity, key) in [("node", "ffff"), ("stranger", "00a1b2c3d4")] {
        settings.security = .sharedKey(identity: identity, key: key)
        let problem = try SessionWatch(settings).problem()
        #expect([.tlsSharedKeyRefused, .tlsHandshakeCut].contains(problem.kind), "\(problem)")
      }
    }

    private func tlsBroker(
      _ validity: CertificateAuthority.Validity = .now, names: [String] = ["DNS:localhost", "IP:127.0.0.1"],
      asksForCertificates: Bool = false
    ) throws -> (RunningBroker, CertificateAuthority) {
      var authority: CertificateAuthority?
      let rig = try RunningBroker { options, workplace in
        let root = try CertificateAuthority(in: workplace)
        authority = root
        options.tls = Broker.TLS(
          identity: try root.broker(names: names, validity), authorityFile: root.certificateFile,
          asksForCertificates: asksForCertificates)
      }
      return (rig, try #require(authority))
    }

    private func tlsSettings(
      _ port: Int, host: String = "127.0.0.1", _ authority: BrokerSettings.Certificates.Authority,
      _ identity: CertificateAuthority.Identity? = nil
    ) -> BrokerSettings {
      var settings = localSettings(port)
      settings.host = host
      settings.security = .certificates(
        .init(authority: authority, certificateFile: identity?.certificateFile, keyFile: identity?.keyFile))
      return settings
    }
  }
}
