/// Rows one after the other, of which only a page is in memory. Between two pages nothing is held: a reader who pauses
/// keeps nobody's log from being cut.
public final class HistoryCursor<Row> {
  private var rows: ArraySlice<Row> = []
  private var page: () throws(StoreProblem) -> [Row]?

  /// - Parameter page: the next rows, which may be none; nil: there are no more.
  init(_ page: @escaping () throws(StoreProblem) -> [Row]?) {
    self.page = page
  }

  /// The next row; nil when there are no more.
  public func next() throws(StoreProblem) -> Row? {
    while rows.isEmpty {
      guard let more = try page() else { return nil }
      rows = more[...]
    }
    return rows.removeFirst()
  }

  /// All that is left, for what is known to be small.
  public func rest() throws(StoreProblem) -> [Row] {
    var all: [Row] = []
    while let row = try next() { all.append(row) }
    return all
  }
}
