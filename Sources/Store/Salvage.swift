internal import CSQLite
internal import Telemetry

/// Takes over what can be read of a damaged database into a new one: first the small tables, then the events, of which
/// the newest come first. Rows keep their numbers.
///
/// A page that cannot be read hides some rows: the place is stepped over, in steps that grow until something can be
/// read again.
final class Salvage {
  private let target: Connection
  private let deadline: Deadline
  /// Rows taken over, by table.
  private(set) var rows: [String: Int] = [:]
  /// Places that could not be read.
  private(set) var holes = 0
  /// All of it was tried.
  private(set) var isWhole = true
  /// Of the new database, by table.
  private var columns: [String: [String]] = [:]

  init(_ target: Connection, deadlineS: Double) {
    self.target = target
    deadline = Deadline(atS: deadlineS)
  }

  /// Tables whose rows have a number. Columns are told by their places: a name may be damaged.
  private static let numbered = ["nodes", "evictions", "conflicts", "alert_log", "events"]

  /// Tables ordered by their key.
  private static let keyed = [
    "boots", "coverage", "alerts", "dropped", "latest", "silences", "wishes",
  ]

  /// Of no node, or by name.
  private static let nameless: Set<String> = [
    "alerts", "dropped", "silences", "wishes", "alert_log",
  ]

  /// Tables that a database of version 2 does not have.
  private static let late: Set<String> = ["silences", "wishes", "alert_log"]

  private func isAbsent(_ table: String, _ source: Connection) -> Bool {
    guard Self.late.contains(table) else { return false }
    do throws(SQLiteFailure) {
      _ = try source.statement("SELECT * FROM \(table)")
      return false
    } catch {
      return error.primary == SQLITE_ERROR
    }
  }

  func takeOver(from file: String) {
    guard let source = try? Connection(file, .rescue, busyS: 0) else {
      holes += 1
      return
    }
    let pointer = Unmanaged.passUnretained(deadline).toOpaque()
    sqlite3_progress_handler(source.handle, 1000, { Deadline.isOver($0) }, pointer)
    defer { sqlite3_progress_handler(source.handle, 0, nil, nil) }
    copyNumbered("nodes", source)
    for table in Self.keyed where !isAbsent(table, source) { copyKeyed(table, source) }
    for table in Self.numbered.dropFirst() where !isAbsent(table, source) { copyNumbered(table, source) }
    dropStrangers()
  }

  /// Rows of nodes whose names did not survive say nothing.
  private func dropStrangers() {
    for table in Self.keyed + Self.numbered.dropFirst() where !Self.nameless.contains(table) {
      try? target.execute("DELETE FROM \(table) WHERE node NOT IN (SELECT id FROM nodes)")
    }
    rows["events"] = (try? target.integer("SELECT count(*) FROM events")).flatMap { $0 }.map { Int($0) }
  }

  // MARK: By key

  /// Reads as far as it goes.
  private func copyKeyed(_ table: String, _ source: Connection) {
    do throws(SQLiteFailure) {
      let statement = try source.statement("SELECT * FROM \(table)")
      statement.bind([])
      defer { statement.reset() }
      try target.transaction { () throws(SQLiteFailure) in
        while try advance(statement) { write(table, statement) }
      }
    } catch {
      note(error)
    }
  }

  /// The next row; a place that cannot be read ends it, and what was read stays.
  private func advance(_ statement: Statement) throws(SQLiteFailure) -> Bool {
    do throws(SQLiteFailure) {
      return try statement.step()
    } catch {
      note(error)
      return false
    }
  }

  private func note(_ failure: SQLiteFailure) {
    if deadline.isOver { isWhole = false } else { holes += 1 }
    _ = failure
  }

  /// An older version had fewer columns: what came later has its default.
  private func write(_ table: String, _ row: Statement) {
    let names = columns(of: table)
    var values = Array(row.values.prefix(names.count))
    // Until version 2 an alert was one of a node, by its number.
    if table == "alerts", values.count > 1, case .integer(let node) = values[1] {
      guard let name = try? target.text("SELECT name FROM nodes WHERE id = ?", .integer(node)) else { return }
      values[1] = .text(name)
    }
    let places = Array(repeating: "?", count: values.count).joined(separator: ", ")
    let into = "\(table) (\(names.prefix(values.count).joined(separator: ", ")))"
    guard let insert = try? target.statement("INSERT OR IGNORE INTO \(into) VALUES (\(places))"),
      (try? insert.run(values)) != nil
    else { return }
    rows[table, default: 0] += target.changes
  }

