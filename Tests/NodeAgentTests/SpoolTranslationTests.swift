import Glibc
import NodeLogic
import Spool
import SpoolWords
import Telemetry
import Testing

@testable import NodeAgent

/// Nothing is lost between the node's words and its spool's.
@Suite struct SpoolTranslationTests {
  @Test func everyStreamOfEventsHasANumberOfItsOwn() {
    let events = Stream.allCases.filter(\.isEvent)
    let numbers = events.compactMap(\.storedNumber)
    #expect(numbers.count == events.count && Set(numbers).count == numbers.count)
    for stream in events { #expect(stream.storedNumber.flatMap { Stream(storedNumber: $0) } == stream) }
    #expect(Stream.allCases.filter { !$0.isEvent }.allSatisfy { $0.storedNumber == nil })
    #expect(Stream(storedNumber: 200) == nil)
  }

  @Test(arguments: EventLane.allCases) func lanesKeepTheirNumbers(lane: EventLane) {
    #expect(SpoolLane(lane).rawValue == lane.rawValue)
  }

  @Test func wishesBecomeRequests() {
    let event = StoredEvent(boot: BootID(7), sequence: 9, stream: .location, payload: [1, 2])
    let record = SpoolRecord(boot: 7, sequence: 9, lane: .routine, kind: 6, note: 3, payload: [1, 2])
    let append = SpoolRequest(.append(event, note: 3, born: WallTime(seconds: 5)), originS: 0)
    #expect(append == .append(record, bornAtS: 5))
    let mark = SpoolMark(bootOrdinal: 2, sequence: 8)
    let fetch = SpoolRequest(.fetch(id: 1, isWaveform: true, after: mark, limit: 3, limitBytes: 4), originS: 0)
    let place = SpoolPosition(bootOrdinal: 2, sequence: 8)
    #expect(fetch == .fetch(SpoolFetch(id: 1, isWaveform: true, after: place, limit: 3, limitBytes: 4)))
    #expect(SpoolRequest(.release(boot: BootID(7), 1...4), originS: 0) == .release(boot: 7, 1...4))
    let clock = ClockState(wallAtStart: WallTime(seconds: 1000), quality: .ntp)
    #expect(SpoolRequest(.clock(clock), originS: 40) == .clock(offsetS: 960))
    #expect(SpoolRequest(.clock(nil), originS: 40) == .clock(offsetS: nil))
    #expect(SpoolRequest(.fleetAcknowledges, originS: 0) == .fleetAcknowledges)
  }

  @Test func reportsBecomeWords() {
    let known = SpoolRecord(boot: 7, sequence: 9, lane: .routine, kind: 6, payload: [1])
    let later = SpoolRecord(boot: 7, sequence: 10, lane: .routine, kind: 99, payload: [1])
    let last = SpoolPosition(bootOrdinal: 1, sequence: 10)
    let fetched = SpoolFetched(id: 4, records: [known, later], last: last, isEnd: true)
    let event = StoredEvent(boot: BootID(7), sequence: 9, stream: .location, payload: [1])
    let mark = SpoolMark(bootOrdinal: 1, sequence: 10)
    #expect(SpoolWord(.fetched(fetched), folder: "/s") == .fetched(id: 4, [event], last: mark, isEnd: true))
    let note = EvictionNote(id: 1, boot: 7, reason: .cap, runs: [1...2], events: 2, counts: [1: 2])
    let eviction = SpoolEviction(
      id: 1, boot: BootID(7), runs: [1...2], events: 2, counts: [.shake: 2], reason: .cap)
    #expect(SpoolWord(.evicted(note), folder: "/s") == .evicted(eviction))
    var state = SpoolState()
    state.lanes = [SpoolLaneCount(events: 1, bytes: 10), SpoolLaneCount(events: 2, bytes: 20)]
    state.formerEvents = 2
    state.oldestBornAtS = 1000
    state.storedBytes = 30
    state.sizeBytes = 4096
    state.trouble = DiskFailure(call: "write", code: ENOSPC, name: "")
    let condition = SpoolCondition(
      trouble: "no space left on the disk of /s; make room there, or lower spool.cap_mb", formerEvents: 2,
      oldestBorn: WallTime(seconds: 1000), bytes: 30, sizeBytes: 4096)
    #expect(SpoolWord(.state(state), folder: "/s") == .state(condition))
    var found = Spool.SpoolContents()
    found.ordinal = 4
    var contents = NodeLogic.SpoolContents()
    contents.bootOrdinal = 4
    #expect(SpoolWord(.opened(found), folder: "/s") == .opened(contents))
    #expect(SpoolWord(.stopped, folder: "/s") == nil)
  }

  @Test(arguments: [
    ("mkdir", ENOENT, "make the folder above it"), ("openat", ENOENT, "start the node again"),
    ("mkdir", ENOTDIR, "set spool.directory"), ("open", EROFS, "mount it for writing"),
    ("write", ENOSPC, "make room there"), ("write", EIO, "look at the disk"),
  ])
  func eachTroubleHasItsRemedy(call: String, code: Int32, remedy: String) {
    let trouble = SpoolTrouble(DiskFailure(call: call, code: code, name: "x"), folder: "/var/s")
    #expect(trouble.remedy.contains(remedy), "\(trouble)")
    #expect(trouble.text.contains("/var/s"))
  }
}
