internal import CLinux
internal import CMosquitto
internal import Glibc
internal import Threading

/// One connection to the broker, from the look-up of its name to its end. Lives on the network thread.
final class Link: ClientDelegate {
  /// How it ended.
  struct End {
    let failure: LinkFailure
    let problem: LinkProblem
    /// How long the broker had us; nil when it never took us in.
    let lastedS: Double?
    /// Tokens of publications that libmosquitto had and nobody settled.
    let unsettled: [UInt64]
  }

  /// Packets read before others get their turn.
  private static let burst = 64

  private let core: SessionCore
  private let settings: BrokerSettings
  private let version: ProtocolVersion
  /// What certificates are held against.
  private var time = JudgingTime.ofSystem()
  private var stage = LinkFailure.Stage.connecting
  /// What the broker said: CONNACK other than success, or DISCONNECT.
  private var verdict: LinkFailure.Cause?
  private var connection: Connection?
  private var isGreeted = false
  private var connectedAtS = 0.0
  private var greetingDeadlineS = 0.0
  private var mayHaveMore = false
  private var inFlight = InFlight()
  private var vigilance = Vigilance(keepaliveS: 60, acknowledgementDeadlineS: nil, atS: 0)
  private var subscriptions: [Int32: String] = [:]

  init(_ core: SessionCore, version: ProtocolVersion) {
    self.core = core
    settings = core.settings
    self.version = version
  }

  /// Connects, and serves the connection until it ends.
  func run() -> End {
    core.count { $0.attempts += 1 }
    core.emit(.connecting(version: version))
    guard let client = Client(settings, version: version, delegate: self) else {
      return end(.library(code: Int32(MOSQ_ERR_ERRNO.rawValue), errorNumber: errno), nil)
    }
    if let trusted = core.trustedAtBootS { time = JudgingTime(seconds: trusted + bootTimeS(), isTrusted: true) }
    if let problem = client.configure(settings, time) { return end(.stopped, client, problem) }
    var cause = connect(client)
    while cause == nil { cause = serve(client) }
    return end(cause ?? .stopped, client)
  }

  private func end(_ cause: LinkFailure.Cause, _ client: Client?, _ problem: LinkProblem? = nil) -> End {
    let failure = LinkFailure(
      stage: stage, cause: cause, errors: client?.errors ?? [],
      certificate: client?.certificate ?? CertificateEvidence(),
      version: version, time: time)
    return End(
      failure: failure, problem: problem ?? failure.problem(settings),
      lastedS: connection == nil ? nil : monotonicS() - connectedAtS, unsettled: inFlight.tokens)
  }

  // MARK: - Connecting

  private func connect(_ client: Client) -> LinkFailure.Cause? {
    let interruption = judder_interruption_begin(milliseconds(settings.connectDeadlineS))
    let startS = monotonicS()
    let outcome = client.connect(settings)
    judder_interruption_end(interruption)
    let nowS = monotonicS()
    if core.stop != nil { return .stopped }
    greetingDeadlineS = nowS + settings.connackDeadlineS
    guard outcome.isSuccess else {
      if isCode(outcome.code, MOSQ_ERR_TLS) { stage = .greeting }
      let isOverdue = outcome.errorNumber == EINTR || nowS - startS >= settings.connectDeadlineS
      return stage == .connecting && isOverdue && !isCode(outcome.code, MOSQ_ERR_EAI)
        ? .connectDeadline : .library(code: outcome.code, errorNumber: outcome.errorNumber)
    }
    stage = .greeting
    boundSilence(client.socket, keepaliveS: settings.keepaliveS)
    return nil
  }

  /// Lets the kernel give a link up that does not even acknowledge bytes.
  private func boundSilence(_ socket: Int32, keepaliveS: Int) {
    let tcpUserTimeout: Int32 = 18
    var limitMS = UInt32(keepaliveS) * 500
    setsockopt(socket, Int32(IPPROTO_TCP), tcpUserTimeout, &limitMS, socklen_t(MemoryLayout<UInt32>.size))
  }

  // MARK: - Serving

