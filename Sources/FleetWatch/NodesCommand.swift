internal import Daemon
internal import FleetLogic
internal import Store
internal import Telemetry

/// In which order nodes are listed.
enum NodeOrder: String, CaseIterable {
  case name, state, seen
}

/// The fleet as the history has it, at the time of the last receipt.
struct FleetPicture {
  let fleet: FleetState
  let moment: Moment

  init(_ history: History) throws(Termination) {
    var parts: [FleetLogic.KeptFleet] = []
    try history.stored { () throws(StoreProblem) in
      try history.reader.load { part in parts.append(FleetLogic.KeptFleet(part)) }
    }
    let last = try history.stored { () throws(StoreProblem) in try history.reader.lastReceived() } ?? history.now
    var settings = FleetState.Configuration()
    settings.maxNodes = .max
    settings.labels = history.labels
    settings.publishes = false
    moment = Moment(instant: .start, wall: last)
    // The receipts are by the clock of the judder-fleet that runs, which is this machine's.
    var fleet = FleetState(settings, clock: ClockState(wallAtStart: last, quality: .ntp))
    for part in parts { _ = fleet.restore(FleetLogic.KeptFleet(nodes: part.nodes), at: .start) }
    fleet.judgeSilence(at: .start)
    self.fleet = fleet
  }

  /// `as of 2026-11-30T04:00:00Z, 12s ago`.
  func age(_ history: History) -> String {
    "as of \(moment.wall.second), \(Age.text(history.now - moment.wall)) ago"
      + (history.reader.isWritten ? "" : ", and no judder-fleet writes to it")
  }
}

/// `judder-fleet nodes`.
enum NodesCommand {
  static func run(_ history: History) throws(Termination) {
    if history.invocation.isGiven("quarantine") {
      for option in ["state", "sort", "site", "group"] where history.invocation.isGiven(option) {
        throw Termination(.usage, ["--\(option) means nothing with --quarantine"])
      }
      return try QuarantineList.show(history)
    }
    let states = try history.words("state", among: Presence.allCases.map(\.rawValue))
    let pattern = NamePattern(history.invocation.operands.first ?? "*")
    let picture = try FleetPicture(history)
    let nodes = sorted(
      picture.fleet.nodes.filter {
        pattern.matches($0.name.description) && history.isWanted($0.name)
          && states?.contains($0.presence.rawValue) != false
      }, history.invocation.text("sort").flatMap { NodeOrder(rawValue: $0) } ?? .name)
    guard !history.isJSON else {
      for node in nodes { try history.json(FleetJSON.node(node, at: picture.moment, picture.fleet.clock)) }
      return
    }
    let counts = nodes.reduce(into: [Presence: Int]()) { $0[$1.presence, default: 0] += 1 }
    let words = Presence.allCases.compactMap { state in counts[state].map { "\($0) \(state.rawValue)" } }
    try history.line("\(nodes.count) nodes\(words.isEmpty ? "" : ": " + words.joined(separator: ", "))")
    try history.line(picture.age(history))
    guard !nodes.isEmpty else { return }
    let table = FleetTable(width: history.output.isTerminal ? history.width : 200)
    for line in table.nodeLines(nodes, picture.fleet.clock, at: .start) { try history.output.line(line) }
  }

  private static func sorted(_ nodes: [Node], _ order: NodeOrder) -> [Node] {
    func rank(_ node: Node) -> Int { Presence.allCases.firstIndex(of: node.presence) ?? 0 }
    return nodes.sorted { a, b in
      switch order {
      case .name: return a.name < b.name
      case .state: return (-rank(a), a.name) < (-rank(b), b.name)
      case .seen:
        let (first, second) = (a.lastSeen?.instant.seconds ?? -.infinity, b.lastSeen?.instant.seconds ?? -.infinity)
        return first == second ? a.name < b.name : first > second
      }
    }
  }
}
