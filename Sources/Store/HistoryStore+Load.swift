internal import Telemetry

/// Reading what was kept, for a start.
extension HistoryStore {
  /// Hands over everything that was kept of nodes and alerts, in parts. The last part has the alerts.
  public func load(_ take: (KeptFleet) -> Void) throws(StoreProblem) {
    try guarded { () throws(SQLiteFailure) in try database.load(take) }
  }

  static func key(_ row: Statement, _ column: Int32) -> BootKey {
    BootKey(node: row.integer(column), boot: UInt32(truncatingIfNeeded: row.integer(column + 1)))
  }
}

extension Connection {
  /// In parts, nodes first.
  func load(_ take: (KeptFleet) -> Void) throws(SQLiteFailure) {
    var last: Int64 = 0
    while true {
      let part = try nodes(after: last)
      guard let end = part.last?.id else { break }
      take(KeptFleet(nodes: part.map(\.node), alerts: []))
      last = end
    }
    take(try alerting())
  }

  /// One node; nil when it is not there.
  func node(_ id: Int64) throws(SQLiteFailure) -> KeptNode? {
    try nodes(after: id - 1, limit: 1).first { $0.id == id }?.node
  }

  private func nodes(after last: Int64, limit: Int = KeptFleet.nodesInPart) throws(SQLiteFailure) -> [(
    id: Int64, node: KeptNode
  )] {
    let names = try statement("SELECT id, name FROM nodes WHERE id > ? ORDER BY id LIMIT ?").rows(
      [.integer(last), .integer(Int64(limit))]
    ) { row in (id: row.integer(0), name: row.text(1).flatMap { NodeName($0) }) }
    guard let end = names.last?.id else { return [] }
    let range: [SQLiteValue] = [.integer(last), .integer(end)]
    let latest = try latest(range, names)
    let boots = try keptBoots(range)
    return names.compactMap { id, name in
      name.map { (id, KeptNode(name: $0, latest: latest[id] ?? [], boots: boots[id] ?? [])) }
    }
  }

  private func latest(_ range: [SQLiteValue], _ names: [(id: Int64, name: NodeName?)])
    throws(SQLiteFailure) -> [Int64: [LatestRow]]
  {
    let names = Dictionary(names.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
    var found: [Int64: [LatestRow]] = [:]
    let statement = try self.statement(
      "SELECT node, stream, received_t, payload FROM latest WHERE node > ? AND node <= ? ORDER BY node, stream")
    statement.bind(range)
    defer { statement.reset() }
    while try statement.step() {
      guard let name = names[statement.integer(0)] ?? nil,
        let place = statement.text(1).flatMap({ LatestRow.stream(ofPlace: $0) })
      else { continue }
      let received = statement.realIfPresent(2).map { WallTime(seconds: $0) }
      found[statement.integer(0), default: []].append(
        LatestRow(
          node: name, stream: place.stream, part: place.part, received: received, payload: statement.blob(3)))
    }
    return found
  }

  private func keptBoots(_ range: [SQLiteValue]) throws(SQLiteFailure) -> [Int64: [KeptBoot]] {
    var ranges: [BootKey: [CoverageRow]] = [:]
    let coverage = try self.statement(
      "SELECT kind, first, last, checksum, node, boot FROM coverage WHERE node > ? AND node <= ?")
    _ = try coverage.rows(range) { row in
      CoverageRow(row).map { ranges[HistoryStore.key(row, 4), default: []].append($0) }
    }
    var found: [Int64: [KeptBoot]] = [:]
    let statement = try self.statement(
      """
      SELECT node, boot, upto, highest, first_t, last_t, start_t, clk, duplicates, conflicts, interleavings, replays,
      checksum, dropped FROM boots WHERE node > ? AND node <= ? ORDER BY node, last_t
      """)
    for (key, row) in try statement.rows(range, { (HistoryStore.key($0, 0), BootRow($0, from: 2)) }) {
      let rows = ranges[key] ?? []
      let isSound = row.isSound(key) && rows.allSatisfy { $0.isSound(key) }
      let known = isSound ? row.coverage(rows) : try readCoverage(key)
      found[key.node, default: []].append(KeptBoot(BootID(key.boot), known))
      if found[key.node, default: []].count > KeptNode.maximumBoots { found[key.node]?.removeFirst() }
    }
    return found
  }

  /// The last part.
  func alerting() throws(SQLiteFailure) -> KeptFleet {
    var part = KeptFleet(nodes: [], alerts: try alerts())
    part.silences = try silences()
    part.notes = try notes()
    part.wishes = try wishes()
    return part
  }

  func alerts() throws(SQLiteFailure) -> [KeptAlert] {
    try statement(
      """
      SELECT rule, subject, phase, since_t, changed_t, left_s, count, value, shake_boot, shake_id, telling, is_told,
      details FROM alerts ORDER BY subject, rule
      """
    ).rows([]) { KeptAlert($0) }
  }
}

extension KeptBoot {
  init(_ boot: BootID, _ known: BootCoverage) {
    self.init(
      boot: boot, first: WallTime(seconds: known.firstS), last: WallTime(seconds: known.lastS),
      highest: known.highest, sequence: known.upto, also: Array(known.settledAbove.ranges.suffix(Self.maximumRanges)),
      clock: known.clock, interleavings: known.interleavings, replays: known.replays,
      duplicates: known.duplicates, conflicts: known.conflicts)
  }
}

extension KeptAlert {
  init?(_ row: Statement) {
    guard let rule = row.text(0), let subject = row.text(1),
      let phase = row.text(2).flatMap({ Phase(rawValue: $0) })
    else { return nil }
    self.init(
      AlertIdentity(rule: rule, subject: subject), phase: phase, since: WallTime(seconds: row.real(3)),
      changed: WallTime(seconds: row.real(4)), leftS: row.realIfPresent(5), count: Int(row.integer(6)),
      value: row.realIfPresent(7),
      shakeBoot: row.integerIfPresent(8).map { BootID(UInt32(truncatingIfNeeded: $0)) },
      shakeID: row.integerIfPresent(9).map { Int($0) }, telling: row.number(10), isTold: row.integer(11) != 0,
      details: row.blob(12))
  }
}
