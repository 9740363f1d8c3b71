import Foundation
import Glibc
import Rig
import Telemetry
import Testing

@testable import Store

/// What goes with damaged pages had been acknowledged: it is counted and told, and not taken for stored any more.
@Suite("Events lost with damaged pages")
struct LossTests {
  /// One whose payload is the only one of its kind.
  private func sampleEvent(_ sequence: UInt64, of name: String) -> EventRow {
    event(sequence, of: name, text: "\(name), \(sequence): " + String(repeating: "x", count: 150))
  }

  /// A database of 400 events of 4 nodes, closed.
  private func sample(_ change: (inout StoreSettings) -> Void = { _ in }, isTrimmed: Bool = false) throws -> Shelf {
    let shelf = try Shelf()
    let store = try shelf.open(change)
    for part in 0..<4 {
      let events = (0..<100).map { sampleEvent(UInt64(part * 25 + $0 / 4 + 1), of: "node-\($0 % 4)") }
      _ = try store.commit(batch(events, now: WallTime(seconds: now.seconds + 10_000)))
    }
    if isTrimmed { while try !store.trim().isDone {} }
    store.close()
    return shelf
  }

  /// Overwrites the pages that have the events with these ids. Answers how many events they have.
  @discardableResult
  private func damage(_ shelf: Shelf, _ ids: ClosedRange<Int>) throws -> Int {
    var bytes = try shelf.bytes()
    let pageBytes = Int(bytes[16]) << 8 | Int(bytes[17])
    let connection = try Connection(shelf.file, .readOnly, busyS: 1)
    let near: [SQLiteValue] = [.integer(Int64(ids.lowerBound - 50)), .integer(Int64(ids.upperBound + 50))]
    let payloads = try connection.statement("SELECT id, payload FROM events WHERE id BETWEEN ? AND ?").rows(near) {
      ($0.integer(0), $0.blob(1))
    }
    let pages = payloads.map { id, payload in
      (id: Int(id), page: Data(bytes).range(of: Data(payload))!.lowerBound / pageBytes)
    }
    let lost = Set(pages.filter { ids.contains($0.id) }.map(\.page))
    for page in lost {
      for index in (page * pageBytes)..<((page + 1) * pageBytes) { bytes[index] = 0xA5 }
    }
    try shelf.write(bytes)
    return pages.count { lost.contains($0.page) }
  }

  private func highest(_ store: HistoryStore, _ name: String) throws -> UInt64? {
    try store.acknowledgement(node: node(name), boot: BootID(1))?.sequence
  }

  @Test("They are counted, told, and taken when they come again; the others stay acknowledged")
  func counted() throws {
    let shelf = try sample()
    let lost = try damage(shelf, 200...201)
    var store: HistoryStore? = try shelf.open()
    let rescue = try #require(store?.opening.rescue)
    #expect(rescue.lostEvents == lost && rescue.lostNodes == 4 && lost > 4)
    #expect(rescue.text.contains("; at least \(lost) events of 4 nodes could not be rescued"), "\(rescue.text)")
    #expect(try store?.count() == 400 - lost)
    let dropped = try #require(try store?.dropped())
    #expect(dropped == [.init(stream: "", reason: "damaged", events: lost, bytes: 0)])
    for number in 0..<4 {
      #expect(try highest(try #require(store), "node-\(number)") == 100)
      #expect(try store?.gaps(node: node("node-\(number)"), boot: BootID(1)) == [])
    }
    let again = (1...100).map { sampleEvent(UInt64($0), of: "node-1") }
    let report = try #require(try store?.commit(batch(again)))
    #expect(report.count(.stored) >= lost / 4 && report.count(.conflict) == 0)
    #expect(try store?.count(.init(node: node("node-1"))) == 100)
    // Counted once.
    store = nil
    #expect(try shelf.open().opening.rescue == nil)
    #expect(try HistoryStore.inspect(StoreSettings(file: shelf.file)).lostEvents == lost)
  }

  @Test("Those that came last are no longer acknowledged: their nodes may still have them")
  func newest() throws {
    let shelf = try sample()
    let lost = try damage(shelf, 399...400)
    let store = try shelf.open()
    #expect(store.opening.rescue?.lostEvents == lost)
    let settled = try #require(try highest(store, "node-3"))
    #expect(settled < 100 && settled >= 100 - UInt64(lost) / 4 - 1)
    #expect(try store.gaps(node: node("node-3"), boot: BootID(1)) == [settled + 1...100])
    let report = try store.commit(batch((settled + 1...100).map { sampleEvent($0, of: "node-3") }))
    #expect(report.count(.stored) == Int(100 - settled))
    #expect(report.acknowledgements.first?.sequence == 100)
  }

