import Glibc
import Testing

@testable import MQTT

@Suite("What a failure is called")
struct LinkFailureTests {
  private var plain: BrokerSettings {
    var settings = BrokerSettings(host: "broker.example")
    settings.clientID = "node-1"
    return settings
  }

  private var secure: BrokerSettings {
    var settings = plain
    settings.security = .certificates(.init(authority: .file("ca.crt")))
    return settings
  }

  @Test(
    "by the resolver and the kernel",
    arguments: [
      (15, EAI_NONAME, LinkFailure.Stage.connecting, LinkProblem.Kind.nameNotFound),
      (15, -5, .connecting, .nameNotFound), (15, EAI_AGAIN, .connecting, .nameServiceDown),
      (14, ECONNREFUSED, .connecting, .connectionRefused), (14, ETIMEDOUT, .connecting, .connectTimedOut),
      (14, EHOSTUNREACH, .connecting, .unreachable), (14, ENETUNREACH, .connecting, .unreachable),
      (14, EMFILE, .connecting, .outOfResources), (1, 0, .connecting, .outOfResources),
      (14, ETIMEDOUT, .connected, .keepaliveTimeout), (14, EPIPE, .connected, .closedByPeer),
      (14, EIO, .connected, .connectionBroken), (7, 0, .connected, .closedByPeer), (7, 0, .greeting, .closedOnGreeting),
      (19, 0, .connected, .keepaliveTimeout), (2, 0, .greeting, .protocolViolation),
      (21, 0, .connected, .protocolViolation), (25, 0, .connected, .packetTooLarge),
    ] as [(Int32, Int32, LinkFailure.Stage, LinkProblem.Kind)])
  func library(code: Int32, errorNumber: Int32, stage: LinkFailure.Stage, kind: LinkProblem.Kind) {
    let failure = LinkFailure(stage: stage, cause: .library(code: code, errorNumber: errorNumber))
    check(failure.problem(plain), kind)
  }

  @Test(
    "by the broker's answer",
    arguments: [
      (1, LinkProblem.Kind.versionRefused), (0x84, .versionRefused), (2, .clientIDRefused), (0x85, .clientIDRefused),
      (4, .badCredentials), (0x86, .badCredentials), (5, .notAuthorized), (0x87, .notAuthorized),
      (3, .serverUnavailable),
      (0x88, .serverUnavailable), (0x89, .serverUnavailable), (0x8A, .banned), (0x95, .packetTooLarge),
      (0x83, .disconnectedByServer), (77, .disconnectedByServer),
    ] as [(Int32, LinkProblem.Kind)])
  func answer(code: Int32, kind: LinkProblem.Kind) {
    check(LinkFailure(stage: .greeting, cause: .connack(code)).problem(plain), kind)
  }

  @Test(
    "by the broker's goodbye",
    arguments: [
      (0x8E, LinkProblem.Kind.sessionTakenOver), (0x8B, .serverShuttingDown), (0x8D, .keepaliveTimeout),
      (0x95, .packetTooLarge), (0x87, .notAuthorized), (0x82, .protocolViolation), (0x98, .disconnectedByServer),
    ] as [(Int32, LinkProblem.Kind)])
  func goodbye(code: Int32, kind: LinkProblem.Kind) {
    check(LinkFailure(stage: .connected, cause: .disconnect(code)).problem(plain), kind)
  }

  @Test(
    "by our own deadlines",
    arguments: [
      (LinkFailure.Cause.connectDeadline, LinkProblem.Kind.connectTimedOut), (.connackDeadline, .noAnswer),
      (.acknowledgementDeadline(seconds: 9), .noAcknowledgement), (.pingDeadline(seconds: 9), .keepaliveTimeout),
      (.stopped, .stopped),
    ])
  func deadlines(cause: LinkFailure.Cause, kind: LinkProblem.Kind) {
    check(LinkFailure(stage: .greeting, cause: cause).problem(plain), kind)
  }

