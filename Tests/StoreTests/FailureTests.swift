import Foundation
import Glibc
import Rig
import Telemetry
import Testing

@testable import Store

/// What the store says is wrong; nil: nothing.
func problem(_ body: () throws -> Void) -> StoreProblem? {
  do {
    try body()
    return nil
  } catch {
    return error as? StoreProblem
  }
}

@Suite("Databases that cannot be used")
struct FailureTests {
  @Test("A second process on the same file is refused, in one line with a remedy")
  func inUse() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    let refused = problem { _ = try shelf.open() }
    #expect(refused?.kind == .inUse && refused?.isFinal == true)
    #expect(
      refused?.description
        == "\(shelf.file): it is in use by process \(getpid()); "
        + "stop the other judder-fleet, or give this one another store.file"
    )
    #expect(try store.commit(batch([event(1)])).outcomes == [.stored])
  }

  @Test("A database of a newer version is refused and left as it is")
  func newer() throws {
    let shelf = try Shelf()
    try shelf.open().close()
    do {
      let connection = try Connection(shelf.file, .write, busyS: 1)
      try connection.execute("UPDATE meta SET value = 7 WHERE key = 'schema'; PRAGMA user_version = 7")
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let before = try shelf.bytes()
    let refused = problem { _ = try shelf.open() }
    #expect(refused?.kind == .newer && refused?.isFinal == true)
    #expect(refused?.description.contains("version 7") == true)
    #expect(try shelf.bytes() == before && shelf.corruptFiles.isEmpty)
  }

  @Test("Another program's database is refused and left as it is")
  func foreign() throws {
    let shelf = try Shelf()
    do {
      let connection = try Connection(shelf.file, .write, busyS: 1)
      try connection.execute("CREATE TABLE bookmarks (title); PRAGMA application_id = 0x47504B47")
    }
    let before = try shelf.bytes()
    let refused = problem { _ = try shelf.open() }
    #expect(refused?.kind == .foreign && refused?.isFinal == true)
    let expected =
      "\(shelf.file): it is an SQLite database of another program (its application_id is 0x47504B47); "
      + "give another file under store.file, or move this one away"
    #expect(refused?.description == expected)
    #expect(problem { _ = try HistoryStore.inspect(StoreSettings(file: shelf.file)) }?.description == expected)
    #expect(try shelf.bytes() == before)
  }

  @Test("A file that is no database is refused and left as it is")
  func noDatabase() throws {
    let shelf = try Shelf()
    let texts = ["hello\n", "[store]\nfile = \"fleet.db\"\n", String(repeating: "t,x,y,z\n", count: 4096)]
    for content in texts.map({ Array($0.utf8) }) + [[0x7F, 0x45, 0x4C, 0x46] + [UInt8](repeating: 0, count: 4092)] {
      shelf.clear()
      try shelf.write(content)
      let refused = problem { _ = try shelf.open() }
      #expect(refused?.kind == .foreign)
      #expect(refused?.description.contains("it is no SQLite database; give another file under store.file") == true)
      #expect(problem { _ = try HistoryStore.inspect(StoreSettings(file: shelf.file)) } == refused)
      #expect(try shelf.bytes() == content && shelf.corruptFiles.isEmpty)
    }
  }

  @Test("A database whose making was broken off is made")
  func halfMade() throws {
    let shelf = try Shelf()
    do {
      let connection = try Connection(shelf.file, .write, busyS: 1)
      try connection.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
    }
    #expect(try shelf.bytes().count > 0)
    let store = try shelf.open()
    #expect(try store.commit(batch([event(1)])).outcomes == [.stored])
    #expect(store.opening.rescue == nil && store.opening.migratedFrom == nil)
  }

  @Test("Without its folder it says which one is missing")
  func noFolder() throws {
    let shelf = try Shelf()
    let settings = StoreSettings(file: shelf.workplace.path("missing/fleet.db"))
    let refused = problem { _ = try HistoryStore(settings) }
    #expect(refused?.kind == .gone && refused?.isFinal == false)
    #expect(refused?.description.contains("there is no folder \(shelf.workplace.path("missing"))") == true)
    #expect(HistoryStore.trouble(settings) == refused)
    #expect(HistoryStore.trouble(StoreSettings(file: shelf.file)) == nil)
  }

  @Test("A file that is taken away while it is open acknowledges nothing any more")
  func takenAway() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    _ = try store.commit(batch([event(1)]))
    shelf.clear()
    #expect(problem { _ = try store.commit(batch([event(2)])) }?.kind == .gone)
  }

  @Test("A foreign process that holds the database is waited for, and no longer than told")
  func busy() throws {
    let shelf = try Shelf()
    let store = try shelf.open { $0.busyS = 0.2 }
    let other = try Connection(shelf.file, .write, busyS: 0)
    try other.execute("BEGIN IMMEDIATE")
    #expect(problem { _ = try store.commit(batch([event(1)])) }?.kind == .busy)
    try other.execute("ROLLBACK")
    #expect(try store.commit(batch([event(1)])).outcomes == [.stored])
    // A reader keeps nobody from writing.
    try other.execute("BEGIN; SELECT count(*) FROM events")
    #expect(try store.commit(batch([event(2)])).outcomes == [.stored])
  }

  @Test("A failed batch leaves no trace in memory either")
  func rolledBack() throws {
    let shelf = try Shelf()
    let store = try shelf.open()
    _ = try store.commit(batch([event(1)]))
    try store.database.execute(
      "CREATE TEMP TRIGGER fail BEFORE INSERT ON events WHEN new.seq = 4 BEGIN SELECT raise(ABORT, 'no'); END")
    #expect(problem { _ = try store.commit(batch([event(2), event(3), event(1, of: "van-1"), event(4)])) } != nil)
    try store.database.execute("DROP TRIGGER fail")
    #expect(try store.acknowledgement(node: node("pump-7"), boot: BootID(1))?.sequence == 1)
    let report = try store.commit(batch([event(3), event(1, of: "van-1")]))
    #expect(report.outcomes == [.stored, .stored])
    #expect(report.acknowledgements.first?.sequence == 1)
  }
}

