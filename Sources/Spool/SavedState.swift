/// What the spool remembers besides the records: the file `state`, replaced as a whole.
///
/// `JSTA`, the format's version (1 byte), numbers of varying length (LEB128) in the order of `encoded`, lists and texts
/// with their count before them, and the CRC-32C of everything before it (4 bytes, little-endian).
struct SavedState: Equatable {
  static let file = "state"
  /// The longest that is written or read [bytes]. Released runs that do not fit are left out: those events go out
  /// again, which is no loss.
  static let largestBytes = 1_048_576
  private static let magic = Array("JSTA".utf8)
  private static let version: UInt8 = 1
  private static let releasedBytes = 65_536

  /// What is wrong with a segment and has been told.
  struct KnownDamage: Equatable {
    let segment: UInt32
    let offset: Int
  }

  /// A note, and the segment whose removal it tells of; 0: none.
  struct Note: Equatable {
    var note: EvictionNote
    var segment: UInt32

    /// What it takes in the file, about and at the most [bytes].
    var mostBytes: Int {
      32 + 8 * note.runs.count + 4 * note.counts.count + note.tellings.reduce(0) { $0 + $1.count + 3 }
    }
  }

  /// The highest numbers given so far.
  var ordinal: UInt32 = 0
  var segment: UInt32 = 0
  var fleetAcknowledges = false
  var notes: [Note] = []
  var knownDamage: [KnownDamage] = []
  /// A segment that there was.
  struct Known: Equatable {
    let segment: UInt32
    /// Up to where it was on the medium for sure.
    let bytes: Int
    /// What is beyond counts for nothing.
    let isEnded: Bool
  }

  /// All segments up to `segment`: a file of such a number that is not here is one whose removal the disk forgot.
  var segments: [Known] = []
  /// Whose events these are; empty: not known.
  var owner = ""
  var aside: SpoolAside?
  /// What was released of the records that are still there, by the run's ordinal.
  var released: [(ordinal: UInt32, runs: [ClosedRange<UInt64>])] = []

