/// A record as it lies in a segment, without its payload.
///
/// | offset | bytes | |
/// |---|---|---|
/// | 0 | 2 | F5 A7, which no text in UTF-8 has |
/// | 2 | 1 | 1: a note's id follows the fixed fields |
/// | 3 | 1 | kind |
/// | 4 | 4 | length of the payload |
/// | 8 | 4 | CRC-32C of the segment's name, these 8 bytes, and everything from offset 12 to the payload's end |
/// | 12 | 8 | sequence |
/// | 20 | 4 | when it was measured, seconds since 1970; all ones: unknown |
/// | 24 | 8 | id of the note, where flag 1 is set |
///
/// All numbers are little-endian.
struct RecordFrame: Equatable {
  static let fixedBytes = 24
  static let magic: [UInt8] = [0xF5, 0xA7]
  private static let noteBytes = 8
  static let unknownTime = UInt32.max

  var sequence: UInt64
  var kind: UInt8
  var note: UInt64?
  var bornAt: UInt32
  var payloadBytes: Int

  /// The fixed fields' and the payload's length together.
  var size: Int { RecordFrame.fixedBytes + (note == nil ? 0 : RecordFrame.noteBytes) + payloadBytes }

  /// Seconds since 1970 as they are kept.
  static func time(_ bornAtS: Double?) -> UInt32 {
    guard let bornAtS, bornAtS >= 0, bornAtS < Double(unknownTime) else { return unknownTime }
    return UInt32(bornAtS)
  }

  init(_ record: SpoolRecord, bornAtS: Double?) {
    sequence = record.sequence
    kind = record.kind
    note = record.note
    bornAt = RecordFrame.time(bornAtS)
    payloadBytes = record.payload.count
  }

  /// The record's bytes in the segment of that name.
  func encoded(_ payload: [UInt8], in name: SegmentName) -> [UInt8] {
    var head = ByteWriter(capacity: size)
    head.append(RecordFrame.magic)
    head.append(UInt8(note == nil ? 0 : 1))
    head.append(kind)
    head.append(UInt32(payloadBytes))
    var tail = ByteWriter(capacity: size - 12)
    tail.append(sequence)
    tail.append(bornAt)
    if let note { tail.append(note) }
    tail.append(payload)
    var checksum = CRC32C()
    checksum.update(name.seed)
    checksum.update(head.bytes)
    checksum.update(tail.bytes)
    head.append(checksum.value)
    head.append(tail.bytes)
    return head.bytes
  }

  /// How long the record is that seems to begin there; nil when none can.
  static func size(at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard place + fixedBytes <= bytes.count, bytes[place] == magic[0], bytes[place + 1] == magic[1],
      bytes[place + 2] <= 1
    else { return nil }
    let payloadBytes = Int(number(UInt32.self, at: place + 4, in: bytes))
    guard payloadBytes <= SpoolRecord.payloadBytes else { return nil }
    return fixedBytes + (bytes[place + 2] == 1 ? noteBytes : 0) + payloadBytes
  }

  /// The record that begins there; nil when there is none, it is damaged, or it belongs to another segment.
  ///
  /// - Parameter seed: the checksum of the segment's name.
  init?(at place: Int, in bytes: UnsafeBufferPointer<UInt8>, seed: CRC32C) {
    guard let size = RecordFrame.size(at: place, in: bytes), place + size <= bytes.count else { return nil }
    var checksum = seed
    checksum.update(UnsafeBufferPointer(rebasing: bytes[place..<place + 8]))
    checksum.update(UnsafeBufferPointer(rebasing: bytes[place + 12..<place + size]))
    guard checksum.value == RecordFrame.number(UInt32.self, at: place + 8, in: bytes) else { return nil }
    sequence = RecordFrame.number(UInt64.self, at: place + 12, in: bytes)
    kind = bytes[place + 3]
    bornAt = RecordFrame.number(UInt32.self, at: place + 20, in: bytes)
    let hasNote = bytes[place + 2] == 1
    note = hasNote ? RecordFrame.number(UInt64.self, at: place + 24, in: bytes) : nil
    payloadBytes = size - RecordFrame.fixedBytes - (hasNote ? RecordFrame.noteBytes : 0)
  }

  private static func number<Number: FixedWidthInteger>(
    _: Number.Type, at place: Int, in bytes: UnsafeBufferPointer<UInt8>
  ) -> Number {
    Number(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: place, as: Number.self))
  }
}
