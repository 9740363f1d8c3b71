/// Cuts gpsd's byte stream into lines. A line may come in pieces, and a read may carry many lines.
///
/// A line longer than `longestLineBytes` is discarded up to the next newline: gpsd's own limit is 10 240 bytes
/// (GPS_JSON_RESPONSE_MAX in gps_json.h), so that such a line is not gpsd's, and memory stays bounded.
public struct GpsdLineReader: Sendable {
  /// A longer line is dropped, and counted.
  public static let longestLineBytes = 65_536

  /// What the stream consists of.
  public enum Piece: Equatable, Sendable {
    /// A line without its end; never empty.
    case line([UInt8])
    /// A line that was too long, and is gone.
    case tooLong
  }

  private var partial: [UInt8] = []
  private var isDiscarding = false

  public init() {}

  /// Takes what was read, of any size, and answers the lines that it completes, in order.
  public mutating func append(_ bytes: some Collection<UInt8>) -> [Piece] {
    var pieces: [Piece] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      finish(with: rest[..<end], &pieces)
      rest = rest[rest.index(after: end)...]
    }
    keep(rest, &pieces)
    return pieces
  }

  /// Forgets an unfinished line: for a new connection.
  public mutating func reset() {
    partial.removeAll(keepingCapacity: partial.capacity <= 4096)
    isDiscarding = false
  }

  private mutating func finish(with tail: some Collection<UInt8>, _ pieces: inout [Piece]) {
    keep(tail, &pieces)
    defer { reset() }
    if isDiscarding { return }
    if partial.last == UInt8(ascii: "\r") { partial.removeLast() }
    if !partial.isEmpty { pieces.append(.line(partial)) }
  }

  private mutating func keep(_ bytes: some Collection<UInt8>, _ pieces: inout [Piece]) {
    if isDiscarding { return }
    if partial.count + bytes.count > GpsdLineReader.longestLineBytes {
      partial = []
      isDiscarding = true
      pieces.append(.tooLong)
    } else {
      partial.append(contentsOf: bytes)
    }
  }
}
