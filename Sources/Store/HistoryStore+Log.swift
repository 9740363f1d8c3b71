internal import CSQLite
internal import Glibc

/// Keeps the write-ahead log small.
///
/// SQLite writes it into the database by itself at `settledBytes`, which suits a roomy disk. On a small one the log
/// alone would fill it, and then the database cannot grow to take it in: neither can be given up any more. So where the
/// room gets scarce it is written into the database and cut to nothing before each transaction. One that then finds no
/// room leaves nothing behind but its own pages in the log, which are cut off, too.
extension HistoryStore {
  /// SQLite writes the log into the database at this size [bytes].
  static let settledBytes: Int64 = 4 << 20
  /// A log that became larger than this, by a large batch or beside a reader, is cut [bytes].
  static let largestBytes: Int64 = 8 << 20
  /// Room that is to be left beside the log and what comes [bytes].
  static let reserveBytes: Int64 = 8 << 20

  /// Before a transaction of about so many bytes.
  func boundLog(before bytes: Int64) {
    guard let size = FileIdentity(settings.file + "-wal")?.sizeBytes, size > 0 else {
      triedLogBytes = 0
      return
    }
    if size < triedLogBytes { triedLogBytes = 0 }
    let isScarce = freeBytes(beside: settings.file).map { $0 < size + 2 * bytes + Self.reserveBytes } ?? false
    // A program that reads keeps it from being cut; it is tried again when it has grown further.
    guard isScarce || size > max(Self.largestBytes, triedLogBytes + Self.largestBytes / 8) else { return }
    if !cutLog() { triedLogBytes = size }
  }

  /// Writes the log into the database, and cuts it to nothing; waits for nobody. Answers whether that could be done.
  @discardableResult
  func cutLog() -> Bool {
    sqlite3_busy_timeout(database.handle, 0)
    defer { sqlite3_busy_timeout(database.handle, Int32(min(settings.busyS, 3600) * 1000)) }
    return sqlite3_wal_checkpoint_v2(database.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK
  }
}

/// Room on the disk of a file, for this user [bytes]; nil when the system does not say.
func freeBytes(beside file: String) -> Int64? {
  var status = statvfs()
  guard statvfs(folder(of: file), &status) == 0 else { return nil }
  return Int64(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
}
