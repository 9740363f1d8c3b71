import Telemetry
import Testing

@testable import Store

@Suite("Retention")
struct RetentionTests {
  private func trimAll(_ store: HistoryStore) throws -> TrimReport {
    var sum = TrimReport(forAge: 0, forRoom: 0)
    for _ in 0..<10_000 {
      let (report, isDone) = try store.trim(budgetS: 0.01)
      sum.forAge += report.forAge
      sum.forRoom += report.forRoom
      if isDone { return sum }
    }
    Issue.record("retention does not come to an end")
    return sum
  }

  @Test("What is too old goes, is counted, and is still known when it comes again")
  func age() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open { $0.keepDays = 10 }
    let old = WallTime(seconds: now.seconds - 11 * day)
    _ = try store?.commit(
      batch((1...1200).map { event(UInt64($0), at: old) } + (1201...1300).map { event(UInt64($0), at: now) }))
    let report = try trimAll(try #require(store))
    #expect(report == TrimReport(forAge: 1200, forRoom: 0))
    #expect(try store?.count() == 100)
    let bytes = (1...1200).reduce(0) { $0 + event(UInt64($1)).payload.count }
    let dropped = try #require(try store?.dropped().first)
    #expect(dropped.stream == "location" && dropped.reason == "age" && dropped.events == 1200 && dropped.bytes == bytes)
    store = nil
    store = try shelf.open { $0.keepDays = 10 }
    let again = try #require(try store?.commit(batch([event(7), event(1301)])))
    #expect(again.outcomes == [.duplicate, .stored])
    #expect(again.acknowledgements.first?.sequence == 1301)
    #expect(try store?.count() == 101)
  }

  @Test("Nothing goes for its age while nobody vouches for the time, nor what a clock of 1970 received")
  func unknownTime() throws {
    let shelf = try Shelf()
    let store = try shelf.open { $0.keepDays = 10 }
    let old = WallTime(seconds: now.seconds - 11 * day)
    _ = try store.commit(batch([event(1, at: WallTime(seconds: 60)), event(2, at: old)], now: nil))
    #expect(try trimAll(store) == TrimReport(forAge: 0, forRoom: 0))
    _ = try store.commit(batch([event(3, at: now)], now: now))
    #expect(try trimAll(store) == TrimReport(forAge: 1, forRoom: 0))
    #expect(try store.events().map(\.sequence) == [1, 3])
  }

