internal import CSQLite
internal import Glibc
internal import Telemetry

/// Opens the database: checks it, brings it to the newest schema, and sets it aside when it is damaged.
struct Opener {
  let settings: StoreSettings
  let steps: [String]
  let isCheckWanted: Bool
  private let startS = monotonicS()

  init(_ settings: StoreSettings, _ steps: [String], isCheckWanted: Bool) {
    self.settings = settings
    self.steps = steps
    self.isCheckWanted = isCheckWanted
  }

  var file: String { settings.file }

  func checkFolder() throws(StoreProblem) {
    let folder = folder(of: file)
    guard let found = FileIdentity(folder), found.isFolder else {
      throw StoreProblem(.gone, file: file, "there is no folder \(folder)")
    }
    if FileIdentity(file)?.isFolder == true { throw StoreProblem(.foreign, file: file, "it is a folder") }
  }

  func open() throws(StoreProblem) -> (Connection, OpeningReport) {
    do throws(SQLiteFailure) {
      return try openKept()
    } catch {
      guard error.isCorruption else { throw error.problem(file) }
      return try rescue(error.message)
    }
  }

  private func openKept() throws(SQLiteFailure) -> (Connection, OpeningReport) {
    let size = FileIdentity(file)?.sizeBytes ?? 0
    let logSize = FileIdentity(file + "-wal")?.sizeBytes ?? 0
    guard size > 0 else {
      if let rescued = try openRescued() { return rescued }
      guard logSize == 0 else { throw corrupt("it is empty, and its log is not") }
      return (
        try make(file), OpeningReport(check: .new, isCheckWhole: true, migratedFrom: nil, rescue: nil, tookS: tookS)
      )
    }
    try checkHeader()
    let connection = try Connection(file, .write, busyS: settings.busyS)
    let version = try checkVersion(connection)
    // One whose making was broken off has no tables yet.
    let isClean = version == 0 ? false : try connection.integer("SELECT value FROM meta WHERE key = 'clean'") == 1
    let isWhole = try checkPages(connection, isFull: !isClean)
    try prepare(connection)
    if version > 0, try !Schema.isSound(connection, Array(steps.prefix(version))) {
      throw corrupt("the text of its schema is damaged")
    }
    _ = try Schema.migrate(connection, steps)
    try connection.run("INSERT OR REPLACE INTO meta VALUES ('clean', 0)")
    return (
      connection,
      OpeningReport(
        check: isClean ? .quick : .full, isCheckWhole: isWhole,
        migratedFrom: (1..<steps.count).contains(version) ? version : nil,
        rescue: nil, tookS: tookS)
    )
  }

  var tookS: Double { monotonicS() - startS }

  func corrupt(_ message: String) -> SQLiteFailure { SQLiteFailure(code: SQLITE_CORRUPT, message: message) }

  /// Of a new database. An event of one of many nodes changes a page of each index for itself: small pages spare the
  /// disk. At 4096 a single event costs 1.5 times as much. Still smaller ones hold but two events.
  static let pageBytes = 2048

  /// A new database.
  func make(_ path: String) throws(SQLiteFailure) -> Connection {
    // SQLite would let everybody read it. Its log and its index of that get the same mode.
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, FileLock.mode)
    if descriptor >= 0 { close(descriptor) }
    let connection = try Connection(path, .write, busyS: settings.busyS)
    try connection.execute(
      "PRAGMA page_size = \(Self.pageBytes); PRAGMA auto_vacuum = INCREMENTAL; PRAGMA encoding = 'UTF-8'")
    try prepare(connection)
    _ = try Schema.migrate(connection, steps)
    try connection.run("INSERT OR REPLACE INTO meta VALUES ('clean', 0)")
    try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    synchronizeFolder(of: file)
    return connection
  }

  /// How it is written. Room that was freed need not be overwritten, which Debian's library would do.
  func prepare(_ connection: Connection) throws(SQLiteFailure) {
    guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
      throw SQLiteFailure(
        code: SQLITE_IOERR, message: "it cannot have a write-ahead log: its file system lacks mmap(2)")
    }
    let pageBytes = max(512, try connection.integer("PRAGMA page_size") ?? 4096)
    let settledBytes = HistoryStore.settledBytes
    try connection.execute(
      """
      PRAGMA synchronous = FULL; PRAGMA secure_delete = OFF;
      PRAGMA wal_autocheckpoint = \(settledBytes / pageBytes);
      PRAGMA journal_size_limit = \(settledBytes); PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY
      """)
  }

  // MARK: Checks

  private func checkHeader() throws(SQLiteFailure) {
    switch try DatabaseHeader(of: file).verdict {
    case .sound: break
    case .damaged(let what): throw corrupt(what)
    case .foreign(let what): throw SQLiteFailure(code: Self.foreign, message: what)
    }
  }

  /// Answers the version of the schema. A foreign database and one of a newer version are left alone.
  private func checkVersion(_ connection: Connection) throws(SQLiteFailure) -> Int {
    let version = try Schema.version(connection)
    let marked = Int(try connection.integer("PRAGMA user_version") ?? 0)
    let application = try connection.integer("PRAGMA application_id") ?? 0
    if version > steps.count, marked == version {
      throw SQLiteFailure(
        code: Self.newer, message: "its schema is version \(version), and this program knows \(steps.count)")
    }
    if (1...steps.count).contains(version) { return version }
    let tables = try connection.integer("SELECT count(*) FROM sqlite_schema") ?? 0
    if version == 0, tables > 0, application != Int64(Schema.application), try !hasOwnTables(connection) {
      let id = String(UInt32(truncatingIfNeeded: application), radix: 16, uppercase: true)
      let mark = application == 0 ? "it has no application_id" : "its application_id is 0x\(id)"
      throw SQLiteFailure(code: Self.foreign, message: "it is an SQLite database of another program (\(mark))")
    }
    guard version == 0, tables == 0 else { throw corrupt("its schema has no version") }
    return 0
  }

  /// Whether it is a database of this program that can be read, without changing it. Answers a connection for reading.
  func inspect() throws(SQLiteFailure) -> Connection {
    try checkHeader()
    let connection = try Connection(file, .readOnly, busyS: settings.busyS)
    _ = try checkVersion(connection)
    return connection
  }

  private func hasOwnTables(_ connection: Connection) throws(SQLiteFailure) -> Bool {
    try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name IN ('coverage', 'boots', 'events_once')") ?? 0
      > 0
  }

  /// Result codes of this program, beyond those of SQLite.
  static let newer: Int32 = 250, foreign: Int32 = 251, older: Int32 = 252

  /// Looks at the pages for as long as there is time. Answers whether that was enough.
  private func checkPages(_ connection: Connection, isFull: Bool) throws(SQLiteFailure) -> Bool {
    guard isCheckWanted else { return false }
    let interruption = Interruption(connection, afterS: isFull ? settings.fullCheckS : settings.checkS)
    var found: String?
    var failure: SQLiteFailure?
    do throws(SQLiteFailure) {
      found = try connection.text("PRAGMA \(isFull ? "integrity_check" : "quick_check")(1)")
    } catch {
      failure = error
    }
    if interruption.end() { return false }
    if let failure { throw failure }
    guard found == nil || found == "ok" else {
      throw corrupt((found ?? "").split(separator: "\n").joined(separator: " "))
    }
    return true
  }
}
