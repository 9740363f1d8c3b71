internal import Daemon
internal import NodeLogic
internal import Telemetry

/// Plays many nodes against one broker: one loop for all of them, and a network thread for each.
final class Crowd {
  struct Settings {
    /// Nodes that are started in a second.
    var startsPerS = 100.0
    /// Ends so long after the script began [s]; nil: when somebody stops it.
    var durationS: Double?
  }

  /// Every node gets its turn so often [s], spread over so many ticks of the loop.
  static let turnS = 0.1
  static let ticksPerTurn = 5
  /// The script waits so long for nodes without a connection [s].
  static let patienceS = 30.0

  private let nodes: [CrowdNode]
  private let script: CrowdScript
  private let settings: Settings
  private let tool: ToolLoop
  private let log: Log
  private var clockWatch: ClockWatch
  private(set) var tally = CrowdTally()
  private var timer: EventLoop.Timer?
  private var ticks = 0
  private var started = 0
  private var startedAt = Instant.start
  /// When the script began.
  private var begunAt: Instant?
  private var nextStep = 0
  private var isLeaving = false
  /// From the start of the first node to the end [s].
  private(set) var durationS = 0.0

  init(
    _ nodes: [CrowdNode], _ script: CrowdScript, _ settings: Settings, tool: ToolLoop, clock: ClockWatch, log: Log
  ) {
    self.nodes = nodes
    self.script = script
    self.settings = settings
    self.tool = tool
    self.log = log
    clockWatch = clock
  }

  /// Plays until the duration is over, or a signal comes; a second signal leaves nodes where they are.
  func run() throws(Termination) {
    try tool.run(seconds: nil) { () throws(Termination) in
      startedAt = tool.clock.now()
      timer = tool.loop.timer { [unowned self] now in tick(at: now) }
      timer?.deadline = startedAt
    }
    if tool.isInterrupted || isLeaving { try leave() }
    durationS = max(0.001, tool.clock.now() - startedAt)
  }

  private func tick(at now: Instant) {
    // Not from the deadline: a loop that is late takes larger steps rather than more of them.
    timer?.deadline = now + Crowd.turnS / Double(Crowd.ticksPerTurn)
    ticks += 1
    heedClock(at: now)
    startNodes(at: now)
    playScript(at: now)
    for index in stride(from: ticks % Crowd.ticksPerTurn, to: started, by: Crowd.ticksPerTurn) {
      nodes[index].advance(to: tool.clock.now(), &tally)
    }
  }

  private func heedClock(at now: Instant) {
    guard let state = clockWatch.change(at: now) else { return }
    for node in nodes { node.setClock(state, at: now, &tally) }
  }

  private func startNodes(at now: Instant) {
    while started < nodes.count, Double(started) / settings.startsPerS <= now - startedAt {
      nodes[started].start(at: now, &tally)
      started += 1
    }
  }

  private func playScript(at now: Instant) {
    guard let begunAt else { return begin(at: now) }
    if let durationS = settings.durationS, now >= begunAt + durationS, !isLeaving {
      isLeaving = true
      return tool.stop()
    }
    while nextStep < script.steps.count, now >= begunAt + script.steps[nextStep].atS {
      let step = script.steps[nextStep]
      nextStep += 1
      log.info("script: \(step.label)")
      for index in step.nodes { nodes[index].obey(step.action, at: now, &tally) }
      if nextStep == script.steps.count { log.notice("the script is over; the nodes go on") }
    }
  }

  /// The script begins when all nodes are there, so that a slow machine or broker shifts it as a whole.
  private func begin(at now: Instant) {
    guard started == nodes.count else { return }
    let isOverdue = now - startedAt > Double(nodes.count) / settings.startsPerS + Crowd.patienceS
    let absent = isOverdue || ticks % 10 == 0 ? nodes.count { !$0.hasConnected } : 1
    guard absent == 0 || isOverdue else { return }
    begunAt = now
    let text = "\(nodes.count) nodes are started"
    if absent == 0 { log.notice(text) } else { log.warning("\(text), and \(absent) have no connection yet") }
  }

  /// Stops all nodes in order, and waits for what they hand over.
  private func leave() throws(Termination) {
    let deadline = tool.clock.now() + Agent.stopS
    for node in nodes[..<started] { node.leave(at: tool.clock.now(), &tally) }
    repeat {
      try tool.loop.turn(timeout: 0.01)
      for node in nodes[..<started] { node.advance(to: tool.clock.now(), &tally) }
    } while tool.clock.now() < deadline && nodes[..<started].contains { $0.life != .gone && $0.life != .waiting }
  }
}
