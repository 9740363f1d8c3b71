internal import Glibc

/// Reads a file of any size piece by piece: open(2), read(2).
///
/// - Parameter take: gets at most 64 kB at a time. What it throws ends the reading and is passed on.
/// - Throws: `FileError` when the file cannot be read.
public func readFile(_ path: String, _ take: ([UInt8]) throws -> Void) throws {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw FileError(code: errno, action: "cannot be read") }
  defer { close(descriptor) }
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw FileError(code: errno, action: "cannot be read") }
    if count == 0 { return }
    try take(count == chunk.count ? chunk : Array(chunk[..<count]))
  }
}
