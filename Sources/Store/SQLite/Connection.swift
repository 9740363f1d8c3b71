internal import CSQLite

/// One connection to one database, for one thread. Statements are prepared once and kept.
final class Connection {
  let path: String
  let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  enum Mode {
    case write, readOnly
    /// Of a file that is damaged: its log is read, and nothing is written back from it.
    case rescue
  }

  init(_ path: String, _ mode: Mode, busyS: Double) throws(SQLiteFailure) {
    self.path = path
    var pointer: OpaquePointer?
    let access =
      switch mode {
      case .write: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .rescue: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      }
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE
    let code = sqlite3_open_v2(path, &pointer, flags, nil)
    guard let pointer else { throw SQLiteFailure(code: SQLITE_NOMEM, message: "out of memory") }
    guard code == SQLITE_OK else {
      let failure = SQLiteFailure(
        code: code, message: String(cString: sqlite3_errmsg(pointer)), systemCode: sqlite3_system_errno(pointer))
      sqlite3_close_v2(pointer)
      throw failure
    }
    handle = pointer
    sqlite3_busy_timeout(pointer, Int32(min(busyS, 3600) * 1000))
    if mode == .rescue { _ = judder_sqlite_keep_log(pointer) }
    // A file that somebody else may have written runs no code here.
    try execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON")
    // Lets a file be read that is shorter than its header says.
    if mode == .rescue { try execute("PRAGMA writable_schema = ON") }
  }

  deinit {
    statements = [:]
    sqlite3_close_v2(handle)
  }

  /// Runs statements that answer nothing of interest.
  func execute(_ sql: String) throws(SQLiteFailure) {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// The statement, ready for its parameters.
  func statement(_ sql: String) throws(SQLiteFailure) -> Statement {
    if let known = statements[sql] { return known }
    let new = try Statement(sql, self)
    statements[sql] = new
    return new
  }

  /// Runs a statement that answers no rows.
  func run(_ sql: String, _ values: SQLiteValue...) throws(SQLiteFailure) {
    try statement(sql).run(values)
  }

  /// The first column of the first row; nil when there is none, or it is NULL or no number.
  func integer(_ sql: String, _ values: SQLiteValue...) throws(SQLiteFailure) -> Int64? {
    let statement = try statement(sql)
    statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? statement.integerIfPresent(0) : nil
  }

  /// The first column of the first row as text.
  func text(_ sql: String, _ values: SQLiteValue...) throws(SQLiteFailure) -> String? {
    let statement = try statement(sql)
    statement.bind(values)
    defer { statement.reset() }
    return try statement.step() ? statement.text(0) : nil
  }

  /// Rows that the last statement changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// Whether no transaction is open.
  var isIdle: Bool { sqlite3_get_autocommit(handle) != 0 }

  /// All of `body`, or nothing of it.
  func transaction<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
    try execute("BEGIN IMMEDIATE")
    do throws(SQLiteFailure) {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      // SQLite may have done it already.
      if !isIdle { try? execute("ROLLBACK") }
      throw error
    }
  }

  func check(_ code: Int32) throws(SQLiteFailure) {
    guard code != SQLITE_OK, code != SQLITE_ROW, code != SQLITE_DONE else { return }
    throw failure(code)
  }

  func failure(_ code: Int32) -> SQLiteFailure {
    SQLiteFailure(
      code: sqlite3_extended_errcode(handle) & 0xff == code & 0xff ? sqlite3_extended_errcode(handle) : code,
      message: String(cString: sqlite3_errmsg(handle)),
      systemCode: [SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_FULL].contains(code & 0xff) ? sqlite3_system_errno(handle) : 0)
  }
}

/// A value of a parameter.
enum SQLiteValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  static func real(_ value: Double?) -> SQLiteValue { value.map { .real($0) } ?? .null }
  static func integer(_ value: Int64?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
  static func blob(_ value: [UInt8]?) -> SQLiteValue { value.map { .blob($0) } ?? .null }
  static func text(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
  /// SQLite has no unsigned numbers; those of nodes are far below its limit.
  static func number(_ value: UInt64) -> SQLiteValue { .integer(Int64(clamping: value)) }
}
