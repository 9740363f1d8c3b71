/// What can be read of a segment. Pure: any bytes may be given to it.
struct SegmentScan {
  struct Found {
    let offset: Int
    let frame: RecordFrame
  }

  /// Bytes that are no record, between what is.
  struct Hole: Equatable {
    let range: Range<Int>
    /// The records that seem to have been there; at least 1.
    let records: Int
    /// Numbers of the records before and behind it in the file; nil where there is none.
    let before: UInt64?
    let behind: UInt64?
  }

  /// Nil when it is damaged.
  private(set) var header: SegmentHeader?
  private(set) var records: [Found] = []
  /// Damage: records that had been stored.
  private(set) var holes: [Hole] = []
  /// Where a tail begins that was never reported stored; nil when there is none.
  private(set) var tornAt: Int?
  /// Its successor said where it ends.
  private(set) var isCut = false

  /// No segment is as long as this: what a file has beyond it is not read.
  static let largestBytes = 1_048_576

  /// How many bytes may be looked through for the next good record, as a multiple of the segment's length: what was
  /// made to look like records everywhere does not stop the start.
  private static let effort = 64

  /// - Parameters:
  ///   - bytes: the whole file
  ///   - syncedBytes: up to where it was on the medium for sure, as far as is known. Bytes at its end that are no
  ///     record are damaged before that, and torn behind it.
  ///   - endBytes: where it ends, as its successor says: what is beyond was written anew elsewhere, or never reported
  ///     stored.
  init(_ bytes: [UInt8], of name: SegmentName, syncedBytes: Int = 0, endBytes: Int? = nil) {
    header = SegmentHeader(bytes[...], of: name)
    var seed = CRC32C()
    seed.update(name.seed)
    bytes.withUnsafeBufferPointer { scan($0, seed, max(syncedBytes, endBytes ?? 0)) }
    if let endBytes { cut(at: max(endBytes, SegmentHeader.size)) }
  }

  private mutating func scan(_ bytes: UnsafeBufferPointer<UInt8>, _ seed: CRC32C, _ syncedBytes: Int) {
    var effort = SegmentScan.effort * bytes.count
    var place = SegmentHeader.size
    let end = bytes.count
    while place < end {
      if let frame = RecordFrame(at: place, in: bytes, seed: seed) {
        records.append(Found(offset: place, frame: frame))
        place += frame.size
        continue
      }
      let next = SegmentScan.next(after: place, in: bytes, seed, &effort)
      if let next {
        note(place..<next.offset, in: bytes, behind: next.frame.sequence)
      } else {
        finish(from: place, in: bytes, syncedBytes)
      }
      place = next?.offset ?? end
    }
    noteMissing(from: max(end, SegmentHeader.size), to: syncedBytes)
  }

  /// The tail holds no good record any more.
  private mutating func finish(from place: Int, in bytes: UnsafeBufferPointer<UInt8>, _ syncedBytes: Int) {
    guard place < syncedBytes else {
      tornAt = place
      return
    }
    let end = min(bytes.count, syncedBytes)
    note(place..<end, in: bytes, behind: nil)
    if end < bytes.count { tornAt = end }
  }

  /// The file is shorter than it was.
  private mutating func noteMissing(from start: Int, to end: Int) {
    guard start < end else { return }
    if let last = holes.last, last.behind == nil, last.range.upperBound >= start {
      holes[holes.count - 1] = Hole(
        range: last.range.lowerBound..<end, records: last.records, before: last.before, behind: nil)
    } else {
      holes.append(Hole(range: start..<end, records: 1, before: records.last?.frame.sequence, behind: nil))
    }
  }

  private mutating func cut(at end: Int) {
    records.removeAll { $0.offset + $0.frame.size > end }
    holes.removeAll { $0.range.lowerBound >= end }
    tornAt = nil
    isCut = true
  }

  private mutating func note(_ range: Range<Int>, in bytes: UnsafeBufferPointer<UInt8>, behind: UInt64?) {
    let count = SegmentScan.likelyRecords(in: range, bytes)
    holes.append(Hole(range: range, records: count, before: records.last?.frame.sequence, behind: behind))
  }

  /// Follows lengths through damaged bytes: most damage leaves them alone.
  private static func likelyRecords(in range: Range<Int>, _ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var place = range.lowerBound
    var count = 0
    while let size = RecordFrame.size(at: place, in: bytes), place + size <= range.upperBound {
      count += 1
      place += size
    }
    return max(1, count)
  }

  /// The first good record behind a bad place.
  private static func next(
    after place: Int, in bytes: UnsafeBufferPointer<UInt8>, _ seed: CRC32C, _ effort: inout Int
  ) -> Found? {
    var candidate = place + 1
    while candidate + RecordFrame.fixedBytes <= bytes.count, effort > 0 {
      if bytes[candidate] == RecordFrame.magic[0], let size = RecordFrame.size(at: candidate, in: bytes),
        candidate + size <= bytes.count
      {
        effort -= size
        if let frame = RecordFrame(at: candidate, in: bytes, seed: seed) {
          return Found(offset: candidate, frame: frame)
        }
      }
      candidate += 1
    }
    return nil
  }
}
