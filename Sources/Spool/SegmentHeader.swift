/// The first bytes of a segment: what it is, and up to where its predecessor holds.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 4 | `JSEG` |
/// | 4 | 1 | version of the format: 1 |
/// | 5 | 1 | lane |
/// | 6 | 2 | 1: a fleet tool had acknowledged this node when the segment was begun; else 0 |
/// | 8 | 4 | number |
/// | 12 | 4 | ordinal of the run |
/// | 16 | 4 | boot id |
/// | 20 | 4 | number of the segment before it in its lane and run; 0: none |
/// | 24 | 4 | the length of that one: what is beyond was never reported stored |
/// | 28 | 4 | CRC-32C of the 28 bytes before |
struct SegmentHeader: Equatable {
  static let size = 32
  private static let magic = Array("JSEG".utf8)
  private static let version: UInt8 = 1

  let name: SegmentName
  let predecessor: UInt32
  let predecessorBytes: UInt32
  /// For the case that the state file is damaged: the backlog would else end at the broker.
  let fleetAcknowledges: Bool

  init(name: SegmentName, predecessor: UInt32, predecessorBytes: UInt32, fleetAcknowledges: Bool = false) {
    self.name = name
    self.predecessor = predecessor
    self.predecessorBytes = predecessorBytes
    self.fleetAcknowledges = fleetAcknowledges
  }

  /// Whether a later version of the program wrote it.
  static func isNewer(_ bytes: [UInt8]) -> Bool {
    NewerFormat.isIn(bytes.prefix(size), magic: magic, version: version)
  }

  /// Nil when it is damaged, or belongs to a segment of another name or format.
  init?(_ bytes: ArraySlice<UInt8>, of name: SegmentName) {
    guard bytes.count >= SegmentHeader.size else { return nil }
    let head = bytes.prefix(SegmentHeader.size)
    var reader = ByteReader(head.dropFirst(20))
    guard let predecessor = reader.next(UInt32.self), let predecessorBytes = reader.next(UInt32.self) else {
      return nil
    }
    self.init(
      name: name, predecessor: predecessor, predecessorBytes: predecessorBytes,
      fleetAcknowledges: head[head.startIndex + 6] == 1)
    guard head.elementsEqual(encoded) else { return nil }
  }

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: SegmentHeader.size)
    writer.append(SegmentHeader.magic)
    writer.append(SegmentHeader.version)
    writer.append(name.lane.rawValue)
    writer.append(UInt16(fleetAcknowledges ? 1 : 0))
    writer.append(name.number)
    writer.append(name.ordinal)
    writer.append(name.boot)
    writer.append(predecessor)
    writer.append(predecessorBytes)
    writer.append(CRC32C.of(writer.bytes))
    return writer.bytes
  }
}
