internal import CLinux
internal import Glibc

/// Why a file could not be read.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  /// errno, or EFBIG for a file above the limit.
  public var code: Int32
  /// `cannot be read: No such file or directory`.
  public var text: String

  public var description: String { text }

  init(code: Int32, text: String) {
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

/// The C library's words for an errno value: strerrordesc_np(3).
public func systemErrorText(_ code: Int32) -> String {
  judder_error_text(code).map { String(cString: $0) } ?? "error \(code)"
}