  @Test(
    "by the verdict on the certificate",
    arguments: [
      (20, 2026, LinkProblem.Kind.tlsUnknownAuthority), (19, 2026, .tlsUnknownAuthority),
      (10, 2026, .tlsCertificateExpired), (9, 2026, .tlsCertificateNotYetValid), (62, 2026, .tlsNameMismatch),
      (26, 2026, .tlsFailed), (nil, 2026, .tlsFailed), (nil, 1970, .tlsCertificateNotYetValid),
    ] as [(Int?, Int, LinkProblem.Kind)])
  func certificate(verdict: Int?, year: Int, kind: LinkProblem.Kind) {
    let line = "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"
    let problem = tls([line], verdict: verdict, year: year).problem(secure)
    check(problem, kind)
    #expect(problem.remedy.contains("clock") == (year == 1970 || verdict == 9))
    if year == 1970 { #expect(problem.summary.contains("the clock says 1970")) }
  }

  // Complaint 35: a clock in 1970 fails TLS, and has to be called by its name.
  @Test("a certificate that the clock refuses is told with both dates")
  func dates() {
    var failure = tls(["certificate verify failed"], verdict: 9)
    failure.certificate.validity = .init(fromS: 1_777_593_600, untilS: 1_809_129_600)
    failure.time = JudgingTime(seconds: 1_767_225_600)
    let early = failure.problem(secure)
    #expect(
      early.summary == "the certificate of broker.example:8883 is not valid yet: our clock says 2026-01-01, "
        + "and it is valid from 2026-05-01")
    failure.time = JudgingTime(seconds: 1_767_225_600, isTrusted: true)
    #expect(failure.problem(secure).summary.contains("the time given to us is 2026-01-01"))
    failure.time = JudgingTime(seconds: 12)
    #expect(
      failure.problem(secure).summary == "the clock says 1970: the certificate of broker.example:8883 cannot be judged "
        + "by it, and it is valid from 2026-05-01")
    #expect(!failure.problem(secure).needsAttention)
    failure.certificate.verdict = 10
    failure.time = JudgingTime(seconds: 1_813_000_000)
    let late = failure.problem(secure)
    #expect(
      late.summary
        == "the certificate of broker.example:8883 has expired: it was valid until 2027-05-01, and our clock "
        + "says 2027-06-14")
    #expect(late.needsAttention)
  }

  @Test(
    "by what OpenSSL complained about",
    arguments: [
      ("Error: host name verification failed.", LinkProblem.Kind.tlsNameMismatch),
      ("Error: Unable to load CA certificates, check cafile \"x\".", .tlsFiles),
      ("Error: Client certificate/key are inconsistent.", .tlsFiles),
      (
        "OpenSSL Error[0]: error:0A00045C:SSL routines::tlsv13 alert certificate required", .tlsClientCertificateRefused
      ),
      ("OpenSSL Error[0]: error:0A000418:SSL routines::tlsv1 alert unknown ca", .tlsClientCertificateRefused),
      ("OpenSSL Error[0]: error:0A000415:SSL routines::sslv3 alert certificate expired", .tlsClientCertificateRefused),
      ("OpenSSL Error[0]: error:0A00010B:SSL routines::wrong version number", .tlsNotSpoken),
      ("OpenSSL Error[0]: error:0A000126:SSL routines::unexpected eof while reading", .tlsHandshakeCut),
      ("OpenSSL Error[0]: error:0A0000BF:SSL routines::no protocols available", .tlsFailed),
    ])
  func complaint(line: String, kind: LinkProblem.Kind) {
    check(tls([line]).problem(secure), kind)
  }

  @Test("a refused shared key is called by its name")
  func sharedKey() {
    var settings = plain
    settings.security = .sharedKey(identity: "node", key: "00")
    let line = "OpenSSL Error[0]: error:0A000438:SSL routines::tlsv1 alert internal error"
    check(tls([line]).problem(settings), .tlsSharedKeyRefused)
  }

  @Test("without TLS, log lines speak of nothing")
  func noTLS() {
    var failure = LinkFailure(stage: .connected, cause: .library(code: 7, errorNumber: 0))
    failure.errors = ["certificate verify failed"]
    check(failure.problem(plain), .closedByPeer)
  }

  @Test("only a close on the greeting, without a word, counts as a hang-up")
  func hangUp() {
    let closed = LinkFailure.Cause.library(code: 7, errorNumber: 0)
    #expect(LinkFailure(stage: .greeting, cause: closed).isHangUp)
    #expect(!LinkFailure(stage: .connected, cause: closed).isHangUp)
    #expect(!LinkFailure(stage: .connecting, cause: .library(code: 14, errorNumber: ECONNREFUSED)).isHangUp)
    #expect(!LinkFailure(stage: .greeting, cause: .connack(5)).isHangUp)
    #expect(!LinkFailure(stage: .greeting, cause: .connackDeadline).isHangUp)
    #expect(!tls(["certificate verify failed"]).isHangUp)
  }

  private func tls(_ lines: [String], verdict: Int? = nil, year: Int = 2026) -> LinkFailure {
    LinkFailure(
      stage: .greeting, cause: .library(code: 8, errorNumber: 0), errors: lines,
      certificate: CertificateEvidence(verdict: verdict),
      time: JudgingTime(seconds: Double(year - 1970) * 31_556_952 + 1e6))
  }

  /// Every problem is one line that names the place, except our own end.
  private func check(_ problem: LinkProblem, _ kind: LinkProblem.Kind) {
    #expect(problem.kind == kind, "\(problem)")
    #expect(!problem.description.contains("\n"))
    if ![.stopped, .outOfResources, .tlsFiles].contains(kind) {
      #expect(problem.summary.contains("broker.example") || problem.summary.contains("node-1"), "\(problem)")
    }
  }
}
