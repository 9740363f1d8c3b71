import Foundation
import Testing

/// A pipe with a non-blocking reading end.
final class TestPipe {
  private(set) var reader: Int32
  private(set) var writer: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    (reader, writer) = (ends[0], ends[1])
    _ = fcntl(reader, F_SETFL, O_NONBLOCK)
  }

  deinit {
    closeReader()
    closeWriter()
  }

  func closeReader() {
    if reader >= 0 { close(reader) }
    reader = -1
  }

  func closeWriter() {
    if writer >= 0 { close(writer) }
    writer = -1
  }

  func write(_ text: String) { _ = Glibc.write(writer, text, text.utf8.count) }

  /// Everything that waits in it.
  func read() -> String {
    var text: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(reader, &piece, piece.count)
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += piece[..<count]
    }
  }

  /// The lines that wait in it.
  func lines() -> [String] { read().split(separator: "\n").map(String.init) }

  /// Writes until nothing more fits.
  func fill() {
    let flags = fcntl(writer, F_GETFL)
    _ = fcntl(writer, F_SETFL, flags | O_NONBLOCK)
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
    while Glibc.write(writer, piece, piece.count) > 0 {}
    _ = fcntl(writer, F_SETFL, flags)
  }
}
