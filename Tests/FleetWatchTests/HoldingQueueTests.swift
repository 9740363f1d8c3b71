import FleetLogic
import Telemetry
import Testing

@testable import FleetWatch

/// By reference, so that an expectation may change it.
private final class QueueUnderTest {
  private var queue = HoldingQueue()

  var isEmpty: Bool { queue.isEmpty }
  var waiting: Int { queue.waiting }
  var isBehind: Bool { queue.isBehind }
  var dropped: Int { queue.dropped }
  var collecting: HeldBatch { queue.collecting }
  func take(_ effects: [Effect], at now: Instant) -> [Effect] { queue.take(effects, at: now) }
  func close(isIdle: Bool, isLast: Bool = false, at now: Instant) -> (id: UInt64, batch: HeldBatch)? {
    queue.close(isIdle: isIdle, isLast: isLast, at: now)
  }
  func reopen(_ id: UInt64) { queue.reopen(id) }
  func deadline(isIdle: Bool?) -> Instant? { queue.deadline(isIdle: isIdle) }
  func committed(_ id: UInt64, at now: Instant) -> HeldBatch? { queue.committed(id, at: now) }
  func isCaughtUp(at now: Instant) -> Bool { queue.isCaughtUp(at: now) }
  func lostWriter() { queue.lostWriter() }
  func losePatience(isHopeless: Bool = false, at now: Instant) -> [Effect]? {
    queue.losePatience(isHopeless: isHopeless, at: now)
  }
}

@Suite struct HoldingQueueTests {
  private let now = Instant(seconds: 100)

  private func event(_ sequence: UInt64) throws -> Effect {
    .keep(
      .event(
        KeptEvent(
          node: try #require(NodeName("a")), boot: BootID(1), sequence: sequence, stream: .shake, measured: nil,
          clock: nil, uptime: nil, received: WallTime(seconds: 1e9), isLate: false, payload: [1])))
  }

  private func publication(_ topic: String) -> Effect {
    .publish(FleetLogic.Publication(topic: topic, payload: [], retained: true))
  }

  private let line = Effect.log(LogEntry(.information, "x"))

  @Test func withNothingToKeepEverythingGoesOutAtOnce() {
    let queue = QueueUnderTest()
    #expect(queue.take([publication("a"), line], at: now) == [publication("a"), line])
    #expect(queue.isEmpty)
    #expect(queue.close(isIdle: true, at: now) == nil)
  }

  @Test func whatFollowsFromAnEventWaitsForItAndLinesDoNot() throws {
    let queue = QueueUnderTest()
    #expect(queue.take([publication("a"), line, try event(1)], at: now) == [line])
    #expect(queue.take([publication("b")], at: now).isEmpty, "nothing overtakes")
    let first = try #require(queue.close(isIdle: true, at: now))
    #expect(first.batch.events.map(\.sequence) == [1])
    #expect(queue.take([publication("c")], at: now).isEmpty, "behind the batch under way")
    #expect(queue.committed(first.id, at: now)?.held == [publication("a"), publication("b"), publication("c")])
    #expect(queue.isEmpty)
    #expect(queue.take([publication("d")], at: now) == [publication("d")])
  }

  @Test func anIdleWriterGetsWhatThereIsAndABusyOneWaits() throws {
    let queue = QueueUnderTest()
    _ = queue.take([try event(1)], at: now)
    #expect(queue.close(isIdle: false, at: now) == nil)
    #expect(queue.deadline(isIdle: false) == now + 0.2)
    #expect(queue.close(isIdle: false, at: now + 0.1) == nil)
    #expect(queue.close(isIdle: false, at: now + 0.2) != nil)
    for sequence in 1...999 as ClosedRange<UInt64> { _ = queue.take([try event(sequence)], at: now) }
    #expect(queue.close(isIdle: false, at: now) == nil)
    _ = queue.take([try event(1000)], at: now)
    #expect(queue.close(isIdle: false, at: now)?.batch.events.count == 1000)
  }

