internal import CMosquitto
internal import Glibc

/// What is known about a connection that failed or ended: the evidence for a `LinkProblem`. A pure value.
struct LinkFailure: Sendable, Equatable {
  enum Stage: Sendable, Equatable {
    /// Looking up the name and connecting.
    case connecting
    /// TLS handshake, and waiting for the broker's answer to our greeting.
    case greeting
    /// The broker took us in.
    case connected
  }

  /// What ended it.
  enum Cause: Sendable, Equatable {
    /// A call into libmosquitto failed: `mosq_err_t`, with errno (or the resolver's code with MOSQ_ERR_EAI).
    case library(code: Int32, errorNumber: Int32)
    /// CONNACK with this code, of MQTT 3.1.1 (1 to 5) or 5 (128 and above).
    case connack(Int32)
    /// DISCONNECT from the broker, with its reason code; MQTT 5.
    case disconnect(Int32)
    /// One of our deadlines passed.
    case connectDeadline
    case connackDeadline
    case acknowledgementDeadline(seconds: Double)
    case pingDeadline(seconds: Double)
    case stopped
  }

  var stage: Stage
  var cause: Cause
  /// What libmosquitto logged as errors on the way.
  var errors: [String] = []
  var certificate = CertificateEvidence()
  var version = ProtocolVersion.v5
  /// What the certificate was held against, for the question whether to believe it.
  var time = JudgingTime.ofSystem()

  /// Says what happened, and what to do.
  func problem(_ settings: BrokerSettings) -> LinkProblem {
    let endpoint = settings.endpoint
    switch cause {
    case .stopped: return LinkProblem(.stopped, "stopped")
    case .connack(let code): return refusal(code, settings)
    case .disconnect(let code): return farewell(code, settings)
    case .connectDeadline:
      return LinkProblem(
        .connectTimedOut, "\(endpoint) did not answer within \(brief(settings.connectDeadlineS)) s",
        remedy: "check the address, the network and any firewall on the way")
    case .connackDeadline:
      return LinkProblem(
        .noAnswer,
        "\(endpoint) took the connection and then said nothing for \(brief(settings.connackDeadlineS)) s",
        remedy: "check that a broker listens there, and that both sides agree about TLS")
    case .acknowledgementDeadline(let seconds):
      return LinkProblem(
        .noAcknowledgement, "\(endpoint) has not acknowledged a message for \(brief(seconds)) s",
        remedy: "connecting anew")
    case .pingDeadline(let seconds):
      return LinkProblem(
        .keepaliveTimeout, "\(endpoint) has gone silent: no answer to a ping for \(brief(seconds)) s",
        remedy: "connecting anew")
    case .library(let code, let errorNumber):
      if let problem = tlsProblem(settings) { return problem }
      return libraryProblem(code, errorNumber, settings)
    }
  }

  /// Whether the broker hung up on our greeting without a word: old brokers do that to MQTT 5.
  var isHangUp: Bool {
    guard stage == .greeting, case .library = cause, errors.isEmpty, certificate.verdict == nil else { return false }
    return true
  }

  private func libraryProblem(_ code: Int32, _ errorNumber: Int32, _ settings: BrokerSettings) -> LinkProblem {
    let endpoint = settings.endpoint
    switch mosq_err_t(rawValue: code) {
    case MOSQ_ERR_EAI: return resolverProblem(errorNumber, settings)
    case MOSQ_ERR_KEEPALIVE:
      return LinkProblem(
        .keepaliveTimeout, "\(endpoint) has gone silent: no answer to a ping", remedy: "connecting anew")
    case MOSQ_ERR_PROTOCOL, MOSQ_ERR_MALFORMED_PACKET, MOSQ_ERR_DUPLICATE_PROPERTY, MOSQ_ERR_MALFORMED_UTF8:
      return LinkProblem(
        .protocolViolation, "\(endpoint) sent something that is not MQTT \(version)",
        remedy: "check that the port belongs to a broker, and that both sides agree about TLS")
    case MOSQ_ERR_OVERSIZE_PACKET:
      return LinkProblem(
        .packetTooLarge, "a packet is larger than \(endpoint) takes", remedy: "raise the broker's limit")
    case MOSQ_ERR_NOMEM: return LinkProblem(.outOfResources, "no memory left for a connection")
    case MOSQ_ERR_ERRNO: return systemProblem(errorNumber, settings)
    case MOSQ_ERR_CONN_LOST, MOSQ_ERR_NO_CONN, MOSQ_ERR_SUCCESS: return closed(settings)
    default:
      let text = String(cString: mosquitto_strerror(code))
      return LinkProblem(stage == .connected ? .connectionBroken : .tlsFailed, "\(endpoint): \(text)")
    }
  }

