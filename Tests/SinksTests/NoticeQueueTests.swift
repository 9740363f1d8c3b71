import FleetLogic
import Foundation
import Rig
import Telemetry
import Testing

@testable import Sinks

@Suite struct NoticeQueueTests {
  private let place: Workplace
  private let now = Instant(seconds: 5)

  init() throws { place = try Workplace() }

  private func queue(_ bounds: NoticeQueue.Bounds = .init()) throws -> NoticeQueue {
    var queue = NoticeQueue(path: place.path("sinks/s"), bounds: bounds)
    try queue.open(at: now)
    return queue
  }

  private func fill(_ queue: inout NoticeQueue, _ ids: Range<Int>, mayBeThere: Bool = false) throws {
    for id in ids {
      queue.append(try notice("\(id)"), mayBeThere: mayBeThere, token: UInt64(id), at: now)
    }
    try queue.harden()
  }

  @Test func whatWasQueuedIsThereAfterARestart() throws {
    var settled: [UInt64] = []
    var waiting: [String] = []
    var first = try queue()
    try fill(&first, 0..<5)
    settled = first.takeSettled()
    #expect(settled == [0, 1, 2, 3, 4])
    let notices = first.first(2)
    first.done(notices, keepsFiring: false)
    first.close()
    var second = try queue()
    try fill(&second, 5..<6)
    waiting = second.first(9).map(\.id)
    #expect(waiting == ["2/firing", "3/firing", "4/firing", "5/firing"])
    try fill(&second, 2..<4, mayBeThere: true)
    #expect(second.entries.count == 4, "one that waits already is not queued twice")
    settled = second.takeSettled()
    #expect(settled == [5, 2, 3])
  }

  @Test func aFolderThatComesWhileOneIsHandedOnTakesNothingForAnother() throws {
    var before = try queue()
    try fill(&before, 1..<2)
    before.close()
    var late = NoticeQueue(path: place.path("sinks/s"), bounds: .init())
    late.append(try notice("2"), mayBeThere: false, token: 2, at: now)
    let handed = late.first(1)
    late.underWay = 1
    try late.open(at: now)
    late.underWay = 0
    late.done(handed, keepsFiring: false)
    try late.harden()
    let left = late.first(9).map(\.id)
    #expect(handed.map(\.id) == ["2/firing"] && left == ["1/firing"])
  }

  @Test func whatIsTornOrForeignIsSetAside() throws {
    var waiting: [String] = []
    var first = try queue()
    try fill(&first, 0..<3)
    first.close()
    let new = place.path("sinks/s/new")
    let names = try FileManager.default.contentsOfDirectory(atPath: new).sorted()
    let whole = try Data(contentsOf: URL(filePath: "\(new)/\(names[1])"))
    try whole.dropLast(20).write(to: URL(filePath: "\(new)/\(names[1])"))
    try Data("hello".utf8).write(to: URL(filePath: "\(new)/notes.txt"))
    try Data("half".utf8).write(to: URL(filePath: "\(new)/.new"))
    var second = try queue()
    waiting = second.first(9).map(\.id)
    #expect(waiting == ["0/firing", "2/firing"])
    #expect(second.setAside == 2)
    let aside = try FileManager.default.contentsOfDirectory(atPath: place.path("sinks/s/aside")).sorted()
    #expect(aside == [names[1], "notes.txt"])
    #expect(!FileManager.default.fileExists(atPath: "\(new)/.new"))
  }