  static func == (one: SavedState, other: SavedState) -> Bool { one.encoded == other.encoded }

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 1024)
    writer.append(SavedState.magic)
    writer.append(SavedState.version)
    writer.appendVarying(Int(ordinal))
    writer.appendVarying(Int(segment))
    writer.append(UInt8(fleetAcknowledges ? 1 : 0))
    writer.appendVarying(notes.count)
    for note in notes { SavedState.append(note, to: &writer) }
    writer.appendVarying(knownDamage.count)
    for damage in knownDamage {
      writer.appendVarying(Int(damage.segment))
      writer.appendVarying(damage.offset)
    }
    writer.appendVarying(segments.count)
    for known in segments {
      writer.appendVarying(Int(known.segment))
      writer.appendVarying(known.bytes * 2 + (known.isEnded ? 1 : 0))
    }
    appendReleased(to: &writer)
    SavedState.append(owner, to: &writer)
    writer.append(UInt8(aside == nil ? 0 : 1))
    if let aside {
      SavedState.append(aside.owner, to: &writer)
      SavedState.append(aside.folder, to: &writer)
      writer.appendVarying(aside.events)
    }
    writer.append(CRC32C.of(writer.bytes))
    return writer.bytes
  }

  private func appendReleased(to writer: inout ByteWriter) {
    var left = SavedState.releasedBytes / 6
    writer.appendVarying(released.count)
    for (ordinal, runs) in released {
      writer.appendVarying(Int(ordinal))
      SavedState.append(Array(runs.prefix(left)), to: &writer)
      left = max(0, left - runs.count)
    }
  }

  private static func append(_ text: String, to writer: inout ByteWriter) {
    writer.appendVarying(text.utf8.count)
    writer.append(text.utf8)
  }

  /// Runs as distances: from the end of the one before, and the length.
  private static func append(_ runs: [ClosedRange<UInt64>], to writer: inout ByteWriter) {
    writer.appendVarying(runs.count)
    var end: UInt64 = 0
    for run in runs {
      writer.appendVarying(run.lowerBound &- end)
      writer.appendVarying(run.upperBound - run.lowerBound)
      end = run.upperBound
    }
  }

  private static func append(_ saved: Note, to writer: inout ByteWriter) {
    writer.appendVarying(saved.note.id)
    writer.appendVarying(Int(saved.note.boot))
    writer.append(saved.note.reason.rawValue)
    writer.appendVarying(Int(saved.segment))
    append(saved.note.runs, to: &writer)
    writer.appendVarying(saved.note.events.map { $0 + 1 } ?? 0)
    writer.appendVarying(saved.note.bytes.map { $0 + 1 } ?? 0)
    writer.appendVarying(saved.note.counts.count)
    for (kind, count) in saved.note.counts.sorted(by: { $0.key < $1.key }) {
      writer.append(kind)
      writer.appendVarying(count)
    }
    writer.appendVarying(saved.note.tellings.count)
    for telling in saved.note.tellings {
      writer.appendVarying(telling.count)
      writer.append(telling)
    }
  }

  init() {}

  /// Whether a later version of the program wrote it.
  static func isNewer(_ bytes: [UInt8]) -> Bool { NewerFormat.isIn(bytes[...], magic: magic, version: version) }

  /// Nil when the bytes are no state of this format, or damaged.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 9, bytes.count <= SavedState.largestBytes, bytes.starts(with: SavedState.magic),
      bytes[4] == SavedState.version
    else { return nil }
    var end = ByteReader(bytes.suffix(4))
    guard end.next(UInt32.self) == CRC32C.of(bytes.dropLast(4)) else { return nil }
    var reader = ByteReader(bytes.dropFirst(5).dropLast(4))
    guard let read = SavedState.read(&reader), reader.isAtEnd else { return nil }
    self = read
  }

  private static func read(_ reader: inout ByteReader) -> SavedState? {
    var state = SavedState()
    guard let ordinal = reader.nextNumber(), let segment = reader.nextNumber(), let flags = reader.next(UInt8.self),
      let notes = list(&reader, note),
      let knownDamage = list(
        &reader, { reader in both(reader.nextNumber(), reader.nextCount()).map(KnownDamage.init) }),
      let segments = list(&reader, { reader in both(reader.nextNumber(), reader.nextCount()) }),
      let released = list(&reader, { reader in both(reader.nextNumber(), runs(&reader)) }),
      let owner = text(&reader), let isAside = reader.next(UInt8.self)
    else { return nil }
    state.ordinal = ordinal
    state.segment = segment
    state.fleetAcknowledges = flags == 1
    state.notes = notes
    state.knownDamage = knownDamage
    state.segments = segments.map { Known(segment: $0.0, bytes: $0.1 / 2, isEnded: $0.1 % 2 == 1) }
    state.released = released.map { (ordinal: $0.0, runs: $0.1) }
    state.owner = owner
    guard isAside == 1 else { return state }
    guard let owner = text(&reader), let folder = text(&reader), let events = reader.nextCount() else { return nil }
    state.aside = SpoolAside(owner: owner, folder: folder, events: events)
    return state
  }

  private static func text(_ reader: inout ByteReader) -> String? {
    list(&reader) { $0.next(UInt8.self) }.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func both<One, Other>(_ one: One?, _ other: Other?) -> (One, Other)? {
    guard let one, let other else { return nil }
    return (one, other)
  }

  private static func list<Element>(
    _ reader: inout ByteReader, _ element: (inout ByteReader) -> Element?
  ) -> [Element]? {
    guard let count = reader.nextCount() else { return nil }
    var elements: [Element] = []
    for _ in 0..<count {
      guard let next = element(&reader) else { return nil }
      elements.append(next)
    }
    return elements
  }

  private static func runs(_ reader: inout ByteReader) -> [ClosedRange<UInt64>]? {
    var end: UInt64 = 0
    return list(&reader) { reader in
      guard let gap = reader.nextVarying(), let length = reader.nextVarying() else { return nil }
      let (start, isBeyond) = end.addingReportingOverflow(gap)
      let (last, isFarBeyond) = start.addingReportingOverflow(length)
      guard !isBeyond, !isFarBeyond else { return nil }
      end = last
      return start...last
    }
  }

  private static func note(_ reader: inout ByteReader) -> Note? {
    guard let id = reader.nextVarying(), let boot = reader.nextNumber(),
      let reason = reader.next(UInt8.self).flatMap(EvictionNote.Reason.init), let segment = reader.nextNumber(),
      let runs = runs(&reader), let events = reader.nextCount(), let bytes = reader.nextCount(),
      let counts = list(&reader, { reader in both(reader.next(UInt8.self), reader.nextCount()) }),
      let tellings = list(&reader, { reader in list(&reader) { reader in reader.next(UInt8.self) } })
    else { return nil }
    let note = EvictionNote(
      id: id, boot: boot, reason: reason, runs: runs, events: events == 0 ? nil : events - 1,
      counts: Dictionary(counts, uniquingKeysWith: +), bytes: bytes == 0 ? nil : bytes - 1,
      tellings: tellings)
    return Note(note: note, segment: segment)
  }
}

extension ByteReader {
  fileprivate mutating func nextNumber() -> UInt32? { nextVarying().flatMap { UInt32(exactly: $0) } }
}
