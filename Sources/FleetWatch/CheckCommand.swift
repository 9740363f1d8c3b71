internal import Daemon
internal import FleetLogic
internal import MQTT
internal import Telemetry

/// `judder-fleet check`: everything the fleet tool needs, tried once; a line for each finding.
struct CheckCommand {
  let output: StandardOutput

  /// - Parameter file: the configuration that is read; nil: there is none.
  /// - Throws: `findings` when anything is wrong.
  func run(file: String?, load: () throws(ConfigurationFailure) -> FleetConfiguration) throws(Termination) {
    let configuration: FleetConfiguration
    do throws(ConfigurationFailure) {
      configuration = try load()
    } catch {
      for problem in error.problems { try output.line("problem configuration: \(problem)") }
      try output.flush()
      throw Termination(error.code)
    }
    let rules = configuration.fleet.rules.map(\.name).joined(separator: ", ")
    try output.line("ok      configuration: \(file ?? "defaults, no file"); rules \(rules)")
    try output.flush()
    var trial = BrokerTrial(configuration)
    trial.run()
    for finding in trial.findings { try output.line(finding.line) }
    try output.flush()
    if trial.findings.contains(where: { !$0.isGood }) { throw Termination(.findings) }
  }
}

/// One thing that was found.
private struct Finding {
  var isGood: Bool
  var text: String
  var remedy = ""

  var line: String { "\(isGood ? "ok     " : "problem") broker: \(text)" + (remedy.isEmpty ? "" : "; \(remedy)") }
}

/// One connection to the broker: its subscriptions, and one message.
private struct BrokerTrial {
  /// How long the broker may take for everything [s].
  private static let deadlineS = 20.0

  private let settings: BrokerSettings
  private let topic: String
  private(set) var findings: [Finding] = []
  /// Subscriptions and the publication that have no answer yet.
  private var open = 0
  private var isOver = false

  init(_ configuration: FleetConfiguration) {
    let fleet = FleetState(
      configuration.fleet, clock: ClockState(wallAtStart: WallTime(seconds: 0), quality: .none))
    var settings = configuration.broker
    settings.subscriptions = fleet.subscriptions.map { BrokerSettings.Subscription($0) }
    // A fleet tool that runs must not be thrown out by one that checks.
    settings.clientID += "-check"
    self.settings = settings
    topic = "\(configuration.fleet.alertsPrefix)/check"
    open = settings.subscriptions.count + (configuration.fleet.publishes ? 1 : 0)
    publishes = configuration.fleet.publishes
  }

  private let publishes: Bool

  mutating func run() {
    do {
      let session = try BrokerSession(settings)
      try session.start()
      wait(for: session)
      session.stop(deadlineS: 2)
    } catch let problem as LinkProblem {
      findings.append(Finding(isGood: false, text: problem.summary, remedy: problem.remedy))
    } catch {
      findings.append(Finding(isGood: false, text: "\(error)"))
    }
  }

  private mutating func wait(for session: BrokerSession) {
    let clock = MonotonicClock.process
    let loop = EventLoop(clock: clock)
    var events: [SessionEvent] = []
    loop.watch(session.descriptor) { _ in events += session.drain() }
    let end = clock.now() + Self.deadlineS
    while !isOver, open > 0, clock.now() < end, (try? loop.turn(timeout: end - clock.now())) != nil {
      for event in events { take(event, session) }
      events = []
    }
    if !isOver, open > 0 {
      findings.append(
        Finding(isGood: false, text: "\(settings.endpoint) did not answer everything within \(Int(Self.deadlineS)) s"))
    }
  }

  private mutating func take(_ event: SessionEvent, _ session: BrokerSession) {
    switch event {
    case .connected(let connection):
      add(true, "connected to \(settings.endpoint), MQTT \(connection.version)")
      let payload = Array("{\"v\":\(Envelope.version)}".utf8)
      if publishes, session.publish(Publication(topic: topic, payload: payload, token: 1)) != .accepted {
        settle(false, "a message was not taken")
      }
    case .subscribed(let filter, .success): settle(true, "subscribed to \(filter)")
    case .subscribed(let filter, .failure(let refusal)):
      settle(false, "may not subscribe to \(filter): \(refusal)", "allow it in the broker's access list")
    case .delivered: settle(true, "published to \(topic)")
    case .refused(_, let refusal):
      settle(false, "may not publish to \(topic): \(refusal)", "allow it in the broker's access list")
    case .disconnected(let problem, _, _):
      if !isOver { add(false, problem.summary, problem.remedy) }
      isOver = true
    case .connecting, .message: break
    }
  }

  private mutating func add(_ isGood: Bool, _ text: String, _ remedy: String = "") {
    findings.append(Finding(isGood: isGood, text: text, remedy: remedy))
  }

  private mutating func settle(_ isGood: Bool, _ text: String, _ remedy: String = "") {
    add(isGood, text, remedy)
    open -= 1
  }
}
