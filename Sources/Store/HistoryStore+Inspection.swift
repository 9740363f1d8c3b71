internal import CSQLite

/// Looking at a store that need not be ours: another process may write to it.
extension HistoryStore {
  /// What is in a store, without changing it.
  public struct Inspection: Equatable, Sendable {
    /// Its size, the log included [bytes]; 0: there is none yet.
    public var sizeBytes: Int64
    /// Events in it; nil when there was no time to count them.
    public var events: Int?
    /// All its pages were looked at; nothing is wrong with those that were.
    public var isCheckWhole: Bool
    /// Events that were lost with damaged pages, so far as that is known.
    public var lostEvents: Int
    /// Another process has it open for writing.
    public var isInUse: Bool
    /// Room on its disk, for this user [bytes]; nil when the system does not say.
    public var freeBytes: Int64?
  }

  /// Looks at the database, for `withinS` at the most and some.
  /// - Throws: why it could not be written to, or what is damaged.
  public static func inspect(_ settings: StoreSettings, withinS: Double = 5) throws(StoreProblem) -> Inspection {
    if let trouble = trouble(settings) { throw trouble }
    let isInUse = FileLock.isHeld(settings.file)
    let size = FileIdentity(settings.file)?.sizeBytes ?? 0
    let logSize = FileIdentity(settings.file + "-wal")?.sizeBytes ?? 0
    let free = freeBytes(beside: settings.file)
    guard size > 0 else {
      return Inspection(
        sizeBytes: 0, events: 0, isCheckWhole: true, lostEvents: 0, isInUse: isInUse, freeBytes: free)
    }
    do throws(SQLiteFailure) {
      let connection = try Opener(settings, Schema.steps, isCheckWanted: false).inspect()
      let events = try unlessLate(connection, withinS / 2) { () throws(SQLiteFailure) in
        try connection.integer("SELECT count(*) FROM events")
      }
      let found = try unlessLate(connection, withinS / 2) { () throws(SQLiteFailure) in
        try connection.text("PRAGMA quick_check(1)")
      }
      if let found, found != "ok" {
        let line = found.split(separator: "\n").joined(separator: " ")
        throw SQLiteFailure(code: SQLITE_CORRUPT, message: line)
      }
      let lost = try connection.integer("SELECT sum(events) FROM dropped WHERE reason = 'damaged'") ?? 0
      return Inspection(
        sizeBytes: size + logSize, events: events.map { Int($0) }, isCheckWhole: found != nil, lostEvents: Int(lost),
        isInUse: isInUse, freeBytes: free)
    } catch {
      throw error.problem(settings.file)
    }
  }

  /// Nil when there was not time enough.
  private static func unlessLate<Result>(
    _ connection: Connection, _ withinS: Double, _ body: () throws(SQLiteFailure) -> Result?
  ) throws(SQLiteFailure) -> Result? {
    let interruption = Interruption(connection, afterS: withinS)
    do throws(SQLiteFailure) {
      let result = try body()
      return interruption.end() ? nil : result
    } catch {
      guard interruption.end() || error.primary == SQLITE_INTERRUPT else { throw error }
      return nil
    }
  }
}
