public import Telemetry

/// The fleet for Prometheus, in its text format. Names begin with `judder_fleet_`, those of single nodes with
/// `judder_node_`, those of the process are Prometheus's own.
public enum MetricsText {
  /// What the text is, for an HTTP header.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// Everything. Takes time in proportion to the nodes, and far more for each that has series of its own.
  public static func text(_ fleet: FleetState, _ surroundings: Surroundings, at now: Instant) -> [UInt8] {
    var writer = MetricsWriter()
    program(fleet, surroundings, &writer)
    link(fleet, at: now, &writer)
    messages(fleet.tally, &writer)
    nodes(fleet, &writer)
    alerts(fleet, at: now, &writer)
    if let store = surroundings.store { self.store(store, &writer) }
    sinks(surroundings, &writer)
    if surroundings.nodes > 0 { series(fleet, most: surroundings.nodes, at: now, &writer) }
    return writer.bytes
  }

  private static func program(_ fleet: FleetState, _ surroundings: Surroundings, _ writer: inout MetricsWriter) {
    writer.family("judder_fleet_build_info", .gauge, "1; its label is the version of judder-fleet.") {
      $0.sample(labels: MetricsWriter.labels(["version": softwareVersion]), value: 1)
    }
    writer.family(
      "process_resident_memory_bytes", .gauge, "Resident memory of judder-fleet.", surroundings.residentBytes)
    writer.family(
      "process_cpu_seconds_total", .counter, "CPU time of judder-fleet since its start.", surroundings.processorS)
    writer.family(
      "process_start_time_seconds", .gauge, "When judder-fleet was started, in seconds since 1970.",
      surroundings.started?.seconds)
  }

  private static func link(_ fleet: FleetState, at now: Instant, _ writer: inout MetricsWriter) {
    writer.family(
      "judder_fleet_link_up", .gauge, "1 while there is a connection to the broker.", fleet.isConnected ? 1 : 0)
    writer.family(
      "judder_fleet_last_message_age_seconds", .gauge, "Time since the last message of any kind; absent before it.",
      fleet.lastReceived.map { max(0, now - $0) })
  }

  // MARK: Messages

  private static func messages(_ tally: Tally, _ writer: inout MetricsWriter) {
    writer.family(
      "judder_fleet_messages_received_total", .counter,
      "Messages that came: the sum of those taken, passed over and rejected.", tally.received)
    writer.family(
      "judder_fleet_messages_total", .counter,
      "Messages taken, by stream and by what they were: newest, late, or former_boot of a run that is over."
    ) { writer in
      for stream in Stream.allCases {
        for receipt in Receipt.allCases {
          let count = tally.taken[Tally.Taken(stream, receipt)] ?? 0
          let labels = MetricsWriter.labels(["stream": stream.rawValue, "receipt": receipt.rawValue])
          writer.sample(labels: labels, value: Double(count))
        }
      }
    }
    writer.family(
      "judder_fleet_messages_passed_over_total", .counter, "Messages that were sound and changed nothing, by reason."
    ) { writer in
      for (reason, count) in passedOver(tally) {
        writer.sample(labels: MetricsWriter.labels(["reason": reason]), value: Double(count))
      }
    }
    writer.family(
      "judder_fleet_messages_rejected_total", .counter,
      "Messages that could not be used, or whose node was not taken in, by reason."
    ) { writer in
      let counts = Dictionary(tally.rejected.map { ($0.key.description, $0.value) }) { $0 + $1 }
      let reasons = Set(Rejection.allDescriptions).union(counts.keys)
      for reason in reasons.sorted() {
        writer.sample(labels: MetricsWriter.labels(["reason": reason]), value: Double(counts[reason] ?? 0))
      }
    }
  }

  private static func passedOver(_ tally: Tally) -> KeyValuePairs<String, Int> {
    [
      "duplicate": tally.duplicates, "repeat": tally.repeats, "stale_will": tally.staleWills,
      "unknown_stream": tally.unknownStreams, "command": tally.commands, "cleared": tally.cleared, "own": tally.own,
      "request": tally.requests,
    ]
  }

  // MARK: Alerts

  private static func alerts(_ fleet: FleetState, at now: Instant, _ writer: inout MetricsWriter) {
    let rules = fleet.configuration.rules
    var pending = [Int](repeating: 0, count: rules.count)
    var firing = pending
    var muted = 0
    for (key, record) in fleet.records {
      if record.life.isFiring {
        firing[key.rule] += 1
        if record.notice.mute != nil { muted += 1 }
      } else if case .pending = record.life.phase {
        pending[key.rule] += 1
      }
    }
    writer.family("judder_fleet_alerts", .gauge, "Alerts that fire or are about to, by rule.") { writer in
      for (place, rule) in rules.enumerated() {
        for (state, count) in ["firing": firing[place], "pending": pending[place]] as KeyValuePairs {
          let labels = MetricsWriter.labels(["rule": rule.name, "severity": rule.severity.rawValue, "state": state])
          writer.sample(labels: labels, value: Double(count))
        }
      }
    }
    writer.family("judder_fleet_alerts_muted", .gauge, "Alerts that fire and that nobody is told of.", muted)
    let wall = fleet.moment(now).wall
    let holding = fleet.silences.values.filter { $0.holds(at: wall) }.count
    let coming = fleet.silences.values.filter { !$0.holds(at: wall) && !$0.isOver(at: wall) }.count
    writer.family("judder_fleet_silences", .gauge, "Silences that hold, and those that will.") {
      $0.sample(labels: MetricsWriter.labels(["state": "active"]), value: Double(holding))
      $0.sample(labels: MetricsWriter.labels(["state": "pending"]), value: Double(coming))
    }
  }
}
