internal import CMosquitto
internal import Glibc

/// What a `Client` tells while one of its calls runs. None of these may call `mosquitto_*_callback_set`: that
/// deadlocks.
protocol ClientDelegate: AnyObject {
  /// CONNACK, with its code; `connection` says something only with code 0.
  func answered(code: Int32, _ connection: Connection)
  /// DISCONNECT from the broker, with its reason code.
  func dismissed(reason: Int32)
  /// A publication left us (QoS 0) or was answered (QoS 1).
  func published(_ messageID: Int32, reason: Int32)
  /// The broker's answer to one subscription: a QoS, or a reason code of 128 and above.
  func subscribed(_ messageID: Int32, granted: Int32)
  /// A message came; nil when its topic is no UTF-8.
  func received(_ message: Message?)
}

/// One libmosquitto handle, for one connection and one thread.
///
/// Driven from outside with poll(2) and the `mosquitto_loop_*` functions: `mosquitto_loop_start` never comes back from
/// some failures, and `mosquitto_loop` can be woken only by its own packets. A new handle for each connection leaves
/// nothing of the last one behind, and nothing queued.
final class Client {
  /// What a call into libmosquitto answered, and errno right after it.
  struct Outcome {
    let code: Int32
    let errorNumber: Int32

    var isSuccess: Bool { code == 0 }
  }

  let handle: OpaquePointer
  private let version: ProtocolVersion
  private weak var delegate: (any ClientDelegate)?
  /// The errors libmosquitto logged until `stopLogging`.
  private(set) var errors: [String] = []
  /// What is known about the broker's certificate since the first error.
  private(set) var certificate = CertificateEvidence()

  /// A ping was sent and has no answer yet.
  private(set) var hasOpenPing = false
  private var isQuiet = false

  /// Nil when there is no memory or no descriptor left. Ignores SIGPIPE for the whole program, as `mosquitto_new` does.
  init?(_ settings: BrokerSettings, version: ProtocolVersion, delegate: any ClientDelegate) {
    Library.start()
    // The user data is set below: without any, libmosquitto would give the handle itself to the callbacks.
    let isCleanStart =
      version == .v5 ? settings.expiryOnTheWireS == 0 : settings.sessionExpiryS == 0 || settings.clientID.isEmpty
    let id = settings.clientID.isEmpty ? nil : settings.clientID
    guard let handle = mosquitto_new(id, isCleanStart, nil) else { return nil }
    self.handle = handle
    self.version = version
    self.delegate = delegate
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    setCallbacks()
  }

  deinit { mosquitto_destroy(handle) }

  /// The socket; -1 without one.
  var socket: Int32 { mosquitto_socket(handle) }

  /// Something waits to be written.
  var wantsToWrite: Bool { mosquitto_want_write(handle) }