  /// A fleet's thousand messages a second were some four hundred syncs of the disk a second.
  @Test func whatOnlyItsNodeWaitsForIsGathered() throws {
    let queue = QueueUnderTest()
    _ = queue.take([try event(1)], at: now)
    #expect(queue.close(isIdle: true, at: now + 0.019) == nil)
    #expect(queue.deadline(isIdle: true) == now + 0.02)
    _ = queue.take([try event(2)], at: now + 0.019)
    #expect(queue.deadline(isIdle: true) == now + 0.02, "from the first on")
    #expect(queue.deadline(isIdle: nil) == now + 2, "there is no room")
    #expect(queue.close(isIdle: true, at: now + 0.021)?.batch.events.map(\.sequence) == [1, 2])
    #expect(queue.close(isIdle: true, at: now + 1) == nil)
  }

  @Test func aBacklogIsNotDelayed() throws {
    let queue = QueueUnderTest()
    for sequence in 1...15 as ClosedRange<UInt64> { _ = queue.take([try event(sequence)], at: now) }
    #expect(queue.close(isIdle: true, at: now) == nil)
    _ = queue.take([try event(16)], at: now)
    #expect(queue.close(isIdle: false, at: now) == nil, "the writer is busy")
    #expect(queue.close(isIdle: true, at: now)?.batch.events.count == 16)
  }

  @Test func anAlertIsNotGathered() throws {
    let queue = QueueUnderTest()
    _ = queue.take([try event(1)], at: now)
    #expect(queue.close(isIdle: true, at: now + 0.001) == nil)
    _ = queue.take([try event(2), publication("a")], at: now + 0.002)
    #expect(queue.close(isIdle: false, at: now + 0.002) == nil, "the writer is busy")
    let closed = try #require(queue.close(isIdle: true, at: now + 0.002))
    #expect(closed.batch.events.map(\.sequence) == [1, 2])
    #expect(queue.committed(closed.id, at: now + 0.003)?.held == [publication("a")])
  }

  @Test func atTheEndNothingIsGathered() throws {
    let queue = QueueUnderTest()
    _ = queue.take([try event(1)], at: now)
    #expect(queue.close(isIdle: false, isLast: true, at: now)?.batch.events.count == 1)
    #expect(queue.isEmpty == false, "it is with the writer")
  }

  /// Whether it gets on again is tried with what waits.
  @Test func aWriterThatDidNotGetOnIsTriedAgain() throws {
    let queue = QueueUnderTest()
    _ = queue.losePatience(isHopeless: true, at: now)
    _ = queue.take([try event(1)], at: now)
    #expect(queue.deadline(isIdle: true) == now + 0.02)
    #expect(queue.deadline(isIdle: false) == nil)
    #expect(queue.close(isIdle: true, at: now + 0.021) != nil)
  }

  @Test func aWriterThatIsBehindIsWaitedFor() throws {
    let queue = QueueUnderTest()
    for sequence in 1...2000 as ClosedRange<UInt64> {
      _ = queue.take([try event(sequence)], at: now)
      _ = queue.close(isIdle: false, at: now)
    }
    #expect(!queue.isBehind)
    _ = queue.take([try event(2001)], at: now)
    #expect(queue.isBehind)
    #expect(queue.committed(1, at: now) != nil)
    #expect(!queue.isBehind)
  }

  /// Alerts matter more than their record.
  @Test func afterTwoSecondsWithoutTheWriterNothingWaits() throws {
    let queue = QueueUnderTest()
    _ = queue.take([publication("a"), try event(1)], at: now)
    let first = try #require(queue.close(isIdle: true, at: now))
    _ = queue.take([publication("b"), try event(2)], at: now + 1)
    #expect(queue.losePatience(at: now + 1.9) == nil)
    #expect(queue.losePatience(at: now + 2) == [publication("a"), publication("b")])
    #expect(queue.take([publication("c"), try event(3)], at: now + 3) == [publication("c")])
    #expect(queue.losePatience(at: now + 9) == nil, "said once")
    #expect(queue.close(isIdle: false, at: now + 9) == nil, "what is under way is tried first")
    // Held again as soon as it gets on, and what went out already does not go out twice.
    #expect(queue.committed(first.id, at: now + 9)?.held.isEmpty == true)
    let second = try #require(queue.close(isIdle: true, at: now + 9))
    #expect(second.batch.events.map(\.sequence) == [2, 3])
    #expect(queue.take([publication("d")], at: now + 9).isEmpty)
  }

