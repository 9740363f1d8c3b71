internal import Daemon
public import MQTT
internal import Telemetry

/// One connection to the broker for `check`: its subscriptions, and one message.
public struct BrokerTrial {
  private var settings: BrokerSettings
  private let topic: String?
  private let trustedTimeS: Double?
  private var findings: [Finding] = []
  /// Subscriptions and the publication that have no answer yet.
  private var open: Int
  private var isOver = false

  /// - Parameters:
  ///   - settings: as the program uses them. The client id gets an ending, so that the program that runs is not thrown
  ///     out by the one that checks; there is no will.
  ///   - topic: where to publish a message that nobody keeps; nil: nowhere.
  ///   - trustedTimeS: what time it is [s since 1970], where the system clock does not know; nil: it does.
  public init(_ settings: BrokerSettings, topic: String?, trustedTimeS: Double? = nil) {
    self.trustedTimeS = trustedTimeS
    self.settings = settings
    self.settings.will = nil
    self.settings.clientID += "-check"
    self.topic = topic
    open = settings.subscriptions.count + (topic == nil ? 0 : 1)
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
    case .delivered: settle(.good, "published to \(topic ?? "")")
    case .refused(_, let refusal):
      settle(.problem, "may not publish to \(topic ?? ""): \(refusal)", "allow it in the broker's access list")
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
    guard let topic else { return }
    let payload = Array("{\"v\":\(Envelope.version)}".utf8)
    if session.publish(Publication(topic: topic, payload: payload, token: 1)) != .accepted {
      settle(.problem, "a message was not taken")
    }
  }

  private mutating func settle(_ severity: Finding.Severity, _ text: String, _ remedy: String? = nil) {
    add(severity, text, remedy)
    open -= 1
  }

  private mutating func add(_ severity: Finding.Severity, _ text: String, _ remedy: String? = nil) {
    findings.append(Finding(severity, "broker", text, remedy: remedy))
  }
}
