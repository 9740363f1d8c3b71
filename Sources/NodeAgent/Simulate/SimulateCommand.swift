internal import Daemon
internal import Glibc
internal import MQTT
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// judder-node simulate: many nodes in one process, as load for a broker and a fleet tool.
struct SimulateCommand {
  /// How many nodes one process plays.
  static let nodeRange = 1...10_000
  /// Where no rate is set [Hz]: shakes are found from 20 Hz up.
  private static let rateHz = 25.0
  /// Room for events that wait in memory, of one node [bytes], where none is set.
  private static let memoryBytes = 100_000
  /// Descriptors of one session (its socket, three to wake threads, two of libmosquitto), and of the program itself.
  private static let perNode = 6
  private static let own = 32

  private let invocation: Invocation
  private let configuration: Configuration
  private let node: NodeConfiguration
  private let environment: [String: String]
  private let output: StandardOutput

  /// - Parameters:
  ///   - configuration: what all nodes have in common.
  ///   - node: made of it.
  init(
    _ invocation: Invocation, _ configuration: Configuration, _ node: NodeConfiguration,
    environment: [String: String], output: StandardOutput
  ) {
    self.invocation = invocation
    self.configuration = configuration
    self.node = node
    self.environment = environment
    self.output = output
  }

  func run() throws(Termination) {
    let names = try names()
    let script = try script(names)
    try DescriptorLimit.require(names.count * Self.perNode + Self.own, for: "--nodes \(names.count)")
    let log = Log(level: node.logLevel, environment: environment)
    for warning in node.warnings { log.warning(warning) }
    let tool = try ToolLoop()
    let watch = ClockWatch(clock: tool.clock)
    let seed = UInt64(invocation.integer("seed") ?? 1)
    let salt = try RandomSource.number()
    var random = HomeDraw(seed: seed)
    let nodes = names.enumerated().map { index, name in
      let scripted = ScriptedNode(
        self.settings(home: random.home(script.place), seed: seed &* 1_000_003 &+ UInt64(index)), boot: BootID(0),
        clock: watch.state, at: tool.clock.now())
      return CrowdNode(configured(name), scripted, boots: BootNames(salt: salt, node: index), log: log)
    }
    let settings = Crowd.Settings(
      startsPerS: invocation.number("starts-per-s") ?? 100, durationS: invocation.number("duration"))
    let crowd = Crowd(nodes, script, settings, tool: tool, clock: watch, log: log)
    log.notice("\(names.count) nodes, \(names[0]) to \(names[names.count - 1]), at \(node.broker.endpoint)")
    try crowd.run()
    if invocation.isGiven("statistics") {
      let usage = ProcessUsage.read()
      var line = crowd.tally.summary(durationS: crowd.durationS)
      if let kB = usage.residentKB { line += "; \(kB) kB resident" }
      if let seconds = usage.cpuSeconds { line += ", \(Decimal.text(seconds, decimals: 2)) s of processor time" }
      try output.line(line)
      try output.flush()
    }
  }

  /// The prefix and the number, counted from 1, as many digits as the last one has.
  private func names() throws(Termination) -> [NodeName] {
    let prefix = invocation.text("name-prefix") ?? "sim-"
    let count = invocation.integer("nodes") ?? 1
    let digits = String(count).count
    let names = (1...count).compactMap { number -> NodeName? in
      let text = String(number)
      return NodeName(prefix + String(repeating: "0", count: digits - text.count) + text)
    }
    guard names.count == count else {
      throw Termination(
        .usage,
        [
          "--name-prefix must be a to z, 0 to 9 and -, not begin with -, and leave room for \(digits) digits within 63 "
            + "characters, not '\(prefix)'"
        ])
    }
    return names
  }

  private func script(_ names: [NodeName]) throws(Termination) -> CrowdScript {
    do throws(ConfigurationFailure) {
      guard let file = invocation.text("script") else { return try CrowdScript.empty() }
      return try CrowdScript(file: file, names: names)
    } catch {
      throw error.termination
    }
  }

  private func settings(home: Coordinate, seed: UInt64) -> ScriptedNode.Settings {
    var logic = node.logic
    // No state on disk.
    logic.outbox.hasSpool = false
    if !configuration.isSet("spool.memory_mb") { logic.outbox.memoryBytes = Self.memoryBytes }
    let isRateSet = configuration.isSet("accelerometer.rate_hz")
    return ScriptedNode.Settings(
      node: logic, rateHz: isRateSet ? node.accelerometer.rateHz : Self.rateHz, home: home, seed: seed)
  }

  private func configured(_ name: NodeName) -> NodeConfiguration {
    var own = node
    own.name = name
    own.broker.clientID = "judder-node-\(name)"
    own.listen()
    return own
  }
}

/// Where the nodes of a crowd live, drawn from a seed.
private struct HomeDraw {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func home(_ place: CrowdScript.Place) -> Coordinate {
    let eastM = place.spreadM * draw()
    let northM = place.spreadM * draw()
    return place.centre.moved(eastM: eastM, northM: northM)
  }

  /// -1...1: a linear congruential generator (Knuth, MMIX).
  private mutating func draw() -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 11) * 0x1p-52 - 1
  }
}

/// How many descriptors this process may have: getrlimit(2).
enum DescriptorLimit {
  /// Raises the limit as far as it is needed.
  ///
  /// - Throws: when the system does not allow so many.
  static func require(_ count: Int, for what: String) throws(Termination) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < rlim_t(count) else {
      return
    }
    limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_max >= rlim_t(count) else {
      throw Termination(
        .temporary,
        [
          "\(what) needs \(count) descriptors, and this process may have \(limit.rlim_max): raise the limit "
            + "(ulimit -Hn, LimitNOFILE), or play fewer nodes in each of several processes with its own --name-prefix"
        ])
    }
  }
}
