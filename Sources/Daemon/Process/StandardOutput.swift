internal import CLinux
internal import Glibc

/// Standard output, or another descriptor, in whole lines. Used by one thread.
///
/// A terminal sees each line at once; a file or pipe gets them in larger pieces, when 8 kB have gathered or `flush` is
/// called, so a program flushes before it waits.
public final class StandardOutput {
  private let descriptor: Int32
  private let name: String
  private var buffer: [UInt8] = []
  /// Whether somebody looks on.
  public let isTerminal: Bool

  private static let pieceSize = 8192

  /// SIGPIPE is ignored from now on: a reader who went away is an error of write(2).
  ///
  /// - Parameter name: what messages call it.
  public init(descriptor: Int32 = 1, name: String = "standard output") {
    judder_ignore_signal(SIGPIPE)
    self.descriptor = descriptor
    self.name = name
    isTerminal = isatty(descriptor) == 1
  }

  /// Writes text and a line break.
  ///
  /// - Throws: as `flush`.
  public func line(_ text: String) throws(Termination) {
    try write(text)
    buffer.append(UInt8(ascii: "\n"))
    if isTerminal || buffer.count >= StandardOutput.pieceSize { try flush() }
  }

  /// Writes text as it is, which goes out with the next line or `flush`.
  public func write(_ text: String) throws(Termination) {
    buffer.append(contentsOf: text.utf8)
    if buffer.count >= StandardOutput.pieceSize { try flush() }
  }

  /// Takes bytes that are no text, which go out with the next line or `flush`.
  public func hold(_ bytes: [UInt8]) { buffer += bytes }

  /// Hands everything to the system, waiting for the reader where it must.
  ///
  /// - Throws: success without a word when the reader has closed the pipe, as `head` does: nobody wants more. A line
  ///   that says why when the output cannot be written (a full disk).
  public func flush() throws(Termination) {
    var sent = 0
    defer { buffer.removeAll(keepingCapacity: buffer.count <= 4 * StandardOutput.pieceSize) }
    while sent < buffer.count {
      let count = buffer.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
      if count >= 0 {
        sent += count
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN:
        // Somebody who shares the terminal made it non-blocking.
        var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = judder_poll(&poll, 1, 1_000_000_000)
      case EPIPE: throw Termination(.success)
      default: throw Termination(.temporary, ["\(name): \(systemErrorText(errno))"])
      }
    }
  }
}

/// What a terminal can show.
public enum Terminal {
  /// How much fits on a terminal, in characters.
  public struct Size: Equatable, Sendable {
    /// Characters in a line; > 0.
    public var columns: Int
    /// Lines; > 0.
    public var rows: Int

    public init(columns: Int, rows: Int) {
      self.columns = columns
      self.rows = rows
    }
  }

  /// The size of the terminal behind a descriptor; nil when it is none or does not say.
  public static func size(_ descriptor: Int32 = 1) -> Size? {
    var columns: Int32 = 0
    var rows: Int32 = 0
    guard judder_terminal_size(descriptor, &columns, &rows) == 0, columns > 0, rows > 0 else { return nil }
    return Size(columns: Int(columns), rows: Int(rows))
  }

  /// Whether colours are welcome: on a terminal that is not `dumb`, unless NO_COLOR is set to anything (no-color.org).
  public static func wantsColour(_ descriptor: Int32 = 1, environment: [String: String]) -> Bool {
    guard environment["NO_COLOR"]?.isEmpty ?? true else { return false }
    return isatty(descriptor) == 1 && environment["TERM"] != "dumb"
  }

  /// Whether the terminal knows what moves its cursor: TERM says which it is, see environ(7), and `dumb` knows nothing.
  public static func canDraw(environment: [String: String]) -> Bool {
    let terminal = environment["TERM"] ?? ""
    return !terminal.isEmpty && terminal != "dumb"
  }

  /// Whether the locale's characters are UTF-8: the first that is set of LC_ALL, LC_CTYPE and LANG, see locale(7).
  public static func isUnicode(environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let encoding = locale.lowercased()
    return encoding.contains("utf-8") || encoding.contains("utf8")
  }
}

extension Termination {
  /// Prints the lines to standard error, each after the program's name, and ends the process.
  public func exit(program: String) -> Never {
    let errors = StandardOutput(descriptor: 2)
    for line in lines { try? errors.line(printableLine("\(program): \(line)")) }
    try? errors.flush()
    Glibc.exit(code.rawValue)
  }
}
