internal import CLinux
internal import Daemon
internal import Glibc

/// A file or a pipe that takes whole lines and never makes anybody wait.
///
/// What a slow reader has not taken yet waits here, up to 64 kB, also while nothing can be written; beyond that lines
/// are refused. Used by one thread.
public final class LineOutlet {
  /// Bytes that may wait for a slow reader.
  static let mostWaiting = 65_536
  /// A pipe that poll(2) calls writable takes this much without blocking: PIPE_BUF.
  private static let piece = 4096
  private static let newline = UInt8(ascii: "\n")

  private let label: String
  /// Where to open the descriptor again; nil for one that was there before us.
  private let file: String?
  /// -1 while the file is not open.
  private var descriptor: Int32
  /// Whole lines, the first of which may be under way.
  private var waiting: [UInt8] = []
  /// So much of the first is written.
  private var sent = 0

  /// Lines are added to the end of a file, which is made for the owner and the group when it is not there. It is
  /// opened with the first line, and again after each failure.
  public init(file: String) {
    self.file = file
    label = file
    descriptor = -1
  }

  /// An open descriptor, which stays the caller's.
  public init(descriptor: Int32, label: String) {
    file = nil
    self.label = label
    self.descriptor = descriptor
  }

  deinit {
    if file != nil, descriptor >= 0 { close(descriptor) }
  }

  /// Whether the line is among the last ones of the file; false for a descriptor, of which nobody knows.
  public func holds(_ line: [UInt8]) -> Bool { file.map { FileTail.holds(line, file: $0) } ?? false }

  /// Writes a line and its end. What it throws for is not written later; lines before it are.
  public func write(_ line: [UInt8]) throws(SinkProblem) {
    _ = try flush()
    guard waiting.count + line.count < Self.mostWaiting else {
      throw SinkProblem("\(label): its reader is too slow")
    }
    waiting += line
    waiting.append(Self.newline)
    do throws(SinkProblem) {
      _ = try flush()
    } catch {
      waiting.removeLast(line.count + 1)
      throw error
    }
  }

  /// Closes the file; the next line opens it again. Nothing for a descriptor that was there before.
  public func reopen() {
    guard file != nil, descriptor >= 0 else { return }
    if sent > 0 { beginAgain(isCut: true) }
    close(descriptor)
    descriptor = -1
  }

  /// The first line is to be written from its start. One that is cut must not spoil it.
  private func beginAgain(isCut: Bool) {
    sent = 0
    if isCut, waiting.first != Self.newline { waiting.insert(Self.newline, at: 0) }
  }

  /// Hands on what waits, as far as that is possible without waiting. Answers whether something still does.
  public func flush() throws(SinkProblem) -> Bool {
    guard !waiting.isEmpty else { return false }
    try openIfNeeded()
    defer { forgetWhatIsWritten() }
    while sent < waiting.count, isWritable() {
      let count = waiting.withUnsafeBytes { bytes in
        Glibc.write(descriptor, bytes.baseAddress.map { $0 + sent }, min(bytes.count - sent, Self.piece))
      }
      if count >= 0 {
        sent += count
      } else if errno == EAGAIN {
        return true
      } else if errno != EINTR {
        let code = errno
        fail()
        throw SinkProblem("\(label): \(systemErrorText(code))")
      }
    }
    return sent < waiting.count
  }

  private func fail() {
    forgetWhatIsWritten()
    beginAgain(isCut: sent > 0)
    // Whether the file ends with a cut line is looked at when it is opened again.
    if file != nil, waiting.first == Self.newline { waiting.removeFirst() }
    reopen()
  }

  private func forgetWhatIsWritten() {
    let whole = waiting[..<sent].lastIndex(of: Self.newline).map { $0 + 1 } ?? 0
    waiting.removeFirst(whole)
    sent -= whole
  }

  private func openIfNeeded() throws(SinkProblem) {
    guard descriptor < 0, let file else { return }
    descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o640)
    guard descriptor < 0 else {
      // A process that was cut off within a line must not spoil the next one.
      beginAgain(isCut: FileTail.isCut(file))
      return
    }
    let code = errno
    throw SinkProblem("\(label): \(systemErrorText(code))")
  }

  private func isWritable() -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return Glibc.poll(&poll, 1, 0) > 0
  }
}
