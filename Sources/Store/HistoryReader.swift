internal import CSQLite
internal import Glibc
public import Telemetry

/// The history as others read it: it changes nothing, and judder-fleet may write meanwhile. For one thread.
public final class HistoryReader {
  /// The database.
  public let file: String
  let database: Connection

  /// Opens a database for reading.
  /// - Parameter busyS: how long it is waited for [s].
  /// - Throws: why it cannot be read: it is not there, damaged, of another version, or somebody else's.
  public init(_ file: String, busyS: Double = 5) throws(StoreProblem) {
    self.file = file
    guard let found = FileIdentity(file) else {
      guard errno != EACCES else { throw StoreProblem(.denied, reading: file, "it cannot be read") }
      throw StoreProblem(.gone, reading: file, "there is no database")
    }
    if found.isFolder { throw StoreProblem(.foreign, reading: file, "it is a folder") }
    if found.sizeBytes == 0 { throw StoreProblem(.gone, reading: file, "nothing is in it yet") }
    if access(file, R_OK) != 0 { throw StoreProblem(.denied, reading: file, "it cannot be read") }
    var settings = StoreSettings(file: file)
    settings.busyS = busyS
    do throws(SQLiteFailure) {
      database = try Opener(settings, Schema.steps, isCheckWanted: false).inspect()
      let version = try Schema.version(database)
      guard version == Schema.current else {
        throw SQLiteFailure(
          code: Opener.older, message: "its schema is version \(version), and this program reads \(Schema.current)")
      }
    } catch {
      throw error.readingProblem(file)
    }
  }

  /// A judder-fleet has it open for writing.
  public var isWritten: Bool { FileLock.isHeld(file) }

  func guarded<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(StoreProblem) -> Result {
    do throws(SQLiteFailure) {
      return try body()
    } catch {
      throw error.readingProblem(file)
    }
  }

  /// Everything that was kept of nodes and alerts at one moment, in parts, as for a start.
  public func load(_ take: (KeptFleet) -> Void) throws(StoreProblem) {
    try guarded { () throws(SQLiteFailure) in
      try database.moment { () throws(SQLiteFailure) in try database.load(take) }
    }
  }

  /// What was kept of one node; nil when it was never heard of.
  public func node(_ name: NodeName) throws(StoreProblem) -> KeptNode? {
    try guarded { () throws(SQLiteFailure) in
      guard let id = try id(of: name) else { return nil }
      return try database.moment { () throws(SQLiteFailure) in try database.node(id) }
    }
  }

  /// The names of all nodes, in the order in which they were first heard of.
  public func nodeNames() throws(StoreProblem) -> [NodeName] {
    try guarded { () throws(SQLiteFailure) in
      try database.statement("SELECT name FROM nodes ORDER BY id").rows([]) { $0.text(0).flatMap { NodeName($0) } }
    }
  }

  func id(of node: NodeName) throws(SQLiteFailure) -> Int64? {
    try database.integer("SELECT id FROM nodes WHERE name = ?", .text(node.description))
  }

  /// When something came last; nil when nothing ever did.
  public func lastReceived() throws(StoreProblem) -> WallTime? {
    try guarded { () throws(SQLiteFailure) in
      let times = try database.statement(
        """
        SELECT max(t) FROM (SELECT max(received_t) AS t FROM latest UNION ALL
        SELECT (SELECT received_t FROM events ORDER BY id DESC LIMIT 1))
        """
      ).rows([]) { $0.time(0) }
      return times.first
    }
  }

  // MARK: Alerts, and what people asked for

  /// Alerts that are not over, or not told, by subject and rule.
  public func alerts() throws(StoreProblem) -> [KeptAlert] {
    try guarded { () throws(SQLiteFailure) in try database.alerts().filter { $0.phase != .quiet } }
  }

  /// By when they were made.
  public func silences() throws(StoreProblem) -> [KeptSilence] {
    try guarded { () throws(SQLiteFailure) in try database.silences() }
  }

  /// By when they were made.
  public func wishes() throws(StoreProblem) -> [KeptWish] {
    try guarded { () throws(SQLiteFailure) in try database.wishes() }
  }

  // MARK: What is missing

  /// What a node said it gave up, newest first.
  public func evictions(of node: NodeName, limit: Int = 20) throws(StoreProblem) -> [EvictionRow] {
    try guarded { () throws(SQLiteFailure) in
      guard let id = try id(of: node) else { return [] }
      return try database.statement(
        """
        SELECT of_boot, boot, seq, first, last, events, reason, received_t FROM evictions WHERE node = ?
        ORDER BY id DESC LIMIT ?
        """
      ).rows([.integer(id), .integer(Int64(limit))]) { row in
        let (first, last) = (row.number(3), row.number(4))
        return EvictionRow(
          node: node, ofBoot: BootID(UInt32(truncatingIfNeeded: row.integer(0))),
          boot: BootID(UInt32(truncatingIfNeeded: row.integer(1))), sequence: row.number(2),
          range: min(first, last)...max(first, last), runs: [],
          events: row.integerIfPresent(5).map { UInt64(clamping: $0) },
          reason: row.text(6) ?? "", received: WallTime(seconds: row.real(7)))
      }
    }
  }

  /// Events of a node that are there, by stream, and those of it that retention took.
  public func counts(of node: NodeName) throws(StoreProblem) -> (
    byStream: [(stream: String, events: Int)], dropped: Int
  ) {
    try guarded { () throws(SQLiteFailure) in
      guard let id = try id(of: node) else { return ([], 0) }
      let counts = try database.statement(
        "SELECT stream, count(*) FROM events WHERE node = ? GROUP BY stream ORDER BY stream"
      ).rows([.integer(id)]) { (stream: $0.text(0) ?? "", events: Int($0.integer(1))) }
      let dropped = try database.integer("SELECT sum(dropped) FROM boots WHERE node = ?", .integer(id)) ?? 0
      return (counts, Int(dropped))
    }
  }
}

extension SQLiteFailure {
  /// As it is told of a file that is only read.
  func readingProblem(_ file: String) -> StoreProblem {
    let system = systemCode == 0 ? "" : " (\(String(cString: strerror(systemCode))))"
    // A log that cannot be made, or an index of it that cannot be written.
    let kind: StoreProblem.Kind = code == Opener.older ? .older : kind == .readOnly || kind == .gone ? .denied : kind
    return StoreProblem(kind, reading: file, message + system)
  }
}

extension Connection {
  /// Everything that `body` reads is of one moment.
  func moment<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(SQLiteFailure) -> Result {
    try execute("BEGIN")
    defer { if !isIdle { try? execute("ROLLBACK") } }
    return try body()
  }
}
