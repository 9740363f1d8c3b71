public import Telemetry

/// Events, and the log of alerts, row by row.
extension HistoryReader {
  /// What to look for; nil: any.
  public struct Query: Equatable, Sendable {
    /// In which order.
    public enum Order: Sendable {
      /// By the time of measurement, or of receipt where nothing vouches for the other.
      case oldestFirst, newestFirst
      /// In the order of receipt; `from` and `until` are of the receipt then.
      case received
    }

    /// Whose.
    public var nodes: [NodeName]?
    /// Which streams.
    public var streams: [Stream]?
    /// From and up to, but not including.
    public var from: WallTime?, until: WallTime?
    /// Whether they were no news when they came.
    public var isLate: Bool?
    /// Events at the most.
    public var limit: Int?
    /// In which order.
    public var order: Order

    public init(
      nodes: [NodeName]? = nil, streams: [Stream]? = nil, from: WallTime? = nil, until: WallTime? = nil,
      isLate: Bool? = nil, limit: Int? = nil, order: Order = .oldestFirst
    ) {
      self.nodes = nodes
      self.streams = streams
      self.from = from
      self.until = until
      self.isLate = isLate
      self.limit = limit
      self.order = order
    }
  }

  /// Events in order, a page of them in memory and the numbers of some more.
  public func events(_ query: Query = Query()) -> HistoryCursor<EventRow> {
    let search = EventSearch(self, query)
    return HistoryCursor { () throws(StoreProblem) in
      try self.guarded { () throws(SQLiteFailure) in try search.page() }
    }
  }

  /// Steps in the lives of alerts; nil: any.
  public struct DecisionQuery: Equatable, Sendable {
    /// Of which rule, and about what.
    public var rule: String?, subject: String?
    /// From and up to, but not including.
    public var from: WallTime?, until: WallTime?
    /// From the newest on, rather than in the order of the decisions.
    public var isNewestFirst: Bool

    public init(
      rule: String? = nil, subject: String? = nil, from: WallTime? = nil, until: WallTime? = nil,
      isNewestFirst: Bool = false
    ) {
      self.rule = rule
      self.subject = subject
      self.from = from
      self.until = until
      self.isNewestFirst = isNewestFirst
    }
  }

  /// The log of alerts, in the order of the decisions or from the newest on.
  public func decisions(_ query: DecisionQuery = DecisionQuery()) -> HistoryCursor<KeptDecision> {
    var last: Int64 = query.isNewestFirst ? .max : 0
    return HistoryCursor { () throws(StoreProblem) in
      try self.guarded { () throws(SQLiteFailure) in
        let page = try self.decisions(query, after: last)
        guard let end = page.last?.id else { return nil }
        last = end
        return page.map(\.decision)
      }
    }
  }

  private func decisions(_ query: DecisionQuery, after last: Int64) throws(SQLiteFailure)
    -> [(id: Int64, decision: KeptDecision)]
  {
    var conditions = [query.isNewestFirst ? "id < ?" : "id > ?"]
    var values: [SQLiteValue] = [.integer(last)]
    func add(_ condition: String, _ value: SQLiteValue?) {
      guard let value else { return }
      conditions.append(condition)
      values.append(value)
    }
    add("rule = ?", query.rule.map { .text($0) })
    add("subject = ?", query.subject.map { .text($0) })
    add("t >= ?", query.from.map { .real($0.seconds) })
    add("t < ?", query.until.map { .real($0.seconds) })
    return try database.statement(
      """
      SELECT id, t, rule, subject, alert, step, state, reason, details FROM alert_log
      WHERE \(conditions.joined(separator: " AND ")) ORDER BY id \(query.isNewestFirst ? "DESC" : "") LIMIT 200
      """
    ).rows(values) { row in
      let identity = AlertIdentity(rule: row.text(2) ?? "", subject: row.text(3) ?? "")
      return (
        row.integer(0),
        KeptDecision(
          at: WallTime(seconds: row.real(1)), identity, alert: row.text(4), step: row.text(5) ?? "",
          state: row.text(6), reason: row.text(7) ?? "", details: row.blobIfPresent(8))
      )
    }
  }
}
