import Foundation
import Telemetry
import Testing

@testable import FleetLogic

@Suite struct AdmissionTests {
  private static func listed(_ patterns: [String] = ["pump-*"], labels: [String] = []) -> FleetState.Configuration {
    var configuration = FleetState.Configuration(
      graceS: 0, rules: [Rule(name: "shake", kind: .shake), Rule(name: "silent", kind: .silent)], keeps: true)
    configuration.admission = .listed(patterns.map { NamePattern($0) })
    configuration.labels = Dictionary(
      uniqueKeysWithValues: labels.compactMap { NodeName($0) }.map { ($0, Label(title: "t")) })
    return configuration
  }

  private func notes(_ effects: [Effect]) -> [QuarantineNote] {
    effects.compactMap {
      guard case .keep(.note(let text)) = $0, text.key == QuarantineNote.key else { return nil }
      return QuarantineNote(text.text)
    }
  }

  @Test func onlyWhatIsListedIsTakenIn() {
    var bench = Bench(Self.listed(labels: ["gate"]))
    for name in ["pump-1", "gate", "gate-2", "pump", "x-pump-1"] { bench.send(name, .online()) }
    #expect(bench.fleet.nodes.map(\.name.description) == ["pump-1", "gate"])
    #expect(bench.fleet.tally.rejected == [.notListed: 3])
    #expect(bench.fleet.tally.accounted == bench.fleet.tally.received)
    #expect(Set(bench.fleet.quarantine.entries.map(\.name.description)) == ["gate-2", "pump", "x-pump-1"])
  }

  @Test func ofOthersNothingIsKeptToldOrAcknowledged() throws {
    var bench = Bench(Self.listed())
    var effects = bench.send("rogue", .shake(1, peak: 9))
    effects += bench.send("rogue", .online(), retained: true)
    effects += bench.raw("judder/rogue/shake", Array("{".utf8))
    #expect(effects.alerts.isEmpty && effects.changes.isEmpty && effects.publications.isEmpty)
    #expect(bench.fleet.ackTopic(of: try #require(NodeName("rogue")), boot: BootID(1)) == nil)
    let kept = effects.filter { if case .keep = $0 { true } else { false } }
    #expect(kept.count == 1 && notes(effects).count == 1, "one note on the quarantine: \(kept)")
    #expect(effects.logLines.count == 1)
    #expect(effects.logLines[0].contains("not_listed") && effects.logLines[0].contains("fleet.allow"))
    #expect(bench.pass(100_000).alerts.isEmpty, "nor is its silence")
  }

  @Test func theNoteSaysWhoAndIsRenewedNowAndThen() throws {
    var bench = Bench(Self.listed())
    let first = try #require(notes(bench.send("rogue", .online())).first)
    #expect(first.nodes == 1 && first.messages == 1 && first.entries.map(\.reason) == ["not_listed"])
    #expect(notes(bench.send("rogue", .online())).isEmpty)
    _ = bench.pass(300)
    let second = try #require(notes(bench.send("other", .online())).first)
    #expect(second.nodes == 2 && second.messages == 3)
    #expect(second.entries.map(\.name.description) == ["other", "rogue"] && second.entries.map(\.count) == [1, 2])
    #expect(second.entries[1].last.seconds == Bench.epoch && second.time.seconds == Bench.epoch + 300)
    bench.send("other", .online())
    #expect(notes(bench.fleet.handle(.stop, at: bench.now)).map(\.messages) == [4])
  }

  @Test func aNodeThatIsListedNoMoreIsNotRestored() throws {
    let now = WallTime(seconds: Bench.epoch)
    let old = try #require(NodeName("old"))
    let alert = KeptAlert(
      rule: "shake", subject: .node(old), phase: .firing(leftS: nil), since: now, count: 1, at: now)
    var bench = Bench(Self.listed())
    let kept = KeptFleet(nodes: [KeptNode(name: old)], alerts: [alert])
    let effects = bench.fleet.restore(kept, at: bench.now)
    #expect(bench.fleet.nodes.isEmpty && bench.fleet.firingCount == 0 && effects.alerts.isEmpty)
  }

  @Test func beyondTheMostNodesOthersGoTheSameWayUnlessTheyHaveALabel() {
    var configuration = Self.listed(labels: ["late"])
    configuration.admission = .all
    configuration.maxNodes = 2
    var bench = Bench(configuration)
    for name in ["a", "b", "c", "late", "a"] { bench.send(name, .online()) }
    #expect(bench.fleet.nodes.map(\.name.description) == ["a", "b", "late"])
    #expect(bench.fleet.tally.rejected == [.tooManyNodes: 1])
    #expect(bench.fleet.quarantine.entries.map(\.reason) == [.tooManyNodes])
  }

  // MARK: Bounds

  private func name(_ number: Int) throws -> NodeName { try #require(NodeName("fake-\(number)")) }

  @Test func theQuarantineKeepsAThousandNamesAndThoseThatSpeakAgain() throws {
    var quarantine = Quarantine()
    let moment = Moment(instant: .start, wall: WallTime(seconds: Bench.epoch))
    let real = try #require(NodeName("forgotten-in-the-list"))
    for number in 0..<50_000 {
      quarantine.note(try name(number), .notListed, at: moment)
      if number % 500 == 0 { quarantine.note(real, .notListed, at: moment) }
    }
    #expect(quarantine.entries.count == Quarantine.capacity)
    #expect(quarantine.entries.contains { $0.name == real && $0.count == 100 })
    #expect(quarantine.messages == 50_100)
  }

  @Test(arguments: [1, 10, 999, 5000, 100_000, 1_000_000]) func namesAreCountedWithinFivePercent(names: Int) throws {
    var count = DistinctCount()
    for number in 0..<names { count.note(try name(number)) }
    if let first = NodeName("fake-0") { for _ in 0..<1000 { count.note(first) } }
    #expect(abs(Double(count.estimate - names)) <= 0.05 * Double(names), "\(count.estimate)")
  }

  @Test func theLargestNoteCanBeReadBack() throws {
    var quarantine = Quarantine()
    let moment = Moment(instant: .start, wall: WallTime(seconds: Bench.epoch))
    for number in 0..<2000 {
      let long = String(repeating: "n", count: 57)
      quarantine.note(try #require(NodeName("\(long)\(number)")), .tooManyNodes, at: moment)
    }
    let note = QuarantineNote(quarantine, at: moment.wall)
    #expect(QuarantineNote(note.encode()) == note && note.entries.count == 1000)
  }
}
