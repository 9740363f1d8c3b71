internal import CMosquitto
internal import CTLS
internal import Glibc

extension Client {
  /// Where Debian keeps the authorities the system trusts.
  private static let systemAuthorities = "/etc/ssl/certs"

  /// Applies what protects the connection; answers which file is missing.
  func secure(_ settings: BrokerSettings, _ time: JudgingTime) -> LinkProblem? {
    switch settings.security {
    case .none: return nil
    case .sharedKey(let identity, let key):
      guard mosquitto_tls_psk_set(handle, key, identity, nil) == 0 else {
        return LinkProblem(.tlsSharedKeyRefused, "libmosquitto does not take the shared key of '\(identity)'")
      }
      return nil
    case .certificates(let certificates): return secure(certificates, time)
    }
  }

  private func secure(_ certificates: BrokerSettings.Certificates, _ time: JudgingTime) -> LinkProblem? {
    var file: String?
    var folder: String?
    switch certificates.authority {
    case .system:
      mosquitto_int_option(handle, MOSQ_OPT_TLS_USE_OS_CERTS, 1)
      // The option alone has no place for a client certificate, nor for a context of our own.
      if certificates.certificateFile != nil || time.isTrusted { folder = Client.systemAuthorities }
    case .file(let path): file = path
    case .folder(let path): folder = path
    }
    let needed = [file, folder, certificates.certificateFile, certificates.keyFile].compactMap { $0 }
    for path in needed where access(path, R_OK) != 0 {
      return LinkProblem(
        .tlsFiles, "cannot read \(path): \(String(cString: strerror(errno)))",
        remedy: "check the path and who may read it")
    }
    if !needed.isEmpty {
      // A key with a passphrase would make OpenSSL ask on the terminal: answer that there is none.
      let code = mosquitto_tls_set(
        handle, file, folder, certificates.certificateFile, certificates.keyFile, { _, _, _, _ in 0 })
      guard code == 0 else {
        return LinkProblem(.tlsFiles, "libmosquitto does not take the files \(needed.joined(separator: ", "))")
      }
    }
    mosquitto_tls_insecure_set(handle, certificates.acceptsAnyName)
    return time.isTrusted ? judge(by: time, certificates.authority) : nil
  }

  /// Makes OpenSSL hold certificates against another time than the system clock's. libmosquitto takes a context of ours
  /// and, with MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, prepares it like its own.
  private func judge(
    by time: JudgingTime, _ authority: BrokerSettings.Certificates.Authority
  ) -> LinkProblem? {
    guard let context = judder_tls_context(Int64(time.seconds), authority == .system ? 1 : 0) else {
      return LinkProblem(.outOfResources, "no memory left for a connection")
    }
    // It holds the context as well, until the handle goes.
    defer { judder_tls_context_release(context) }
    mosquitto_void_option(handle, MOSQ_OPT_SSL_CTX, context)
    mosquitto_int_option(handle, MOSQ_OPT_SSL_CTX_WITH_DEFAULTS, 1)
    return nil
  }
}

extension Connection {
  /// From CONNACK.
  init(_ properties: OpaquePointer?, hasSession: Bool, version: ProtocolVersion) {
    self.init(version: version, hasSession: hasSession)
    var byte: UInt8 = 0
    var short: UInt16 = 0
    var long: UInt32 = 0
    if mosquitto_property_read_byte(properties, Int32(MQTT_PROP_MAXIMUM_QOS.rawValue), &byte, false) != nil {
      maximumQoS = Int(byte)
    }
    if mosquitto_property_read_byte(properties, Int32(MQTT_PROP_RETAIN_AVAILABLE.rawValue), &byte, false) != nil {
      retains = byte != 0
    }
    if mosquitto_property_read_int16(properties, Int32(MQTT_PROP_RECEIVE_MAXIMUM.rawValue), &short, false) != nil {
      receiveMaximum = Int(short)
    }
    if mosquitto_property_read_int16(properties, Int32(MQTT_PROP_SERVER_KEEP_ALIVE.rawValue), &short, false) != nil {
      keepaliveS = Int(short)
    }
    if mosquitto_property_read_int32(properties, Int32(MQTT_PROP_MAXIMUM_PACKET_SIZE.rawValue), &long, false) != nil {
      maximumPacketBytes = Int(long)
    }
    clientID = text(properties, MQTT_PROP_ASSIGNED_CLIENT_IDENTIFIER)
  }
}

extension Message {
  /// Copies what libmosquitto lends; nil when the topic is no UTF-8.
  init?(_ message: mosquitto_message, _ properties: OpaquePointer?) {
    guard let topic = message.topic.flatMap({ String(validatingCString: $0) }) else { return nil }
    var kept = MessageProperties()
    if properties != nil {
      kept.contentType = text(properties, MQTT_PROP_CONTENT_TYPE)
      var expiryS: UInt32 = 0
      if mosquitto_property_read_int32(
        properties, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), &expiryS, false) != nil
      {
        kept.expiryS = expiryS
      }
    }
    self.init(
      topic: topic, payload: Array(UnsafeRawBufferPointer(start: message.payload, count: Int(message.payloadlen))),
      qos: message.qos == 0 ? .atMostOnce : .atLeastOnce, isRetained: message.retain, properties: kept)
  }
}

/// A property that is a string, which libmosquitto copies for us to free.
private func text(_ properties: OpaquePointer?, _ name: mqtt5_property) -> String? {
  var copy: UnsafeMutablePointer<CChar>?
  guard mosquitto_property_read_string(properties, Int32(name.rawValue), &copy, false) != nil, let copy else {
    return nil
  }
  defer { free(copy) }
  return String(cString: copy)
}
