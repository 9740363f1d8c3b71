internal import Daemon
internal import FleetLogic
internal import Store
internal import Telemetry

/// `judder-fleet node NODE`.
enum NodeCommand {
  /// Events shown at the most.
  private static let lastEvents = 10

  /// All that the history has of a node.
  private struct Dossier {
    var node: Node
    var runs: [Store.KeptBoot]
    var alerts: [Store.KeptAlert]
    var evictions: [EvictionRow]
    var counts: [(stream: String, events: Int)]
    var dropped: Int
    var events: [KeptEvent]
  }

  static func run(_ history: History) throws(Termination) {
    let name = try history.node(history.invocation.operands[0])
    let picture = try FleetPicture(history)
    guard let node = picture.fleet.node(name) else { return }
    let dossier = try collect(history, node)
    if history.isJSON {
      try history.json(FleetJSON.node(node, at: picture.moment, picture.fleet.clock) { write(dossier, to: &$0) })
    } else {
      try history.line("\(name), \(picture.age(history))")
      for line in FleetTable(width: 200).nodeLines([node], picture.fleet.clock, at: .start) {
        try history.line(line)
      }
      for line in lines(dossier) { try history.line(line) }
    }
  }

  private static func collect(_ history: History, _ node: Node) throws(Termination) -> Dossier {
    let reader = history.reader
    let name = node.name
    var events: [KeptEvent] = []
    try history.newest(HistoryReader.Query(nodes: [name]), limit: lastEvents) { events.append($0) }
    return try history.stored { () throws(StoreProblem) in
      let counts = try reader.counts(of: name)
      return Dossier(
        node: node, runs: try reader.node(name)?.boots ?? [],
        alerts: try reader.alerts().filter { $0.identity.subject == name.description },
        evictions: try reader.evictions(of: name), counts: counts.byStream, dropped: counts.dropped, events: events)
    }
  }

  // MARK: For people

  private static func lines(_ dossier: Dossier) -> [String] {
    let status = dossier.node.status
    var lines = ["", "agent     \(SafeText.escaped(status?.agent ?? "-"))"]
    let label = dossier.node.label
    for (name, text) in [("title", label?.title), ("site", label?.site), ("group", label?.group)] {
      if let text { lines.append("\(TextWidth.fit(name, to: 10))\(SafeText.escaped(text))") }
    }
    for run in dossier.runs.reversed() where run.highest > 0 {
      let missing = run.missing.reduce(0) { $0 + $1.count }
      let doubts = [
        (run.duplicates, "came twice"), (run.conflicts, "in conflict"), (run.replays, "went back"),
        (run.interleavings, "from a second device"),
      ].compactMap { $0 > 0 ? ", \($0) \($1)" : nil }.joined()
      lines.append(
        "run \(run.boot)  \(run.first.second) to \(run.last.second), seq 1 to \(run.highest), "
          + (run.isPartial ? "at least \(missing) missing" : missing == 0 ? "none missing" : "\(missing) missing")
          + doubts)
    }
    let counts = dossier.counts.map { "\($0.events) \(SafeText.escaped($0.stream))" }.joined(separator: ", ")
    lines.append("events    \(counts.isEmpty ? "none" : counts)")
    if dossier.dropped > 0 {
      lines.append("          \(dossier.dropped) more were given up here (store.keep_days, store.cap_mb)")
    }
    for eviction in dossier.evictions {
      lines.append(
        "gave up   seq \(eviction.range.lowerBound) to \(eviction.range.upperBound) of \(eviction.ofBoot), "
          + "\(eviction.events.map(String.init) ?? "unknown how many"): \(SafeText.escaped(eviction.reason))")
    }
    lines += dossier.alerts.map { "alert     \(AlertsCommand.text($0))" }
    lines.append("")
    lines += dossier.events.map { "\($0.when) \($0.sentence)" }
    return lines
  }

  // MARK: For programs

  private static func write(_ dossier: Dossier, to json: inout JSONWriter) {
    json.array("runs") { json in
      for run in dossier.runs { json.object { write(run, to: &$0) } }
    }
    json.array("stored") { json in
      for count in dossier.counts {
        json.object { json in
          json.string("stream", count.stream)
          json.integer("events", count.events)
        }
      }
    }
    json.integer("dropped", dossier.dropped)
    json.array("given_up") { json in
      for eviction in dossier.evictions {
        json.object { json in
          json.string("boot", eviction.ofBoot.description)
          json.integer("first", eviction.range.lowerBound)
          json.integer("last", eviction.range.upperBound)
          json.integer("events", eviction.events)
          json.string("reason", eviction.reason)
          json.number("t", eviction.received.seconds, decimals: 3)
        }
      }
    }
    json.array("alerts") { json in
      for alert in dossier.alerts { json.object { AlertsCommand.write(alert, to: &$0) } }
    }
    var events: [UInt8] = [UInt8(ascii: "[")]
    events += dossier.events.map { FleetJSON.event($0) }.joined(separator: [UInt8(ascii: ",")])
    json.json("events", events + [UInt8(ascii: "]")])
  }

  private static func write(_ run: Store.KeptBoot, to json: inout JSONWriter) {
    json.string("boot", run.boot.description)
    if run.highest > 0 {
      json.number("first_t", run.first.seconds, decimals: 3)
      json.number("last_t", run.last.seconds, decimals: 3)
    }
    json.number("start_t", run.clock?.wallAtStart.seconds, decimals: 3)
    json.string("clk", run.clock?.quality.rawValue)
    json.integer("highest", run.highest)
    json.array("missing") { json in
      for range in run.missing {
        json.array { json in
          json.integer(range.lowerBound)
          json.integer(range.upperBound)
        }
      }
    }
    if run.isPartial { json.boolean("missing_partial", true) }
    json.integer("duplicates", run.duplicates)
    json.integer("conflicts", run.conflicts)
    json.integer("interleavings", run.interleavings)
    json.integer("replays", run.replays)
  }
}

extension Store.KeptBoot {
  /// Whether a run has so many holes that only the highest of them are known here.
  var isPartial: Bool { also.count >= Store.KeptBoot.maximumRanges }

  /// The numbers that must exist, since a higher one came, and that were neither stored nor given up; of a run that
  /// is partial those above the lowest that is known.
  var missing: [ClosedRange<UInt64>] {
    var missing: [ClosedRange<UInt64>] = []
    let known = also.sorted { $0.lowerBound < $1.lowerBound }
    var next = isPartial ? known.first.map { max($0.lowerBound, sequence + 1) } ?? sequence + 1 : sequence + 1
    for range in known where range.upperBound >= next {
      if range.lowerBound > next { missing.append(next...(range.lowerBound - 1)) }
      next = range.upperBound + 1
    }
    if next <= highest { missing.append(next...highest) }
    return missing
  }
}
