/// The database, version 3. `sqlite3 FILE .schema` shows it; it may be read while judder-fleet runs.
///
/// - `nodes`: a node. `id`, `name`.
/// - `events`: an event, in the order of receipt. `node`, `boot` and `seq` are its identity; `stream`; `t`: when it was
///   measured [s since 1970], NULL when nothing vouches for it; `clk`, `up` [s] as in the message; `received_t` [s],
///   `is_late`, `payload` as it came.
/// - `boots`: a run of a node. `upto`: all of 1 to this are stored or were given up; `highest`; when its first and its
///   last event came; its best clock; counts; `dropped`: how many of its events retention took (version 2; NULL until
///   the first start with it has counted them).
/// - `coverage`: what is known of a run beside `upto`, from `first` to `last`. `kind` 0: stored, above `upto`; 1: given
///   up by the node, or lost with damaged pages; 2: numbers among these were given up, which is not known any more.
/// - `latest`: the newest message of a stream of a node. `received_t`: NULL when the broker had kept it.
/// - `alerts`: an alert that is not over, or not told; see `KeptAlert`. `subject`: a node's name, `@` and a site, or
///   `@fleet` (since version 3; until then the number of a node).
/// - `alert_log`: every step in the life of an alert; see `KeptDecision`. `silences`, `wishes`: see `KeptSilence`,
///   `KeptWish`. All since version 3.
/// - `evictions`: a node's word on what it gave up: of which run, from where to where, which exactly, how many, why.
/// - `conflicts`: an event under the number of another: the first such, and how many came.
/// - `dropped`: what retention took: events and bytes by stream and reason; and with the reason `damaged`, and no
///   stream, what was lost with damaged pages.
/// - `meta`: a fact: `key`, `value`.
///
/// `events` is in the order of receipt, so that what comes is written to the end of the table, and what is oldest is
/// taken from its start without an index. Its other indexes are for finding a duplicate, and for reading by node and
/// time; what all nodes did in a time is read node by node, which costs less than an index that each event has to be
/// put into. A row that goes for its age or for room leaves its number in `boots` and `coverage`, so that an old
/// duplicate is still known. `checksum` guards `upto`, `highest` and `dropped`, and each row of `coverage`: SQLite does
/// not notice a flipped bit in a number, and a number too high there would acknowledge what never came. Where it does
/// not fit, the events themselves are counted.
enum Schema {
  /// "JUDR": PRAGMA application_id, which file(1) shows.
  static let application: Int32 = 0x4A55_4452
  /// As the header of a database has it.
  static let applicationBytes = Array("JUDR".utf8)

  /// Step n makes version n of version n - 1. A step that was released is never changed.
  static let steps: [String] = [version1, version2, version3]

  static var current: Int { steps.count }

  private static let version1 = """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE nodes (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE events (
      id INTEGER PRIMARY KEY, node INTEGER NOT NULL, boot INTEGER NOT NULL, seq INTEGER NOT NULL,
      stream TEXT NOT NULL, t REAL, clk TEXT, up REAL, received_t REAL NOT NULL, is_late INTEGER NOT NULL,
      payload BLOB NOT NULL);
    CREATE UNIQUE INDEX events_once ON events (node, boot, seq);
    CREATE INDEX events_by_time ON events (ifnull(t, received_t));
    CREATE INDEX events_by_node_and_time ON events (node, ifnull(t, received_t));
    CREATE TABLE boots (
      node INTEGER NOT NULL, boot INTEGER NOT NULL, upto INTEGER NOT NULL, highest INTEGER NOT NULL,
      first_t REAL NOT NULL, last_t REAL NOT NULL, start_t REAL, clk TEXT,
      duplicates INTEGER NOT NULL, conflicts INTEGER NOT NULL, interleavings INTEGER NOT NULL,
      replays INTEGER NOT NULL, checksum INTEGER NOT NULL,
      PRIMARY KEY (node, boot)) WITHOUT ROWID;
    CREATE TABLE coverage (
      node INTEGER NOT NULL, boot INTEGER NOT NULL, kind INTEGER NOT NULL, first INTEGER NOT NULL,
      last INTEGER NOT NULL, checksum INTEGER NOT NULL,
      PRIMARY KEY (node, boot, kind, first)) WITHOUT ROWID;
    CREATE TABLE latest (
      node INTEGER NOT NULL, stream TEXT NOT NULL, received_t REAL, payload BLOB NOT NULL,
      PRIMARY KEY (node, stream)) WITHOUT ROWID;
    CREATE TABLE alerts (
      rule TEXT NOT NULL, node INTEGER NOT NULL, phase TEXT NOT NULL, since_t REAL NOT NULL,
      changed_t REAL NOT NULL, left_s REAL, count INTEGER NOT NULL, value REAL, shake_boot INTEGER,
      shake_id INTEGER, telling INTEGER NOT NULL, is_told INTEGER NOT NULL, details BLOB NOT NULL,
      PRIMARY KEY (rule, node)) WITHOUT ROWID;
    CREATE TABLE evictions (
      id INTEGER PRIMARY KEY, node INTEGER NOT NULL, of_boot INTEGER NOT NULL, boot INTEGER NOT NULL,
      seq INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, runs TEXT NOT NULL, events INTEGER,
      reason TEXT NOT NULL, received_t REAL NOT NULL, UNIQUE (node, boot, seq));
    CREATE TABLE conflicts (
      id INTEGER PRIMARY KEY, node INTEGER NOT NULL, boot INTEGER NOT NULL, seq INTEGER NOT NULL,
      stream TEXT NOT NULL, received_t REAL NOT NULL, times INTEGER NOT NULL, payload BLOB NOT NULL,
      UNIQUE (node, boot, seq));
    CREATE TABLE dropped (
      stream TEXT NOT NULL, reason TEXT NOT NULL, events INTEGER NOT NULL, bytes INTEGER NOT NULL,
      PRIMARY KEY (stream, reason)) WITHOUT ROWID;
    """

