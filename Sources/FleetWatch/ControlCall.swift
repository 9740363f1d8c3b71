internal import Daemon
internal import MQTT
internal import Telemetry

/// A short conversation with the broker: some subscriptions, some publications, and what comes back.
final class ControlCall {
  /// What comes back.
  enum Answer {
    case message(Message)
    /// Nobody listens to the publication with this number; only MQTT 5 tells.
    case unheard(Int)
    /// The broker does not take the publication with this number, and why.
    case refused(Int, String)
  }

  private let session: BrokerSession
  private let endpoint: String
  private let clock = MonotonicClock.process
  private let loop: EventLoop
  private var openFilters: Int
  private var answers: [Answer] = []
  /// Publications that the session had no room for, with their numbers.
  private var waiting: [MQTT.Publication] = []
  private var published = 0
  private var problem: Termination?

  /// - Parameters:
  ///   - broker: as for `watch`, with a client id that nobody else has.
  ///   - filters: what to subscribe to.
  init(_ broker: BrokerSettings, filters: [String]) throws(Termination) {
    var settings = broker
    settings.will = nil
    settings.subscriptions = filters.map { BrokerSettings.Subscription($0) }
    endpoint = settings.endpoint
    openFilters = filters.count
    loop = EventLoop(clock: clock)
    do throws(SettingsProblem) {
      session = try BrokerSession(settings)
    } catch {
      throw Termination(.configuration, ["broker: \(error)"])
    }
    loop.watch(session.descriptor) { [unowned self] _ in for event in session.drain() { take(event) } }
  }

  /// Connects, and waits until the broker has answered every subscription.
  func open(withinS: Double) throws(Termination) {
    do throws(LinkProblem) {
      try session.start()
    } catch {
      throw Termination(.temporary, ["\(error)"])
    }
    let end = clock.now() + withinS
    while openFilters > 0, problem == nil, clock.now() < end { try loop.turn(timeout: end - clock.now()) }
    if let problem { throw problem }
    guard openFilters == 0 else {
      throw Termination(.unavailable, ["\(endpoint) did not answer within \(Int(withinS)) s"])
    }
  }

  /// Publishes with QoS 1 as soon as there is room. Answers its number, from 0.
  /// - Parameter expiryS: the broker gives it to nobody after this; only MQTT 5.
  func publish(_ topic: String, _ payload: [UInt8], expiryS: UInt32? = nil) -> Int {
    let properties = MessageProperties(contentType: "application/json", expiryS: expiryS)
    waiting.append(
      MQTT.Publication(topic: topic, payload: payload, token: UInt64(published), properties: properties))
    published += 1
    hand()
    return published - 1
  }

  /// Hands on what comes until `isEnough` or the time is over.
  func wait(_ seconds: Double, until isEnough: () -> Bool, take: (Answer) -> Void) throws(Termination) {
    let end = clock.now() + seconds
    while true {
      let come = answers
      answers = []
      for answer in come { take(answer) }
      if isEnough() { return }
      if let problem { throw problem }
      let leftS = end - clock.now()
      guard leftS > 0 else { return }
      if answers.isEmpty { try loop.turn(timeout: leftS) }
    }
  }

  func close() { session.stop(deadlineS: 2) }

  private func hand() {
    while let next = waiting.first, session.publish(next) == .accepted { waiting.removeFirst() }
  }

  private func take(_ event: SessionEvent) {
    switch event {
    case .subscribed(_, .success): openFilters -= 1
    case .subscribed(let filter, .failure(let refusal)):
      problem = Termination(
        .permission, ["may not subscribe to \(filter): \(refusal); allow it in the broker's access list"])
    case .message(let message): answers.append(.message(message))
    case .delivered(let token, .withoutSubscribers): answers.append(.unheard(Int(token)))
    case .refused(let token, let refusal): answers.append(.refused(Int(token), "\(refusal)"))
    case .disconnected(let trouble, _, _):
      if trouble.kind != .stopped { problem = problem ?? Termination(.unavailable, ["\(trouble)"]) }
    case .connecting, .connected, .delivered: break
    }
    hand()
  }
}