  /// Waits for something to do and does it. Answers what ended the connection.
  private func serve(_ client: Client) -> LinkFailure.Cause? {
    var entries = [
      pollfd(fd: client.socket, events: Int16(POLLIN) | (client.wantsToWrite ? Int16(POLLOUT) : 0), revents: 0),
      pollfd(fd: core.wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    let count = poll(&entries, 2, mayHaveMore ? 0 : milliseconds(nextDeadlineS() - monotonicS()))
    if count > 0, entries[1].revents != 0 { core.wakeUp.clear() }
    let revents = count > 0 ? Int32(entries[0].revents) : 0
    if mayHaveMore || revents & ~POLLOUT != 0, let cause = read(client) { return cause }
    if revents & POLLOUT != 0, let cause = write(client) { return cause }
    if stage == .greeting, revents & (POLLHUP | POLLERR) != 0 {
      // libmosquitto takes a reset during the TLS handshake for something to wait out.
      return .library(code: Int32(MOSQ_ERR_CONN_LOST.rawValue), errorNumber: 0)
    }
    if connection != nil, !isGreeted, let cause = greet(client) { return cause }
    if let cause = verdict ?? failure(client, client.keepAlive()) { return cause }
    heedPing(client)
    return handOver(client) ?? overdue() ?? farewell(client)
  }

  private func heedPing(_ client: Client) {
    guard client.hasOpenPing != vigilance.awaitsAnswer else { return }
    if client.hasOpenPing { vigilance.pinged(atS: monotonicS()) } else { vigilance.answered(atS: monotonicS()) }
  }

  /// When to look again, at the latest.
  private func nextDeadlineS() -> Double {
    var nextS =
      stage == .greeting ? greetingDeadlineS : vigilance.nextS(oldestS: inFlight.oldestS, atS: monotonicS())
    if let stop = core.stop { nextS = min(nextS, stop.deadlineS) }
    return nextS
  }

  private func read(_ client: Client) -> LinkFailure.Cause? {
    mayHaveMore = false
    for _ in 0..<Link.burst {
      let outcome = client.read()
      if let cause = failure(client, outcome) { return cause }
      if outcome.errorNumber != EAGAIN { vigilance.heard(atS: monotonicS()) }
      if outcome.errorNumber == EAGAIN || (connection != nil && !isGreeted) { return nil }
    }
    mayHaveMore = stage == .connected
    return nil
  }

  private func write(_ client: Client) -> LinkFailure.Cause? {
    // `mosquitto_loop_write` does not carry a TLS handshake on.
    if stage == .greeting, settings.security != .none, let cause = failure(client, client.read()) { return cause }
    return failure(client, client.write())
  }

  private func failure(_ client: Client, _ outcome: Client.Outcome) -> LinkFailure.Cause? {
    if let verdict { return verdict }
    if !outcome.isSuccess { return .library(code: outcome.code, errorNumber: outcome.errorNumber) }
    return client.socket < 0 ? .library(code: Int32(MOSQ_ERR_CONN_LOST.rawValue), errorNumber: 0) : nil
  }

  /// The broker has taken us in: subscribes.
  private func greet(_ client: Client) -> LinkFailure.Cause? {
    isGreeted = true
    mayHaveMore = true
    client.stopLogging()
    let keepaliveS = connection?.keepaliveS.flatMap { $0 > 0 ? $0 : nil } ?? settings.keepaliveS
    vigilance = Vigilance(
      keepaliveS: Double(keepaliveS), acknowledgementDeadlineS: settings.acknowledgementDeadlineS, atS: monotonicS())
    boundSilence(client.socket, keepaliveS: keepaliveS)
    for subscription in settings.subscriptions {
      let (outcome, messageID) = client.subscribe(subscription)
      subscriptions[messageID] = subscription.filter
      if let cause = failure(client, outcome) { return cause }
    }
    return nil
  }

  // MARK: - Publishing

  /// Hands publications over while the window is open and the socket takes them, so that none waits in libmosquitto.
  private func handOver(_ client: Client) -> LinkFailure.Cause? {
    guard isGreeted else { return nil }
    let window = min(settings.window, connection?.receiveMaximum ?? settings.window)
    while !client.wantsToWrite,
      let publication = core.takePublication(windowIsOpen: inFlight.unacknowledged < window)
    {
      if let cause = handOver(publication, client) { return cause }
    }
    return nil
  }

  private func handOver(_ publication: Publication, _ client: Client) -> LinkFailure.Cause? {
    inFlight.begin(token: publication.token, qos: publication.qos, atS: monotonicS())
    guard !publication.topic.utf8.contains(0) else {
      refuse(publication, Refusal(library: Int32(MOSQ_ERR_INVAL.rawValue)))
      return nil
    }
    let (outcome, messageID) = client.publish(publication)
    let broken = [MOSQ_ERR_NO_CONN, MOSQ_ERR_CONN_LOST, MOSQ_ERR_ERRNO, MOSQ_ERR_TLS]
    if outcome.isSuccess {
      inFlight.handedOver(as: messageID)
      vigilance.spoke(atS: monotonicS())
    } else if !broken.contains(where: { isCode(outcome.code, $0) }) {
      refuse(publication, Refusal(library: outcome.code))
      return nil
    }
    return failure(client, outcome)
  }

  private func refuse(_ publication: Publication, _ refusal: Refusal) {
    inFlight.withdraw()
    core.count { $0.refused += 1 }
    core.emit(.refused(token: publication.token, refusal))
  }

  // MARK: - Ending

  private func overdue() -> LinkFailure.Cause? {
    let nowS = monotonicS()
    if stage == .greeting { return nowS >= greetingDeadlineS ? .connackDeadline : nil }
    // While the caller let us wait, the answer may have come: it is among what has not been read.
    if mayHaveMore { return nil }
    return vigilance.overdue(oldestS: inFlight.oldestS, atS: nowS)
  }

  /// Ends the connection if somebody wants it to end and everything is settled, or the time for that is over.
  private func farewell(_ client: Client) -> LinkFailure.Cause? {
    guard let stop = core.stop else { return nil }
    guard stage == .connected, stop.saysGoodbye else { return .stopped }
    let isSettled = inFlight.isEmpty && !core.hasPublications && !client.wantsToWrite
    guard isSettled || !stop.settles || core.hasEnough || monotonicS() >= stop.deadlineS else { return nil }
    var outcome = client.disconnect()
    while outcome.isSuccess, client.socket >= 0, monotonicS() < stop.deadlineS {
      var entry = pollfd(fd: client.socket, events: Int16(POLLOUT), revents: 0)
      poll(&entry, 1, milliseconds(stop.deadlineS - monotonicS()))
      outcome = client.write()
    }
    return .stopped
  }

  // MARK: - ClientDelegate

  func answered(code: Int32, _ connection: Connection) {
    guard code == 0 else {
      verdict = .connack(code)
      return
    }
    self.connection = connection
    stage = .connected
    connectedAtS = monotonicS()
    core.count {
      $0.connects += 1
      $0.isConnected = true
    }
    core.emit(.connected(connection))
  }

  func dismissed(reason: Int32) {
    verdict = .disconnect(reason)
  }

  func published(_ messageID: Int32, reason: Int32) {
    guard let (token, qos) = inFlight.settle(messageID) else { return }
    guard reason < 128 else {
      core.count { $0.refused += 1 }
      return core.emit(.refused(token: token, Refusal(reason: reason)))
    }
    let isUnheard = reason == Reason.noMatchingSubscribers
    core.count {
      $0.delivered += 1
      if isUnheard { $0.withoutSubscribers += 1 }
    }
    core.emit(
      .delivered(token: token, qos == .atMostOnce ? .written : isUnheard ? .withoutSubscribers : .acknowledged))
  }

  func subscribed(_ messageID: Int32, granted: Int32) {
    guard let filter = subscriptions.removeValue(forKey: messageID) else { return }
    let qos = UInt8(exactly: granted).flatMap(QoS.init(rawValue:))
    core.emit(.subscribed(filter: filter, qos.map { .success($0) } ?? .failure(Refusal(reason: granted))))
  }

  func received(_ message: Message?) {
    guard let message else { return core.count { $0.messagesMalformed += 1 } }
    core.count {
      $0.messages += 1
      $0.messageBytes += message.payload.count
    }
    core.emit(.message(message))
  }
}

/// Whether a call answered with this error.
func isCode(_ code: Int32, _ error: mosq_err_t) -> Bool {
  mosq_err_t(rawValue: code) == error
}
