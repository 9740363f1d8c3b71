internal import CMosquitto

/// What the broker's codes in CONNACK and DISCONNECT mean for people.
extension LinkFailure {
  /// CONNACK with anything but success.
  func refusal(_ code: Int32, _ settings: BrokerSettings) -> LinkProblem {
    let endpoint = settings.endpoint
    switch code {
    case 1, Reason.unsupportedVersion:
      return LinkProblem(
        .versionRefused, "\(endpoint) does not speak MQTT \(version)",
        remedy: settings.version == .automatic ? "" : "set the version to automatic")
    case 2, Reason.clientIDInvalid:
      return LinkProblem(
        .clientIDRefused, "\(endpoint) does not take the client id '\(settings.clientID)'",
        remedy: "use letters and digits, or ask who runs the broker")
    case 4, Reason.badCredentials:
      return LinkProblem(
        .badCredentials, "\(endpoint) does not take the user name and password of \(who(settings))",
        remedy: "check both, and the broker's password file")
    case 5, Reason.notAuthorized:
      return LinkProblem(
        .notAuthorized, "\(endpoint) does not let \(who(settings)) in",
        remedy: settings.username == nil && settings.security == .none
          ? "give a user name and password" : "check user name and password, and the broker's rules")
    case Reason.banned: return LinkProblem(.banned, "\(endpoint) has banned us", remedy: "ask who runs the broker")
    case 3, Reason.serverUnavailable, Reason.serverBusy, Reason.useAnotherServer, Reason.serverMoved,
      Reason.connectionRateExceeded, Reason.quotaExceeded:
      return LinkProblem(.serverUnavailable, "\(endpoint) takes nobody in now (\(text(code)))")
    case Reason.packetTooLarge:
      return LinkProblem(
        .packetTooLarge, "our greeting is larger than \(endpoint) takes", remedy: "raise the broker's limit")
    default:
      return LinkProblem(
        .disconnectedByServer, "\(endpoint) does not take us in (\(text(code)))", remedy: "the broker's log says why")
    }
  }

  /// DISCONNECT from the broker.
  func farewell(_ code: Int32, _ settings: BrokerSettings) -> LinkProblem {
    let endpoint = settings.endpoint
    switch code {
    case Reason.sessionTakenOver:
      return LinkProblem(
        .sessionTakenOver, "another client has connected to \(endpoint) with our id '\(settings.clientID)'",
        remedy: "give every client an id of its own")
    case Reason.serverShuttingDown, Reason.serverBusy, Reason.useAnotherServer, Reason.serverMoved:
      return LinkProblem(.serverShuttingDown, "\(endpoint) is going away (\(text(code)))")
    case Reason.keepAliveTimeout:
      return LinkProblem(.keepaliveTimeout, "\(endpoint) has not heard from us in time", remedy: "connecting anew")
    case Reason.packetTooLarge:
      return LinkProblem(
        .packetTooLarge, "we sent \(endpoint) a packet that is larger than it takes", remedy: "raise the broker's limit"
      )
    case Reason.notAuthorized:
      return LinkProblem(
        .notAuthorized, "\(endpoint) does not let \(who(settings)) do that", remedy: "check the broker's rules")
    case Reason.malformedPacket, Reason.protocolError:
      return LinkProblem(.protocolViolation, "\(endpoint) could not read what we sent (\(text(code)))")
    default:
      return LinkProblem(
        .disconnectedByServer, "\(endpoint) has thrown us out (\(text(code)))", remedy: "the broker's log says why")
    }
  }

  private func who(_ settings: BrokerSettings) -> String {
    if let username = settings.username { return "'\(username)'" }
    switch settings.security {
    case .sharedKey(let identity, _): return "'\(identity)'"
    case .certificates(let certificates) where certificates.certificateFile != nil:
      return "the owner of our certificate"
    default: return "us"
    }
  }

  private func text(_ code: Int32) -> String {
    code < 128 ? String(cString: mosquitto_connack_string(code)) : String(cString: mosquitto_reason_string(code))
  }
}

/// The reason codes of MQTT 5 that are told apart (OASIS MQTT 5.0, 2.4).
enum Reason {
  static let noMatchingSubscribers: Int32 = 0x10
  static let malformedPacket: Int32 = 0x81
  static let protocolError: Int32 = 0x82
  static let unsupportedVersion: Int32 = 0x84
  static let clientIDInvalid: Int32 = 0x85
  static let badCredentials: Int32 = 0x86
  static let notAuthorized: Int32 = 0x87
  static let serverUnavailable: Int32 = 0x88
  static let serverBusy: Int32 = 0x89
  static let banned: Int32 = 0x8A
  static let serverShuttingDown: Int32 = 0x8B
  static let keepAliveTimeout: Int32 = 0x8D
  static let sessionTakenOver: Int32 = 0x8E
  static let topicFilterInvalid: Int32 = 0x8F
  static let topicNameInvalid: Int32 = 0x90
  static let packetTooLarge: Int32 = 0x95
  static let quotaExceeded: Int32 = 0x97
  static let payloadFormatInvalid: Int32 = 0x99
  static let retainNotSupported: Int32 = 0x9A
  static let qosNotSupported: Int32 = 0x9B
  static let useAnotherServer: Int32 = 0x9C
  static let serverMoved: Int32 = 0x9D
  static let sharedSubscriptionsNotSupported: Int32 = 0x9E
  static let connectionRateExceeded: Int32 = 0x9F
  static let subscriptionIDsNotSupported: Int32 = 0xA1
  static let wildcardsNotSupported: Int32 = 0xA2
}

extension Refusal {
  /// From a reason code of PUBACK or SUBACK.
  init(reason code: Int32) {
    self.init(
      Refusal.kind(code), code: Int(code), "the broker says: \(String(cString: mosquitto_reason_string(code)))")
  }

  /// Codes that are not listed, such as 'unspecified error' and 'implementation specific error', say nothing about the
  /// next time.
  private static func kind(_ code: Int32) -> Kind {
    switch code {
    case Reason.notAuthorized: .denied
    case Reason.packetTooLarge: .tooLarge
    case Reason.topicFilterInvalid, Reason.topicNameInvalid, Reason.payloadFormatInvalid: .invalid
    case Reason.retainNotSupported, Reason.qosNotSupported, Reason.sharedSubscriptionsNotSupported,
      Reason.subscriptionIDsNotSupported, Reason.wildcardsNotSupported:
      .unsupported
    default: .busy
    }
  }

  /// From a `mosq_err_t` of a call that took nothing over.
  init(library code: Int32) {
    switch mosq_err_t(rawValue: code) {
    case MOSQ_ERR_INVAL, MOSQ_ERR_MALFORMED_UTF8:
      self.init(.invalid, code: nil, "not a topic to publish to; it may not be empty and may not hold + or #")
    case MOSQ_ERR_OVERSIZE_PACKET: self.init(.tooLarge, code: nil, "larger than the broker takes")
    case MOSQ_ERR_PAYLOAD_SIZE: self.init(.tooLarge, code: nil, "larger than MQTT allows")
    case MOSQ_ERR_QOS_NOT_SUPPORTED: self.init(.unsupported, code: nil, "the broker does not take this QoS")
    case MOSQ_ERR_RETAIN_NOT_SUPPORTED: self.init(.unsupported, code: nil, "the broker keeps no messages")
    case MOSQ_ERR_NOMEM: self.init(.busy, code: nil, String(cString: mosquitto_strerror(code)))
    default: self.init(.invalid, code: nil, String(cString: mosquitto_strerror(code)))
    }
  }
}
