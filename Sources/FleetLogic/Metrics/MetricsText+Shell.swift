internal import Telemetry

// How the store and the sinks do.
extension MetricsText {
  static func store(_ store: Surroundings.Store, _ writer: inout MetricsWriter) {
    writer.family("judder_fleet_store_up", .gauge, "1 while what comes is kept.", store.isKeeping ? 1 : 0)
    writer.family("judder_fleet_store_events_total", .counter, "Events that are on the disk, by outcome.") { writer in
      let counts: KeyValuePairs = [
        "stored": store.stored, "duplicate": store.duplicates, "conflict": store.conflicts,
      ]
      for (outcome, count) in counts {
        writer.sample(labels: MetricsWriter.labels(["outcome": outcome]), value: Double(count))
      }
    }
    writer.family(
      "judder_fleet_store_dropped_total", .counter,
      "Events that were not kept, by reason: behind, left to their nodes; age and room, given up later."
    ) { writer in
      let counts: KeyValuePairs = [
        "behind": store.dropped, "age": store.trimmedForAge, "room": store.trimmedForRoom,
      ]
      for (reason, count) in counts {
        writer.sample(labels: MetricsWriter.labels(["reason": reason]), value: Double(count))
      }
    }
    writer.family(
      "judder_fleet_store_commit_seconds", .summary, "Batches, and how long each took to be on the disk."
    ) {
      $0.sample("_sum", value: store.committingS, decimals: 6)
      $0.sample("_count", value: Double(store.batches))
    }
    writer.family("judder_fleet_store_waiting_events", .gauge, "Events that wait to be on the disk.", store.waiting)
    writer.family(
      "judder_fleet_store_size_bytes", .gauge, "The database with its log.", store.sizeBytes.map { Int($0) })
    writer.family(
      "judder_fleet_store_free_bytes", .gauge, "Room left on its disk.", store.freeBytes.map { Int($0) })
  }

  static func sinks(_ surroundings: Surroundings, _ writer: inout MetricsWriter) {
    let sinks = named(surroundings.sinks)
    func gauge(
      _ name: String, _ kind: MetricsWriter.Kind, _ help: String, decimals: Int = 0,
      _ value: (Surroundings.Sink) -> Double?
    ) {
      writer.family(name, kind, help) { writer in
        for (labels, sink) in sinks { writer.sample(labels: labels, value: value(sink), decimals: decimals) }
      }
    }
    gauge("judder_fleet_sink_up", .gauge, "0 when the last try failed.") { $0.isFailing ? 0 : 1 }
    gauge("judder_fleet_sink_delivered_total", .counter, "Notices handed on.") { Double($0.delivered) }
    gauge("judder_fleet_sink_failures_total", .counter, "Tries that failed.") { Double($0.failed) }
    gauge("judder_fleet_sink_given_up_total", .counter, "Notices that are not tried any more.") { Double($0.givenUp) }
    gauge("judder_fleet_sink_queue_length", .gauge, "Notices that wait.") { Double($0.queued) }
    gauge(
      "judder_fleet_sink_oldest_age_seconds", .gauge, "How long the oldest of them has waited; absent without any.",
      decimals: 3
    ) { $0.oldestS }
    writer.family(
      "judder_fleet_publications_dropped_total", .counter, "Messages that the broker took too slowly.",
      surroundings.droppedPublications)
  }

  /// Two sinks of lines may have one name: the second gets a number.
  private static func named(_ sinks: [Surroundings.Sink]) -> [([UInt8], Surroundings.Sink)] {
    var seen: [String: Int] = [:]
    return sinks.map { sink in
      let number = (seen[sink.name] ?? 0) + 1
      seen[sink.name] = number
      return (MetricsWriter.labels(["sink": number == 1 ? sink.name : "\(sink.name)#\(number)"]), sink)
    }
  }
}
