internal import Telemetry

/// Writing.
extension HistoryStore {
  /// Writes a batch in one transaction, and answers what may be acknowledged: only what is on the disk.
  /// - Throws: nothing of it is written, and it may be offered again.
  public func commit(_ batch: StoreBatch) throws(StoreProblem) -> CommitReport {
    guard batch.events.count <= StoreBatch.maximumEvents else {
      throw StoreProblem(
        .other, file: settings.file, "a batch of \(batch.events.count) events; at most \(StoreBatch.maximumEvents)")
    }
    try checkFileIsThere()
    boundLog(before: batch.sizeBytes)
    touched = [:]
    touchOrder = []
    let nodesBefore = nodeIDs.count
    var report: CommitReport
    do throws(SQLiteFailure) {
      try judgeCalendar(batch.now)
      report = try database.transaction { () throws(SQLiteFailure) in try write(batch) }
    } catch {
      // What was learned of a transaction that never was.
      for key in touched.keys { boots[key] = nil }
      if nodeIDs.count != nodesBefore { nodeIDs = [:] }
      if error.kind == .full { cutLog() }
      throw error.problem(settings.file)
    }
    try checkFileIsThere()
    report.acknowledgements = touchOrder.flatMap { touched[$0]?.acknowledgements($0) ?? [] }
    retention.keptJumpS = retention.trust?.jumpedS
    if let now = batch.now { retention.now = now }
    return report
  }

  private func write(_ batch: StoreBatch) throws(SQLiteFailure) -> CommitReport {
    var outcomes: [CommitReport.Outcome] = []
    outcomes.reserveCapacity(batch.events.count)
    for event in batch.events { outcomes.append(try store(event)) }
    for eviction in batch.evictions { try store(eviction) }
    for note in batch.boots { try store(note) }
    var newest: [LatestKey: LatestRow] = [:]
    for row in batch.latest { newest[LatestKey(node: row.node, place: row.place)] = row }
    for row in newest.values { try store(row) }
    for alert in batch.alerts { try store(alert) }
    for told in batch.told { try store(told) }
    for alert in batch.forgottenAlerts { try forget(alert) }
    for change in batch.changes { try store(change) }
    for (key, touch) in touched { try write(touch.coverage, key, from: touch.before) }
    try keepJump()
    return CommitReport(id: batch.id, outcomes: outcomes, acknowledgements: [])
  }

  private struct LatestKey: Hashable {
    var node: NodeName
    var place: String
  }

  /// The number of a node in the database, which may be a new one.
  private func id(of node: NodeName) throws(SQLiteFailure) -> Int64 {
    if let id = try knownID(of: node) { return id }
    try database.run("INSERT INTO nodes (name) VALUES (?)", .text(node.description))
    return try knownID(of: node) ?? 0
  }

  private func touch(_ node: NodeName, _ boot: BootID) throws(SQLiteFailure) -> BootKey {
    let key = BootKey(node: try id(of: node), boot: boot.value)
    if touched[key] == nil {
      let coverage = try coverage(key)
      touched[key] = Touch(name: node, coverage: coverage, before: coverage.ranges)
      touchOrder.append(key)
    }
    return key
  }

  // MARK: Events

  private func store(_ event: EventRow) throws(SQLiteFailure) -> CommitReport.Outcome {
    let key = try touch(event.node, event.boot)
    touched[key]?.isAcknowledged = true
    guard let coverage = touched[key]?.coverage else { return .stored }
    defer { touched[key]?.arrivals.append(.init(number: event.sequence, upto: coverage.upto)) }
    let receivedS = event.received.seconds
    if coverage.firstS == 0 { coverage.firstS = receivedS }
    coverage.lastS = max(coverage.lastS, receivedS)
    let isNew = coverage.isStored(event.sequence) ? false : try insert(event, key)
    if isNew {
      coverage.noteStored(event.sequence)
      return .stored
    }
    coverage.noteStored(event.sequence)
    if try isAnother(event, key) {
      coverage.conflicts += 1
      try setApart(event, key)
      return .conflict
    }
    coverage.duplicates += 1
    return .duplicate
  }

