import Foundation
import Rig
import Telemetry
import Testing

@testable import Store

@Suite("Reading beside the writer")
struct ReaderTests {
  private func filled(_ shelf: Shelf) throws -> HistoryStore {
    let store = try shelf.open()
    var unknown = event(1, of: "van-1")
    unknown.measured = nil
    unknown.received = WallTime(seconds: now.seconds + 3.5)
    var late = event(3)
    late.isLate = true
    _ = try store.commit(batch([event(5), event(2, stream: .shake), late, unknown, event(4, stream: .shake)]))
    return store
  }

  private func numbers(_ reader: HistoryReader, _ query: HistoryReader.Query) throws -> [UInt64] {
    try reader.events(query).rest().map(\.sequence)
  }

  @Test("Events come in the order asked for, by node, stream, time and lateness, while the store is open")
  func events() throws {
    let shelf = try Shelf()
    let store = try filled(shelf)
    let reader = try HistoryReader(shelf.file)
    #expect(reader.isWritten)
    #expect(try numbers(reader, .init()) == [2, 3, 1, 4, 5])
    #expect(try numbers(reader, .init(order: .newestFirst)) == [5, 4, 1, 3, 2])
    #expect(try numbers(reader, .init(limit: 2, order: .newestFirst)) == [5, 4])
    #expect(try numbers(reader, .init(order: .received)) == [5, 2, 3, 1, 4])
    #expect(try numbers(reader, .init(nodes: [node("pump-7")], order: .received)) == [5, 2, 3, 4])
    #expect(try numbers(reader, .init(nodes: [node("van-1"), node("nobody")])) == [1])
    #expect(try numbers(reader, .init(nodes: [])) == [])
    #expect(try numbers(reader, .init(streams: [.shake])) == [2, 4])
    #expect(try numbers(reader, .init(isLate: true)) == [3])
    let from = WallTime(seconds: now.seconds + 3)
    let until = WallTime(seconds: now.seconds + 5)
    #expect(try numbers(reader, .init(from: from, until: until)) == [3, 1, 4])
    _ = try store.commit(batch([event(6)]))
    #expect(try numbers(reader, .init(limit: 1, order: .newestFirst)) == [6], "what came meanwhile is there")
    #expect(try reader.nodeNames() == [node("pump-7"), node("van-1")])
    #expect(try reader.node(node("pump-7"))?.boots.first?.highest == 6)
    #expect(try reader.node(node("nobody")) == nil)
    #expect(try reader.lastReceived() == WallTime(seconds: now.seconds + 6.2))
    #expect(try reader.counts(of: node("pump-7")).byStream.map(\.events) == [3, 2])
  }

  @Test("Pages join without a gap and without anything twice, also where times are the same")
  func pages() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    var events = (1...1500).map { event(UInt64($0), of: "node-\($0 % 7)") }
    for place in events.indices { events[place].measured = WallTime(seconds: now.seconds + Double(place / 100)) }
    _ = try store.commit(batch(events))
    let reader = try HistoryReader(shelf.file)
    for order in [HistoryReader.Query.Order.oldestFirst, .newestFirst, .received] {
      let found = try numbers(reader, .init(order: order))
      #expect(found == (order == .newestFirst ? (1...1500).reversed() : Array(1...1500)))
    }
  }

  @Test("A reader that pauses keeps nobody's log from being cut")
  func pause() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    _ = try store.commit(batch((1...1000).map { event($0) }))
    let reader = try HistoryReader(shelf.file)
    let cursor = reader.events()
    _ = try cursor.next()
    _ = try store.commit(batch([event(2000)]))
    #expect(store.cutLog())
    #expect(try cursor.rest().count == 999, "numbers were looked for before it came")
  }

  @Test("The log of alerts is read by rule, subject and time, in both directions")
  func decisions() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let one = AlertIdentity(rule: "shaken", subject: "pump-7")
    let other = AlertIdentity(rule: "shaken", subject: "@fleet")
    var write = batch([])
    write.changes = (0..<500).map { number in
      let time = WallTime(seconds: now.seconds + Double(number))
      return .decision(
        KeptDecision(at: time, number % 2 == 0 ? one : other, step: "step-\(number)", reason: "because"))
    }
    _ = try store.commit(write)
    let reader = try HistoryReader(shelf.file)
    func steps(_ query: HistoryReader.DecisionQuery) throws -> [String] {
      try reader.decisions(query).rest().map(\.step)
    }
    #expect(try steps(.init()) == (0..<500).map { "step-\($0)" })
    #expect(try steps(.init(isNewestFirst: true)) == (0..<500).reversed().map { "step-\($0)" })
    #expect(try steps(.init(rule: "shaken", subject: "@fleet")).count == 250)
    let from = WallTime(seconds: now.seconds + 498)
    #expect(try steps(.init(rule: "shaken", subject: "pump-7", from: from)) == ["step-498"])
  }

  @Test("What cannot be read is one line that says what to do")
  func problems() throws {
    let shelf = try Shelf()
    func problem() -> StoreProblem? {
      do throws(StoreProblem) {
        _ = try HistoryReader(shelf.file)
        return nil
      } catch {
        return error
      }
    }
    #expect(problem()?.kind == .gone)
    #expect(!FileManager.default.fileExists(atPath: shelf.file), "reading makes nothing")
    try shelf.write(Array("hello, this is a text and no database at all".utf8))
    #expect(problem()?.kind == .foreign)
    shelf.clear()
    try filled(shelf).close()
    let sound = try shelf.bytes()
    #expect(problem() == nil)
    for (version, kind) in [(2, StoreProblem.Kind.older), (9, .newer)] {
      let connection = try Connection(shelf.file, .write, busyS: 1)
      try connection.execute(
        "UPDATE meta SET value = \(version) WHERE key = 'schema'; PRAGMA user_version = \(version)")
      #expect(problem()?.kind == kind)
      #expect(problem()?.description.contains("version \(version)") == true)
    }
    shelf.clear()
    var bytes = sound
    bytes[18] = 9
    try shelf.write(bytes)
    #expect(problem()?.kind == .corrupt)
    #expect(try shelf.bytes() == bytes && shelf.corruptFiles.isEmpty, "reading changes nothing")
  }
}
