import Foundation
import Telemetry
import Testing

@testable import FleetLogic

/// Somebody makes up names. `JUDDER_FAKE_IDS` says how many; without it 25 000.
///
/// Each runs in a process of its own, so that its memory can be measured.
@Suite(.serialized) struct FakeNodesTests {
  @Test func theyDoNotHarmAFleetThatIsListed() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      try FakeNodes(.listed([NamePattern("real-*")])).flood()
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }

  @Test func theyFillTheRoomOfAFleetThatIsNotAndNoMore() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      try FakeNodes(.all).flood()
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }
}

/// A fleet of some real nodes, and many that say one thing each.
private struct FakeNodes {
  private let names = ProcessInfo.processInfo.environment["JUDDER_FAKE_IDS"].flatMap { Int($0) } ?? 25_000
  private let real = 50
  private let admission: Admission
  private var bench: Bench

  init(_ admission: Admission) {
    var configuration = FleetState.Configuration(graceS: 0, rules: Rule.defaults, keeps: true)
    configuration.admission = admission
    self.admission = admission
    bench = Bench(configuration)
  }

  func flood() throws {
    var copy = self
    try copy.run()
  }

  private mutating func run() throws {
    var envelope = Envelope(boot: BootID(1))
    (envelope.time, envelope.clock, envelope.uptime) = (WallTime(seconds: Bench.epoch), .ntp, 1000)
    let payload = Telegram(envelope, .online()).encode()
    for number in 0..<real { bench.send("real-\(number)", .online()) }
    let start = Date()
    var alerts: [String] = []
    for number in 0..<names {
      _ = bench.raw("judder/fake-\(number)/status", payload)
      guard number % 10_000 == 0, number / 10_000 < real else { continue }
      alerts += bench.send("real-\(number / 10_000)", .shake(1)).alerts
    }
    let eachUS = Date().timeIntervalSince(start) / Double(names) * 1e6
    let residentMB = try Self.residentMB()
    print("\(names) names, \(admission): \(eachUS) us each, \(residentMB) MB resident")
    check(alerts)
    #expect(residentMB <= 256)
    try measurePages()
  }

  private func check(_ alerts: [String]) {
    #expect(alerts == (0..<min(real, (names + 9999) / 10_000)).map { "shake real-\($0) firing 1" })
    let taken = bench.fleet.nodes.count - real
    #expect(taken == (admission == .all ? min(20_000 - real, names) : 0))
    let refused = names - taken
    #expect(bench.fleet.tally.rejected == [admission == .all ? .tooManyNodes : .notListed: refused])
    #expect(bench.fleet.tally.accounted == bench.fleet.tally.received)
    #expect(abs(bench.fleet.quarantine.nodes - refused) <= refused / 20)
    #expect(bench.node("real-7")?.presence == .online && bench.fleet.quarantine.entries.count == 1000)
  }

  private static func residentMB() throws -> Double {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Double(fields[1])) * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_048_576
  }

  /// What the loop spends on a page; only said, since it depends on the machine.
  private func measurePages() throws {
    for most in [0, bench.fleet.nodes.count] {
      var surroundings = Surroundings()
      surroundings.nodes = most
      let start = Date()
      let bytes = MetricsText.text(bench.fleet, surroundings, at: bench.now).count
      let spentMS = Date().timeIntervalSince(start) * 1000
      print("page of \(bench.fleet.nodes.count) nodes, \(most) with series: \(spentMS) ms, \(bytes) bytes")
      try #require(bytes > 1000)
    }
  }
}
