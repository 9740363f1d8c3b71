/// What is wrong with a recording, and where.
public struct RecordingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// What a line, or the file, lacks.
  public enum Problem: Equatable, Sendable {
    /// A first line that is neither numbers nor `t,x,y,z`.
    case header(String)
    /// Not four columns.
    case columns(Int)
    /// A field that is no finite number: its column from 1, and the text.
    case number(column: Int, text: String)
    /// A time that nothing can be told of, and what it may be [s].
    case time(Double, ClosedRange<Double>)
    /// A line of more bytes than any four numbers have.
    case length
    /// No sample in the whole file.
    case empty
  }

  /// From 1.
  public var line: Int
  public var problem: Problem

  public init(line: Int, problem: Problem) {
    self.line = line
    self.problem = problem
  }

  /// The line is not four numbers, whatever the numbers are.
  var isUnreadable: Bool {
    switch problem {
    case .columns, .number: true
    case .header, .time, .length, .empty: false
    }
  }

  /// One line for people, without the name of the file, which this does not know.
  public var description: String {
    switch problem {
    case .header(let text):
      "line \(line): the header is \"\(text)\"; expected t,x,y,z with t in s and x, y, z in g, or no header"
    case .columns(let count): "line \(line): \(count) columns; expected 4: t [s], x, y, z [g]"
    case .number(let column, let text):
      "line \(line), column \(column) (\(Self.columnNames[column - 1])): \"\(text)\" is not a number"
    case .time(let time, let times):
      "line \(line), column 1 (t): \(Self.plain(time)) cannot be a message's t\(Self.unit(time, times)); expected"
        + " \(Self.plain(times.lowerBound)) to \(Self.plain(times.upperBound)) s"
    case .length: "line \(line): more than \(RecordingReader.longestLine) bytes; expected t,x,y,z"
    case .empty: "line \(line): the file ends without a sample; expected lines of t,x,y,z"
    }
  }

  private static let columnNames = ["t", "x", "y", "z"]

  private static func plain(_ time: Double) -> String {
    let text = "\(time)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// The first smaller unit in which a time would be right.
  private static func unit(_ time: Double, _ times: ClosedRange<Double>) -> String {
    let units = [(1e3, "milliseconds"), (1e6, "microseconds"), (1e9, "nanoseconds")]
    return units.first { times.contains(time / $0.0) }.map { ": that looks like \($0.1)" } ?? ""
  }
}