  @Test("What retention took is not among them")
  func retention() throws {
    // Those measured first are too old by then.
    let shelf = try sample({ $0.keepDays = 9_950 / 86_400 }, isTrimmed: true)
    let connection = try Connection(shelf.file, .readOnly, busyS: 1)
    let left = Int(try #require(try connection.integer("SELECT count(*) FROM events")))
    #expect(left > 100 && left < 300)
    let lost = try damage(shelf, 350...351)
    let store = try shelf.open()
    #expect(store.opening.rescue?.lostEvents == lost)
    #expect(try store.count() == left - lost)
    // An old duplicate of what retention took is still known.
    #expect(try store.commit(batch([sampleEvent(1, of: "node-2")])).outcomes == [.duplicate])
  }

  @Test("A crash before they were counted costs nothing: they are counted at the next start")
  func crash() throws {
    let shelf = try sample()
    let lost = try damage(shelf, 200...201)
    _ = try Opener(StoreSettings(file: shelf.file), Schema.steps, isCheckWanted: true).open()
    let store = try shelf.open()
    #expect(store.opening.rescue?.lostEvents == lost)
    #expect(store.opening.rescue?.file == shelf.workplace.path(try #require(shelf.corruptFiles.last)))
  }

  private func mode(_ file: String) -> mode_t {
    var status = stat()
    return stat(file, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test("What is set aside is read by nobody who could not read it before")
  func narrow() throws {
    let shelf = try sample()
    try damage(shelf, 200...201)
    chmod(shelf.file, 0o600)
    #expect(mode(try #require(try shelf.open().opening.rescue).file) == 0o600)
  }

  @Test(
    "What is kept of it is read by its owner and the group alone, and by the command that is advised",
    .enabled(if: ChildProcess.find("sqlite3") != nil, "needs the program sqlite3"))
  func setAside() throws {
    let shelf = try sample()
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let umask = try #require(status.firstMatch(of: #/Umask:\s*(\d+)/#).flatMap { mode_t($0.1, radix: 8) })
    let made = 0o640 & ~umask
    #expect(mode(shelf.file) == made)
    try damage(shelf, 200...201)
    chmod(shelf.file, 0o644)
    let store = try shelf.open { $0.salvageS = 0 }
    let rescue = try #require(store.opening.rescue)
    #expect(!rescue.isWhole)
    #expect(mode(rescue.file) == 0o640 && mode(shelf.file) == made && mode(shelf.file + "-wal") == made)
    let words = try #require(rescue.text.split(separator: "`").dropFirst().first).split(separator: " ").map(String.init)
    let dump = try ChildProcess(words[0], Array(words.dropFirst()), name: "dump", in: shelf.workplace.folder)
    #expect(dump.wait(seconds: 10) != nil)
    let rows = dump.outputText().split(separator: "\n").count { $0.hasPrefix("INSERT INTO events VALUES") }
    #expect(rows > 300, "\(rescue.text)")
  }

  @Test("One of version 1 is rescued into the newest version")
  func oldVersion() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try HistoryStore(
      StoreSettings(file: shelf.file), steps: Schema.steps, isCheckWanted: true)
    _ = try store?.commit(batch((1...50).map { event($0) }))
    store?.close()
    store = nil
    try makeOld(shelf)
    do {
      let connection = try Connection(shelf.file, .write, busyS: 1)
      try connection.execute(
        """
        INSERT INTO alerts VALUES ('tipped', 1, 'firing', 5, 6, NULL, 1, NULL, NULL, NULL, 1, 0, x'7b7d');
        INSERT INTO alerts VALUES ('tipped', 9, 'firing', 5, 6, NULL, 1, NULL, NULL, NULL, 1, 0, x'7b7d');
        PRAGMA wal_checkpoint(TRUNCATE)
        """)
    }
    var bytes = try shelf.bytes()
    bytes[18] = 9
    try shelf.write(bytes)
    store = try shelf.open()
    #expect(store?.opening.rescue?.rows["boots"] == 1 && store?.opening.rescue?.lostEvents == 0)
    #expect(store?.opening.rescue?.holes == 0, "what version 1 does not have is no damage")
    let kept = try loaded(try #require(store)).alerts
    #expect(kept.map(\.identity) == [AlertIdentity(rule: "tipped", subject: "pump-7")])
    #expect(try highest(try #require(store), "pump-7") == 50)
  }

  /// Makes a database one of version 1.
  private func makeOld(_ shelf: Shelf) throws {
    let connection = try Connection(shelf.file, .write, busyS: 1)
    let rows = try connection.statement("SELECT node, boot, upto, highest FROM boots").rows([]) {
      (HistoryStore.key($0, 0), $0.number(2), $0.number(3))
    }
    for (key, upto, highest) in rows {
      let old = BootRow.checksum(key, upto: upto, highest: highest, dropped: nil)
      try connection.run(
        "UPDATE boots SET checksum = ? WHERE node = ? AND boot = ?", .integer(old), .integer(key.node),
        .integer(Int64(key.boot)))
    }
    try connection.execute(
      """
      DROP TABLE alert_log; DROP TABLE silences; DROP TABLE wishes;
      DROP TABLE alerts; CREATE TABLE alerts (
        rule TEXT NOT NULL, node INTEGER NOT NULL, phase TEXT NOT NULL, since_t REAL NOT NULL,
        changed_t REAL NOT NULL, left_s REAL, count INTEGER NOT NULL, value REAL, shake_boot INTEGER,
        shake_id INTEGER, telling INTEGER NOT NULL, is_told INTEGER NOT NULL, details BLOB NOT NULL,
        PRIMARY KEY (rule, node)) WITHOUT ROWID;
      ALTER TABLE boots DROP COLUMN dropped; CREATE INDEX events_by_time ON events (ifnull(t, received_t));
      UPDATE meta SET value = 1 WHERE key = 'schema'; PRAGMA user_version = 1; PRAGMA wal_checkpoint(TRUNCATE)
      """)
  }

  @Test("What retention took before version 2 is not among them")
  func oldRetention() throws {
    let shelf = try sample({ $0.keepDays = 9_950 / 86_400 }, isTrimmed: true)
    try makeOld(shelf)
    var store: HistoryStore? = try shelf.open()
    #expect(store?.opening.migratedFrom == 1 && store?.opening.rescue == nil)
    #expect(try store?.database.integer("SELECT sum(dropped) FROM boots") == Int64(400 - (try store?.count() ?? 0)))
    #expect(try store?.acknowledgement(node: node("node-1"), boot: BootID(1))?.sequence == 100)
    store?.close()
    store = nil
    let lost = try damage(shelf, 350...351)
    #expect(try shelf.open().opening.rescue?.lostEvents == lost)
  }

  @Test("A damaged one of version 1 tells no losses that retention may have been", arguments: [false, true])
  func oldDamage(isTrimmed: Bool) throws {
    let shelf = try sample({ if isTrimmed { $0.keepDays = 9_950 / 86_400 } }, isTrimmed: isTrimmed)
    try makeOld(shelf)
    let lost = try damage(shelf, 350...351)
    #expect(try shelf.open().opening.rescue?.lostEvents == (isTrimmed ? 0 : lost))
  }

  @Test("A flipped bit in what retention took of a run hides nothing, and ends nothing", arguments: [-1, 1 << 62, 64])
  func flippedCount(dropped: Int) throws {
    let shelf = try sample()
    do {
      let connection = try Connection(shelf.file, .write, busyS: 1)
      try connection.execute("UPDATE boots SET dropped = \(dropped); INSERT INTO meta VALUES ('rescued', 1)")
    }
    let store = try shelf.open()
    #expect(store.opening.rescue?.lostEvents == 0)
    #expect(try highest(store, "node-2") == 100)
  }

  @Test("Where not every number was remembered, the newest are no longer acknowledged either")
  func forgotten() throws {
    let shelf = try Shelf()
    var store: HistoryStore? = try shelf.open()
    var number: UInt64 = 1
    for part in 0..<9 as Range<UInt64> {
      var both = batch((0..<500).map { sampleEvent(number + 2 * $0, of: "pump-7") })
      both.evictions = [evicted((0..<500).map { number + 2 * $0 + 1...number + 2 * $0 + 1 }, sequence: 100_000 + part)]
      number += 1000
      _ = try store?.commit(both)
    }
    _ = try store?.commit(batch((0..<100).map { sampleEvent(number + $0, of: "pump-7") }))
    #expect(try highest(try #require(store), "pump-7") == 9100)
    #expect(try store?.database.integer("SELECT count(*) FROM coverage WHERE kind = 2") == 1)
    store?.close()
    store = nil
    let lost = UInt64(try damage(shelf, 4599...4600))
    let rescued = try shelf.open()
    #expect(rescued.opening.rescue?.lostEvents == Int(lost))
    #expect(try highest(rescued, "pump-7") == 9100 - lost)
    let report = try rescued.commit(batch([sampleEvent(9100, of: "pump-7")]))
    #expect(report.outcomes == [.stored])
  }
}
