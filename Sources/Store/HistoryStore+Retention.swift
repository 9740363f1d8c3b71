internal import Telemetry

/// Giving up what is too old or too much.
///
/// Age: what was received longer ago than `keepDays`, whatever it is. Room: when the database is larger than `capMB`,
/// first what is routine (locations, orientations and waveforms) unless it is of the last day, then anything; each time
/// the oldest first. So shakes outlast locations, and the last day is whole. Alerts, runs of nodes and the newest
/// messages stay. The log of alerts has a bound of its own. It is done in small steps, between batches. Nothing goes
/// for its age while the calendar has only just jumped ahead; see `CalendarTrust`.
struct Retention {
  /// As the owner said it last; nil: it does not know.
  var now: WallTime?
  /// Whether that may be believed; nil before the first batch.
  var trust: CalendarTrust?
  /// When the calendar jumped ahead, as the database has it [s since 1970].
  var keptJumpS: Double?
  /// The last row that was looked at for its age.
  var ageCursor: Int64 = 0
  /// The last row that was looked at for room, while what is routine goes first.
  var routineCursor: Int64 = 0
  /// Up to when notes were given up last [s since 1970].
  var notesDroppedS = -Double.infinity

  /// Rows looked at in one step.
  static let stepRows: Int64 = 500
  /// Pages given back to the file system in one step.
  static let stepPages = 256
  /// What is routine and younger than this [s] goes with the rest.
  static let freshS = 86_400.0

  static let routine: Set<String> = [
    Stream.location.rawValue, Stream.orientation.rawValue, Stream.waveform.rawValue,
  ]
}

extension HistoryStore {
  /// Gives up what is too old or too much, in steps until `budgetS` is used up. Answers what went, and whether there is
  /// more to do.
  public func trim(budgetS: Double = 0.05) throws(StoreProblem) -> (report: TrimReport, isDone: Bool) {
    let start = monotonicS()
    var report = TrimReport(forAge: 0, forRoom: 0)
    repeat {
      boundLog(before: Int64(Retention.stepPages) * 4096)
      let step = try guarded { () throws(SQLiteFailure) in
        do throws(SQLiteFailure) {
          return try database.transaction { () throws(SQLiteFailure) in try trimStep() }
        } catch {
          // What was learned in a transaction that never was.
          boots = [:]
          throw error
        }
      }
      report.forAge += step.forAge
      report.forRoom += step.forRoom
      let isShrinking = try guarded { () throws(SQLiteFailure) in try shrinkStep() }
      if !step.isMore, !isShrinking { return (report, true) }
    } while monotonicS() - start < budgetS
    return (report, false)
  }

  private struct Step {
    var forAge = 0, forRoom = 0
    var isMore = false
  }

  fileprivate struct Candidate {
    var id: Int64
    var stream: String
    var receivedS: Double
    var bytes: Int64
    var run: BootKey
  }

  private func trimStep() throws(SQLiteFailure) -> Step {
    var step = Step()
    step.isMore = try boundDecisions()
    if let now = retention.now, retention.trust?.jumpedS == nil {
      let cutoffS = now.seconds - settings.keepDays * 86_400
      let (old, isMore) = try oldCandidates(before: cutoffS, nowS: now.seconds)
      try drop(old, "age")
      step.forAge = old.count
      step.isMore = step.isMore || isMore
      try dropNotes(before: cutoffS)
    }
    let excess = try usedBytes() - settings.capBytes
    guard excess > 0 else { return step }
    let (found, isMore) = try routineCandidates()
    let chosen = isMore || !found.isEmpty ? found : try candidates(after: 0).enough(for: excess)
    try drop(chosen, "room")
    step.forRoom = chosen.count
    step.isMore = step.isMore || isMore || !chosen.isEmpty
    return step
  }

  /// The oldest events after a row, in the order of receipt.
  private func candidates(after id: Int64) throws(SQLiteFailure) -> [Candidate] {
    try database.statement(
      "SELECT id, stream, received_t, length(payload), node, boot FROM events WHERE id > ? ORDER BY id LIMIT ?"
    ).rows([.integer(id), .integer(Retention.stepRows)]) {
      Candidate(
        id: $0.integer(0), stream: $0.text(1) ?? "", receivedS: $0.real(2), bytes: $0.integer(3),
        run: BootKey(node: $0.integer(4), boot: UInt32(truncatingIfNeeded: $0.integer(5))))
    }
  }

  /// The next events that are too old, and whether there may be more behind them. What was received by a clock that was
  /// never set, or that ran ahead, has an age that nobody knows: it only goes for room.
  private func oldCandidates(before cutoffS: Double, nowS: Double) throws(SQLiteFailure) -> ([Candidate], Bool) {
    let looked = try candidates(after: retention.ageCursor)
    let passed = looked.prefix {
      $0.receivedS < cutoffS || $0.receivedS < WallTime.plausibleFrom.seconds || $0.receivedS > nowS + Retention.freshS
    }
    if let last = passed.last { retention.ageCursor = last.id }
    let old = passed.filter { $0.receivedS < cutoffS && $0.receivedS >= WallTime.plausibleFrom.seconds }
    return (old, passed.count == Int(Retention.stepRows))
  }

