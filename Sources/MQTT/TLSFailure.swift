/// What OpenSSL's errors mean for people. They reach us as libmosquitto's log lines, and the verdict on the certificate
/// as `CertificateEvidence`.
extension LinkFailure {
  /// The problem with TLS, if that is what the evidence speaks of.
  func tlsProblem(_ settings: BrokerSettings) -> LinkProblem? {
    guard settings.security != .none, let evidence = errors.first else { return nil }
    if says("host name verification failed") { return nameMismatch(settings) }
    if says("Unable to load"), !says("Unable to load engine") { return files(evidence) }
    if says("are inconsistent") {
      return LinkProblem(.tlsFiles, "client certificate and key do not belong together", remedy: "give the right pair")
    }
    if says("certificate verify failed") { return distrust(settings) }
    if let alert = alertProblem(settings) { return alert }
    return handshakeProblem(evidence, settings)
  }

  private func says(_ text: String) -> Bool {
    errors.contains { contains($0, text) }
  }

  private func files(_ evidence: String) -> LinkProblem {
    LinkProblem(
      .tlsFiles, strippedOfPrefix(evidence),
      remedy: "expected PEM files without a passphrase, readable for this user")
  }

  private func nameMismatch(_ settings: BrokerSettings) -> LinkProblem {
    LinkProblem(
      .tlsNameMismatch, "the certificate of \(settings.endpoint) is for another name than '\(settings.host)'",
      remedy: "use a name the certificate carries, or issue one that carries '\(settings.host)'")
  }

  /// The broker's certificate did not pass; the codes are X509_V_ERR_* of openssl/x509_vfy.h.
  private func distrust(_ settings: BrokerSettings) -> LinkProblem {
    let endpoint = settings.endpoint
    switch certificate.verdict {
    case 9: return notYetValid(endpoint)
    case 10: return expired(endpoint)
    case 62, 63, 64: return nameMismatch(settings)
    case 2, 18, 19, 20, 21, 27:
      return LinkProblem(
        .tlsUnknownAuthority, "the certificate of \(endpoint) comes from an authority we do not know",
        remedy: "give the authority's certificate in the CA file; if it was never changed, somebody may be listening in"
      )
    default:
      if time.isDoubtful { return notYetValid(endpoint) }
      let verdict = certificate.verdict.map { ", code \($0)" } ?? ""
      return LinkProblem(
        .tlsFailed, "the certificate of \(endpoint) does not pass (openssl verify\(verdict))",
        remedy: "look at it with openssl s_client")
    }
  }

  private func notYetValid(_ endpoint: String) -> LinkProblem {
    let fromS = certificate.validity.flatMap { $0.fromS > time.seconds ? $0.fromS : nil }
    let from = fromS.map { ", and it is valid from \(JudgingTime.day($0))" } ?? ""
    guard !time.isDoubtful else {
      return LinkProblem(
        .tlsCertificateNotYetValid,
        "the clock says \(time.year): the certificate of \(endpoint) cannot be judged by it\(from)",
        remedy: "let NTP set the clock, or GPS tell the time; trying again until then")
    }
    return LinkProblem(
      .tlsCertificateNotYetValid, "the certificate of \(endpoint) is not valid yet: \(time.words)\(from)",
      remedy: "check this clock first")
  }

  private func expired(_ endpoint: String) -> LinkProblem {
    let untilS = certificate.validity.flatMap { $0.untilS < time.seconds ? $0.untilS : nil }
    let until = untilS.map { "it was valid until \(JudgingTime.day($0)), and " } ?? ""
    return LinkProblem(
      .tlsCertificateExpired, "the certificate of \(endpoint) has expired: \(until)\(time.words)",
      remedy: "renew it at the broker" + (time.isDoubtful ? "; but check the clock first" : ""))
  }

  /// The broker complained about us: alerts of RFC 8446, 6.2.
  private func alertProblem(_ settings: BrokerSettings) -> LinkProblem? {
    let endpoint = settings.endpoint
    if case .sharedKey(let identity, _) = settings.security {
      guard says("alert") || says("bad record mac") || says("psk") else { return nil }
      return LinkProblem(
        .tlsSharedKeyRefused, "\(endpoint) does not take the shared key of '\(identity)'",
        remedy: "check identity and key on both sides")
    }
    let complaints = [
      "alert certificate required", "alert unknown ca", "alert bad certificate", "alert certificate expired",
      "alert certificate revoked", "alert certificate unknown", "alert unsupported certificate", "alert access denied",
      "alert handshake failure", "alert no certificate",
    ]
    guard let complaint = complaints.first(where: says) else { return nil }
    if case .certificates(let certificates) = settings.security, certificates.certificateFile == nil {
      return LinkProblem(
        .tlsClientCertificateRefused, "\(endpoint) wants a client certificate, and none is configured (\(complaint))",
        remedy: "give certificate and key, issued by an authority the broker trusts")
    }
    return LinkProblem(
      .tlsClientCertificateRefused, "\(endpoint) does not take our client certificate (\(complaint))",
      remedy: "check that it is valid now, not revoked, and issued by an authority the broker trusts")
  }

  private func handshakeProblem(_ evidence: String, _ settings: BrokerSettings) -> LinkProblem {
    let endpoint = settings.endpoint
    if says("wrong version number") || says("packet length too long") || says("http request") {
      return LinkProblem(
        .tlsNotSpoken, "\(endpoint) does not speak TLS", remedy: "use the broker's TLS port, often 8883, or set TLS off"
      )
    }
    if says("unexpected eof") {
      guard stage != .connected else { return LinkProblem(.closedByPeer, "\(endpoint) closed the connection") }
      let wantsCertificate: Bool
      if case .certificates(let own) = settings.security {
        wantsCertificate = own.certificateFile == nil
      } else {
        wantsCertificate = false
      }
      return LinkProblem(
        .tlsHandshakeCut, "\(endpoint) closed the connection during the TLS handshake",
        remedy: "the broker's log says why" + (wantsCertificate ? "; it may want a client certificate" : ""))
    }
    return LinkProblem(
      .tlsFailed, "TLS with \(endpoint) failed: \(strippedOfPrefix(evidence))", remedy: "the broker's log may say more")
  }

  /// Without `OpenSSL Error[0]: error:0A000086:` and the like.
  private func strippedOfPrefix(_ line: String) -> String {
    var text = Substring(line)
    for prefix in ["Error: ", "OpenSSL Error[0]: "] where text.hasPrefix(prefix) {
      text = text.dropFirst(prefix.count)
    }
    return String(text)
  }
}

/// Whether `text` holds `part`, byte for byte: the standard library alone has no such search.
func contains(_ text: String, _ part: String) -> Bool {
  let text = Array(text.utf8)
  let part = Array(part.utf8)
  guard !part.isEmpty, text.count >= part.count else { return part.isEmpty }
  return (0...(text.count - part.count)).contains { text[$0..<($0 + part.count)].elementsEqual(part) }
}