@Suite("Versions of the schema")
struct MigrationTests {
  /// Version 1 as it was released, made without the program: it may never change.
  private func versionOne(_ shelf: Shelf) throws {
    let connection = try Connection(shelf.file, .write, busyS: 1)
    try connection.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL")
    try connection.execute(Self.schemaOne)
    try connection.execute(
      """
      INSERT INTO meta VALUES ('schema', 1), ('clean', 1);
      INSERT INTO nodes VALUES (1, 'pump-7');
      INSERT INTO events VALUES (1, 1, 1, 1, 'location', 1796011501, 'ntp', 1, 1796011501.2, 0, x'7b7d');
      INSERT INTO boots VALUES (1, 1, 1, 1, 1796011501.2, 1796011501.2, NULL, NULL, 0, 0, 0, 0, 0);
      INSERT INTO alerts VALUES ('shaken', 1, 'firing', 1796011501, 1796011502, 12.5, 3, 0.5, 1, 7, 2, 0, x'0102');
      PRAGMA user_version = 1; PRAGMA application_id = 0x4A554452;
      """)
  }

  private static let schemaOne = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE nodes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE events (id INTEGER PRIMARY KEY, node INTEGER NOT NULL, boot INTEGER NOT NULL, seq INTEGER NOT NULL,
      stream TEXT NOT NULL, t REAL, clk TEXT, up REAL, received_t REAL NOT NULL, is_late INTEGER NOT NULL,
      payload BLOB NOT NULL);
    CREATE UNIQUE INDEX events_once ON events (node, boot, seq);
    CREATE INDEX events_by_time ON events (ifnull(t, received_t));
    CREATE INDEX events_by_node_and_time ON events (node, ifnull(t, received_t));
    CREATE TABLE boots (node INTEGER NOT NULL, boot INTEGER NOT NULL, upto INTEGER NOT NULL, highest INTEGER NOT NULL,
      first_t REAL NOT NULL, last_t REAL NOT NULL, start_t REAL, clk TEXT, duplicates INTEGER NOT NULL,
      conflicts INTEGER NOT NULL, interleavings INTEGER NOT NULL, replays INTEGER NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (node, boot)) WITHOUT ROWID;
    CREATE TABLE coverage (node INTEGER NOT NULL, boot INTEGER NOT NULL, kind INTEGER NOT NULL,
      first INTEGER NOT NULL, last INTEGER NOT NULL, checksum INTEGER NOT NULL,
      PRIMARY KEY (node, boot, kind, first)) WITHOUT ROWID;
    CREATE TABLE latest (node INTEGER NOT NULL, stream TEXT NOT NULL, received_t REAL, payload BLOB NOT NULL,
      PRIMARY KEY (node, stream)) WITHOUT ROWID;
    CREATE TABLE alerts (rule TEXT NOT NULL, node INTEGER NOT NULL, phase TEXT NOT NULL, since_t REAL NOT NULL,
      changed_t REAL NOT NULL, left_s REAL, count INTEGER NOT NULL, value REAL, shake_boot INTEGER, shake_id INTEGER,
      telling INTEGER NOT NULL, is_told INTEGER NOT NULL, details BLOB NOT NULL,
      PRIMARY KEY (rule, node)) WITHOUT ROWID;
    CREATE TABLE evictions (id INTEGER PRIMARY KEY, node INTEGER NOT NULL, of_boot INTEGER NOT NULL,
      boot INTEGER NOT NULL, seq INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, runs TEXT NOT NULL,
      events INTEGER, reason TEXT NOT NULL, received_t REAL NOT NULL, UNIQUE (node, boot, seq));
    CREATE TABLE conflicts (id INTEGER PRIMARY KEY, node INTEGER NOT NULL, boot INTEGER NOT NULL,
      seq INTEGER NOT NULL, stream TEXT NOT NULL, received_t REAL NOT NULL, times INTEGER NOT NULL,
      payload BLOB NOT NULL, UNIQUE (node, boot, seq));
    CREATE TABLE dropped (stream TEXT NOT NULL, reason TEXT NOT NULL, events INTEGER NOT NULL,
      bytes INTEGER NOT NULL, PRIMARY KEY (stream, reason)) WITHOUT ROWID;
    """

  @Test("A database of version 1 is read and written")
  func fixture() throws {
    let shelf = try Shelf()
    try versionOne(shelf)
    let store = try shelf.open()
    #expect(store.opening.rescue == nil)
    #expect(try store.events().map(\.sequence) == [1])
    let alert = KeptAlert(
      AlertIdentity(rule: "shaken", subject: "pump-7"), phase: .firing, since: WallTime(seconds: 1_796_011_501),
      changed: WallTime(seconds: 1_796_011_502), leftS: 12.5, count: 3, value: 0.5, shakeBoot: BootID(1), shakeID: 7,
      telling: 2, details: [1, 2])
    #expect(try loaded(store).alerts == [alert], "what an alert is about is told by its name since version 3")
    #expect(try store.commit(batch([event(2)])).acknowledgements.first?.sequence == 2)
  }

  @Test("Later steps are done one by one, and what was there stays")
  func steps() throws {
    let shelf = try Shelf()
    try versionOne(shelf)
    let steps = Schema.steps + ["ALTER TABLE nodes ADD COLUMN site TEXT", "UPDATE nodes SET site = 'zurich'"]
    var store: HistoryStore? = try HistoryStore(
      StoreSettings(file: shelf.file), steps: steps, isCheckWanted: true)
    #expect(store?.opening.migratedFrom == 1)
    #expect(try store?.database.text("SELECT site FROM nodes") == "zurich")
    #expect(try store?.count() == 1)
    store = nil
    store = try HistoryStore(StoreSettings(file: shelf.file), steps: steps, isCheckWanted: true)
    #expect(store?.opening.migratedFrom == nil)
  }

  @Test("A step that fails leaves the version before it, whole")
  func failingStep() throws {
    let shelf = try Shelf()
    try versionOne(shelf)
    let steps =
      Schema.steps + ["ALTER TABLE nodes ADD COLUMN site TEXT", "DELETE FROM events; INSERT INTO nothing VALUES (1)"]
    #expect(throws: StoreProblem.self) {
      try HistoryStore(StoreSettings(file: shelf.file), steps: steps, isCheckWanted: true)
    }
    let connection = try Connection(shelf.file, .readOnly, busyS: 1)
    #expect(try connection.integer("SELECT value FROM meta WHERE key = 'schema'") == Int64(Schema.current + 1))
    #expect(try connection.integer("SELECT count(*) FROM events") == 1)
  }
}
