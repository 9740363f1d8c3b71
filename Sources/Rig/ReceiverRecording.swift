public import Foundation

/// What a receiver sent, recorded by gpsd's `gpspipe -R` or in its regression logs: lines of comment, then the bytes.
public struct ReceiverRecording: Sendable {
  /// The lines that begin with `#`.
  public let header: [UInt8]
  /// Sentences of text, or 256 bytes each of a binary protocol: gpsd reads a stream, and cuts it itself.
  public let pieces: [[UInt8]]

  /// - Throws: when the file cannot be read.
  public init(_ file: URL) throws {
    let bytes = Array(try Data(contentsOf: file))
    var start = 0
    while start < bytes.count, bytes[start] == UInt8(ascii: "#") {
      start = (bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count - 1) + 1
    }
    header = Array(bytes[..<start])
    let body = bytes[start...]
    let isText = body.prefix(4000).count { $0 < 9 || (14..<32).contains($0) || $0 > 126 } < body.prefix(4000).count / 50
    pieces = isText ? ReceiverRecording.sentences(body) : ReceiverRecording.blocks(body)
  }

  private static func sentences(_ body: ArraySlice<UInt8>) -> [[UInt8]] {
    var sentences: [[UInt8]] = []
    var rest = body
    while !rest.isEmpty {
      let end = (rest.firstIndex(of: UInt8(ascii: "\n")) ?? rest.endIndex - 1) + 1
      sentences.append(Array(rest[..<end]))
      rest = rest[end...]
    }
    return sentences
  }

  private static func blocks(_ body: ArraySlice<UInt8>) -> [[UInt8]] {
    stride(from: body.startIndex, to: body.endIndex, by: 256).map { Array(body[$0..<min($0 + 256, body.endIndex)]) }
  }
}
