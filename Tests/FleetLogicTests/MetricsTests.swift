import Foundation
import Rig
import Telemetry
import Testing

@testable import FleetLogic

@Suite struct MetricsTests {
  /// A fleet in which a little of everything happened.
  private func fleet() -> Bench {
    var configuration = FleetState.Configuration(
      maxNodes: 3, graceS: 0, rules: [Rule(name: "shake", kind: .shake), Rule(name: "lost-fix", kind: .lostFix)])
    if let name = NodeName("pallet-7") {
      configuration.labels = [name: Label(title: "a \"b\"\\ \n\u{1B}[31m\u{202E}é", site: "north")]
    }
    var bench = Bench(configuration)
    bench.send("pallet-7", .online())
    bench.send("pallet-7", .fix())
    bench.send("pallet-7", .acceleration(peak: 0.031))
    bench.send("pallet-7", .health)
    bench.send("gate-north", .online())
    bench.send("gate-north", .noFix(.gpsdGone))
    bench.send("mast-2", .online())
    bench.send("mast-2", .shake(1), seq: 1)
    bench.send("mast-2", .shake(1), seq: 1)
    bench.send("mast-2", .shake(2), seq: 4)
    bench.send("other", .online())
    _ = bench.raw("judder/mast-2/shake", Array("{".utf8))
    _ = bench.will("mast-2")
    _ = bench.pass(3)
    return bench
  }

  private var surroundings: Surroundings {
    var surroundings = Surroundings()
    var store = Surroundings.Store(isKeeping: true)
    (store.stored, store.batches, store.committingS) = (3, 2, 0.125)
    (store.sizeBytes, store.freeBytes) = (40_960, 9_000_000_000_000)
    surroundings.store = store
    var queued = Surroundings.Sink(name: "hook")
    (queued.queued, queued.oldestS, queued.failed, queued.isFailing) = (2, 61.5, 7, true)
    surroundings.sinks = [Surroundings.Sink(name: "console"), Surroundings.Sink(name: "console"), queued]
    (surroundings.residentBytes, surroundings.processorS) = (12_345_678, 1.5)
    surroundings.started = WallTime(seconds: Bench.epoch)
    surroundings.nodes = 2
    return surroundings
  }

