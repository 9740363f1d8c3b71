internal import CLinux
internal import Glibc

/// Why a file could not be read or written.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// errno, or EFBIG for a file above the limit.
  public var code: Int32
  /// `cannot be read: No such file or directory`.
  public var text: String

  public var description: String { text }

  public init(code: Int32, text: String) {
    self.code = code
    self.text = text
  }

  init(code: Int32, action: String) {
    self.code = code
    text = "\(action): \(systemErrorText(code))"
  }
}

/// Reads a whole file of at most `limit` bytes: open(2), read(2).
public func readSmallFile(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(code: errno, action: "cannot be read") }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 16_384)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw FileError(code: errno, action: "cannot be read") }
    if count == 0 { return bytes }
    bytes += chunk[..<count]
    guard bytes.count <= limit else { throw FileError(code: EFBIG, action: "cannot be read") }
  }
}

/// Puts a file with these bytes in the place of one that may be there: open(2), write(2), fsync(2), rename(2).
///
/// Whatever happens, a power cut included, the file has all of the old bytes or all of the new ones. It takes as long
/// as the disk does.
///
/// - Throws: why it could not be written; the old one is as it was.
public func replaceSmallFile(_ path: String, with bytes: [UInt8]) throws(FileError) {
  let hidden = "\(path).new"
  // One that a power cut left behind is written over.
  let descriptor = open(hidden, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o640)
  guard descriptor >= 0 else { throw FileError(code: errno, action: "cannot be written") }
  var code = writeAll(bytes, to: descriptor)
  if code == 0, fsync(descriptor) != 0 { code = errno }
  if close(descriptor) != 0, code == 0 { code = errno }
  if code == 0, rename(hidden, path) != 0 { code = errno }
  guard code == 0 else {
    unlink(hidden)
    throw FileError(code: code, action: "cannot be written")
  }
  // The new name is on the disk when its folder is; not every file system can say so, and the old file is whole.
  let slash = path.lastIndex(of: "/")
  let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
  let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard opened >= 0 else { return }
  fsync(opened)
  close(opened)
}

/// errno of what went wrong; 0: all is written.
private func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
  var sent = 0
  while sent < bytes.count {
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent) }
    if count >= 0 { sent += count } else if errno != EINTR { return errno }
  }
  return 0
}

/// The C library's words for an errno value: strerrordesc_np(3).
public func systemErrorText(_ code: Int32) -> String {
  judder_error_text(code).map { String(cString: $0) } ?? "error \(code)"
}