  private func resolverProblem(_ code: Int32, _ settings: BrokerSettings) -> LinkProblem {
    let text = String(cString: gai_strerror(code))
    if code == EAI_NONAME || code == noAddress {
      return LinkProblem(
        .nameNotFound, "nobody knows the host '\(settings.host)' (\(text))",
        remedy: "check how it is spelt, or give its address")
    }
    return LinkProblem(
      .nameServiceDown, "cannot look up the host '\(settings.host)' (\(text))",
      remedy: "check the network and /etc/resolv.conf, or give its address")
  }

  private func systemProblem(_ code: Int32, _ settings: BrokerSettings) -> LinkProblem {
    let endpoint = settings.endpoint
    let text = String(cString: strerror(code))
    switch code {
    case ECONNREFUSED where stage == .connecting:
      return LinkProblem(
        .connectionRefused, "\(endpoint) refuses the connection: nobody listens there",
        remedy: "check that the broker runs, and on which port and address it listens")
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL:
      return LinkProblem(.unreachable, "no way to \(endpoint) (\(text))", remedy: "check the network")
    case ETIMEDOUT where stage == .connecting:
      return LinkProblem(
        .connectTimedOut, "\(endpoint) did not answer (\(text))",
        remedy: "check the address, the network and any firewall on the way")
    case ETIMEDOUT:
      return LinkProblem(.keepaliveTimeout, "\(endpoint) has gone silent (\(text))", remedy: "connecting anew")
    case EMFILE, ENFILE, ENOBUFS, ENOMEM:
      return LinkProblem(.outOfResources, "no connection to \(endpoint): \(text)", remedy: "raise LimitNOFILE")
    case 0, ECONNRESET, EPIPE, EPROTO: return closed(settings)
    default: return LinkProblem(.connectionBroken, "the connection to \(endpoint) broke (\(text))")
    }
  }

  /// The other side closed the connection without a word.
  private func closed(_ settings: BrokerSettings) -> LinkProblem {
    let endpoint = settings.endpoint
    switch (stage, settings.security) {
    case (.connected, _):
      // mosquitto 2.0 does not tell who has been thrown out by another client with the same id.
      return LinkProblem(
        .closedByPeer, "\(endpoint) closed the connection",
        remedy: settings.clientID.isEmpty
          ? "" : "see whether the broker runs; if it does, look for another client with the id '\(settings.clientID)'")
    case (_, .none):
      return LinkProblem(
        .closedOnGreeting, "\(endpoint) closed the connection on our greeting (MQTT \(version))",
        remedy: "check whether the port wants TLS; the broker's log says why")
    case (_, .sharedKey):
      return LinkProblem(
        .tlsHandshakeCut, "\(endpoint) closed the connection during the TLS handshake",
        remedy: "check identity and shared key; the broker's log says why")
    case (_, .certificates(let certificates)):
      return LinkProblem(
        .tlsHandshakeCut, "\(endpoint) closed the connection during the TLS handshake",
        remedy: certificates.certificateFile == nil
          ? "the broker may want a client certificate; its log says why" : "the broker's log says why")
    }
  }
}

/// EAI_NODATA of netdb.h, which the Glibc module leaves out: the name exists and has no address.
private let noAddress: Int32 = -5

/// A duration as people write it: `15`, `0.3`.
func brief(_ seconds: Double) -> String {
  guard seconds >= 10, seconds < 1e9 else { return "\((seconds * 100).rounded() / 100)" }
  return "\(Int(seconds.rounded()))"
}