  @Test func ofTooManyTheOldestGoes() throws {
    var settled: [UInt64] = []
    var waiting: [String] = []
    var queue = try queue(.init(notices: 3))
    queue.underWay = 1
    try fill(&queue, 0..<6)
    waiting = queue.first(9).map(\.alertID)
    #expect(waiting == ["0", "4", "5"], "what is on its way stays")
    #expect(queue.evicted == 3)
    settled = queue.takeSettled().sorted()
    #expect(settled == [0, 1, 2, 3, 4, 5])
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path("sinks/s/new")).count == 3)
    var small = NoticeQueue(path: nil, bounds: .init(bytes: 900))
    try fill(&small, 0..<10)
    #expect(small.bytes <= 900 && small.evicted > 0)
  }

  @Test func twoProcessesDoNotShareAQueue() throws {
    var settled: [UInt64] = []
    var first = try queue()
    var second = NoticeQueue(path: place.path("sinks/s"), bounds: .init())
    do throws(SinkProblem) {
      try second.open(at: now)
      Issue.record("two have it")
    } catch {
      #expect(error.description == "\(place.path("sinks/s"))/lock: another judder-fleet has this queue")
    }
    // It keeps in memory until the other is gone.
    try fill(&second, 7..<8)
    settled = second.takeSettled()
    #expect(settled == [])
    first.close()
    try second.open(at: now)
    try second.harden()
    settled = second.takeSettled()
    #expect(settled == [7])
  }

  @Test func whatFiresIsKnownAfterARestart() throws {
    var first = try queue()
    try fill(&first, 0..<1)
    var told = first.first(1)
    first.done(told, keepsFiring: true)
    first.close()
    var second = try queue()
    #expect(second.firing.values.map(\.notice.alertID) == ["0"])
    second.append(try notice("0", .resolved), mayBeThere: false, token: 9, at: now)
    try second.harden()
    told = second.first(1)
    second.done(told, keepsFiring: true)
    second.close()
    #expect(try queue().firing.isEmpty)
  }

  @Test func anEndThatIsLostIsNotToldAsFiringForEver() throws {
    var first = try queue()
    try fill(&first, 0..<1)
    var told = first.first(1)
    first.done(told, keepsFiring: true)
    first.append(try notice("0", .resolved), mayBeThere: false, token: 9, at: now)
    try first.harden()
    told = first.first(1)
    first.fail(told)
    #expect(first.firing.isEmpty && first.failedNumbers.count == 1)
    first.close()
    #expect(try queue().firing.isEmpty, "also after a restart")
  }

  @Test func endsGoLastForRoomAndTakeWhatTheyEndWithThem() throws {
    var queue = try queue(.init(notices: 3))
    try fill(&queue, 0..<1)
    var told = queue.first(1)
    queue.done(told, keepsFiring: true)
    queue.append(try notice("0", .resolved), mayBeThere: false, token: 9, at: now)
    try fill(&queue, 1..<5)
    told = queue.first(9)
    #expect(told.map(\.id) == ["0/resolved", "3/firing", "4/firing"])
    #expect(queue.firing.count == 1)
    for id in 5..<9 { queue.append(try notice("\(id)", .resolved), mayBeThere: false, token: 9, at: now) }
    #expect(queue.entries.map(\.id) == ["6/resolved", "7/resolved", "8/resolved"])
    #expect(queue.firing.isEmpty)
  }

  @Test func whatIsOnItsWayWhenItsEndIsLostIsToldOnce() throws {
    var queue = try queue(.init(notices: 2))
    try fill(&queue, 0..<1)
    queue.underWay = 1
    for id in 0..<2 { queue.append(try notice("\(id)", .resolved), mayBeThere: false, token: 9, at: now) }
    #expect(queue.entries.map(\.id) == ["0/firing", "1/resolved"])
    queue.underWay = 0
    let told = queue.first(1)
    queue.done(told, keepsFiring: true)
    #expect(queue.firing.isEmpty)
  }
}

@Suite struct NoticeTests {
  /// The same in each try, so that a receiver can tell one that comes twice; not in a repeat, which it shall show.
  @Test func aRepeatHasAnIDOfItsOwn() throws {
    var still = try alert("1")
    still.isRepeated = true
    let first = try #require(Notice(json: FleetJSON.alert(still)))
    #expect(try notice("1").id == "1/firing")
    #expect(first.id == "1/firing/1796000000.000")
    #expect(Notice(json: FleetJSON.alert(still))?.id == first.id)
    still.at = Moment(instant: Instant(seconds: 4000), wall: WallTime(seconds: 1_796_003_600))
    let second = try #require(Notice(json: FleetJSON.alert(still)))
    #expect(second.id == "1/firing/1796003600.000")
    #expect(second.identity == first.identity)
    #expect(Set(try [notice("1"), first, second].map { MailMessage.digest([$0.id]) }).count == 3)
    #expect(CommandCourier.variables(second).contains("JUDDER_ALERT_ID=1/firing/1796003600.000"))
  }
}

@Suite struct DeliveryPaceTests {
  private func at(_ seconds: Double) -> Instant { Instant(seconds: seconds) }

  @Test func waitsGrowAndAreShortAgainAfterASuccess() {
    var pace = DeliveryPace(.init(tries: 99, retryFirstS: 1, retryMaxS: 10))
    var waits: [Double] = []
    for _ in 0..<6 {
      _ = pace.fail(counts: true, afterS: nil, at: at(100), random: 1)
      waits.append(pace.due(waitingSince: at(0)) - at(100))
    }
    #expect(waits == [1, 2, 4, 8, 10, 10])
    pace.settle()
    #expect(pace.due(waitingSince: at(7)) == at(7))
    _ = pace.fail(counts: true, afterS: nil, at: at(100), random: 0)
    #expect(pace.due(waitingSince: at(0)) == at(100.5), "jitter")
  }

  @Test func aReceiverThatIsAwayIsTriedForEverAndMaySayWhen() {
    var pace = DeliveryPace(.init(tries: 2))
    for _ in 0..<50 {
      let isOver = pace.fail(counts: false, afterS: 400, at: at(0), random: 0)
      #expect(!isOver)
    }
    #expect(pace.due(waitingSince: at(0)) == at(400))
    _ = pace.fail(counts: false, afterS: 1e9, at: at(0), random: 0)
    #expect(pace.due(waitingSince: at(0)) == at(DeliveryPace.longestWaitS))
    let ends = (0..<2).map { _ in pace.fail(counts: true, afterS: nil, at: at(0), random: 0) }
    #expect(ends == [false, true], "tries of its own")
  }

  @Test func noMoreThanSoManyAMinute() {
    var pace = DeliveryPace(.init(perMinute: 2))
    for second in 0..<2 {
      #expect(pace.due(waitingSince: at(0)) == at(0))
      pace.begin(at: at(Double(second)))
    }
    #expect(pace.due(waitingSince: at(0)) == at(60))
    pace.begin(at: at(60))
    #expect(pace.due(waitingSince: at(0)) == at(61))
  }

  @Test func whatCollectsWaitsForTheOthers() {
    let pace = DeliveryPace(.init(collectS: 30))
    #expect(pace.due(waitingSince: at(10)) == at(40))
  }
}
