internal import Telemetry

// The nodes, together and one by one.
extension MetricsText {
  /// What the nodes say about themselves, added up.
  private struct Sums {
    var spooled = 0, evicted = 0, polling = 0, clones = 0
    var missing: UInt64 = 0
    var oldestS: Double?
    var withoutFix: [LocationMessage.Loss.Reason: Int] = [:]
    var accelerometers: [HealthMessage.Accelerometer.State: Int] = [:]
    var presences: [Presence: Int] = [:]

    init(_ nodes: [Node]) {
      for node in nodes {
        presences[node.presence, default: 0] += 1
        missing &+= node.missing
        if node.isSuspectedClone { clones += 1 }
        if case .lost(let loss) = node.location?.content { withoutFix[loss.reason, default: 0] += 1 }
        guard let health = node.health?.content else { continue }
        spooled.addClamped(health.spool.events)
        evicted.addClamped(health.spool.evicted)
        if let ageS = health.spool.oldestS { oldestS = max(oldestS ?? 0, ageS) }
        guard let accelerometer = health.accelerometer else { continue }
        accelerometers[accelerometer.state, default: 0] += 1
        if accelerometer.polling != nil { polling += 1 }
      }
    }
  }

  static func nodes(_ fleet: FleetState, _ writer: inout MetricsWriter) {
    let sums = Sums(fleet.nodes)
    writer.family("judder_fleet_nodes", .gauge, "Nodes that are known, by presence.") { writer in
      for presence in Presence.allCases {
        let labels = MetricsWriter.labels(["presence": presence.rawValue])
        writer.sample(labels: labels, value: Double(sums.presences[presence] ?? 0))
      }
    }
    writer.family(
      "judder_fleet_nodes_limit", .gauge, "Nodes that there is room for (fleet.max_nodes).",
      fleet.configuration.maxNodes)
    writer.family(
      "judder_fleet_quarantine_nodes", .gauge,
      "About how many nodes spoke since the start and were not taken in; their messages are among those rejected.",
      fleet.quarantine.nodes)
    writer.family("judder_fleet_nodes_without_fix", .gauge, "Nodes without a position, by reason.") { writer in
      for reason in LocationMessage.Loss.Reason.allCases {
        let labels = MetricsWriter.labels(["reason": reason.rawValue])
        writer.sample(labels: labels, value: Double(sums.withoutFix[reason] ?? 0))
      }
    }
    writer.family("judder_fleet_nodes_accelerometer", .gauge, "Nodes by what their accelerometer does.") { writer in
      for state in HealthMessage.Accelerometer.State.allCases {
        let labels = MetricsWriter.labels(["state": state.rawValue])
        writer.sample(labels: labels, value: Double(sums.accelerometers[state] ?? 0))
      }
    }
    writer.family("judder_fleet_nodes_polling", .gauge, "Nodes whose samples are polled, not buffered.", sums.polling)
    writer.family("judder_fleet_nodes_cloned", .gauge, "Names that several devices seem to use.", sums.clones)
    writer.family("judder_fleet_spool_events", .gauge, "Events that wait at the nodes, as they say.", sums.spooled)
    writer.family(
      "judder_fleet_spool_oldest_age_seconds", .gauge, "Age of the oldest of these when its node spoke of it.",
      sums.oldestS)
    writer.family(
      "judder_fleet_evicted_events", .gauge, "Events that nodes gave up since each was started, as they say.",
      sums.evicted)
    writer.family(
      "judder_fleet_missing_events", .gauge, "Events that must exist and have not come.", Double(sums.missing),
      decimals: 0)
  }

  // MARK: One by one

  /// The first nodes in the order in which they were heard of.
  static func series(_ fleet: FleetState, most: Int, at now: Instant, _ writer: inout MetricsWriter) {
    let nodes = fleet.nodes.prefix(most).map { ($0, MetricsWriter.labels(["node": $0.name.description])) }
    func gauge(_ name: String, _ help: String, decimals: Int = 0, _ value: (Node) -> Double?) {
      writer.family(name, .gauge, help) { writer in
        for (node, labels) in nodes { writer.sample(labels: labels, value: value(node), decimals: decimals) }
      }
    }
    writer.family(
      "judder_fleet_nodes_without_series", .gauge, "Nodes beyond http.max_nodes, which have no series.",
      fleet.nodes.count - nodes.count)
    writer.family("judder_node_info", .gauge, "1; its labels are what is known about a node.") { writer in
      for (node, _) in nodes {
        let labels = MetricsWriter.labels([
          "node": node.name.description, "title": node.label?.title, "site": node.label?.site,
          "group": node.label?.group, "agent": node.agent,
        ])
        writer.sample(labels: labels, value: 1)
      }
    }
    gauge("judder_node_up", "1 while a node is online.") { $0.presence == .online ? 1 : 0 }
    gauge("judder_node_last_seen_age_seconds", "Time since a node was heard; absent when unknown.", decimals: 1) {
      $0.age(at: now, fleet.clock)
    }
    gauge("judder_node_peak_g", "Largest acceleration without gravity in a node's last window, in g.", decimals: 4) {
      $0.acceleration?.content.peakG
    }
    gauge("judder_node_fix", "1 while a node has a position, 0 while it has none.") { node in
      node.location.map { if case .fixed = $0.content { 1 } else { 0 } }
    }
    gauge("judder_node_fix_age_seconds", "Age of a node's last position.", decimals: 1) {
      $0.fixAge(at: now, fleet.clock)
    }
    gauge("judder_node_spool_events", "Events that wait at a node, as it says.") {
      $0.health.map { Double($0.content.spool.events) }
    }
    gauge("judder_node_evicted_events", "Events that a node gave up since its start, as it says.") {
      $0.health.map { Double($0.content.spool.evicted) }
    }
    gauge("judder_node_missing_events", "Events of a node that must exist and have not come.") { Double($0.missing) }
  }
}
