internal import Telemetry

/// What a rescue could not take over, though it had been stored: numbers that a run's record counts as stored, less the
/// rows that are there and those that retention took.
///
/// It is counted in the rescued database, in one transaction that also takes away the mark that it is to be counted: a
/// crash costs nothing. Where the record of a run did not survive, its losses cannot be known. Retention takes the
/// oldest first, so that the lowest numbers that are missing are taken to be those it took.
extension HistoryStore {
  /// Counts them, where that is to be done.
  func countLosses() throws(StoreProblem) {
    do throws(SQLiteFailure) {
      guard try database.integer("SELECT value FROM meta WHERE key = 'rescued'") == 1 else { return }
      let (events, nodes) = try database.transaction { () throws(SQLiteFailure) in
        let found = try noteLosses()
        if found.events > 0 {
          try database.run(
            """
            INSERT INTO dropped VALUES ('', 'damaged', ?, 0)
            ON CONFLICT DO UPDATE SET events = events + excluded.events
            """, .integer(Int64(found.events)))
        }
        try database.run("DELETE FROM meta WHERE key = 'rescued'")
        return found
      }
      noteRescue(lostEvents: events, lostNodes: nodes)
    } catch {
      boots = [:]
      throw error.problem(settings.file)
    }
  }

  private func noteLosses() throws(SQLiteFailure) -> (events: Int, nodes: Int) {
    var present: [BootKey: Int] = [:]
    let counts = try database.statement("SELECT node, boot, count(*) FROM events WHERE seq > 0 GROUP BY node, boot")
    for (key, count) in try counts.rows([], { (Self.key($0, 0), Int($0.integer(2))) }) { present[key] = count }
    let keys = try database.statement("SELECT node, boot FROM boots").rows([]) { Self.key($0, 0) }
    var (events, nodes) = (0, Set<Int64>())
    for key in keys {
      let known = try coverage(key)
      guard let stored = known.stored, stored.count > UInt64(present[key, default: 0] + known.dropped) else { continue }
      let lost = try noteLosses(key, known, stored)
      guard lost > 0 else { continue }
      events += Int(lost)
      nodes.insert(key.node)
    }
    return (events, nodes.count)
  }

  /// Answers how many events of the run were lost.
  private func noteLosses(_ key: BootKey, _ known: BootCoverage, _ stored: RangeSet) throws(SQLiteFailure) -> UInt64 {
    let rows = try storedNumbers(key)
    var lost = stored
    for range in rows.ranges { lost.remove(range) }
    lost.removeLowest(UInt64(known.dropped))
    let before = known.ranges
    known.noteLost(lost, last: rows.ranges.last?.upperBound ?? 0)
    try write(known, key, from: before)
    return lost.count
  }
}
