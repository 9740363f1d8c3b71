import Foundation
import Rig
import Telemetry
import Testing

@testable import FleetLogic

/// Somebody makes up names. `JUDDER_FAKE_IDS` says how many; without it 25 000.
///
/// Memory is measured as what the process grew by, since it has had other tests in it.
@Suite(.serialized) struct FakeNodesTests {
  private static let names = ProcessInfo.processInfo.environment["JUDDER_FAKE_IDS"].flatMap { Int($0) } ?? 25_000
  private static let real = 50

  private static func residentMB() throws -> Double {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return Double(fields[1]).map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576 } ?? .nan
  }

  private static func configuration(_ admission: Admission) -> FleetState.Configuration {
    var configuration = FleetState.Configuration(graceS: 0, rules: Rule.defaults, keeps: false)
    configuration.admission = admission
    return configuration
  }

  /// What the loop spends on a page; only said, since it depends on the machine.
  private func measurePages(_ bench: Bench) throws {
    for most in [0, bench.fleet.nodes.count] {
      var surroundings = Surroundings()
      surroundings.nodes = most
      let start = Date()
      let bytes = MetricsText.text(bench.fleet, surroundings, at: bench.now).count
      let spent = Date().timeIntervalSince(start)
      print("page of \(bench.fleet.nodes.count) nodes, \(most) with series: \(spent * 1000) ms, \(bytes) bytes")
      try #require(bytes > 1000)
    }
  }

  @Test(arguments: [Admission.listed([NamePattern("real-*")]), .all])
  func realNodesDoNotSufferFromThem(admission: Admission) throws {
    var bench = Bench(Self.configuration(admission))
    for number in 0..<Self.real { bench.send("real-\(number)", .online()) }
    var envelope = Envelope(boot: BootID(1))
    (envelope.time, envelope.clock, envelope.uptime) = (WallTime(seconds: Bench.epoch), .ntp, 1000)
    let payload = Telegram(envelope, .online()).encode()
    let before = try Self.residentMB()
    let start = Date()
    var alerts: [String] = []
    for number in 0..<Self.names {
      _ = bench.raw("judder/fake-\(number)/status", payload)
      guard number % 10_000 == 0 else { continue }
      alerts += bench.send("real-\(number / 10_000 % Self.real)", .shake(number / 10_000 + 1)).alerts
    }
    let spent = Date().timeIntervalSince(start)
    let grown = try Self.residentMB() - before
    let taken = bench.fleet.nodes.count - Self.real
    print("\(Self.names) names, \(admission): \(spent / Double(Self.names) * 1e6) us each, \(grown) MB, \(taken) taken")
    try measurePages(bench)
    #expect(grown < 200 && grown.isFinite)
    #expect(alerts.count == min(Self.real, (Self.names + 9999) / 10_000), "\(alerts)")
    let refused = Self.names - taken
    #expect(taken == (admission == .all ? min(20_000 - Self.real, Self.names) : 0))
    #expect(bench.fleet.tally.rejected == [admission == .all ? .tooManyNodes : .notListed: refused])
    #expect(bench.fleet.tally.accounted == bench.fleet.tally.received)
    #expect(abs(bench.fleet.quarantine.nodes - refused) <= refused / 20)
    #expect(bench.node("real-7")?.presence == .online && bench.fleet.quarantine.entries.count == 1000)
  }
}
