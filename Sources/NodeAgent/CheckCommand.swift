internal import BrokerLink
internal import Daemon
internal import MQTT
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// `judder-node check`: everything a node needs, tried once; a line for each finding.
struct CheckCommand {
  /// How long the broker may take to answer [s].
  private static let brokerS = 20.0

  let output: StandardOutput

  /// - Parameter file: the configuration that is read; nil: there is none.
  /// - Throws: `findings` when anything is wrong.
  func run(
    file: String?, load: () throws(ConfigurationFailure) -> NodeConfiguration
  ) throws(Termination) {
    let configuration: NodeConfiguration
    do throws(ConfigurationFailure) {
      configuration = try load()
    } catch {
      for problem in error.problems { try report(Finding(.problem, "configuration", "\(problem)")) }
      try output.flush()
      throw Termination(error.code)
    }
    try report(Finding(.good, "configuration", "\(file ?? "defaults, no file"): \(topic(configuration))"))
    var isFlawless = true
    for part in [accelerometer, gpsd, broker] {
      for finding in part(configuration) {
        try report(finding)
        if finding.severity != .good { isFlawless = false }
      }
      try output.flush()
    }
    if !isFlawless { throw Termination(.findings) }
  }

  private func topic(_ configuration: NodeConfiguration) -> String {
    "publishes to \(configuration.prefix)/\(configuration.name)/..."
  }

  private func report(_ finding: Finding) throws(Termination) {
    try output.line("\(finding)")
    try output.flush()
  }

  private func accelerometer(_ configuration: NodeConfiguration) -> [Finding] {
    AccelerometerProbe.findings(configuration.accelerometer, clock: .process).map {
      Finding($0.severity, "accelerometer", $0.text, remedy: $0.remedy)
    }
  }

  private func gpsd(_ configuration: NodeConfiguration) -> [Finding] {
    guard let address = configuration.gpsd else { return [Finding(.good, "gpsd", "location is off")] }
    let clock = MonotonicClock.process
    return GpsdProbe.run(
      host: address.host, port: UInt16(clamping: address.port), device: address.session.device, now: clock.now
    ).map { Finding($0.isProblem ? .problem : .good, "gpsd", $0.text, remedy: $0.remedy) }
  }

  /// Connects under a client id of its own, so that the node that runs is not thrown out, and publishes to a topic
  /// beside the node's streams.
  private func broker(_ configuration: NodeConfiguration) -> [Finding] {
    var settings = configuration.broker
    settings.clientID += "-check"
    var trial = BrokerTrial(settings, topic: "\(configuration.prefix)/\(configuration.name)/check")
    return trial.run(seconds: CheckCommand.brokerS)
  }
}

/// One thing that was found.
struct Finding: CustomStringConvertible {
  var severity: AccelerometerFinding.Severity
  var subject: String
  var text: String
  var remedy: String?

  init(_ severity: AccelerometerFinding.Severity, _ subject: String, _ text: String, remedy: String? = nil) {
    self.severity = severity
    self.subject = subject
    self.text = text
    self.remedy = remedy
  }

  var description: String {
    let word =
      switch severity {
      case .good: "ok     "
      case .warning: "warning"
      case .problem: "problem"
      }
    return "\(word) \(subject): \(text)" + (remedy.map { "; \($0)" } ?? "")
  }
}

/// One connection to the broker, and one message.
private struct BrokerTrial {
  private let settings: BrokerSettings
  private let topic: String
  private var findings: [Finding] = []
  private var isOver = false

  init(_ settings: BrokerSettings, topic: String) {
    self.settings = settings
    self.topic = topic
  }

  mutating func run(seconds: Double) -> [Finding] {
    do {
      let session = try BrokerSession(settings)
      try session.start()
      wait(for: session, seconds: seconds)
      session.stop(deadlineS: 2)
    } catch let problem as LinkProblem {
      findings.append(Finding(.problem, "broker", problem.summary, remedy: problem.remedy))
    } catch {
      findings.append(Finding(.problem, "broker", "\(error)"))
    }
    return findings
  }

  private mutating func wait(for session: BrokerSession, seconds: Double) {
    let clock = MonotonicClock.process
    let loop = EventLoop(clock: clock)
    var events: [SessionEvent] = []
    loop.watch(session.descriptor) { _ in events += session.drain() }
    let end = clock.now() + seconds
    while !isOver, clock.now() < end, (try? loop.turn(timeout: end - clock.now())) != nil {
      for event in events { take(event, session) }
      events = []
    }
    if !isOver {
      findings.append(Finding(.problem, "broker", "\(settings.endpoint) did not answer within \(Int(seconds)) s"))
    }
  }

  private mutating func take(_ event: SessionEvent, _ session: BrokerSession) {
    switch event {
    case .connected(let connection):
      add(.good, "connected to \(settings.endpoint), MQTT \(connection.version)")
      if !connection.retains {
        add(.warning, "the broker keeps no retained messages; whoever subscribes late sees no state", "allow retained")
      }
      let payload = Array("{\"v\":\(Envelope.version)}".utf8)
      if session.publish(Publication(topic: topic, payload: payload, token: 1)) != .accepted {
        end(.problem, "a message was not taken", nil)
      }
    case .disconnected(let problem, _, _): end(.problem, problem.summary, problem.remedy)
    case .delivered: end(.good, "published to \(topic)", nil)
    case .refused(_, let refusal):
      end(.problem, "may not publish to \(topic): \(refusal)", "allow it in the broker's access list")
    case .connecting, .message, .subscribed: break
    }
  }

  private mutating func add(_ severity: AccelerometerFinding.Severity, _ text: String, _ remedy: String? = nil) {
    findings.append(Finding(severity, "broker", text, remedy: remedy.flatMap { $0.isEmpty ? nil : $0 }))
  }

  private mutating func end(_ severity: AccelerometerFinding.Severity, _ text: String, _ remedy: String?) {
    if !isOver { add(severity, text, remedy) }
    isOver = true
  }
}
