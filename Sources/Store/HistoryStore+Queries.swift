public import Telemetry

/// Reading.
extension HistoryStore {
  /// What to look for; nil: any.
  public struct Query: Equatable, Sendable {
    /// Whose.
    public var node: NodeName?
    /// Which stream.
    public var stream: Stream?
    /// From and up to, but not including: the time of measurement, that of receipt where nothing vouches for the other.
    public var from: WallTime?, until: WallTime?
    /// Events at the most.
    public var limit: Int

    public init(
      node: NodeName? = nil, stream: Stream? = nil, from: WallTime? = nil, until: WallTime? = nil, limit: Int = 1000
    ) {
      self.node = node
      self.stream = stream
      self.from = from
      self.until = until
      self.limit = limit
    }
  }

  /// Events, the oldest measured first.
  public func events(_ query: Query = Query()) throws(StoreProblem) -> [EventRow] {
    try guarded { () throws(SQLiteFailure) in
      let (sql, values) = try statement(query)
      return try database.statement(sql).rows(values) { EventRow($0) }
    }
  }

  private func statement(_ query: Query) throws(SQLiteFailure) -> (sql: String, values: [SQLiteValue]) {
    let (conditions, values) = try conditions(query)
    let sql = """
      SELECT name, boot, seq, stream, t, clk, up, received_t, is_late, payload
      FROM \(Self.source)\(conditions)
      ORDER BY ifnull(t, received_t), events.id LIMIT ?
      """
    return (sql, values + [.integer(Int64(max(0, query.limit)))])
  }

  /// How SQLite looks for them: EXPLAIN QUERY PLAN.
  func plan(_ query: Query) throws(StoreProblem) -> [String] {
    try guarded { () throws(SQLiteFailure) in
      let (sql, values) = try statement(query)
      return try database.statement("EXPLAIN QUERY PLAN \(sql)").rows(values) { $0.text(3) }
    }
  }

  /// How many there are; `limit` does not count.
  public func count(_ query: Query = Query()) throws(StoreProblem) -> Int {
    try guarded { () throws(SQLiteFailure) in
      let (conditions, values) = try self.conditions(query)
      let sql = "SELECT count(*) FROM \(Self.source)\(conditions)"
      return Int(try database.statement(sql).rows(values) { $0.integer(0) }.first ?? 0)
    }
  }

  /// Node by node, of which each has its events by time.
  static let source = "nodes CROSS JOIN events ON events.node = nodes.id"