  /// Applies everything but host and port. Answers what cannot work.
  ///
  /// - Parameter time: what certificates are held against.
  func configure(_ settings: BrokerSettings, _ time: JudgingTime) -> LinkProblem? {
    mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311)
    mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
    mosquitto_int_option(handle, MOSQ_OPT_SEND_MAXIMUM, Int32(settings.window))
    if let username = settings.username {
      let code = (settings.password.map { $0 + [0] } ?? [0]).withUnsafeBufferPointer { password in
        password.withMemoryRebound(to: CChar.self) {
          mosquitto_username_pw_set(handle, username, settings.password == nil ? nil : $0.baseAddress)
        }
      }
      guard code == 0 else { return LinkProblem(.badCredentials, "the user name is no UTF-8 or too long") }
    }
    if let will = settings.will, !set(will) {
      return LinkProblem(.protocolViolation, "libmosquitto does not take the will for '\(will.topic)'")
    }
    return secure(settings, time)
  }

  /// Looks up the host, connects and sends our greeting. Blocks; bound it with an interruption.
  func connect(_ settings: BrokerSettings) -> Outcome {
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    if version == .v5, settings.expiryOnTheWireS > 0 {
      mosquitto_property_add_int32(
        &properties, Int32(MQTT_PROP_SESSION_EXPIRY_INTERVAL.rawValue), settings.expiryOnTheWireS)
    }
    errno = 0
    let code = mosquitto_connect_bind_v5(
      handle, settings.host, Int32(settings.effectivePort), Int32(settings.keepaliveS), nil, properties)
    return Outcome(code: code, errorNumber: errno)
  }

  /// Reads what has come: a packet or a step of the TLS handshake. With errno EAGAIN there is no more.
  func read() -> Outcome {
    errno = 0
    let code = mosquitto_loop_read(handle, 1)
    return Outcome(code: code, errorNumber: errno)
  }

  /// Writes what waits, as far as the socket takes it.
  func write() -> Outcome {
    errno = 0
    let code = mosquitto_loop_write(handle, 1)
    return Outcome(code: code, errorNumber: errno)
  }

  /// Pings when it is time to. From then on until the answer the log is listened to, since it alone tells of either.
  func keepAlive() -> Outcome {
    if isQuiet, !hasOpenPing { listenToLog(true) }
    errno = 0
    let code = mosquitto_loop_misc(handle)
    let outcome = Outcome(code: code, errorNumber: errno)
    if isQuiet, !hasOpenPing { listenToLog(false) }
    return outcome
  }

  /// Says goodbye, so that the broker keeps the will to itself.
  func disconnect() -> Outcome {
    errno = 0
    let code = mosquitto_disconnect_v5(handle, 0, nil)
    return Outcome(code: code, errorNumber: errno)
  }

  /// Hands a publication over; with QoS 0 it may be written, and `published` called, before this returns.
  func publish(_ publication: Publication) -> (outcome: Outcome, messageID: Int32) {
    var properties: OpaquePointer?
    defer { mosquitto_property_free_all(&properties) }
    if version == .v5 { add(publication.properties, to: &properties) }
    var messageID: Int32 = 0
    errno = 0
    let code = publication.payload.withUnsafeBytes { payload in
      mosquitto_publish_v5(
        handle, &messageID, publication.topic, Int32(clamping: payload.count), payload.baseAddress,
        Int32(publication.qos.rawValue), publication.isRetained, properties)
    }
    return (Outcome(code: code, errorNumber: errno), messageID)
  }

  func subscribe(_ subscription: BrokerSettings.Subscription) -> (outcome: Outcome, messageID: Int32) {
    var messageID: Int32 = 0
    errno = 0
    let code = mosquitto_subscribe_v5(handle, &messageID, subscription.filter, Int32(subscription.qos.rawValue), 0, nil)
    return (Outcome(code: code, errorNumber: errno), messageID)
  }

  /// Spares each later packet the log line that nobody reads. Not from a callback.
  func stopLogging() {
    isQuiet = true
    listenToLog(false)
  }

  private func listenToLog(_ listens: Bool) {
    guard listens else { return mosquitto_log_callback_set(handle, nil) }
    mosquitto_log_callback_set(handle) { _, userData, level, text in
      guard let text else { return }
      Client.of(userData)?.heed(level, text)
    }
  }

  private func set(_ will: Will) -> Bool {
    var properties: OpaquePointer?
    if version == .v5, will.delayS > 0 {
      mosquitto_property_add_int32(&properties, Int32(MQTT_PROP_WILL_DELAY_INTERVAL.rawValue), will.delayS)
    }
    let code = will.payload.withUnsafeBytes { payload in
      mosquitto_will_set_v5(
        handle, will.topic, Int32(clamping: payload.count), payload.baseAddress, Int32(will.qos.rawValue),
        will.isRetained, properties)
    }
    // On success libmosquitto owns the properties.
    if code != 0 { mosquitto_property_free_all(&properties) }
    return code == 0
  }

  private func add(_ properties: MessageProperties, to list: inout OpaquePointer?) {
    if let contentType = properties.contentType {
      mosquitto_property_add_string(&list, Int32(MQTT_PROP_CONTENT_TYPE.rawValue), contentType)
    }
    if let expiryS = properties.expiryS {
      mosquitto_property_add_int32(&list, Int32(MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.rawValue), expiryS)
    }
  }
}

// MARK: - Callbacks

extension Client {
  fileprivate static func of(_ userData: UnsafeMutableRawPointer?) -> Client? {
    userData.map { Unmanaged<Client>.fromOpaque($0).takeUnretainedValue() }
  }

  /// libmosquitto logged something: an error, which counts until `stopLogging`, or that it sent or received a packet.
  private func heed(_ level: Int32, _ text: UnsafePointer<CChar>) {
    if level == MOSQ_LOG_ERR {
      guard !isQuiet else { return }
      errors.append(String(cString: text))
      // Now is the time to ask for the verdict: libmosquitto soon frees what knows it.
      if certificate.verdict == nil, let found = CertificateEvidence(mosquitto_ssl_get(handle)) { certificate = found }
    } else if strstr(text, "sending PINGREQ") != nil {
      hasOpenPing = true
    } else if strstr(text, "received PINGRESP") != nil {
      hasOpenPing = false
    }
  }

  private func setCallbacks() {
    listenToLog(true)
    mosquitto_connect_v5_callback_set(handle) { _, userData, code, flags, properties in
      guard let client = Client.of(userData) else { return }
      let connection = Connection(properties, hasSession: flags & 1 == 1, version: client.version)
      client.delegate?.answered(code: code, connection)
    }
    mosquitto_disconnect_v5_callback_set(handle) { _, userData, code, _ in
      // Below 128 it is a code of libmosquitto, which the call that runs returns as well.
      if code >= 128 { Client.of(userData)?.delegate?.dismissed(reason: code) }
    }
    mosquitto_publish_v5_callback_set(handle) { _, userData, messageID, reason, _ in
      Client.of(userData)?.delegate?.published(messageID, reason: reason)
    }
    mosquitto_subscribe_v5_callback_set(handle) { _, userData, messageID, count, granted, _ in
      guard count > 0, let granted else { return }
      Client.of(userData)?.delegate?.subscribed(messageID, granted: granted[0])
    }
    mosquitto_message_v5_callback_set(handle) { _, userData, message, properties in
      guard let message else { return }
      Client.of(userData)?.delegate?.received(Message(message.pointee, properties))
      // `mosquitto_loop_read` looks at errno after the callback, and would leave decrypted bytes lying for EAGAIN.
      errno = 0
    }
  }
}