  /// The next routine events that may go, and whether there may be more behind them.
  private func routineCandidates() throws(SQLiteFailure) -> (found: [Candidate], isMore: Bool) {
    let newest = try database.statement("SELECT received_t FROM events ORDER BY id DESC LIMIT 1").rows([]) {
      $0.real(0)
    }
    guard let newest = newest.first else { return ([], false) }
    let looked = try candidates(after: retention.routineCursor)
    let old = looked.prefix { $0.receivedS < newest - Retention.freshS }
    if let last = old.last { retention.routineCursor = last.id }
    return (old.filter { Retention.routine.contains($0.stream) }, old.count == Int(Retention.stepRows))
  }

  private func drop(_ events: [Candidate], _ reason: String) throws(SQLiteFailure) {
    var sums: [String: (events: Int64, bytes: Int64)] = [:]
    var runs: [BootKey: Int] = [:]
    for event in events {
      try database.run("DELETE FROM events WHERE id = ?", .integer(event.id))
      sums[event.stream, default: (0, 0)].events += 1
      sums[event.stream, default: (0, 0)].bytes += event.bytes
      runs[event.run, default: 0] += 1
    }
    for (run, count) in runs {
      let known = try coverage(run)
      known.dropped += count
      // Else the run is forgotten.
      if known.isKept { try write(known, run) }
    }
    for (stream, sum) in sums { try noteDropped(stream, reason, events: sum.events, bytes: sum.bytes) }
  }

  func noteDropped(_ stream: String, _ reason: String, events: Int64, bytes: Int64) throws(SQLiteFailure) {
    try database.run(
      """
      INSERT INTO dropped VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET events = events + excluded.events, bytes = bytes + excluded.bytes
      """, .text(stream), .text(reason), .integer(events), .integer(bytes))
  }

  /// What else goes with its age: words on evictions and conflicts, and, after twice the time, runs of nodes, so that
  /// what a node kept for as long as its events were kept here is still known when it comes.
  private func dropNotes(before cutoffS: Double) throws(SQLiteFailure) {
    guard cutoffS - retention.notesDroppedS >= 3600 else { return }
    retention.notesDroppedS = cutoffS
    for table in ["evictions", "conflicts"] {
      try database.run("DELETE FROM \(table) WHERE received_t < ?", .real(cutoffS))
    }
    try dropAlerting(before: cutoffS)
    let olderS = cutoffS - settings.keepDays * 86_400
    let old = try database.statement(
      """
      SELECT node, boot FROM boots AS b WHERE last_t < ? AND last_t > 0
      AND EXISTS (SELECT 1 FROM boots AS c WHERE c.node = b.node AND c.last_t > b.last_t) LIMIT 500
      """
    ).rows([.real(olderS)]) { BootKey(node: $0.integer(0), boot: UInt32(truncatingIfNeeded: $0.integer(1))) }
    for key in old { try forgetBoot(key) }
  }

  // MARK: The calendar

  /// Looks at the calendar before a batch is written, which may be the first that was received by a wrong one.
  func judgeCalendar(_ now: WallTime?) throws(SQLiteFailure) {
    var trust = if let known = retention.trust { known } else { try knownTrust() }
    if let now { trust.take(now.seconds, atS: monotonicS()) }
    retention.trust = trust
  }

  private func knownTrust() throws(SQLiteFailure) -> CalendarTrust {
    func first(_ sql: String) throws(SQLiteFailure) -> Double? {
      try database.statement(sql).rows([]) { $0.real(0) }.first
    }
    let newestS = try first("SELECT received_t FROM events ORDER BY id DESC LIMIT 1")
    retention.keptJumpS = try first("SELECT value FROM meta WHERE key = 'jumped_t'")
    return CalendarTrust(newestS: newestS, jumpedS: retention.keptJumpS)
  }

  /// A restart must not make a wrong calendar a good one.
  func keepJump() throws(SQLiteFailure) {
    guard let trust = retention.trust, trust.jumpedS != retention.keptJumpS else { return }
    if let jumpedS = trust.jumpedS {
      try database.run("INSERT OR REPLACE INTO meta VALUES ('jumped_t', ?)", .real(jumpedS))
    } else {
      try database.run("DELETE FROM meta WHERE key = 'jumped_t'")
    }
  }

  // MARK: Room

  /// Pages in use, whether or not they are in the file already [bytes].
  func usedBytes() throws(SQLiteFailure) -> Int64 {
    let pages = try database.integer("PRAGMA page_count") ?? 0
    let free = try database.integer("PRAGMA freelist_count") ?? 0
    return (pages - free) * (try pageBytes())
  }

  func pageBytes() throws(SQLiteFailure) -> Int64 { try database.integer("PRAGMA page_size") ?? 4096 }

  /// Gives pages back to the file system: those beyond the cap, and those that are more than a quarter of all.
  private func shrinkStep() throws(SQLiteFailure) -> Bool {
    let pages = try database.integer("PRAGMA page_count") ?? 0
    let free = try database.integer("PRAGMA freelist_count") ?? 0
    let excess = max(pages - settings.capBytes / (try pageBytes()), free > 256 ? free - pages / 4 : 0)
    let count = min(Int64(Retention.stepPages), excess, free)
    guard count > 0 else { return false }
    try database.execute("PRAGMA incremental_vacuum(\(count))")
    return true
  }
}

extension [HistoryStore.Candidate] {
  /// The first of them, as many as take up so many bytes, with what their row and the indexes add to each.
  fileprivate func enough(for bytes: Int64) -> [HistoryStore.Candidate] {
    var left = bytes
    return Array(
      prefix { event in
        defer { left -= event.bytes + 128 }
        return left > 0
      })
  }
}
