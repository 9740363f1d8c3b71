/// Reading what is settled of a run.
extension Connection {
  /// What is settled of a run.
  func readCoverage(_ key: BootKey) throws(SQLiteFailure) -> BootCoverage {
    let rows = try statement(
      """
      SELECT upto, highest, first_t, last_t, start_t, clk, duplicates, conflicts, interleavings, replays, checksum,
      dropped FROM boots WHERE node = ? AND boot = ?
      """
    ).rows([.integer(key.node), .integer(Int64(key.boot))]) { BootRow($0) }
    let ranges = try statement(
      "SELECT kind, first, last, checksum FROM coverage WHERE node = ? AND boot = ?"
    ).rows([.integer(key.node), .integer(Int64(key.boot))]) { CoverageRow($0) }
    if let row = rows.first, row.isSound(key), ranges.allSatisfy({ $0.isSound(key) }) {
      return row.coverage(ranges)
    }
    // A new one, or one whose row did not survive: the events themselves tell. What retention took is not among them.
    let counted = BootCoverage()
    counted.recount(try storedNumbers(key), evicted: try evictedNumbers(key))
    counted.highest = counted.settledAbove.ranges.last?.upperBound ?? counted.upto
    rows.first?.fill(counted)
    return counted
  }

  /// The numbers of which there are events.
  func storedNumbers(_ key: BootKey) throws(SQLiteFailure) -> RangeSet {
    var numbers = RangeSet()
    let statement = try self.statement("SELECT seq FROM events WHERE node = ? AND boot = ? ORDER BY seq")
    statement.bind([.integer(key.node), .integer(Int64(key.boot))])
    defer { statement.reset() }
    while try statement.step() { numbers.insert(statement.number(0)) }
    return numbers
  }

  /// The numbers that the node said it gave up, exactly.
  func evictedNumbers(_ key: BootKey) throws(SQLiteFailure) -> RangeSet {
    let runs = try statement(HistoryStore.evictedRuns + " WHERE e.node = ? AND e.of_boot = ?").rows(
      [.integer(key.node), .integer(Int64(key.boot))]
    ) { EvictedRun($0)?.range }
    return RangeSet(runs)
  }
}
