internal import Daemon
internal import Glibc

/// A file that is written line by line, or standard output.
final class RecordingFile {
  private let output: StandardOutput
  /// Nil for standard output.
  private let opened: Int32?
  private let name: String

  init(_ output: StandardOutput) {
    self.output = output
    opened = nil
    name = "standard output"
  }

  /// Makes the file: open(2).
  ///
  /// - Throws: `usage` when it is there already and `isForced` does not allow to overwrite it; `permission`,
  ///   `temporary` or `unavailable` when it cannot be made.
  init(path: String, isForced: Bool) throws(Termination) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (isForced ? O_TRUNC : O_EXCL), 0o644)
    guard descriptor >= 0 else { throw RecordingFile.termination(path, errno) }
    opened = descriptor
    name = path
    output = StandardOutput(descriptor: descriptor, name: path)
  }

  /// Whether the file could be made, without making it: so that whoever asks hears of it before the sensor is started.
  static func check(_ path: String, isForced: Bool) throws(Termination) {
    guard path != "-" else { return }
    if access(path, F_OK) == 0 {
      guard isForced else { throw termination(path, EEXIST) }
      guard access(path, W_OK) == 0 else { throw termination(path, errno) }
      return
    }
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    guard access(folder, W_OK) == 0 else { throw termination(path, errno) }
  }

  private static func termination(_ path: String, _ code: Int32) -> Termination {
    switch code {
    case EEXIST: Termination(.usage, ["\(path) is there already; --force overwrites it"])
    case EACCES, EPERM, EROFS: Termination(.permission, ["\(path): \(systemErrorText(code))"])
    case ENOSPC, EDQUOT, EMFILE, ENFILE: Termination(.temporary, ["\(path): \(systemErrorText(code))"])
    default: Termination(.unavailable, ["\(path): \(systemErrorText(code))"])
    }
  }

  func line(_ text: String) throws(Termination) { try output.line(text) }
  func flush() throws(Termination) { try output.flush() }

  /// Everything is on the disk afterwards, where the file is on one: fsync(2).
  func close() throws(Termination) {
    try output.flush()
    guard let opened else { return }
    // Neither a pipe nor a device has a disk.
    if fsync(opened) < 0, errno != EINVAL, errno != EROFS { throw RecordingFile.termination(name, errno) }
    if Glibc.close(opened) < 0, errno != EINTR { throw RecordingFile.termination(name, errno) }
  }
}
