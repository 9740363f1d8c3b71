internal import Telemetry

/// What a rescue could not take over, though it had been stored: numbers that a run's record counts as stored, less the
/// rows that are there and those that retention took.
///
/// It is counted in the rescued database, in one transaction that also takes away the mark that it is to be counted: a
/// crash costs nothing. Where the record of a run did not survive, its losses cannot be known. Retention takes the
/// oldest first, so that the lowest numbers that are missing are taken to be those it took.
extension HistoryStore {
  /// Counts them, where that is to be done, and before what retention took of the runs of version 1.
  func countLosses() throws(StoreProblem) {
    do throws(SQLiteFailure) {
      let isRescued = try database.integer("SELECT value FROM meta WHERE key = 'rescued'") == 1
      let isOld = try database.integer("SELECT count(*) FROM boots WHERE dropped IS NULL") ?? 0 > 0
      guard isRescued || isOld else { return }
      let (events, nodes) = try database.transaction { () throws(SQLiteFailure) in
        if isOld { try countDropped(isRescued: isRescued) }
        let found = isRescued ? try noteLosses() : (events: 0, nodes: 0)
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
      if isRescued { noteRescue(lostEvents: events, lostNodes: nodes) }
    } catch {
      boots = [:]
      throw error.problem(settings.file)
    }
  }

  /// Version 1 did not count by run what retention took: it is what was stored and is not there. In a rescued database
  /// some of that was lost instead, and nobody can say which; then nothing is told, unless retention never took any.
  private func countDropped(isRescued: Bool) throws(SQLiteFailure) {
    let taken = try database.integer("SELECT count(*) FROM dropped WHERE reason IN ('age', 'room')") ?? 0
    let present = try presentCounts()
    for key in try bootKeys("WHERE dropped IS NULL") {
      let known = try coverage(key)
      let stored = known.stored.count
      let gone = stored - min(stored, UInt64(present[key, default: 0]))
      known.dropped = isRescued && taken == 0 ? 0 : Int(clamping: gone)
      try write(known, key)
    }
  }

  private func bootKeys(_ condition: String = "") throws(SQLiteFailure) -> [BootKey] {
    try database.statement("SELECT node, boot FROM boots \(condition)").rows([]) { Self.key($0, 0) }
  }

  /// How many events of each run are there.
  private func presentCounts() throws(SQLiteFailure) -> [BootKey: Int] {
    var present: [BootKey: Int] = [:]
    let counts = try database.statement("SELECT node, boot, count(*) FROM events WHERE seq > 0 GROUP BY node, boot")
    for (key, count) in try counts.rows([], { (Self.key($0, 0), Int($0.integer(2))) }) { present[key] = count }
    return present
  }

  private func noteLosses() throws(SQLiteFailure) -> (events: Int, nodes: Int) {
    let present = try presentCounts()
    var (events, nodes) = (0, Set<Int64>())
    for key in try bootKeys() {
      let known = try coverage(key)
      let stored = known.stored
      let gone = stored.count - min(stored.count, UInt64(present[key, default: 0]))
      guard gone > UInt64(known.dropped) || !known.knowsAll else { continue }
      let lost = try noteLosses(key, known, stored)
      guard lost > 0 else { continue }
      events += Int(clamping: lost)
      nodes.insert(key.node)
    }
    return (events, nodes.count)
  }

  /// Answers how many events of the run were lost, at least.
  private func noteLosses(_ key: BootKey, _ known: BootCoverage, _ stored: RangeSet) throws(SQLiteFailure) -> UInt64 {
    let rows = try database.storedNumbers(key)
    var lost = stored
    var unknown = known.forgotten > 0 ? RangeSet([1...known.forgotten]) : RangeSet()
    for range in rows.ranges {
      lost.remove(range)
      unknown.remove(range)
    }
    let (gone, dropped) = (lost.count, UInt64(known.dropped))
    // What is not remembered may be what retention took: rather too much is taken again than too little.
    lost.removeLowest(dropped - min(dropped, unknown.count))
    let before = known.ranges
    known.noteLost(lost, last: rows.ranges.last?.upperBound ?? 0)
    try write(known, key, from: before)
    return gone - min(gone, dropped)
  }
}
