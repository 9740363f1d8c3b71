internal import Telemetry

/// Looks for events in pages.
///
/// First only their numbers in the database are looked for, many at once, and sorted by SQLite, which keeps no more of
/// them than that; then a page of rows by their numbers. What is searched for is found by an index node by node, so
/// that the next numbers are found beyond the last ones.
final class EventSearch {
  /// Numbers looked for at once (16 bytes each), and rows in a page.
  static let numbersAtOnce = 250_000, rowsInPage = 200

  private struct Place {
    var id: Int64
    var timeS: Double
  }

  private let database: Connection
  private let query: HistoryReader.Query
  private let nodes: [Int64]?
  private var found: ArraySlice<Place> = []
  private var last: Place?
  private var left: Int
  private var isOver = false

  init(_ reader: HistoryReader, _ query: HistoryReader.Query) {
    database = reader.database
    self.query = query
    left = max(0, query.limit ?? .max)
    nodes = query.nodes.map { names in names.compactMap { name in (try? reader.id(of: name)).flatMap { $0 } } }
  }

  /// The next rows; nil: there are no more.
  func page() throws(SQLiteFailure) -> [EventRow]? {
    if found.isEmpty {
      guard !isOver, left > 0 else { return nil }
      let wanted = min(left, Self.numbersAtOnce)
      found = try numbers(wanted)[...]
      left -= found.count
      isOver = found.count < wanted
      last = found.last
      guard !found.isEmpty else { return nil }
    }
    let places = found.prefix(Self.rowsInPage)
    found = found.dropFirst(Self.rowsInPage)
    return try database.moment { () throws(SQLiteFailure) in
      var rows: [EventRow] = []
      for place in places { rows += try row(place.id) }
      return rows
    }
  }

  /// One row; none where retention took it meanwhile.
  private func row(_ id: Int64) throws(SQLiteFailure) -> [EventRow] {
    try database.statement(
      """
      SELECT name, boot, seq, stream, t, clk, up, received_t, is_late, payload
      FROM events JOIN nodes ON nodes.id = events.node WHERE events.id = ?
      """
    ).rows([.integer(id)]) { EventRow($0) }
  }

  /// The next numbers. The newest of all are mostly found in a short time before the last of them.
  private func numbers(_ wanted: Int) throws(SQLiteFailure) -> [Place] {
    if query.order == .newestFirst, query.from == nil, last == nil, wanted < Self.numbersAtOnce,
      let newest = try database.statement("SELECT received_t FROM events ORDER BY id DESC LIMIT 1")
        .rows([], { $0.time(0) }).first
    {
      for spanS in [3600, 86_400, 30 * 86_400.0] {
        let found = try numbers(wanted, from: newest + -spanS)
        if found.count == wanted { return found }
      }
    }
    return try numbers(wanted, from: query.from)
  }

  private static let time = "ifnull(t, received_t)"

  private func numbers(_ wanted: Int, from: WallTime?) throws(SQLiteFailure) -> [Place] {
    var conditions: [String] = []
    var values: [SQLiteValue] = []
    func add(_ condition: String, _ new: SQLiteValue...) {
      conditions.append(condition)
      values += new
    }
    let list = nodes.map { SQLiteValue.text("[" + $0.map(String.init).joined(separator: ",") + "]") }
    let isByReceipt = query.order == .received
    let time = isByReceipt ? "received_t" : Self.time
    var source = isByReceipt ? "events" : "nodes CROSS JOIN events ON events.node = nodes.id"
    if let list {
      if isByReceipt {
        add("node IN (SELECT value FROM json_each(?))", list)
      } else {
        source = "json_each(?) AS chosen CROSS JOIN events ON events.node = chosen.value"
        values.append(list)
      }
    }
    if let from { add("\(time) >= ?", .real(from.seconds)) }
    if let until = query.until { add("\(time) < ?", .real(until.seconds)) }
    if let isLate = query.isLate { add("is_late = ?", .integer(isLate ? 1 : 0)) }
    if let streams = query.streams {
      let names = streams.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
      add("stream IN (SELECT value FROM json_each(?))", .text("[\(names)]"))
    }
    if let last {
      switch query.order {
      case .received: add("events.id > ?", .integer(last.id))
      case .oldestFirst:
        add("\(time) >= ?", .real(last.timeS))
        add("NOT (\(time) = ? AND events.id <= ?)", .real(last.timeS), .integer(last.id))
      case .newestFirst:
        add("\(time) <= ?", .real(last.timeS))
        add("NOT (\(time) = ? AND events.id >= ?)", .real(last.timeS), .integer(last.id))
      }
    }
    let order =
      switch query.order {
      case .received: "events.id"
      case .oldestFirst: "\(time), events.id"
      case .newestFirst: "\(time) DESC, events.id DESC"
      }
    let condition = conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND ")
    return try database.statement(
      "SELECT events.id, \(time) FROM \(source) \(condition) ORDER BY \(order) LIMIT ?"
    ).rows(values + [.integer(Int64(wanted))]) { Place(id: $0.integer(0), timeS: $0.real(1)) }
  }
}