  @Test("A calendar that jumps ahead takes nothing, across restarts, until it has held for a day")
  func jumpAhead() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    let ahead = WallTime(seconds: now.seconds + 400 * day)
    _ = try store?.commit(batch((1...1000).map { event(UInt64($0), stream: .shake, at: now) }))
    _ = try store?.commit(batch([event(1001, at: ahead)], now: ahead))
    #expect(try trimAll(try #require(store)).forAge == 0)
    store = nil
    store = try shelf.open()
    _ = try store?.commit(batch([event(1002, at: ahead)], now: ahead))
    #expect(try trimAll(try #require(store)).forAge == 0)
    let later = WallTime(seconds: ahead.seconds + day)
    _ = try store?.commit(batch([event(1003, at: later)], now: later))
    #expect(try trimAll(try #require(store)).forAge == 1000)
  }

  @Test("A calendar that is ahead from the start takes nothing, and one that comes back is believed")
  func aheadAtStart() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open { $0.keepDays = 10 }
    let old = WallTime(seconds: now.seconds - 11 * day)
    let ahead = WallTime(seconds: now.seconds + 400 * day)
    _ = try store?.commit(batch((1...10).map { event(UInt64($0), at: old) } + [event(11, at: now)], now: now))
    store = nil
    store = try shelf.open { $0.keepDays = 10 }
    _ = try store?.commit(batch([event(12, at: ahead)], now: ahead))
    #expect(try trimAll(try #require(store)).forAge == 0)
    _ = try store?.commit(batch([event(13, at: now)], now: now))
    #expect(try trimAll(try #require(store)).forAge == 10)
  }

  @Test("A jump holds trust back by the monotonic time, and what comes slowly is no jump")
  func trust() {
    var trust = CalendarTrust()
    trust.take(1e9, atS: 100)
    trust.take(1e9 + 30 * day, atS: 100 + 30 * day)
    #expect(trust.jumpedS == nil)
    trust.take(1e9 + 32 * day, atS: 100 + 30 * day)
    #expect(trust.jumpedS == 1e9 + 32 * day)
    trust.take(1e9 + 32 * day - 60, atS: 100 + 30 * day)
    #expect(trust.jumpedS != nil, "set right a little")
    trust.take(1e9 + 32.9 * day, atS: 100 + 30.9 * day)
    #expect(trust.jumpedS != nil)
    trust.take(1e9 + 33 * day, atS: 100 + 31 * day)
    #expect(trust.jumpedS == nil)
    var started = CalendarTrust(newestS: 1e9)
    started.take(1e9 + 2 * day, atS: 7)
    #expect(started.jumpedS == 1e9 + 2 * day)
  }

  @Test("For room, what is routine goes first, the oldest first, and the file shrinks")
  func room() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open { $0.capMB = 64 }
    // 12 MB: every tenth is a shake; the last tenth is of the last day.
    for part in 0..<10 {
      let received = WallTime(seconds: now.seconds + (part == 9 ? 0 : -5 * day))
      let events = (1...1000).map { number -> EventRow in
        let stream: Telemetry.Stream = number % 10 == 0 ? .shake : .location
        return event(UInt64(part * 1000 + number), stream: stream, at: received, padding: 1000)
      }
      _ = try store?.commit(batch(events))
    }
    store?.close()
    let before = try shelf.bytes().count
    store = nil
    store = try shelf.open { $0.capMB = 4 }
    let open = try #require(store)
    let report = try trimAll(open)
    #expect(try open.sizeBytes() <= 4 << 20)
    #expect(try open.count() == 10_000 - report.forRoom)
    #expect(try open.count(.init(stream: .shake)) == 1000)
    let dropped = try open.dropped()
    #expect(dropped.map(\.reason) == ["room"] && dropped.first?.events == report.forRoom)
    // Of the locations the newest are left: all of the last day.
    let locations = try open.events(.init(stream: .location, limit: 100_000)).map(\.sequence)
    #expect(locations == Array(locations.min()!...10_000).filter { $0 % 10 != 0 })
    #expect(locations.count >= 900)
    open.close()
    #expect(before > 12 << 20)
    #expect(try shelf.bytes().count <= 4 << 20)
    #expect(try open.defects().isEmpty)
  }

  @Test("When only shakes are left, the oldest of them go")
  func shakesLast() throws {
    let shelf = try Shelf()
    let store = try shelf.open { $0.capMB = 1 }
    for part in 0..<3 {
      _ = try store.commit(
        batch((1...1000).map { event(UInt64(part * 1000 + $0), stream: .shake, at: now, padding: 1000) }))
    }
    let report = try trimAll(store)
    #expect(report.forRoom > 1000)
    #expect(try store.events(.init(limit: 1)).first?.sequence == UInt64(report.forRoom + 1))
    #expect(try store.commit(batch([event(1, stream: .shake)])).outcomes == [.duplicate])
  }

  @Test("A device that invents runs fills no disk")
  func manyBoots() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    for part in 0..<3 {
      let events = (0..<200).map { number -> EventRow in
        let boot = part * 200 + number
        return event(1, boot: UInt32(boot), at: WallTime(seconds: now.seconds + Double(boot)))
      }
      _ = try store.commit(batch(events))
    }
    let boots = try #require(try loaded(store).nodes.first).boots
    #expect(boots.map(\.boot) == (591..<600).map { BootID(UInt32($0)) })
    // The run of an event that was forgotten is still counted from the events.
    #expect(try store.commit(batch([event(1, boot: 0)])).outcomes == [.duplicate])
  }
}
