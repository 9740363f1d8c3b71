internal import Telemetry

/// Writing and reading what is kept about alerts beside the alerts themselves.
extension HistoryStore {
  func store(_ change: AlertingChange) throws(SQLiteFailure) {
    switch change {
    case .decision(let decision): try store(decision)
    case .silence(let silence): try store(silence)
    case .forgetSilence(let id): try database.run("DELETE FROM silences WHERE id = ?", .text(id))
    case .note(let key, let text):
      try database.run(
        "INSERT OR REPLACE INTO meta VALUES (?, ?)", .text(KeptFleet.notePrefix + key), .blob(text))
    case .wish(let wish): try store(wish)
    case .forgetWish(let id): try database.run("DELETE FROM wishes WHERE id = ?", .text(id))
    }
  }

  private func store(_ decision: KeptDecision) throws(SQLiteFailure) {
    try database.run(
      "INSERT INTO alert_log (t, rule, subject, alert, step, state, reason, details) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      .real(decision.time.seconds), .text(decision.identity.rule), .text(decision.identity.subject),
      .text(decision.alert), .text(decision.step), .text(decision.state), .text(decision.reason),
      .blob(decision.details))
  }

  private func store(_ silence: KeptSilence) throws(SQLiteFailure) {
    try database.run(
      "INSERT OR REPLACE INTO silences VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .text(silence.id),
      .real(silence.start?.seconds), .real(silence.end?.seconds), .text(silence.author), .text(silence.comment),
      .text(silence.matchers), .real(silence.made.seconds), .real(silence.ended?.seconds))
  }

  private func store(_ wish: KeptWish) throws(SQLiteFailure) {
    try database.run(
      "INSERT OR REPLACE INTO wishes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", .text(wish.id),
      .text(wish.node.description), .text(wish.command), .real(wish.made.seconds), .real(wish.expires?.seconds),
      .text(wish.author), .text(wish.state), .real(wish.changed.seconds), .blob(wish.reply))
  }

  // MARK: Retention

  /// Rows of the log of alerts at the most. Less in a small database, of which it takes a quarter, at some 1 KiB a row.
  var maximumDecisions: Int64 { min(settings.maximumDecisions, max(1, settings.capBytes / 4096)) }

  /// Gives up rows of the log of alerts that are too many, the oldest first; whether there may be more.
  func boundDecisions() throws(SQLiteFailure) -> Bool {
    guard let last = try database.integer("SELECT max(id) FROM alert_log") else { return false }
    return try dropDecisions("id <= ?", .integer(last - maximumDecisions), "room")
  }

  /// Gives up what is over and too old: steps of alerts, silences and wishes.
  func dropAlerting(before cutoffS: Double) throws(SQLiteFailure) {
    while try dropDecisions("t < ?", .real(cutoffS), "age") {}
    try database.run("DELETE FROM silences WHERE end_t < ? OR ended_t < ?", .real(cutoffS), .real(cutoffS))
    try database.run("DELETE FROM wishes WHERE max(changed_t, ifnull(expires_t, changed_t)) < ?", .real(cutoffS))
  }

  private func dropDecisions(_ condition: String, _ bound: SQLiteValue, _ reason: String) throws(SQLiteFailure) -> Bool
  {
    let found = try database.statement(
      "SELECT id, length(details) FROM alert_log WHERE \(condition) ORDER BY id LIMIT ?"
    ).rows([bound, .integer(Retention.stepRows)]) { (id: $0.integer(0), bytes: $0.integer(1)) }
    guard !found.isEmpty else { return false }
    for row in found { try database.run("DELETE FROM alert_log WHERE id = ?", .integer(row.id)) }
    try noteDropped("alert_log", reason, events: Int64(found.count), bytes: found.reduce(0) { $0 + $1.bytes })
    return found.count == Int(Retention.stepRows)
  }
}

extension Connection {
  /// By when they were made.
  func silences() throws(SQLiteFailure) -> [KeptSilence] {
    try statement(
      "SELECT id, start_t, end_t, author, comment, matchers, made_t, ended_t FROM silences ORDER BY made_t, id"
    ).rows([]) { row in
      KeptSilence(
        id: row.text(0) ?? "", start: row.time(1), end: row.time(2), author: row.text(3), comment: row.text(4),
        matchers: row.text(5) ?? "", made: WallTime(seconds: row.real(6)), ended: row.time(7))
    }
  }

  /// What the owner kept, by its key.
  func notes() throws(SQLiteFailure) -> [String: [UInt8]] {
    let rows = try statement("SELECT key, value FROM meta WHERE key LIKE ?").rows([.text(KeptFleet.notePrefix + "%")]) {
      (key: $0.text(0) ?? "", text: $0.blobIfPresent(1) ?? [])
    }
    return Dictionary(rows.map { (String($0.key.dropFirst(KeptFleet.notePrefix.count)), $0.text) }) { $1 }
  }

  /// By when they were made.
  func wishes() throws(SQLiteFailure) -> [KeptWish] {
    try statement(
      """
      SELECT id, node, command, made_t, expires_t, author, state, changed_t, reply FROM wishes ORDER BY made_t, id
      """
    ).rows([]) { row in
      row.text(1).flatMap { NodeName($0) }.map {
        KeptWish(
          id: row.text(0) ?? "", node: $0, command: row.text(2) ?? "", made: WallTime(seconds: row.real(3)),
          expires: row.time(4), author: row.text(5), state: row.text(6) ?? "", changed: WallTime(seconds: row.real(7)),
          reply: row.blobIfPresent(8))
      }
    }
  }
}
