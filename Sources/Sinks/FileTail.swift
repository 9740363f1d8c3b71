internal import Glibc

/// The end of a file, to see what a process that ended without warning still wrote.
enum FileTail {
  /// So much is looked at [bytes].
  static let lengthBytes = 1_048_576

  /// Whether the line is among the last ones of the file. False for what is no regular file or cannot be read.
  static func holds(_ line: [UInt8], file: String) -> Bool {
    read(file).split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual(line) }
  }

  /// Whether the file ends within a line: what wrote it was cut off.
  static func isCut(_ file: String) -> Bool {
    read(file, lengthBytes: 1).last.map { $0 != UInt8(ascii: "\n") } ?? false
  }

  private static func read(_ file: String, lengthBytes: Int = FileTail.lengthBytes) -> [UInt8] {
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return [] }
    let start = max(0, Int(status.st_size) - lengthBytes)
    var bytes = [UInt8](repeating: 0, count: min(lengthBytes, Int(status.st_size)))
    let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(start)) }
    return Array(bytes.prefix(max(0, count)))
  }
}
