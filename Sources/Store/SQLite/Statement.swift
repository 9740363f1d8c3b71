internal import CSQLite
internal import Telemetry

/// A prepared statement of a connection, which outlives it.
final class Statement {
  fileprivate let handle: OpaquePointer
  private unowned let connection: Connection

  /// SQLITE_TRANSIENT: SQLite copies what it is given.
  private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ sql: String, _ connection: Connection) throws(SQLiteFailure) {
    var pointer: OpaquePointer?
    let code = sqlite3_prepare_v3(connection.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &pointer, nil)
    guard code == SQLITE_OK, let pointer else { throw connection.failure(code) }
    handle = pointer
    self.connection = connection
  }

  deinit { sqlite3_finalize(handle) }

  /// Sets every parameter, from the first.
  func bind(_ values: [SQLiteValue]) {
    sqlite3_reset(handle)
    for (index, value) in values.enumerated() {
      let place = Int32(index + 1)
      switch value {
      case .null: sqlite3_bind_null(handle, place)
      case .integer(let number): sqlite3_bind_int64(handle, place, number)
      case .real(let number): sqlite3_bind_double(handle, place, number)
      case .text(let text): sqlite3_bind_text(handle, place, text, -1, Self.copied)
      case .blob(let bytes):
        _ = bytes.withUnsafeBytes { buffer in
          buffer.count == 0
            ? sqlite3_bind_zeroblob(handle, place, 0)
            : sqlite3_bind_blob(handle, place, buffer.baseAddress, Int32(buffer.count), Self.copied)
        }
      }
    }
  }

  /// Whether there is a row.
  func step() throws(SQLiteFailure) -> Bool {
    let code = sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else {
      let failure = connection.failure(code)
      sqlite3_reset(handle)
      throw failure
    }
    return false
  }

  /// Ends it, so that it holds nothing.
  func reset() { sqlite3_reset(handle) }

  /// Runs it to its end.
  func run(_ values: [SQLiteValue]) throws(SQLiteFailure) {
    bind(values)
    while try step() {}
    reset()
  }

  /// Every row.
  func rows<Row>(_ values: [SQLiteValue], _ make: (Statement) -> Row?) throws(SQLiteFailure) -> [Row] {
    bind(values)
    defer { reset() }
    var found: [Row] = []
    while try step() {
      if let row = make(self) { found.append(row) }
    }
    return found
  }

  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  func number(_ column: Int32) -> UInt64 { UInt64(clamping: integer(column)) }
  func real(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func integerIfPresent(_ column: Int32) -> Int64? { isNumber(column) ? integer(column) : nil }
  func realIfPresent(_ column: Int32) -> Double? { isNumber(column) ? real(column) : nil }

  private func isNumber(_ column: Int32) -> Bool {
    [SQLITE_INTEGER, SQLITE_FLOAT].contains(sqlite3_column_type(handle, column))
  }

  /// Nil when it is NULL.
  func text(_ column: Int32) -> String? {
    guard let start = sqlite3_column_text(handle, column) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func time(_ column: Int32) -> WallTime? { realIfPresent(column).map { WallTime(seconds: $0) } }

  func blobIfPresent(_ column: Int32) -> [UInt8]? {
    sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : blob(column)
  }

  func blob(_ column: Int32) -> [UInt8] {
    guard let start = sqlite3_column_blob(handle, column) else { return [] }
    return [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }
}

extension Statement {
  /// The row as it is, to be written elsewhere.
  var values: [SQLiteValue] {
    (0..<sqlite3_column_count(handle)).map { column in
      switch sqlite3_column_type(handle, column) {
      case SQLITE_INTEGER: .integer(integer(column))
      case SQLITE_FLOAT: .real(real(column))
      case SQLITE_TEXT: .text(text(column))
      case SQLITE_BLOB: .blob(blob(column))
      default: .null
      }
    }
  }
}