  /// Whether it was not there.
  private func insert(_ event: EventRow, _ key: BootKey) throws(SQLiteFailure) -> Bool {
    try database.run(
      """
      INSERT OR IGNORE INTO events (node, boot, seq, stream, t, clk, up, received_t, is_late, payload)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .integer(key.node), .integer(Int64(key.boot)), .number(event.sequence), .text(event.stream.rawValue),
      .real(event.measured?.seconds), .text(event.clock?.rawValue), .real(event.uptimeS),
      .real(event.received.seconds), .integer(event.isLate ? 1 : 0), .blob(event.payload))
    return database.changes > 0
  }

  /// Whether there is an event under its number that says something else. One that has gone says nothing.
  private func isAnother(_ event: EventRow, _ key: BootKey) throws(SQLiteFailure) -> Bool {
    let statement = try database.statement(
      "SELECT stream, payload FROM events WHERE node = ? AND boot = ? AND seq = ?")
    statement.bind([.integer(key.node), .integer(Int64(key.boot)), .number(event.sequence)])
    defer { statement.reset() }
    guard try statement.step() else { return false }
    return statement.text(0) != event.stream.rawValue
      || Substance.differs(statement.blob(1), event.payload)
  }

  /// Conflicting events that are kept; of more only their number.
  static let maximumConflicts: Int64 = 1000

  private func setApart(_ event: EventRow, _ key: BootKey) throws(SQLiteFailure) {
    let place: [SQLiteValue] = [.integer(key.node), .integer(Int64(key.boot)), .number(event.sequence)]
    try database.statement("UPDATE conflicts SET times = times + 1 WHERE node = ? AND boot = ? AND seq = ?").run(place)
    guard database.changes == 0,
      try database.integer("SELECT count(*) FROM conflicts") ?? 0 < Self.maximumConflicts
    else { return }
    try database.statement(
      "INSERT INTO conflicts (node, boot, seq, stream, received_t, times, payload) VALUES (?, ?, ?, ?, ?, 1, ?)"
    ).run(place + [.text(event.stream.rawValue), .real(event.received.seconds), .blob(event.payload)])
  }

  private func store(_ eviction: EvictionRow) throws(SQLiteFailure) {
    let node = try id(of: eviction.node)
    let runs = eviction.runs.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ",")
    try database.run(
      """
      INSERT OR IGNORE INTO evictions (node, of_boot, boot, seq, first, last, runs, events, reason, received_t)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """, .integer(node), .integer(Int64(eviction.ofBoot.value)), .integer(Int64(eviction.boot.value)),
      .number(eviction.sequence), .number(eviction.range.lowerBound), .number(eviction.range.upperBound),
      .text("[\(runs)]"), .integer(eviction.events.map { Int64(clamping: $0) }), .text(eviction.reason),
      .real(eviction.received.seconds))
    guard !eviction.runs.isEmpty else { return }
    let key = try touch(eviction.node, eviction.ofBoot)
    touched[key]?.isAcknowledged = true
    for run in eviction.runs { touched[key]?.coverage.noteEvicted(run) }
  }

  // MARK: Runs of nodes

  private func store(_ note: BootNote) throws(SQLiteFailure) {
    let key = try touch(note.node, note.boot)
    guard let coverage = touched[key]?.coverage else { return }
    if let clock = note.clock { coverage.clock = clock }
    coverage.interleavings += note.interleavings
    coverage.replays += note.replays
  }

  func write(_ coverage: BootCoverage, _ key: BootKey, from before: BootCoverage.Ranges) throws(SQLiteFailure) {
    try recount(coverage, key)
    try write(coverage, key)
    try write(.stored, from: before.stored, to: coverage.above, key)
    try write(.evicted, from: before.evicted, to: coverage.evicted, key)
    func whole(_ last: UInt64) -> RangeSet { last > 0 ? RangeSet([1...last]) : RangeSet() }
    try write(.forgotten, from: whole(before.forgotten), to: whole(coverage.forgotten), key)
    if !coverage.isKept {
      coverage.isKept = true
      try boundBoots(of: key)
    }
  }

  /// Its row alone.
  func write(_ coverage: BootCoverage, _ key: BootKey) throws(SQLiteFailure) {
    try database.run(
      "INSERT OR REPLACE INTO boots VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      .integer(key.node), .integer(Int64(key.boot)), .number(coverage.upto), .number(coverage.highest),
      .real(coverage.firstS), .real(coverage.lastS), .real(coverage.clock?.wallAtStart.seconds),
      .text(coverage.clock?.quality.rawValue), .integer(Int64(coverage.duplicates)),
      .integer(Int64(coverage.conflicts)), .integer(Int64(coverage.interleavings)),
      .integer(Int64(coverage.replays)),
      .integer(
        BootRow.checksum(key, upto: coverage.upto, highest: coverage.highest, dropped: coverage.dropped)),
      .integer(Int64(coverage.dropped)))
  }

  /// Only the ranges that changed.
  private func write(_ kind: CoverageRow.Kind, from old: RangeSet, to new: RangeSet, _ key: BootKey)
    throws(SQLiteFailure)
  {
    guard old != new else { return }
    let (before, after) = (Set(old.ranges), Set(new.ranges))
    for range in old.ranges where !after.contains(range) {
      try database.run(
        "DELETE FROM coverage WHERE node = ? AND boot = ? AND kind = ? AND first = ?", .integer(key.node),
        .integer(Int64(key.boot)), .integer(kind.rawValue), .number(range.lowerBound))
    }
    for range in new.ranges where !before.contains(range) {
      try database.run(
        "INSERT OR REPLACE INTO coverage VALUES (?, ?, ?, ?, ?, ?)", .integer(key.node), .integer(Int64(key.boot)),
        .integer(kind.rawValue), .number(range.lowerBound), .number(range.upperBound),
        .integer(CoverageRow.checksum(key, kind, range)))
    }
  }

  /// Runs of one node that are kept at the most: a device that invents a new one with each message fills no disk.
  static let maximumBoots = 256

  private func boundBoots(of key: BootKey) throws(SQLiteFailure) {
    let count = try database.integer("SELECT count(*) FROM boots WHERE node = ?", .integer(key.node)) ?? 0
    guard count > Self.maximumBoots else { return }
    let oldest = try database.integer(
      "SELECT boot FROM boots WHERE node = ? AND boot <> ? ORDER BY last_t LIMIT 1", .integer(key.node),
      .integer(Int64(key.boot)))
    guard let oldest, let boot = UInt32(exactly: oldest) else { return }
    try forgetBoot(BootKey(node: key.node, boot: boot))
  }

  func forgetBoot(_ key: BootKey) throws(SQLiteFailure) {
    let place: [SQLiteValue] = [.integer(key.node), .integer(Int64(key.boot))]
    try database.statement("DELETE FROM boots WHERE node = ? AND boot = ?").run(place)
    try database.statement("DELETE FROM coverage WHERE node = ? AND boot = ?").run(place)
    boots[key] = nil
  }

  // MARK: State

  private func store(_ row: LatestRow) throws(SQLiteFailure) {
    try database.run(
      "INSERT OR REPLACE INTO latest VALUES (?, ?, ?, ?)", .integer(try id(of: row.node)),
      .text(row.place), .real(row.received?.seconds), .blob(row.payload))
  }

  private func store(_ alert: KeptAlert) throws(SQLiteFailure) {
    if alert.phase == .resolved, alert.isTold { return try forget(alert.identity) }
    try database.run(
      "INSERT OR REPLACE INTO alerts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", .text(alert.identity.rule),
      .text(alert.identity.subject), .text(alert.phase.rawValue), .real(alert.since.seconds),
      .real(alert.changed.seconds), .real(alert.leftS), .integer(Int64(alert.count)), .real(alert.value),
      .integer(alert.shakeBoot.map { Int64($0.value) }), .integer(alert.shakeID.map { Int64($0) }),
      .number(alert.telling), .integer(alert.isTold ? 1 : 0), .blob(alert.details))
  }

  private func store(_ told: ToldAlert) throws(SQLiteFailure) {
    try database.run(
      "UPDATE alerts SET is_told = 1 WHERE rule = ? AND subject = ? AND telling = ?", .text(told.identity.rule),
      .text(told.identity.subject), .number(told.telling))
    try database.run(
      "DELETE FROM alerts WHERE rule = ? AND subject = ? AND phase = 'resolved' AND is_told = 1",
      .text(told.identity.rule), .text(told.identity.subject))
  }

  private func forget(_ alert: AlertIdentity) throws(SQLiteFailure) {
    try database.run("DELETE FROM alerts WHERE rule = ? AND subject = ?", .text(alert.rule), .text(alert.subject))
  }
}

extension HistoryStore.Touch {
  /// What may be said of it; nothing where only something else than its events changed. Several where one has no room:
  /// each says what had come by then, since a node takes for lost what one does not name that names something later.
  func acknowledgements(_ key: BootKey) -> [Acknowledgement] {
    guard isAcknowledged else { return [] }
    func acknowledgement(_ sequence: UInt64, _ also: [ClosedRange<UInt64>]) -> Acknowledgement {
      Acknowledgement(node: name, boot: BootID(key.boot), sequence: sequence, also: also)
    }
    let (parts, last) = coverage.fitsOne(arrivals.map(\.number)) ? ([], arrivals.map(\.number)) : parts()
    return parts.map { acknowledgement($0.upto, $0.also) } + [
      acknowledgement(coverage.upto, coverage.also(for: last))
    ]
  }

  /// What is told before the last acknowledgement, and which numbers are left for that.
  private func parts() -> (told: [(upto: UInt64, also: [ClosedRange<UInt64>])], last: [UInt64]) {
    var told: [(upto: UInt64, also: [ClosedRange<UInt64>])] = []
    var part = RangeSet()
    var upto: UInt64 = 0
    for arrival in arrivals where arrival.number > 0 {
      if part.ranges.count >= Acknowledgement.maximumRanges, upto > 0 { part.remove(1...upto) }
      if part.ranges.count >= Acknowledgement.maximumRanges, !part.touches(arrival.number) {
        told.append((upto, part.ranges))
        part = RangeSet()
      }
      upto = arrival.upto
      if arrival.number > upto { part.insert(arrival.number) }
    }
    return (told, part.ranges.flatMap { $0 })
  }
}
