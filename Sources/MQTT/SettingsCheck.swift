internal import CMosquitto

/// A setting that no broker could be reached with.
public struct SettingsProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The name of the setting in `BrokerSettings`, such as `keepaliveS` or `serverName`.
  public let setting: String
  /// What is wrong, what was expected and what to do, in one line.
  public let description: String
}

extension BrokerSettings {
  /// Looks for the first setting that cannot work, without touching network or files.
  public func check() throws(SettingsProblem) {
    try checkAddress()
    try checkCredentials()
    try checkSecurity()
    try checkLimits()
    try checkTopics()
  }

  private func checkAddress() throws(SettingsProblem) {
    try require(isText(host), "host", "the host is empty or holds a NUL; give a name or an address")
    try require(
      (1...65535).contains(effectivePort), "port", "port \(effectivePort) is out of range; expected 1 to 65535")
    try require(isText(clientID) || clientID.isEmpty, "clientID", "the client id holds a NUL")
    let keepsSession = sessionExpiryS > 0 || (will?.delayS ?? 0) > 0
    try require(
      !keepsSession || !clientID.isEmpty, "clientID",
      "a session that outlives the connection (session expiry, delayed will) needs a client id; give one")
  }

  private func checkCredentials() throws(SettingsProblem) {
    if let username { try require(isText(username), "username", "the user name is empty or holds a NUL") }
    guard let password else { return }
    try require(username != nil, "password", "a password without a user name; give both")
    try require(!password.contains(0), "password", "the password holds a NUL byte, which libmosquitto cannot send")
  }

  private func checkSecurity() throws(SettingsProblem) {
    switch security {
    case .none: return
    case .sharedKey(let identity, let key):
      try require(isText(identity), "identity", "the identity of the shared key is empty or holds a NUL")
      let isKey = !key.isEmpty && key.utf8.count % 2 == 0 && key.utf8.allSatisfy(isHexadecimal)
      try require(isKey, "key", "the shared key has to be an even number of hexadecimal digits")
    case .certificates(let certificates):
      try require(
        (certificates.certificateFile == nil) == (certificates.keyFile == nil), "certificateFile",
        "a client certificate and its key belong together; give both or none")
      if let name = certificates.serverName, name != host {
        throw SettingsProblem(
          setting: "serverName",
          description: "server name '\(name)' differs from host '\(host)', but libmosquitto checks the certificate "
            + "against the host it connects to; set the host to '\(name)' (with a line in /etc/hosts if DNS does not "
            + "know it), or issue the broker's certificate with '\(host)' among its alternative names")
      }
    }
  }

  private func checkLimits() throws(SettingsProblem) {
    try require(
      (5...65535).contains(keepaliveS), "keepaliveS", "keepalive \(keepaliveS) s is out of range; expected 5 to 65535")
    try require((1...65535).contains(window), "window", "window \(window) is out of range; expected 1 to 65535")
    try require(queueCapacity > 0, "queueCapacity", "queue capacity \(queueCapacity) is out of range; expected > 0")
    let deadlines = [
      ("connectDeadlineS", connectDeadlineS), ("connackDeadlineS", connackDeadlineS),
      ("acknowledgementDeadlineS", acknowledgementDeadlineS ?? 60),
    ]
    for (name, seconds) in deadlines {
      try require(seconds > 0 && seconds <= 86_400, name, "\(seconds) s is out of range; expected up to 86400, above 0")
    }
    let isBackoff = backoff.firstS > 0 && backoff.maxS >= backoff.firstS && backoff.maxS <= 86_400
    try require(
      isBackoff && backoff.stableS >= 0 && backoff.spreadS >= 0, "backoff",
      "expected 0 < first <= max <= 86400 s, and neither stable nor spread below 0")
  }

  private func checkTopics() throws(SettingsProblem) {
    for subscription in subscriptions {
      try require(
        isText(subscription.filter) && mosquitto_sub_topic_check(subscription.filter) == 0, "subscriptions",
        "'\(subscription.filter)' is no topic filter; + and # have to stand alone between slashes, # at the end")
    }
    guard let will else { return }
    try require(
      isText(will.topic) && mosquitto_pub_topic_check(will.topic) == 0, "will",
      "'\(will.topic)' is no topic to publish to; it may not be empty and may not hold + or #")
  }

  private func require(_ holds: Bool, _ setting: String, _ problem: String) throws(SettingsProblem) {
    if !holds { throw SettingsProblem(setting: setting, description: problem) }
  }
}

/// Whether C can take it as a string that says something.
private func isText(_ text: String) -> Bool {
  !text.isEmpty && !text.utf8.contains(0)
}

private func isHexadecimal(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
    UInt8(ascii: "A")...UInt8(ascii: "F"):
    return true
  default: return false
  }
}
