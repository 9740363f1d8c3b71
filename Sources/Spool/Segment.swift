/// What is known of a segment while the spool runs: which of its records nobody has released, and where they lie.
struct Segment {
  /// A record, in 16 bytes: a full spool has 100 000 of them.
  struct Entry {
    /// The sequence, from the segment's first record on.
    fileprivate let distance: Int32
    let offset: UInt32
    /// Seconds since 1970, or `RecordFrame.unknownTime`.
    let bornAt: UInt32
    /// The record's length (17 bits), its kind (8), whether it was released, and whether it tells of losses.
    private var packed: UInt32

    fileprivate init(distance: Int32, offset: Int, frame: RecordFrame) {
      self.distance = distance
      self.offset = UInt32(offset)
      bornAt = frame.bornAt
      packed = UInt32(frame.size) | UInt32(frame.kind) << 17 | (frame.note == nil ? 0 : 1 << 26)
    }

    var size: Int { Int(packed & 0x1_FFFF) }
    var kind: UInt8 { UInt8(truncatingIfNeeded: packed >> 17) }
    var isTelling: Bool { packed & 1 << 26 != 0 }
    fileprivate(set) var isReleased: Bool {
      get { packed & 1 << 25 != 0 }
      set { packed = packed & ~(1 << 25) | (newValue ? 1 << 25 : 0) }
    }
  }

  let name: SegmentName
  /// In the order of their sequences, which as a rule is that of the file.
  private(set) var entries: [Entry] = []
  private var base: UInt64 = 0
  /// Everything before this was released.
  private(set) var firstLive = 0
  /// Records that nobody has released.
  private(set) var live = SpoolLaneCount()
  /// The file's length, and up to where it is on the medium for sure.
  var sizeBytes: Int
  var syncedBytes: Int
  /// Its name is on the medium.
  var isNameDurable: Bool
  /// The notes that its records tell of.
  var notes: [UInt64] = []
  /// When the newest of its records was measured [s since 1970]; nil: not known.
  private(set) var newestBornAt: UInt32?
  /// When its first record came [monotonic s]; nil for a segment of an earlier run.
  var firstAtS: Double?
  var lastAtS: Double?

  init(name: SegmentName, sizeBytes: Int, isDurable: Bool) {
    self.name = name
    self.sizeBytes = sizeBytes
    syncedBytes = isDurable ? sizeBytes : 0
    isNameDurable = isDurable
  }

  /// Takes no more memory than so many records need.
  mutating func expect(_ count: Int) { entries.reserveCapacity(count) }

  var isSpent: Bool { live.events == 0 }
  var sequences: ClosedRange<UInt64>? {
    guard let first = entries.first, let last = entries.last else { return nil }
    return sequence(first)...sequence(last)
  }

  func sequence(_ entry: Entry) -> UInt64 { base &+ UInt64(bitPattern: Int64(entry.distance)) }

  /// Whether the index can hold a record of that number.
  func admits(_ sequence: UInt64) -> Bool { entries.isEmpty || distance(sequence) != nil }

  private func distance(_ sequence: UInt64) -> Int32? {
    Int32(exactly: Int64(bitPattern: sequence &- base))
  }

  /// Takes a record in that lies at `offset`. False when it is there already, or its number can't be held.
  @discardableResult
  mutating func insert(_ frame: RecordFrame, at offset: Int) -> Bool {
    if entries.isEmpty { base = frame.sequence }
    guard let distance = distance(frame.sequence) else { return false }
    let place = place(of: frame.sequence)
    if place < entries.count, sequence(entries[place]) == frame.sequence { return false }
    let entry = Entry(distance: distance, offset: offset, frame: frame)
    if place == entries.count { entries.append(entry) } else { entries.insert(entry, at: place) }
    firstLive = min(firstLive, place)
    live.events += 1
    live.bytes += entry.size
    if let note = frame.note, note > 0 { notes.append(note) }
    if frame.bornAt != RecordFrame.unknownTime { newestBornAt = max(newestBornAt ?? 0, frame.bornAt) }
    return true
  }

  /// The first place with that sequence or a higher one.
  func place(of sequence: UInt64) -> Int {
    if let last = entries.last, self.sequence(last) < sequence { return entries.count }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if self.sequence(entries[middle]) < sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Marks records as released, and answers how many, and their bytes.
  mutating func release(_ range: ClosedRange<UInt64>) -> SpoolLaneCount {
    var released = SpoolLaneCount()
    var place = max(firstLive, place(of: range.lowerBound))
    while place < entries.count, sequence(entries[place]) <= range.upperBound {
      if !entries[place].isReleased {
        entries[place].isReleased = true
        released.events += 1
        released.bytes += entries[place].size
      }
      place += 1
    }
    live.events -= released.events
    live.bytes -= released.bytes
    while firstLive < entries.count, entries[firstLive].isReleased { firstLive += 1 }
    return released
  }

  /// Forgets the records at or beyond an offset, and answers what of them was not released.
  mutating func forget(from offset: Int) -> SpoolLaneCount {
    var gone = SpoolLaneCount()
    for entry in entries where Int(entry.offset) >= offset && !entry.isReleased {
      gone.events += 1
      gone.bytes += entry.size
    }
    entries.removeAll { Int($0.offset) >= offset }
    live.events -= gone.events
    live.bytes -= gone.bytes
    firstLive = entries.firstIndex { !$0.isReleased } ?? entries.count
    return gone
  }

  /// The next records from a place on that nobody has released.
  func live(from place: Int, limit: Int) -> [Entry] {
    Array(entries[max(place, firstLive)...].lazy.filter { !$0.isReleased }.prefix(limit))
  }

  /// All that is left of it tells of losses.
  var onlyTells: Bool { entries[firstLive...].allSatisfy { $0.isReleased || $0.isTelling } }

  /// When the oldest record that is left was measured; nil: not known.
  var oldestBornAt: UInt32? {
    guard firstLive < entries.count else { return nil }
    let time = entries[firstLive].bornAt
    return time == RecordFrame.unknownTime ? nil : time
  }

  /// The numbers nobody has released, as runs; or those that were.
  func runs(ofReleased isReleased: Bool) -> [ClosedRange<UInt64>] {
    entries.lazy.filter { $0.isReleased == isReleased }.map(sequence).runs
  }
}

extension Sequence<UInt64> {
  /// Ascending numbers as runs.
  var runs: [ClosedRange<UInt64>] {
    var runs: [ClosedRange<UInt64>] = []
    for number in self {
      if let last = runs.last, last.upperBound &+ 1 == number {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs
  }
}
