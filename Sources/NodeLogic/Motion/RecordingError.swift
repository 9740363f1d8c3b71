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

  /// One line for people, without the name of the file, which this does not know.
  public var description: String {
    switch problem {
    case .header(let text):
      "line \(line): the header is \"\(text)\"; expected t,x,y,z with t in s and x, y, z in g, or no header"
    case .columns(let count): "line \(line): \(count) columns; expected 4: t [s], x, y, z [g]"
    case .number(let column, let text):
      "line \(line), column \(column) (\(Self.columnNames[column - 1])): \"\(text)\" is not a number"
    case .length: "line \(line): more than \(RecordingReader.longestLine) bytes; expected t,x,y,z"
    case .empty: "line \(line): the file ends without a sample; expected lines of t,x,y,z"
    }
  }

  private static let columnNames = ["t", "x", "y", "z"]
}