  private func lines(_ bench: Bench, _ surroundings: Surroundings) -> [String] {
    String(decoding: MetricsText.text(bench.fleet, surroundings, at: bench.now), as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  @Test func theFleetIsCounted() {
    let lines = lines(fleet(), surroundings)
    for line in [
      #"judder_fleet_link_up 1"#, #"judder_fleet_last_message_age_seconds 3.000"#,
      #"judder_fleet_messages_received_total 13"#,
      #"judder_fleet_messages_total{stream="shake",receipt="newest"} 2"#,
      #"judder_fleet_messages_passed_over_total{reason="duplicate"} 1"#,
      #"judder_fleet_messages_rejected_total{reason="too_many_nodes"} 1"#,
      #"judder_fleet_messages_rejected_total{reason="payload_syntax"} 1"#,
      #"judder_fleet_messages_rejected_total{reason="not_listed"} 0"#,
      #"judder_fleet_nodes{presence="online"} 2"#, #"judder_fleet_nodes{presence="lost"} 1"#,
      #"judder_fleet_nodes_limit 3"#, #"judder_fleet_quarantine_nodes 1"#,
      #"judder_fleet_nodes_without_fix{reason="gpsd_gone"} 1"#, #"judder_fleet_missing_events 2"#,
      #"judder_fleet_alerts{rule="shake",severity="warning",state="firing"} 1"#,
      #"judder_fleet_alerts{rule="lost-fix",severity="warning",state="pending"} 1"#,
      #"judder_fleet_store_up 1"#, #"judder_fleet_store_events_total{outcome="stored"} 3"#,
      #"judder_fleet_store_commit_seconds_sum 0.125000"#, #"judder_fleet_store_commit_seconds_count 2"#,
      #"judder_fleet_store_free_bytes 9000000000000"#,
      #"judder_fleet_sink_up{sink="hook"} 0"#, #"judder_fleet_sink_queue_length{sink="hook"} 2"#,
      #"judder_fleet_sink_oldest_age_seconds{sink="hook"} 61.500"#,
      #"judder_fleet_sink_delivered_total{sink="console#2"} 0"#,
      #"process_resident_memory_bytes 12345678"#, #"process_start_time_seconds 1796000000.000"#,
    ] {
      let isThere = lines.contains(line)
      #expect(isThere, "\(line)")
    }
  }

  @Test func theSumOfAllMessagesIsWhatCame() {
    let lines = lines(fleet(), surroundings)
    func sum(_ name: String) -> Int {
      lines.filter { $0.hasPrefix("\(name){") || $0.hasPrefix("\(name) ") }
        .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }.reduce(0, +)
    }
    let parts = ["", "_passed_over", "_rejected"].map { sum("judder_fleet_messages\($0)_total") }
    #expect(parts.reduce(0, +) == sum("judder_fleet_messages_received_total") && parts.allSatisfy { $0 > 0 })
  }

  @Test func nodesHaveSeriesOnlyWhereWantedAndNoMoreThanWanted() {
    var surroundings = surroundings
    let some = lines(fleet(), surroundings)
    #expect(some.contains(#"judder_node_up{node="pallet-7"} 1"#))
    #expect(some.contains(#"judder_node_peak_g{node="pallet-7"} 0.0310"#))
    #expect(some.contains(#"judder_node_fix{node="gate-north"} 0"#))
    #expect(some.contains("judder_fleet_nodes_without_series 1") && !some.contains { $0.contains(#"node="mast-2""#) })
    surroundings.nodes = 0
    #expect(!lines(fleet(), surroundings).contains { $0.contains("judder_node_") })
  }

  @Test func labelsAreEscaped() {
    let line = lines(fleet(), surroundings).first { $0.hasPrefix(#"judder_node_info{node="pallet-7""#) }
    let title = #"title="a \"b\"\\ \n"# + "\u{1B}[31m\u{202E}é\""
    #expect(line == #"judder_node_info{node="pallet-7",\#(title),site="north",agent="0.1.0"} 1"#)
  }

  @Test func everyFamilyHasItsHelpAndType() {
    let lines = lines(fleet(), surroundings)
    #expect(lines.last == "" && lines.filter(\.isEmpty).count == 1)
    var family = ""
    var seen: Set<String> = []
    var series: Set<String> = []
    for (place, line) in lines.enumerated() where !line.isEmpty {
      if line.hasPrefix("# HELP ") {
        family = String(line.split(separator: " ")[2])
        #expect(seen.insert(family).inserted, "\(family) once")
        #expect(lines[place + 1].hasPrefix("# TYPE \(family) "))
      } else if !line.hasPrefix("# ") {
        #expect(line.hasPrefix(family), "\(line)")
        #expect(series.insert(String(line[..<(line.lastIndex(of: " ") ?? line.endIndex)])).inserted, "\(line) once")
      }
    }
    #expect(seen.count > 40 && series.count > 100)
  }

  @Test func whatIsUnknownIsAbsent() {
    let lines = lines(Bench(connected: false), Surroundings())
    #expect(lines.contains("judder_fleet_link_up 0"))
    for name in ["last_message", "store", "sink", "spool_oldest"] {
      #expect(!lines.contains { $0.contains("judder_fleet_\(name)") }, "\(name)")
    }
    #expect(!lines.contains { $0.contains("process_") })
  }

  @Test(.enabled(if: ChildProcess.find("promtool") != nil, "promtool is not installed (Debian: prometheus)"))
  func promtoolHasNothingToSay() throws {
    let place = try Workplace("metrics")
    let file = place.folder.appending(path: "metrics.txt")
    try Data(MetricsText.text(fleet().fleet, surroundings, at: fleet().now)).write(to: file)
    let child = try ChildProcess(
      "/bin/sh", ["-c", "exec promtool check metrics --extended < \"$0\"", file.path], in: place.folder)
    #expect(child.wait(seconds: 20) == 0)
    #expect(!child.errorText().contains("judder") && child.outputText().contains("judder_fleet_nodes"))
  }

  // MARK: Health

  @Test func healthSaysWhatIsWrong() {
    var bench = Bench(connected: false)
    #expect(FleetHealth.troubles(bench.fleet) == ["not connected to the broker yet"])
    _ = bench.fleet.handle(.connected, at: bench.now)
    #expect(FleetHealth.troubles(bench.fleet).isEmpty)
    _ = bench.fleet.handle(.disconnected(reason: "refused \"x\""), at: bench.now)
    _ = bench.fleet.handle(.store(.failed(reason: "the disk is full")), at: bench.now)
    let text = String(decoding: FleetHealth.text(FleetHealth.troubles(bench.fleet)), as: UTF8.self)
    let reasons = #"["no link to the broker: refused \"x\"","nothing is kept: the disk is full"]"#
    #expect(text == #"{"status":"failing","reasons":\#(reasons)}"# + "\n")
    #expect(FleetHealth.text([]) == Array("ok\n".utf8))
  }
}
