import Foundation
import Rig
import Telemetry
import Testing

@testable import Store

@Suite("What reading takes")
struct QueryPlanTests {
  private func plan(_ query: HistoryStore.Query) throws -> [String] {
    let shelf = try Shelf()
    let store = try shelf.open()
    _ = try store.commit(batch([event(1)]))
    return try store.plan(query)
  }

  @Test("A node's events of a time, and all nodes' of a time, are found by their index")
  func plans() throws {
    let window = HistoryStore.Query(from: now, until: WallTime(seconds: now.seconds + 10))
    var one = window
    one.node = node("pump-7")
    for query in [one, window] {
      let search = try plan(query).first { $0.contains("events") }
      #expect(
        search?.hasPrefix("SEARCH events USING INDEX events_by_node_and_time (node=? AND <expr>>? AND <expr><?)")
          == true)
    }
  }
}

@Suite("What outlasts a restart, and what can be read")
struct KeptTests {
  private func latest(_ stream: Telemetry.Stream, _ text: String, received: WallTime? = now) -> LatestRow {
    LatestRow(node: node("pump-7"), stream: stream, received: received, payload: Array(text.utf8))
  }

  @Test("The newest message of each stream, runs and alerts are there at the next start")
  func load() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    var first = batch([event(1), event(3), event(1, boot: 2, at: WallTime(seconds: now.seconds + 100))])
    first.latest = [latest(.status, "old"), latest(.health, "h"), latest(.status, "new", received: nil)]
    let clock = ClockState(wallAtStart: WallTime(seconds: 5), quality: .ntp)
    first.boots = [BootNote(node: node("pump-7"), boot: BootID(2), clock: clock, interleavings: 2, replays: 1)]
    let identity = AlertIdentity(rule: "shaken", subject: "pump-7")
    let alert = KeptAlert(
      identity, phase: .firing, since: now, changed: now, leftS: 12.5, count: 3, value: 0.5, shakeBoot: BootID(2),
      shakeID: 7, telling: 4, details: [1, 2, 3])
    first.alerts = [alert]
    _ = try store?.commit(first)
    store = nil
    store = try shelf.open()
    let kept = try loaded(try #require(store))
    #expect(kept.alerts == [alert])
    let known = try #require(kept.nodes.first)
    #expect(known.name == node("pump-7"))
    #expect(known.latest == [latest(.health, "h"), latest(.status, "new", received: nil)])
    #expect(known.boots.map(\.boot) == [BootID(1), BootID(2)])
    #expect(known.boots[0].sequence == 1 && known.boots[0].also == [3...3] && known.boots[0].highest == 3)
    #expect(known.boots[1].clock == clock && known.boots[1].interleavings == 2 && known.boots[1].replays == 1)
  }

  @Test("An alert that was told stays told, a newer telling is not; a resolved one goes when it was told")
  func told() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let identity = AlertIdentity(rule: "shaken", subject: "pump-7")
    var alert = KeptAlert(identity, phase: .firing, since: now, changed: now, telling: 1)
    var write = StoreBatch(id: 1, now: now)
    write.alerts = [alert]
    _ = try store.commit(write)
    var told = StoreBatch(id: 2, now: now)
    told.told = [ToldAlert(identity, telling: 1)]
    _ = try store.commit(told)
    #expect(try loaded(store).alerts.map(\.isTold) == [true])
    alert.phase = .resolved
    alert.telling = 2
    write.alerts = [alert]
    _ = try store.commit(write)
    // The word on the first telling comes late.
    _ = try store.commit(told)
    #expect(try loaded(store).alerts.map(\.isTold) == [false])
    told.told = [ToldAlert(identity, telling: 2)]
    _ = try store.commit(told)
    #expect(try loaded(store).alerts.isEmpty)
  }

  @Test("A fleet comes in parts, each node once and in order")
  func parts() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    _ = try store.commit(batch((0..<700).map { event(1, of: "node-\($0)") }))
    var sizes: [Int] = []
    var names: [String] = []
    try store.load { part in
      sizes.append(part.nodes.count)
      names += part.nodes.map(\.name.description)
    }
    #expect(sizes == [256, 256, 188, 0])
    #expect(names == (0..<700).map { "node-\($0)" })
  }

  @Test("Events are found by node, stream and time, the oldest measured first")
  func queries() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    var unknown = event(1, of: "van-1")
    unknown.measured = nil
    unknown.received = WallTime(seconds: now.seconds + 3.5)
    _ = try store.commit(batch([event(5), event(2, stream: .shake), event(3), unknown, event(4, stream: .shake)]))
    #expect(try store.events().map(\.sequence) == [2, 3, 1, 4, 5])
    #expect(try store.events(.init(limit: 2)).map(\.sequence) == [2, 3])
    #expect(try store.events(.init(node: node("pump-7"))).map(\.sequence) == [2, 3, 4, 5])
    #expect(try store.events(.init(stream: .shake)).map(\.sequence) == [2, 4])
    let from = WallTime(seconds: now.seconds + 3)
    let until = WallTime(seconds: now.seconds + 5)
    #expect(try store.events(.init(from: from, until: until)).map(\.sequence) == [3, 1, 4])
    #expect(try store.count(.init(node: node("nobody"))) == 0)
    #expect(try store.events(.init(node: node("van-1"))) == [unknown])
  }

  @Test("The sqlite3 program reads it while it is written", .enabled(if: ChildProcess.find("sqlite3") != nil))
  func foreignReader() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    _ = try store.commit(batch([event(1)]))
    var last = 0
    for sequence in 2...6 {
      let reader = try ChildProcess(
        "sqlite3", [shelf.file, "SELECT count(*) FROM events"], name: "reader-\(sequence)", in: shelf.workplace.folder)
      _ = try store.commit(batch([event(UInt64(sequence))]))
      #expect(reader.wait(seconds: 10) == 0)
      let count = try #require(Int(reader.outputText().split(separator: "\n").first ?? ""))
      #expect(count >= last && count >= sequence - 1)
      last = count
    }
  }
}
