import Foundation
import Telemetry
import Testing

@testable import Store

@Suite("Decisions, silences and wishes")
struct AlertingTests {
  private let shaken = AlertIdentity(rule: "shaken", subject: "pump-7")

  private func decision(_ number: Int, at time: WallTime = now) -> AlertingChange {
    .decision(
      KeptDecision(
        at: time, shaken, alert: "a-\(number)", step: "fired", state: "firing", reason: "reason \(number)",
        details: [1, 2]))
  }

  private func batch(_ changes: [AlertingChange]) -> StoreBatch {
    var batch = StoreBatch(id: 1, now: now)
    batch.changes = changes
    return batch
  }

  @Test("What people asked for is there at the next start, and goes when it is forgotten")
  func load() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    let silence = KeptSilence(
      id: "s1", start: now, end: nil, author: "ann", comment: "works", matchers: #"{"rule":"shaken"}"#, made: now,
      ended: nil)
    var wish = KeptWish(
      id: "w1", node: node("pump-7"), command: "locate", made: now, expires: nil, author: "ann", state: "waiting",
      changed: now)
    _ = try store?.commit(batch([.silence(silence), .wish(wish)]))
    wish.state = "answered"
    wish.reply = [0x7B, 0x7D]
    _ = try store?.commit(batch([.wish(wish)]))
    store = nil
    store = try shelf.open()
    let kept = try loaded(try #require(store))
    #expect(kept.silences == [silence] && kept.wishes == [wish])
    _ = try store?.commit(batch([.forgetSilence("s1"), .forgetWish("w1"), .silence(silence)]))
    let left = try loaded(try #require(store))
    #expect(left.silences == [silence], "in the order in which it was decided")
    #expect(left.wishes.isEmpty)
  }

  @Test("The log of alerts is bounded: the oldest rows go, and are counted")
  func room() throws {
    let shelf = try Shelf()
    let store = try shelf.open { $0.maximumDecisions = 700 }
    _ = try store.commit(batch((1...2000).map { decision($0) }))
    while try !store.trim().isDone {}
    let alerts = try store.database.statement("SELECT alert FROM alert_log ORDER BY id").rows([]) { $0.text(0) }
    #expect(alerts == (1301...2000).map { "a-\($0)" })
    #expect(try store.dropped() == [.init(stream: "alert_log", reason: "room", events: 1300, bytes: 2600)])
  }

  @Test("A small database has a short log")
  func smallDatabase() throws {
    #expect(try Shelf().open { $0.capMB = 1 }.maximumDecisions == 256)
    #expect(try Shelf().open().maximumDecisions == 100_000)
  }

  @Test("What is over goes with its age; what holds stays")
  func age() throws {
    let shelf = try Shelf()
    let store = try shelf.open { $0.keepDays = 10 }
    let old = WallTime(seconds: now.seconds - 11 * day)
    func silence(_ id: String, end: WallTime?, ended: WallTime? = nil) -> AlertingChange {
      .silence(
        KeptSilence(
          id: id, start: nil, end: end, author: nil, comment: nil, matchers: "{}", made: old, ended: ended))
    }
    func wish(_ id: String, expires: WallTime?, changed: WallTime) -> AlertingChange {
      .wish(
        KeptWish(
          id: id, node: node("pump-7"), command: "locate", made: old, expires: expires, author: nil, state: "x",
          changed: changed))
    }
    let write = batch([
      decision(1, at: old), decision(2), silence("over", end: old), silence("ended", end: nil, ended: old),
      silence("endless", end: nil), silence("future", end: now), wish("gone", expires: old, changed: old),
      wish("kept", expires: now, changed: old),
    ])
    _ = try store.commit(write)
    while try !store.trim().isDone {}
    let kept = try loaded(store)
    #expect(Set(kept.silences.map(\.id)) == ["endless", "future"])
    #expect(kept.wishes.map(\.id) == ["kept"])
    #expect(try store.database.statement("SELECT alert FROM alert_log").rows([]) { $0.text(0) } == ["a-2"])
  }

  @Test("A damaged database's log of alerts and silences are taken over")
  func rescue() throws {
    let shelf = try Shelf()
    do {
      let store = try shelf.open()
      let silence = KeptSilence(
        id: "s1", start: nil, end: nil, author: nil, comment: nil, matchers: "{}", made: now)
      _ = try store.commit(batch([decision(1), decision(2), .silence(silence)]))
      store.close()
    }
    var bytes = try shelf.bytes()
    bytes[18] = 9
    try shelf.write(bytes)
    let store = try shelf.open()
    #expect(store.opening.rescue?.rows["alert_log"] == 2)
    #expect(try loaded(store).silences.map(\.id) == ["s1"])
  }
}
