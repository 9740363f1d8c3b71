internal import BrokerLink
internal import Daemon
internal import MQTT
internal import NodeLogic
internal import Telemetry
internal import Threading

/// The node's side of the broker session: what to publish there, and what its events mean here.
final class BrokerLinkage {
  /// How long the broker waits for the node to come back before it says that it is lost [s]: MQTT 5 only.
  private static let willDelayS: UInt32 = 30
  private static let media = MessageProperties(contentType: "application/json")

  private let session: BrokerSession
  private let prefix: TopicPrefix
  private let name: NodeName
  private let endpoint: String
  private let journal: LinkJournal
  private let takesCommands: Bool
  private let acknowledgements: String
  private let log: Log
  private var loop: EventLoop?
  private(set) var isConnected = false
  /// What the session was told of the time, as wall time at `Instant.start`.
  private var trustedAtStart: WallTime?

  /// - Throws: what cannot work in the settings.
  init(_ configuration: NodeConfiguration, boot: BootID, log: Log) throws(Termination) {
    prefix = configuration.prefix
    name = configuration.name
    endpoint = configuration.broker.endpoint
    takesCommands = configuration.takesCommands
    acknowledgements = AckTopic(prefix: prefix, node: name).description
    self.log = log
    journal = LinkJournal(log: log, endpoint: endpoint)
    var settings = configuration.broker
    settings.will = BrokerLinkage.will(Topic(prefix: prefix, node: name, stream: .status), boot)
    do throws(SettingsProblem) {
      session = try BrokerSession(settings)
    } catch {
      throw Termination(.configuration, ["broker: \(error)"])
    }
  }

  /// What the broker says for the node when it goes without a word. It names the boot, so that a will that comes after
  /// the next start is known to be stale.
  static func will(_ topic: Topic, _ boot: BootID) -> Will {
    let telegram = Telegram(Envelope(boot: boot), .status(StatusMessage(.lost)))
    return Will(
      topic: topic.description, payload: telegram.encode(), qos: .atLeastOnce, isRetained: true, delayS: willDelayS)
  }

  /// One line for `systemctl status`.
  var summary: String { isConnected ? "measuring, connected to \(endpoint)" : "measuring, no broker at \(endpoint)" }

  func start(loop: EventLoop, take: @escaping (SessionEvent) -> Void) {
    self.loop = loop
    loop.watch(session.descriptor) { [unowned self] _ in
      for event in session.drain() { take(event) }
    }
    open()
  }

  /// Starts to connect, for a caller that asks by itself what there is: see `drain`.
  func open() {
    do throws(LinkProblem) {
      try session.start()
    } catch {
      journal.note(.disconnected(problem: error, retryInS: nil, unsettled: []))
    }
  }

  /// What the session has told since.
  func drain() -> [SessionEvent] { session.drain() }

  /// Ends the connection without a word: the broker publishes the will.
  func abandon() { session.abandon() }

  /// Ends the session in order, without waiting for it.
  func release(deadlineS: Double) { session.release(deadlineS: deadlineS) }

  /// Tells the session what time it is, where GPS knows better than the system clock: certificates are held against it.
  func trust(_ time: WallTime?, at now: Instant) {
    let atStart = time.map { $0 + (Instant.start - now) }
    if let before = trustedAtStart, let atStart, (atStart - before).magnitude < 1 { return }
    guard atStart != trustedAtStart else { return }
    trustedAtStart = atStart
    session.setTrustedTime(time?.seconds)
  }

  /// Hands a message to the session, and answers what the node is to know at once; nil: the session will tell.
  func publish(_ outgoing: Outgoing) -> NodeInput? {
    let stream = outgoing.telegram.body.stream
    let publication = Publication(
      topic: Topic(prefix: prefix, node: name, stream: stream).description, payload: outgoing.telegram.encode(),
      qos: stream.qos == 0 ? .atMostOnce : .atLeastOnce, isRetained: outgoing.isRetained, token: outgoing.token ?? 0,
      properties: BrokerLinkage.media)
    switch (session.publish(publication), outgoing.token) {
    case (.accepted, _): return nil
    // Nobody has seen it. While offline the session is about to tell that the connection is lost.
    case (.offline, .some(let token)), (.full, .some(let token)): return .full(token)
    case (.offline, nil), (.full, nil): return .dropped
    }
  }

  /// What a session's event means to the node; nothing for what only the log needs to know.
  func inputs(of event: SessionEvent) -> [NodeInput] {
    journal.note(event)
    switch event {
    case .connected:
      isConnected = true
      return [.link(isConnected: true)]
    case .disconnected(let problem, _, _):
      guard isConnected else { return [] }
      isConnected = false
      return (problem.isBrokersDoing ? [.thrownOut] : []) + [.link(isConnected: false)]
    case .delivered(let token, let delivery):
      if token == 0 { return [] }
      return [delivery == .withoutSubscribers ? .unheard(token) : .delivered(token)]
    case .refused(let token, let refusal): return [token == 0 ? .dropped : NodeInput(token, refusal)]
    case .message(let message):
      if message.topic == acknowledgements { return [.acknowledged(message.payload)] }
      return command(message).map { [$0] } ?? []
    case .connecting, .subscribed: return []
    }
  }

  /// The broker may still know a subscription of an earlier run, and bring what this one must not do.
  private func command(_ message: Message) -> NodeInput? {
    guard takesCommands else {
      log.change("command", .warning, "a command came and is not done, since node.commands is false")
      return nil
    }
    return .command(message.payload, isRetained: message.isRetained)
  }

  /// Ends the session, and answers what it told to the last: the broker keeps the will to itself.
  func stop(deadlineS: Double) -> [SessionEvent] {
    loop?.unwatch(session.descriptor)
    session.stop(deadlineS: deadlineS)
    return session.drain()
  }

  /// Ends the session without waiting for it, and calls `then` from the loop when it has ended.
  func retire(on loop: EventLoop, _ then: @escaping () -> Void) {
    loop.unwatch(session.descriptor)
    isConnected = false
    let ended = WakeUp()
    loop.watch(ended.descriptor) { _ in
      loop.unwatch(ended.descriptor)
      then()
    }
    let end: @Sendable () -> Void = { [session] in
      session.stop(deadlineS: 2)
      ended.signal()
    }
    do throws(WorkerThread.StartFailure) {
      try WorkerThread(name: "mqtt-goodbye", end).detach()
    } catch {
      end()
    }
  }
}

extension LinkProblem {
  /// The broker has said that it ends the connection because of what was sent.
  fileprivate var isBrokersDoing: Bool {
    switch kind {
    case .disconnectedByServer, .packetTooLarge, .protocolViolation, .notAuthorized: true
    default: false
    }
  }
}

extension NodeInput {
  /// MQTT 5, PUBACK: Not authorized.
  private static let notAuthorized = 0x87

  fileprivate init(_ token: UInt64, _ refusal: Refusal) {
    switch (refusal.code, refusal.isPermanent) {
    case (NodeInput.notAuthorized, _): self = .denied(token)
    // It never left us.
    case (nil, false): self = .full(token)
    case (_, let isPermanent): self = .refused(token, isPermanent: isPermanent)
    }
  }
}