  private func columns(of table: String) -> [String] {
    if let known = columns[table] { return known }
    let names = try? target.statement("PRAGMA table_info(\(table))").rows([]) { $0.text(1) }
    columns[table] = names ?? []
    return names ?? []
  }

  // MARK: By number

  private func copyNumbered(_ table: String, _ source: Connection) {
    let below = "SELECT * FROM \(table) WHERE rowid <= ? ORDER BY rowid DESC LIMIT 5000"
    var next = Int64.max
    var step: Int64 = 1
    while !deadline.isOver {
      let (last, outcome) = copyBelow(next, below, table, source)
      if let last {
        next = last
        step = 1
        // Nothing is below it; no sound row has such a number.
        if last == .min { return }
      }
      switch outcome {
      case .end: return
      case .more: continue
      case .unreadable:
        guard let place = resume(below: next, step: &step, table, source) else { return }
        next = place
      }
    }
    isWhole = false
  }

  private enum Reading { case end, more, unreadable }

  /// Copies rows below a number, the highest first. Answers the lowest that was copied.
  private func copyBelow(_ next: Int64, _ sql: String, _ table: String, _ source: Connection)
    -> (last: Int64?, Reading)
  {
    var last: Int64?
    var count = 0
    do throws(SQLiteFailure) {
      let outcome = try target.transaction { () throws(SQLiteFailure) -> Reading in
        do throws(SQLiteFailure) {
          let statement = try source.statement(sql)
          statement.bind([.integer(next - 1)])
          defer { statement.reset() }
          while try statement.step() {
            last = statement.integer(0)
            count += 1
            write(table, statement)
          }
          return count < 5000 ? .end : .more
        } catch {
          return .unreadable
        }
      }
      return (last, outcome)
    } catch {
      return (last, .unreadable)
    }
  }

  /// A number below which something can be read again; nil when there is none.
  private func resume(below next: Int64, step: inout Int64, _ table: String, _ source: Connection) -> Int64? {
    if step == 1 { holes += 1 }
    var place = next == .max ? highestGuess(table, source) : next
    while place > 1, !deadline.isOver {
      let unreadable = place
      place = max(1, place - step)
      step = min(step * 2, 4096)
      if canRead(below: place, table, source) { return edge(above: place, below: unreadable, table, source) }
    }
    if place > 1 { isWhole = false }
    return nil
  }

  /// Where what can be read ends. Numbers are looked for from one that would be read first: looking for the one behind
  /// it would take the page that cannot be read.
  private func edge(above readable: Int64, below unreadable: Int64, _ table: String, _ source: Connection) -> Int64 {
    var (low, high) = (readable, unreadable)
    while high - low > 1, !deadline.isOver {
      let middle = low + (high - low) / 2
      if canRead(below: middle, table, source) { low = middle } else { high = middle }
    }
    return low
  }

  private func canRead(below place: Int64, _ table: String, _ source: Connection) -> Bool {
    guard
      let statement = try? source.statement("SELECT rowid FROM \(table) WHERE rowid <= ? ORDER BY rowid DESC LIMIT 1")
    else { return false }
    statement.bind([.integer(place - 1)])
    defer { statement.reset() }
    return (try? statement.step()) != nil
  }

  /// Where the numbers of a table may end, when its end cannot be read.
  private func highestGuess(_ table: String, _ source: Connection) -> Int64 {
    var guess: Int64 = 1 << 32
    while guess > 2, !deadline.isOver {
      if canRead(below: guess / 2, table, source) {
        let found =
          (try? source.integer(
            "SELECT rowid FROM \(table) WHERE rowid <= ? ORDER BY rowid DESC LIMIT 1", .integer(guess / 2 - 1)))
          .flatMap { $0 }
        if found != nil { return guess }
      }
      guess /= 2
    }
    return guess
  }
}
