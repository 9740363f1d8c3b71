internal import CSQLite
internal import Glibc

/// A damaged database: what can be read of it becomes a new one.
///
/// The new one is made beside it, finished, and only then put in its place, so that a crash at any moment leaves one of
/// the two: 1. `FILE.new` is written. 2. The damaged one is renamed. 3. `FILE.new` becomes the file.
extension Opener {
  private var newFile: String { file + ".new" }

  func rescue(_ reason: String) throws(StoreProblem) -> (Connection, OpeningReport) {
    do throws(SQLiteFailure) {
      forgetNew()
      let salvage = try writeNew()
      let kept = try Quarantine.setAside(file)
      try putInPlace()
      let connection = try Connection(file, .write, busyS: settings.busyS)
      try prepare(connection)
      let rescue = OpeningReport.Rescue(
        reason: reason, file: kept, rows: salvage.rows, holes: salvage.holes, isWhole: salvage.isWhole)
      let report = OpeningReport(check: .full, isCheckWhole: true, migratedFrom: nil, rescue: rescue, tookS: tookS)
      return (connection, report)
    } catch {
      throw error.problem(file)
    }
  }

  /// Synchronised once, at its end: it counts for nothing before.
  private func writeNew() throws(SQLiteFailure) -> Salvage {
    let connection = try make(newFile)
    try connection.execute("PRAGMA synchronous = OFF; PRAGMA cache_size = -64000")
    let salvage = Salvage(connection, deadlineS: monotonicS() + settings.salvageS)
    salvage.takeOver(from: file)
    try connection.run("INSERT OR REPLACE INTO meta VALUES ('rescued', 1)")
    try connection.execute("PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)")
    return salvage
  }

  private func putInPlace() throws(SQLiteFailure) {
    for suffix in ["-wal", "-shm"] { unlink(newFile + suffix) }
    guard rename(newFile, file) == 0 else {
      throw SQLiteFailure(code: SQLITE_IOERR, message: "\(newFile) cannot be put in its place", systemCode: errno)
    }
    synchronizeFolder(of: file)
  }

  private func forgetNew() {
    for suffix in ["", "-wal", "-shm"] { unlink(newFile + suffix) }
  }

  /// Ends a rescue that a crash broke off after the damaged database was set aside; nil when there was none.
  func openRescued() throws(SQLiteFailure) -> (Connection, OpeningReport)? {
    guard FileIdentity(file) == nil, FileIdentity(newFile) != nil, try isFinished() else { return nil }
    // A log that stayed behind would be taken for the new one's.
    let kept = Quarantine.names(of: file).last ?? file + ".corrupt"
    for suffix in ["-wal", "-shm"] { rename(file + suffix, kept + suffix) }
    try putInPlace()
    let connection = try Connection(file, .write, busyS: settings.busyS)
    try prepare(connection)
    let events = Int(try connection.integer("SELECT count(*) FROM events") ?? 0)
    let boots = Int(try connection.integer("SELECT count(*) FROM boots") ?? 0)
    let rescue = OpeningReport.Rescue(
      reason: "found at an earlier start", file: kept, rows: ["events": events, "boots": boots], holes: 0, isWhole: true
    )
    let report = OpeningReport(check: .full, isCheckWhole: true, migratedFrom: nil, rescue: rescue, tookS: tookS)
    return (connection, report)
  }

  private func isFinished() throws(SQLiteFailure) -> Bool {
    let connection = try Connection(newFile, .write, busyS: 0)
    return (try? connection.integer("SELECT value FROM meta WHERE key = 'rescued'")) == 1
  }
}