  private func conditions(_ query: Query) throws(SQLiteFailure) -> (String, [SQLiteValue]) {
    var conditions: [String] = []
    var values: [SQLiteValue] = []
    func add(_ condition: String, _ value: SQLiteValue) {
      conditions.append(condition)
      values.append(value)
    }
    if let node = query.node { add("nodes.id = ?", .integer(try knownID(of: node) ?? 0)) }
    if let stream = query.stream { add("stream = ?", .text(stream.rawValue)) }
    if let from = query.from { add("ifnull(t, received_t) >= ?", .real(from.seconds)) }
    if let until = query.until { add("ifnull(t, received_t) < ?", .real(until.seconds)) }
    return (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "), values)
  }

  /// The numbers of a run that must exist, since a higher one came, and that were neither stored nor given up.
  public func gaps(node: NodeName, boot: BootID) throws(StoreProblem) -> [ClosedRange<UInt64>] {
    try guarded { () throws(SQLiteFailure) in
      guard let id = try knownID(of: node) else { return [] }
      let known = try coverage(BootKey(node: id, boot: boot.value))
      var missing = RangeSet()
      guard known.highest > known.upto else { return [] }
      missing.insert((known.upto + 1)...known.highest)
      for range in known.settledAbove.ranges { missing.remove(range) }
      return missing.ranges
    }
  }

  /// What is settled of a run; nil when nothing was heard of it.
  public func acknowledgement(node: NodeName, boot: BootID) throws(StoreProblem) -> Acknowledgement? {
    try guarded { () throws(SQLiteFailure) in
      guard let id = try knownID(of: node) else { return nil }
      let known = try coverage(BootKey(node: id, boot: boot.value))
      guard known.isKept else { return nil }
      return Acknowledgement(node: node, boot: boot, sequence: known.upto, also: known.also(for: []))
    }
  }

  /// Events that came under the number of another, and how often.
  public struct Conflict: Equatable, Sendable {
    /// Its identity, with that of the one that was there.
    public var node: NodeName, boot: BootID, sequence: UInt64
    /// What came first.
    public var stream: String, payload: [UInt8]
    /// How many came.
    public var times: Int
  }

  /// What was set apart, in the order in which it came.
  public func conflicts(limit: Int = 1000) throws(StoreProblem) -> [Conflict] {
    try guarded { () throws(SQLiteFailure) in
      try database.statement(
        """
        SELECT name, boot, seq, stream, payload, times
        FROM conflicts JOIN nodes ON nodes.id = conflicts.node ORDER BY conflicts.id LIMIT ?
        """
      ).rows([.integer(Int64(limit))]) { row in
        row.text(0).flatMap { NodeName($0) }.map {
          Conflict(
            node: $0, boot: BootID(UInt32(truncatingIfNeeded: row.integer(1))), sequence: row.number(2),
            stream: row.text(3) ?? "", payload: row.blob(4), times: Int(row.integer(5)))
        }
      }
    }
  }

  /// Events that retention took, since the database was made.
  public struct Dropped: Equatable, Sendable {
    /// Which.
    public var stream: String
    /// `age` or `room`.
    public var reason: String
    /// How many, and their payloads' size.
    public var events: Int, bytes: Int
  }

  /// What retention took, by stream and reason.
  public func dropped() throws(StoreProblem) -> [Dropped] {
    try guarded { () throws(SQLiteFailure) in
      try database.statement("SELECT stream, reason, events, bytes FROM dropped ORDER BY stream, reason").rows([]) {
        Dropped(
          stream: $0.text(0) ?? "", reason: $0.text(1) ?? "", events: Int($0.integer(2)), bytes: Int($0.integer(3)))
      }
    }
  }

  /// Events that nodes said they gave up: by reason, how many where that is known. What was told more than once counts
  /// once, by the first who told it.
  public func evictedEvents() throws(StoreProblem) -> [String: Int] {
    try guarded { () throws(SQLiteFailure) in
      var known: [BootKey: RangeSet] = [:]
      var counts: [String: Int] = [:]
      let statement = try database.statement(Self.evictedRuns + " ORDER BY e.id")
      defer { statement.reset() }
      while try statement.step() {
        guard let run = EvictedRun(statement) else {
          counts[statement.text(4) ?? "", default: 0].addClamped(Int(statement.integer(5)))
          continue
        }
        let before = known[run.boot, default: RangeSet()].count
        known[run.boot, default: RangeSet()].insert(run.range)
        counts[run.reason, default: 0].addClamped(Int(clamping: (known[run.boot]?.count ?? before) &- before))
      }
      return counts
    }
  }

  /// What SQLite finds wrong with the whole of it: PRAGMA integrity_check. Empty: nothing.
  public func defects() throws(StoreProblem) -> [String] {
    try guarded { () throws(SQLiteFailure) in
      try database.statement("PRAGMA integrity_check").rows([]) { $0.text(0) }.filter { $0 != "ok" }
    }
  }

  /// Size of what is in use [bytes].
  public func sizeBytes() throws(StoreProblem) -> Int64 {
    try guarded { () throws(SQLiteFailure) in try usedBytes() }
  }
}

extension EventRow {
  /// Nil when the row is not one that this program can have written.
  init?(_ row: Statement) {
    guard let node = row.text(0).flatMap({ NodeName($0) }), let stream = row.text(3).flatMap({ Stream(rawValue: $0) })
    else { return nil }
    self.init(
      node: node, boot: BootID(UInt32(truncatingIfNeeded: row.integer(1))), sequence: row.number(2), stream: stream,
      measured: row.realIfPresent(4).map { WallTime(seconds: $0) },
      clock: row.text(5).flatMap { ClockQuality(rawValue: $0) },
      uptimeS: row.realIfPresent(6), received: WallTime(seconds: row.real(7)), isLate: row.integer(8) != 0,
      payload: row.blob(9))
  }
}
