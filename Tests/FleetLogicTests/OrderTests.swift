import Rig
import Telemetry
import Testing

@testable import FleetLogic

@Suite struct SequenceSetTests {
  @Test func keepsARangeForWhatComesInOrder() {
    var set = SequenceSet()
    for sequence in 5...1000 as ClosedRange<UInt64> { #expect(set.insert(sequence) == .newest) }
    #expect(set.insert(5) == .duplicate)
    #expect(set.insert(1000) == .duplicate)
    #expect(set.insert(4) == .late)
    #expect(set.missing(from: 0) == 0)
  }

  @Test func fillsGaps() {
    var set = SequenceSet()
    for sequence in [1, 2, 6, 9] as [UInt64] { _ = set.insert(sequence) }
    #expect(set.missing(from: 1) == 5)
    #expect(set.missing(from: 4) == 4)
    #expect(set.insert(4) == .late)
    #expect(set.insert(3) == .late)
    #expect(set.insert(5) == .late)
    #expect(set.missing(from: 1) == 2)
    for sequence in 1...6 as ClosedRange<UInt64> { #expect(set.insert(sequence) == .duplicate) }
  }

  @Test func agreesWithAPlainSetInAnyOrder() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<200 {
      var set = SequenceSet()
      var plain: Set<UInt64> = []
      // At most 15 gaps between 30 numbers, so that none is forgotten.
      for sequence in (0..<30).map({ UInt64($0) }).shuffled(using: &random) + [3, 7, 11] {
        let expected: SequenceSet.Verdict =
          plain.contains(sequence) ? .duplicate : sequence > plain.max() ?? 0 || plain.isEmpty ? .newest : .late
        #expect(set.insert(sequence) == expected)
        plain.insert(sequence)
      }
    }
  }

  @Test func staysBoundedAndKeepsTheNewest() {
    var set = SequenceSet()
    for sequence in stride(from: UInt64(1), to: 100_000, by: 2) { #expect(set.insert(sequence) == .newest) }
    #expect(set.insert(99_999) == .duplicate)
    #expect(set.insert(99_998) == .late)
    #expect(set.missing(from: 0) <= UInt64(SequenceSet.capacity))
  }

  @Test func takesTheLargestNumbers() {
    var set = SequenceSet()
    #expect(set.insert(.max) == .newest)
    #expect(set.insert(.max - 1) == .late)
    #expect(set.insert(.max) == .duplicate)
    #expect(set.insert(0) == .late)
  }
}

@Suite struct OrderTests {
  @Test func aDuplicateIsCountedAndChangesNothing() throws {
    var bench = Bench()
    bench.send("a", .online())
    bench.send("a", .fix(10), seq: 4)
    let before = try #require(bench.node("a"))
    #expect(bench.send("a", .fix(10), seq: 4).changes.isEmpty)
    _ = bench.send("a", .fix(20), seq: 4)
    let after = try #require(bench.node("a"))
    #expect(after.duplicates == 2)
    #expect(after.location == before.location)
    #expect(bench.fleet.tally.duplicates == 2)
  }

  @Test func anOlderEventFillsOnlyWhatNothingNewerHasFilled() throws {
    var bench = Bench()
    bench.send("a", .online())
    bench.send("a", .fix(10), seq: 9)
    bench.send("a", .fix(20), seq: 5)
    bench.send("a", .face(.zUp), seq: 6)
    let node = try #require(bench.node("a"))
    #expect(node.late == 2)
    #expect(node.position?.content.latitude == 10)
    #expect(node.orientation?.content.face == .zUp)
    #expect(bench.fleet.tally.late == 2)
  }

  @Test func aNewBootStartsOver() throws {
    var bench = Bench()
    bench.send("a", .online(), boot: 1)
    bench.send("a", .fix(10), boot: 1, seq: 500)
    let effects = bench.send("a", .online(), boot: 2)
    bench.send("a", .fix(20), boot: 2, seq: 1)
    let node = try #require(bench.node("a"))
    #expect(effects.changes.contains { $0.kind == .boot(BootID(2), was: BootID(1)) })
    #expect(node.boot == BootID(2))
    #expect(node.formerBoots == [BootID(1)])
    #expect(node.lastSequence == 1)
    #expect(node.position?.content.latitude == 20)
    #expect(node.late == 0)
  }

  @Test func amessageOfAFormerBootNeverOverwrites() throws {
    var bench = Bench()
    bench.send("a", .online(), boot: 1)
    bench.send("a", .online(), boot: 2)
    bench.send("a", .fix(20), boot: 2)
    bench.send("a", .fix(10), boot: 1, seq: 900)
    let node = try #require(bench.node("a"))
    #expect(node.position?.content.latitude == 20)
    #expect(node.boot == BootID(2))
    #expect(node.stale == 1)
    #expect(bench.fleet.tally.formerBoot == 1)
  }

  @Test func aStaleWillIsIgnored() throws {
    var bench = Bench()
    bench.send("a", .online(), boot: 1)
    bench.send("a", .online(), boot: 2)
    let effects = bench.will("a", boot: 1)
    #expect(effects.changes.isEmpty)
    #expect(bench.node("a")?.presence == .online)
    #expect(bench.fleet.tally.staleWills == 1)
    _ = bench.will("a", boot: 77)
    #expect(bench.node("a")?.presence == .online)
    #expect(bench.fleet.tally.staleWills == 2)
  }

  @Test func theBrokersLastWordStandsAgainstALocationOfAnEarlierBoot() {
    var bench = Bench()
    bench.send("a", .fix(10), boot: 1, retained: true)
    _ = bench.will("a", boot: 2, retained: true)
    #expect(bench.node("a")?.presence == .lost)
    #expect(bench.node("a")?.boot == BootID(2))
    #expect(bench.node("a")?.position?.content.latitude == 10)
  }

  @Test func aBacklogOfARunNeverHeardOfDoesNotTakeTheNodesPlace() throws {
    var bench = Bench()
    bench.send("a", .online(), boot: 5)
    bench.send("a", .fix(20), boot: 5)
    bench.send("a", .fix(10, backlog: true), boot: 4, seq: 80)
    bench.send("a", .shake(3), boot: 4, seq: 81, sentAgo: 5000)
    bench.send("a", .fix(21), boot: 5)
    let node = try #require(bench.node("a"))
    #expect(node.boot == BootID(5))
    #expect(node.position?.content.latitude == 21)
    #expect(bench.fleet.tally.formerBoot == 2)
  }

  @Test func aBootTakenForTheCurrentOneByMistakeGivesWayToTheLiveOne() throws {
    var bench = Bench()
    bench.send("a", .online(), boot: 5, clock: .none)
    bench.send("a", .shake(3), boot: 4, seq: 81, clock: .none)
    #expect(bench.node("a")?.boot == BootID(4), "without clocks the newcomer is believed")
    bench.send("a", .acceleration(), boot: 5, clock: .none)
    let node = try #require(bench.node("a"))
    #expect(node.boot == BootID(5))
    #expect(!node.isSuspectedClone)
  }

  @Test func twoDevicesWithOneNameAreSuspected() throws {
    var bench = Bench()
    for _ in 0..<4 {
      bench.send("a", .online(), boot: 1)
      bench.send("a", .acceleration(), boot: 1)
      bench.send("a", .online(), boot: 2)
      bench.send("a", .acceleration(), boot: 2)
    }
    let node = try #require(bench.node("a"))
    #expect(node.isSuspectedClone)
    #expect(node.boot == BootID(2))
  }

  @Test func theNumberOfFormerBootsIsBounded() throws {
    var bench = Bench()
    for boot in 1...50 as ClosedRange<UInt32> { bench.send("a", .online(), boot: boot) }
    let node = try #require(bench.node("a"))
    #expect(node.formerBoots == (42...49).map { BootID($0) })
    #expect(node.bootsSeen == 50)
  }

  @Test func whatTheBrokerKeptIsRepeatedWithoutBlame() throws {
    var bench = Bench()
    bench.send("a", .fix(), seq: 3)
    bench.send("a", .fix(), seq: 3, retained: true)
    #expect(bench.fleet.tally.repeats == 1)
    #expect(bench.node("a")?.duplicates == 0)
  }

  @Test func onlyEventsMissedSinceTheFirstLiveOneCount() throws {
    var bench = Bench()
    bench.send("a", .face(.zUp), seq: 2, retained: true)
    bench.send("a", .fix(), seq: 90, retained: true)
    bench.send("a", .fix(), seq: 91)
    #expect(bench.node("a")?.missing == 0)
    bench.send("a", .fix(), seq: 95)
    #expect(bench.node("a")?.missing == 3)
    bench.send("a", .fix(), seq: 93)
    #expect(bench.node("a")?.missing == 2)
  }

  /// A node that connects repeats the event that the broker is to keep.
  @Test func anOldEventThatIsRepeatedIsNotTheFirstLiveOne() throws {
    var bench = Bench()
    bench.send("a", .online())
    bench.send("a", .face(.zUp), seq: 2, sentAgo: 3600)
    bench.send("a", .fix(), seq: 301)
    #expect(bench.node("a")?.missing == 0)
    bench.send("a", .fix(), seq: 303)
    #expect(bench.node("a")?.missing == 1)
  }
}