  /// Or what waited behind the trouble would be taken for the next trouble, and that for over with each batch.
  @Test func aWriterThatCatchesUpIsNotTakenForOneThatDoesNotGetOn() throws {
    let queue = QueueUnderTest()
    var ids: [UInt64] = []
    for sequence in 1...3 as ClosedRange<UInt64> {
      _ = queue.take([try event(sequence)], at: now)
      ids.append(try #require(queue.close(isIdle: true, at: now + 0.021)).id)
    }
    #expect(queue.losePatience(at: now + 2) != nil)
    #expect(queue.committed(ids[0], at: now + 60) != nil)
    #expect(!queue.isCaughtUp(at: now + 60), "two wait since then")
    #expect(queue.losePatience(at: now + 60) == nil)
    #expect(queue.deadline(isIdle: false) == now + 62)
    #expect(queue.committed(ids[1], at: now + 61) != nil)
    #expect(queue.losePatience(at: now + 62) == nil)
    #expect(queue.committed(ids[2], at: now + 62) != nil)
    #expect(queue.isCaughtUp(at: now + 62))
    _ = queue.take([try event(4)], at: now + 62)
    #expect(queue.isCaughtUp(at: now + 63))
    #expect(queue.losePatience(at: now + 64) != nil)
  }

  @Test func withoutTheWriterEventsAreBounded() throws {
    let queue = QueueUnderTest()
    _ = queue.losePatience(isHopeless: true, at: now)
    for sequence in 1...5000 as ClosedRange<UInt64> { _ = queue.take([try event(sequence)], at: now) }
    #expect(queue.waiting == 1000)
    #expect(queue.dropped == 4000)
    #expect(!queue.isBehind, "alerts need the messages")
  }

  @Test func whatFoundNoRoomMayHaveBeenStoredSince() {
    #expect(Archive.account(stored: 7, waiting: 0, dropped: 0) == "7 events stored since the start")
    #expect(
      Archive.account(stored: 7, waiting: 0, dropped: 3)
        == "7 events stored since the start; 3 were left to their nodes when they came, which send them again")
  }

  @Test func theLastWordOnAnAlertCounts() throws {
    let queue = QueueUnderTest()
    let node = try #require(NodeName("a"))
    let alert = KeptAlert(
      rule: "shake", subject: .node(node), phase: .over, since: WallTime(seconds: 1), count: 1, at: WallTime(seconds: 1)
    )
    _ = queue.take([.keep(.alert(alert)), .keep(.alertOver(rule: "shake", subject: .node(node)))], at: now)
    let first = try #require(queue.close(isIdle: true, at: now + 0.021))
    #expect(first.batch.alerts.count == 1)
    #expect(first.batch.alerts.values.first == .some(nil))
    _ = queue.take([.keep(.alert(alert))], at: now)
    queue.reopen(first.id)
    #expect(queue.collecting.alerts.values.first == .some(alert), "what came later")
  }

  @Test func aWriterThatIsGoneLeavesAlertsBehind() throws {
    let queue = QueueUnderTest()
    let node = try #require(NodeName("a"))
    _ = queue.take([publication("a"), try event(1), .keep(.alertOver(rule: "shake", subject: .node(node)))], at: now)
    _ = queue.close(isIdle: true, at: now)
    queue.lostWriter()
    #expect(queue.waiting == 0, "it is sent again")
    #expect(queue.collecting.alerts.count == 1)
    #expect(queue.losePatience(isHopeless: true, at: now) == [publication("a")])
  }
}