  private static let version2 = """
    ALTER TABLE boots ADD COLUMN dropped INTEGER;
    DROP INDEX events_by_time;
    """

  private static let version3 = """
    ALTER TABLE alerts RENAME TO alerts_of_nodes;
    CREATE TABLE alerts (
      rule TEXT NOT NULL, subject TEXT NOT NULL, phase TEXT NOT NULL, since_t REAL NOT NULL,
      changed_t REAL NOT NULL, left_s REAL, count INTEGER NOT NULL, value REAL, shake_boot INTEGER,
      shake_id INTEGER, telling INTEGER NOT NULL, is_told INTEGER NOT NULL, details BLOB NOT NULL,
      PRIMARY KEY (rule, subject)) WITHOUT ROWID;
    INSERT INTO alerts
      SELECT rule, name, phase, since_t, changed_t, left_s, count, value, shake_boot, shake_id, telling, is_told,
      details FROM alerts_of_nodes JOIN nodes ON nodes.id = alerts_of_nodes.node;
    DROP TABLE alerts_of_nodes;
    CREATE TABLE alert_log (
      id INTEGER PRIMARY KEY, t REAL NOT NULL, rule TEXT NOT NULL, subject TEXT NOT NULL, alert TEXT,
      step TEXT NOT NULL, state TEXT, reason TEXT NOT NULL, details BLOB);
    CREATE INDEX alert_log_by_alert ON alert_log (rule, subject, id);
    CREATE TABLE silences (
      id TEXT PRIMARY KEY, start_t REAL, end_t REAL, author TEXT, comment TEXT, matchers TEXT, made_t REAL,
      ended_t REAL) WITHOUT ROWID;
    CREATE TABLE wishes (
      id TEXT PRIMARY KEY, node TEXT, command TEXT, made_t REAL, expires_t REAL, author TEXT, state TEXT,
      changed_t REAL, reply BLOB) WITHOUT ROWID;
    """

  /// Brings an open database to the last of `steps`, each in a transaction of its own. Answers the version it had;
  /// 0: it was empty.
  static func migrate(_ connection: Connection, _ steps: [String]) throws(SQLiteFailure) -> Int {
    let found = try version(connection)
    for (index, step) in steps.enumerated().dropFirst(found) {
      let number = index + 1
      try connection.transaction { () throws(SQLiteFailure) in
        try connection.execute(step)
        try connection.run("INSERT OR REPLACE INTO meta VALUES ('schema', ?)", .integer(Int64(number)))
        try connection.execute("PRAGMA user_version = \(number); PRAGMA application_id = \(application)")
      }
    }
    return found
  }

  /// The version of a database; 0: it is empty. The number in its table counts rather than the one in the header, which
  /// is easily damaged.
  static func version(_ connection: Connection) throws(SQLiteFailure) -> Int {
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'") ?? 0
    guard tables > 0 else { return 0 }
    let kept = try connection.integer("SELECT value FROM meta WHERE key = 'schema'")
    return Int(kept ?? 0)
  }

  /// Whether every table and index of `steps` is there as it was made. SQLite does not notice when a bit of their text
  /// was flipped; what somebody has added does no harm.
  static func isSound(_ connection: Connection, _ steps: [String]) throws(SQLiteFailure) -> Bool {
    let reference = try Connection(":memory:", .write, busyS: 0)
    _ = try migrate(reference, steps)
    return try texts(of: reference).isSubset(of: texts(of: connection))
  }

  /// Without white space, which is free.
  private static func texts(of connection: Connection) throws(SQLiteFailure) -> Set<String> {
    let sql = "SELECT type || ' ' || name || ' ' || tbl_name || ' ' || ifnull(sql, '') FROM sqlite_schema"
    return Set(try connection.statement(sql).rows([]) { $0.text(0)?.filter { !$0.isWhitespace } })
  }
}
