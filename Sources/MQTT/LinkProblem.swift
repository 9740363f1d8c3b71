/// Why there is no connection to the broker, for people and for programs.
public struct LinkProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of problem that a person would do something different about.
  public enum Kind: String, Sendable, CaseIterable {
    // Before anybody answered.
    case nameNotFound, nameServiceDown, connectionRefused, connectTimedOut, unreachable
    // Transport security.
    case tlsFiles, tlsNotSpoken, tlsUnknownAuthority, tlsCertificateExpired, tlsCertificateNotYetValid
    case tlsNameMismatch, tlsHandshakeCut, tlsClientCertificateRefused, tlsSharedKeyRefused, tlsFailed
    // The broker's answer.
    case noAnswer, closedOnGreeting, versionRefused, clientIDRefused, badCredentials, notAuthorized, banned
    case serverUnavailable
    // After the broker took us in.
    case closedByPeer, connectionBroken, keepaliveTimeout, noAcknowledgement, sessionTakenOver, serverShuttingDown
    case disconnectedByServer, packetTooLarge, protocolViolation
    // Ourselves.
    case outOfResources, stopped
  }

  public let kind: Kind
  /// What happened, with host and port.
  public let summary: String
  /// What to do about it; empty when there is nothing to do.
  public let remedy: String

  public init(_ kind: Kind, _ summary: String, remedy: String = "") {
    self.kind = kind
    self.summary = summary
    self.remedy = remedy
  }

  /// Summary and remedy in one line.
  public var description: String { remedy.isEmpty ? summary : "\(summary); \(remedy)" }

  /// Waiting will not help: somebody has to change something here or at the broker.
  public var needsAttention: Bool {
    switch kind {
    case .nameNotFound, .tlsFiles, .tlsNotSpoken, .tlsUnknownAuthority, .tlsCertificateExpired, .tlsNameMismatch,
      .tlsClientCertificateRefused, .tlsSharedKeyRefused, .versionRefused, .clientIDRefused, .badCredentials,
      .notAuthorized, .banned, .sessionTakenOver, .packetTooLarge:
      return true
    default: return false
    }
  }

  /// The broker itself ended or refused the connection, as it does when it stops: then the whole fleet is in the same
  /// trouble at the same moment.
  var isOfBroker: Bool {
    switch kind {
    case .closedByPeer, .serverShuttingDown, .disconnectedByServer, .connectionRefused, .closedOnGreeting,
      .serverUnavailable, .tlsHandshakeCut:
      return true
    default: return false
    }
  }
}
