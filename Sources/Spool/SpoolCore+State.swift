/// The state file: released numbers, notes, what is known of segments.
extension SpoolCore {
  /// How long what was released may be unknown to the disk [s]: after a crash it goes out again.
  static var stateS: Double { 600 }
  private static var temporaryState: String { SavedState.file + ".tmp" }
  private static var noteLimit: Int { 1024 }
  private static var knownDamageLimit: Int { 64 }

  var snapshot: SavedState {
    var state = SavedState()
    state.ordinal = ordinal
    state.segment = lastSegment
    state.fleetAcknowledges = fleetAcknowledges
    state.owner = owner
    state.aside = aside
    state.notes = notes
    state.knownDamage = knownDamage.filter { index(of: $0.segment) != nil }.suffix(SpoolCore.knownDamageLimit)
    state.segments = segments.map {
      SavedState.Known(segment: $0.name.number, bytes: $0.syncedBytes, isEnded: !isOpen($0))
    }
    state.released = released
    return state
  }

  /// By run. Only of records that are there: what has no record has nothing to be released, and a number between two
  /// released ones may still be appended.
  private var released: [(ordinal: UInt32, runs: [ClosedRange<UInt64>])] {
    var numbers: [UInt32: [ClosedRange<UInt64>]] = [:]
    for segment in segments where segment.live.events < segment.entries.count {
      numbers[segment.name.ordinal, default: []] += segment.runs(ofReleased: true)
    }
    return numbers.sorted { $0.key < $1.key }.map { ($0.key, $0.value.coalesced) }
  }

  /// Replaces the state file where it would change.
  mutating func save() throws(DiskFailure) {
    stateDueS = nil
    try replace(with: snapshot.encoded)
  }

  mutating func replace(with bytes: [UInt8]) throws(DiskFailure) {
    if bytes == savedBytes { return }
    do throws(DiskFailure) {
      try write(bytes)
    } catch {
      try? disk.unlink(SpoolCore.temporaryState)
      throw error
    }
    savedBytes = bytes
    stateBytes = bytes.count
  }

  private mutating func write(_ bytes: [UInt8]) throws(DiskFailure) {
    let name = SpoolCore.temporaryState
    // A failure or a crash may have left one.
    try? disk.unlink(name)
    let file = try disk.create(name)
    do throws(DiskFailure) {
      try disk.append(bytes, to: file)
      writtenBytes += bytes.count
      syncs += 1
      try disk.sync(file)
    } catch {
      disk.close(file)
      throw error
    }
    disk.close(file)
    // A state that no longer speaks of a file must not outlive the file's name.
    if hasRemovals { try syncFolder() }
    savedBytes = nil
    try disk.rename(name, to: SavedState.file)
    try syncFolder()
  }

  mutating func noteFleet(_ atS: Double) {
    guard !fleetAcknowledges else { return }
    fleetAcknowledges = true
    scheduleState(atS)
  }

  /// The state is to be saved at that time at the latest.
  mutating func scheduleState(_ dueS: Double) {
    stateDueS = min(stateDueS ?? dueS, dueS)
  }

  /// How much the notes may take beside the records that they are about [bytes]: as much as a segment may tell.
  private var noteBytesLimit: Int { max(limits.segmentBytes, min(262_144, limits.capBytes / 4)) }

  /// Adds notes of what was given up; they are on the disk with the next `save`.
  mutating func add(_ note: EvictionNote, segment: UInt32) -> EvictionNote {
    lastNote += 1
    var note = note
    note.id = UInt64(ordinal) << 32 | lastNote
    notes.append(SavedState.Note(note: note, segment: segment))
    var bytes = notes.reduce(0) { $0 + $1.mostBytes }
    while notes.count > 1, notes.count > SpoolCore.noteLimit || bytes > noteBytesLimit {
      bytes -= notes.removeFirst().mostBytes
      lostNotes += 1
    }
    return note
  }

  /// A record that tells of a note is stored: the next state does without the note.
  mutating func fulfil(_ id: UInt64) {
    notes.removeAll { $0.note.id == id }
  }
}

extension [ClosedRange<UInt64>] {
  /// Ascending, what touches or overlaps put together.
  var coalesced: [ClosedRange<UInt64>] {
    var result: [ClosedRange<UInt64>] = []
    for run in sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = result.last, run.lowerBound <= last.upperBound || run.lowerBound - last.upperBound == 1 {
        result[result.count - 1] = last.lowerBound...Swift.max(last.upperBound, run.upperBound)
      } else {
        result.append(run)
      }
    }
    return result
  }
}
