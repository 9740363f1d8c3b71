import Foundation
import MQTT
import Rig
import Testing

extension WithBroker {
  @Suite("Certificates and the time")
  struct CertificateTime {
    private static let dayS = 86_400.0

    @Test("not valid yet: both dates are told, and it is tried again")
    func notYetValid() throws {
      let rig = try TLSRig(.days(from: 400, to: 430))
      let watch = try SessionWatch(rig.settings())
      let problem = try watch.problem()
      #expect(problem.kind == .tlsCertificateNotYetValid && !problem.needsAttention)
      #expect(problem.summary.contains("our clock says \(day(0)), and it is valid from \(day(400))"), "\(problem)")
      #expect(try watch.problem() == .tlsCertificateNotYetValid)
    }

    @Test("expired: both dates are told, and it is tried again")
    func expired() throws {
      let rig = try TLSRig(.expired)
      let watch = try SessionWatch(rig.settings())
      let problem = try watch.problem()
      #expect(problem.kind == .tlsCertificateExpired && problem.needsAttention)
      #expect(problem.summary.contains("valid until \(day(-1)), and our clock says \(day(0))"), "\(problem)")
      #expect(try watch.problem() == .tlsCertificateExpired)
    }

    // Complaint 35: the clock is wrong, GPS knows better, and TLS is to work.
    @Test("what the system clock refuses passes by a trusted time, at once", arguments: [false, true])
    func trusted(hasCertificate: Bool) throws {
      let rig = try TLSRig(.days(from: 400, to: 430), asksForCertificates: hasCertificate)
      let identity = hasCertificate ? try rig.authority.client("node-a") : nil
      var settings = rig.settings(identity)
      // The time is news that is not waited for.
      settings.backoff = .init(firstS: 60, maxS: 60)
      let watch = try SessionWatch(settings)
      #expect(try watch.problem() == .tlsCertificateNotYetValid)
      watch.session.setTrustedTime(Date().timeIntervalSince1970 + 410 * CertificateTime.dayS)
      try watch.connected()
      _ = watch.publish("a", "x", token: 1)
      #expect(try watch.delivery(of: 1) == .withoutSubscribers)
    }

    @Test("what passes now does not by a trusted time that is later, held against each connection anew")
    func tooLate() throws {
      let rig = try TLSRig(.now)
      let watch = try SessionWatch(rig.settings())
      try watch.connected()
      watch.session.setTrustedTime(Date().timeIntervalSince1970 + 500 * CertificateTime.dayS)
      rig.broker.kill()
      #expect(try watch.problem() == .closedByPeer)
      try rig.broker.start()
      let late = try watch.next("expiry") { event -> LinkProblem? in
        if case .disconnected(let problem, _, _) = event, problem.kind != .connectionRefused { problem } else { nil }
      }
      #expect(late.kind == .tlsCertificateExpired)
      #expect(late.summary.contains("the time given to us is \(day(500))"), "\(late)")
      watch.session.setTrustedTime(nil)
      try watch.connected()
    }

    @Test("by a trusted time strangers and wrong names are refused as ever")
    func stillStrict() throws {
      let rig = try TLSRig(.days(from: 400, to: 430), names: ["DNS:other.example"])
      let stranger = try CertificateAuthority("stranger", in: rig.workplace)
      func problem(_ authority: BrokerSettings.Certificates.Authority) throws -> LinkProblem.Kind {
        var settings = rig.settings()
        settings.security = .certificates(.init(authority: authority))
        let session = try BrokerSession(settings)
        session.setTrustedTime(Date().timeIntervalSince1970 + 410 * CertificateTime.dayS)
        return try SessionWatch(session).problem().kind
      }
      #expect(try problem(.file(stranger.certificateFile)) == .tlsUnknownAuthority)
      #expect(try problem(.system) == .tlsUnknownAuthority)
      #expect(try problem(.file(rig.authority.certificateFile)) == .tlsNameMismatch)
    }

    @Test("a client certificate that was taken back is refused, and tried again")
    func revoked() throws {
      let workplace = try Workplace("mqtt")
      let authority = try CertificateAuthority(in: workplace)
      let (good, bad) = (try authority.client("node-a"), try authority.client("node-b"))
      let list = try authority.revoke([bad])
      let rig = try TLSRig(.now, authority: authority, in: workplace, asksForCertificates: true, revocationsFile: list)
      try SessionWatch(rig.settings(good)).connected()
      let watch = try SessionWatch(rig.settings(bad))
      for _ in 0..<2 {
        let problem = try watch.problem()
        // The broker's complaint may be lost with the connection it closes at the same moment.
        #expect([.tlsClientCertificateRefused, .tlsHandshakeCut].contains(problem.kind), "\(problem)")
      }
    }

    private func day(_ days: Double) -> String {
      let date = Date(timeIntervalSinceNow: days * CertificateTime.dayS)
      return date.formatted(.iso8601.year().month().day())
    }
  }
}

/// A broker with a certificate of its own authority.
private struct TLSRig {
  let workplace: Workplace
  let authority: CertificateAuthority
  let broker: Broker

  init(
    _ validity: CertificateAuthority.Validity, authority: CertificateAuthority? = nil, in workplace: Workplace? = nil,
    names: [String] = ["DNS:localhost", "IP:127.0.0.1"], asksForCertificates: Bool = false,
    revocationsFile: String? = nil
  ) throws {
    let place = try workplace ?? Workplace("mqtt")
    let root = try authority ?? CertificateAuthority(in: place)
    var options = Broker.Options()
    options.tls = Broker.TLS(
      identity: try root.broker(names: names, validity), authorityFile: root.certificateFile,
      asksForCertificates: asksForCertificates, revocationsFile: revocationsFile)
    self.workplace = place
    self.authority = root
    broker = try Broker(options, in: place)
    try broker.start()
  }

  func settings(_ identity: CertificateAuthority.Identity? = nil) -> BrokerSettings {
    var settings = localSettings(broker.port)
    settings.security = .certificates(
      .init(
        authority: .file(authority.certificateFile), certificateFile: identity?.certificateFile,
        keyFile: identity?.keyFile))
    return settings
  }
}
