internal import CLinux
internal import Glibc

/// Writes whole lines to a descriptor and never waits for a reader who is slow: a line that does not go out soon is
/// dropped and counted.
struct LineWriter {
  let descriptor: Int32
  /// Lines that could not be written, since the last one that could.
  private(set) var dropped = 0

  /// What a pipe takes at once, never cut into by another writer: PIPE_BUF.
  static let longestLine = 4096
  /// How long a full pipe or terminal is waited for [ns].
  private static let patience: Int64 = 20_000_000

  init(descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes the line, and before it how many are missing. Answers whether it went out.
  mutating func write(_ line: String, missing: (Int) -> String) -> Bool {
    // Once a reader is too slow, waiting again for each line would add up.
    guard isWritable(dropped == 0 ? LineWriter.patience : 0) else {
      dropped += 1
      return false
    }
    if dropped > 0 {
      guard send(missing(dropped)), isWritable(0) else {
        dropped += 1
        return false
      }
      dropped = 0
    }
    if send(line) { return true }
    dropped += 1
    return false
  }

  private func isWritable(_ nanoseconds: Int64) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return judder_poll(&poll, 1, nanoseconds) > 0 && Int32(poll.revents) & POLLOUT != 0
  }

  private func send(_ line: String) -> Bool {
    var bytes = Array(line.utf8.prefix(LineWriter.longestLine - 1))
    bytes.append(UInt8(ascii: "\n"))
    while true {
      let count = Glibc.write(descriptor, bytes, bytes.count)
      if count >= 0 { return count == bytes.count }
      if errno != EINTR { return false }
    }
  }
}
