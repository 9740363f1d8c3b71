internal import Daemon
public import MQTT
internal import Telemetry

/// One connection to the broker for `check`: its subscriptions, and a message on each of some topics.
public struct BrokerTrial {
  /// Where to publish a message that nobody keeps, and that says nothing to anybody.
  public struct Target: Equatable, Sendable {
    /// One that nobody else uses.
    public var topic: String
    /// What to do when the broker refuses it.
    public var remedy: String

    public init(_ topic: String, remedy: String = "allow it in the broker's access list") {
      self.topic = topic
      self.remedy = remedy
    }
  }

  private var settings: BrokerSettings
  private let targets: [Target]
  private let trustedTimeS: Double?
  private var findings: [Finding] = []
  /// Subscriptions and publications that have no answer yet.
  private var open: Int
  private var isOver = false
  /// The broker says what it refuses: MQTT 5.
  private var isOutspoken = true

  /// - Parameters:
  ///   - settings: as the program uses them. The client id gets an ending, so that the program that runs is not thrown
  ///     out by the one that checks; there is no will.
  ///   - targets: where to publish.
  ///   - trustedTimeS: what time it is [s since 1970], where the system clock does not know; nil: it does.
  public init(_ settings: BrokerSettings, targets: [Target], trustedTimeS: Double? = nil) {
    self.trustedTimeS = trustedTimeS
    self.settings = settings
    self.settings.will = nil
    self.settings.clientID += "-check"
    self.targets = targets
    open = settings.subscriptions.count + targets.count
  }

  /// Blocks for `seconds` at the most.
  public mutating func run(seconds: Double = 20) -> [Finding] {
    do {
      let session = try BrokerSession(settings)
      session.setTrustedTime(trustedTimeS)
      try session.start()
      wait(for: session, seconds: seconds)
      session.stop(deadlineS: 2)
    } catch let problem as LinkProblem {
      add(.problem, problem.summary, problem.remedy)
    } catch {
      add(.problem, "\(error)")
    }
    return findings
  }

  private mutating func wait(for session: BrokerSession, seconds: Double) {
    let clock = MonotonicClock.process
    let loop = EventLoop(clock: clock)
    var events: [SessionEvent] = []
    loop.watch(session.descriptor) { _ in events += session.drain() }
    let end = clock.now() + seconds
    while !isOver, open > 0, clock.now() < end, (try? loop.turn(timeout: end - clock.now())) != nil {
      for event in events { take(event, session) }
      events = []
    }
    if !isOver, open > 0 { add(.problem, "\(settings.endpoint) did not answer everything within \(Int(seconds)) s") }
  }

  private mutating func take(_ event: SessionEvent, _ session: BrokerSession) {
    switch event {
    case .connected(let connection): greet(connection, session)
    case .subscribed(let filter, .success): settle(.good, "subscribed to \(filter)")
    case .subscribed(let filter, .failure(let refusal)):
      settle(.problem, "may not subscribe to \(filter): \(refusal)", "allow it in the broker's access list")
    case .delivered(let token, _):
      guard let target = target(token) else { break }
      settle(.good, "published to \(target.topic)" + (isOutspoken ? "" : ", if it may: MQTT 3.1.1 does not tell"))
    case .refused(let token, let refusal):
      guard let target = target(token) else { break }
      settle(.problem, "may not publish to \(target.topic): \(refusal)", target.remedy)
    case .disconnected(let problem, _, _):
      if !isOver { add(.problem, problem.summary, problem.remedy) }
      isOver = true
    case .connecting, .message: break
    }
  }

  private mutating func greet(_ connection: Connection, _ session: BrokerSession) {
    add(.good, "connected to \(settings.endpoint), MQTT \(connection.version)")
    if !connection.retains {
      add(.warning, "it keeps no messages, so that who subscribes late sees no state", "allow retained messages")
    }
    isOutspoken = connection.version == .v5
    let payload = Array("{\"v\":\(Envelope.version)}".utf8)
    for (index, target) in targets.enumerated() {
      if session.publish(Publication(topic: target.topic, payload: payload, token: UInt64(index))) != .accepted {
        settle(.problem, "a message to \(target.topic) was not taken")
      }
    }
  }

  private func target(_ token: UInt64) -> Target? {
    Int(exactly: token).flatMap { targets.indices.contains($0) ? targets[$0] : nil }
  }

  private mutating func settle(_ severity: Finding.Severity, _ text: String, _ remedy: String? = nil) {
    add(severity, text, remedy)
    open -= 1
  }

  private mutating func add(_ severity: Finding.Severity, _ text: String, _ remedy: String? = nil) {
    findings.append(Finding(severity, "broker", text, remedy: remedy))
  }
}
