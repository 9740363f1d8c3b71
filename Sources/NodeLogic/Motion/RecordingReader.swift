internal import Telemetry

/// Reads a recording, chunk by chunk: comma-separated lines of `t` [s] and `x`, `y`, `z` [g].
///
/// A first line `t,x,y,z` is optional. Empty lines, lines that start with `#`, blanks around fields, a byte order mark
/// and lines that end with CR LF are all right. Times may do what they like: that they do not rise is for the reader of
/// the samples to count, as it is with a sensor.
public struct RecordingReader: Sendable {
  /// Bytes that a line may have.
  public static let longestLine = 1024

  /// Lines seen so far.
  public private(set) var line = 0
  /// The last line, from 1, where it has no line feed and cannot be read: whoever wrote it was cut off. It is left out.
  public private(set) var tornLine: Int?
  private var hasData = false
  private var hasHeader = false
  /// The line that the last chunk broke off.
  private var rest: [UInt8] = []
  private let times: ClosedRange<Double>?

  /// - Parameter times: what t may be [s]; nil: any number.
  public init(times: ClosedRange<Double>? = nil) {
    self.times = times
  }

  /// Takes the next bytes and answers the samples of the lines that are complete.
  public mutating func feed(_ bytes: some Sequence<UInt8>) throws(RecordingError) -> [Sample] {
    var samples: [Sample] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let sample = try endLine() { samples.append(sample) }
      } else if rest.count < Self.longestLine {
        rest.append(byte)
      } else {
        throw RecordingError(line: line + 1, problem: .length)
      }
    }
    return samples
  }

  /// Tells that the file ends here, and answers the sample of a last line without a line feed.
  ///
  /// One that cannot be read is left out, as `tornLine` says, because power that goes while a line is written must not
  /// cost all lines before it.
  public mutating func finish() throws(RecordingError) -> Sample? {
    let last = rest.isEmpty ? nil : try endLastLine()
    guard hasData else { throw RecordingError(line: max(line, 1), problem: .empty) }
    return last
  }

  /// `line 436 is cut off and left out`; nil: none is.
  public var tornText: String? { tornLine.map { "line \($0) is cut off and left out" } }

  private mutating func endLastLine() throws(RecordingError) -> Sample? {
    do throws(RecordingError) {
      return try endLine()
    } catch {
      guard hasData, error.isUnreadable else { throw error }
      tornLine = error.line
      return nil
    }
  }

  private mutating func endLine() throws(RecordingError) -> Sample? {
    line += 1
    defer { rest.removeAll(keepingCapacity: true) }
    if line == 1, rest.starts(with: [0xef, 0xbb, 0xbf]) { rest.removeFirst(3) }
    let text = rest[...].trimmed
    guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
    if !hasData, !hasHeader, text.isWord {
      guard text.isHeader else {
        throw RecordingError(line: line, problem: .header(text.text))
      }
      hasHeader = true
      return nil
    }
    let sample = try parse(text)
    hasData = true
    return sample
  }

  private func parse(_ text: ArraySlice<UInt8>) throws(RecordingError) -> Sample {
    var values = (0.0, 0.0, 0.0, 0.0)
    var column = 0
    var fieldStart = text.startIndex
    while true {
      let fieldEnd = text[fieldStart...].firstIndex(of: UInt8(ascii: ",")) ?? text.endIndex
      column += 1
      if column <= 4 {
        let field = text[fieldStart..<fieldEnd].trimmed
        guard let value = decimal(field) else {
          throw RecordingError(line: line, problem: .number(column: column, text: field.text))
        }
        switch column {
        case 1: values.0 = value
        case 2: values.1 = value
        case 3: values.2 = value
        default: values.3 = value
        }
      }
      if fieldEnd == text.endIndex { break }
      fieldStart = fieldEnd + 1
    }
    guard column == 4 else { throw RecordingError(line: line, problem: .columns(column)) }
    if let times, !times.contains(values.0) {
      throw RecordingError(line: line, problem: .time(values.0, times))
    }
    return Sample(at: Instant(seconds: values.0), g: Vector(values.1, values.2, values.3))
  }
}

extension ArraySlice<UInt8> {
  /// Without blanks, tabs and carriage returns at both ends.
  fileprivate var trimmed: ArraySlice<UInt8> {
    var slice = self
    while let byte = slice.first, byte.isBlank { slice.removeFirst() }
    while let byte = slice.last, byte.isBlank { slice.removeLast() }
    return slice
  }

  /// Starts with a letter or a quotation mark, as names do and numbers do not.
  fileprivate var isWord: Bool {
    guard let first else { return false }
    return (first | 0x20 >= UInt8(ascii: "a") && first | 0x20 <= UInt8(ascii: "z")) || first == UInt8(ascii: "\"")
  }

  /// Is `t,x,y,z`, in either case and with blanks anywhere.
  fileprivate var isHeader: Bool {
    filter { !$0.isBlank }.map { $0 | 0x20 }.elementsEqual("t,x,y,z".utf8.map { $0 | 0x20 })
  }

  /// For a message: at most 40 characters, and what is invisible made visible.
  fileprivate var text: String { SafeText.escaped(Array(self), limit: 40) }
}

extension UInt8 {
  fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0d }
}
