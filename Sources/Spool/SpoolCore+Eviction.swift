/// Giving up events where there is no room, or no use, for all of them.
extension SpoolCore {
  static var ageCheckPeriodS: Double { 60 }
  /// A clock that jumps by more [s] is believed only when it has held for so long.
  static var clockDoubtS: Double { 3600 }
  /// When events that found no room are told together: after so long [s], or so many.
  static var refusalS: Double { 30 }
  private static var longestTellingWaitS: Double { 3600 }
  private static var refusalEvents: Int { 64 }

  /// Makes room for a record of a lane; false when everything there is more important than it.
  mutating func makeRoom(for size: Int, lane: SpoolLane, _ atS: Double) throws(DiskFailure) -> Bool {
    guard sizeBytes + size > limits.capBytes else { return true }
    // Not everything for one.
    if size > limits.capBytes / 2 { return false }
    try removeSpent()
    if sizeBytes + size > limits.capBytes { pruneQuarantine(to: 0) }
    guard sizeBytes + size > limits.capBytes else { return true }
    // Room for a segment at least, so that not each event costs a state and a note of its own. Where less important
    // lanes have not as much, the event itself is what goes.
    let goal = size == 0 ? 0 : max(size, limits.segmentBytes)
    guard sizeBytes - expendableBytes(lane) + goal <= limits.capBytes || lane == .shock else { return false }
    while sizeBytes + goal > limits.capBytes, let victim = victim(notBefore: lane) {
      try evict(victim, .cap, atS)
    }
    return sizeBytes + size <= limits.capBytes
  }

  /// What a lane may take the place of.
  private func expendableBytes(_ lane: SpoolLane) -> Int {
    segments.reduce(0) { $0 + ($1.name.lane >= lane && !$1.entries.isEmpty ? $1.sizeBytes : 0) }
  }

  /// The oldest segment of the least important lane. What only tells of earlier losses goes last, since it has to be
  /// told again.
  private func victim(notBefore lane: SpoolLane) -> SegmentName? {
    for candidate in SpoolLane.allCases.reversed() where candidate >= lane {
      let mine = segments.filter { $0.name.lane == candidate && !$0.entries.isEmpty }
      if let name = (mine.first { !$0.onlyTells } ?? mine.first)?.name { return name }
    }
    return nil
  }

  /// Gives up a segment: what it held is on the disk as notes before it goes.
  mutating func evict(_ name: SegmentName, _ reason: EvictionNote.Reason, _ atS: Double) throws(DiskFailure) {
    if writers[name.lane.index]?.segment == name.number { try endSegment(name.lane, atS) }
    guard let old = index(of: name.number).map({ segments[$0] }) else { return }
    let before = (notes, lostNotes)
    let told = notesOfGivingUp(old, reason).map { add($0, segment: name.number) }
    do throws(DiskFailure) {
      try save()
    } catch {
      // Nothing was given up after all.
      (notes, lostNotes) = before
      throw error
    }
    reports += told.map(SpoolReport.evicted)
    // Where its name can't be removed, what it holds is released nevertheless.
    if let index = index(of: name.number), let all = segments[index].sequences {
      count(name.lane, segments[index].release(all), -1)
    }
    try remove(name)
  }

  /// What nobody has released of a segment, as notes of at most `EvictionNote.runLimit` runs each.
  private mutating func notesOfGivingUp(_ segment: Segment, _ reason: EvictionNote.Reason) -> [EvictionNote] {
    var notes: [EvictionNote] = []
    for entry in segment.entries where !entry.isReleased {
      let sequence = segment.sequence(entry)
      let isNext = notes.last?.runs.last.map { $0.upperBound &+ 1 == sequence } ?? false
      if !isNext, (notes.last?.runs.count ?? EvictionNote.runLimit) == EvictionNote.runLimit {
        notes.append(
          EvictionNote(id: 0, boot: segment.name.boot, reason: reason, runs: [], events: 0, counts: [:]))
      }
      let last = notes.count - 1
      if isNext, let run = notes[last].runs.popLast() {
        notes[last].runs.append(run.lowerBound...sequence)
      } else {
        notes[last].runs.append(sequence...sequence)
      }
      notes[last].events = (notes[last].events ?? 0) + 1
      notes[last].counts[entry.kind, default: 0] += 1
      guard entry.isTelling else { continue }
      if let payload = payload(of: entry, in: segment) { notes[last].tellings.append(payload) } else { lostNotes += 1 }
    }
    return notes
  }

  /// Nil where the disk does not give it any more.
  private func payload(of entry: Segment.Entry, in segment: Segment) -> [UInt8]? {
    var seed = CRC32C()
    seed.update(segment.name.seed)
    guard let bytes = try? disk.read(segment.name.text, from: Int(entry.offset), count: entry.size),
      let frame = bytes.withUnsafeBufferPointer({ RecordFrame(at: 0, in: $0, seed: seed) })
    else { return nil }
    return Array(bytes.suffix(frame.payloadBytes))
  }

  /// Keeps an event in mind that there is no room for.
  mutating func refuse(_ record: SpoolRecord, _ atS: Double) {
    refused.append(record)
    let waitS = record.note == nil ? SpoolCore.refusalS : tellingWaitS
    let dueS = refused.count < SpoolCore.refusalEvents ? atS + waitS : atS
    refusedDueS = min(refusedDueS ?? dueS, dueS)
  }

  mutating func tellRefused() throws(DiskFailure) {
    refusedDueS = nil
    let events = refused.sorted { $0.sequence < $1.sequence }
    let before = (notes, lostNotes)
    // Where what tells of the last ones is all that comes, each telling would be the next one to be told of.
    let isNews = events.contains { $0.note == nil }
    tellingWaitS = isNews ? SpoolCore.refusalS : min(2 * tellingWaitS, SpoolCore.longestTellingWaitS)
    var told: [EvictionNote] = []
    for start in stride(from: 0, to: events.count, by: EvictionNote.runLimit) {
      let part = events[start..<min(start + EvictionNote.runLimit, events.count)]
      let counts = Dictionary(part.map { ($0.kind, 1) }, uniquingKeysWith: +)
      let note = EvictionNote(
        id: 0, boot: boot, reason: .cap, runs: part.map(\.sequence).runs, events: part.count, counts: counts,
        tellings: part.filter { $0.note != nil }.map(\.payload))
      // What these would have ended is told with it.
      for ended in part.compactMap(\.endedNote) { fulfil(ended) }
      told.append(add(note, segment: 0))
    }
    do throws(DiskFailure) {
      try save()
    } catch {
      (notes, lostNotes) = before
      throw error
    }
    refused = []
    reports += told.map(SpoolReport.evicted)
  }

  /// Gives up the segments of which even the newest event is too old.
  mutating func evictByAge(_ atS: Double) {
    ageCheckS = nil
    guard let capAgeS = limits.capAgeS else { return }
    if let clockOffsetS, clockDoubtedUntilS.map({ atS >= $0 }) ?? true {
      let bornBeforeS = atS + clockOffsetS - capAgeS
      for lane in SpoolLane.allCases.reversed() {
        for name in expired(lane, bornBeforeS, clockOffsetS) where trouble == nil {
          attempt(atS) { core throws(DiskFailure) in try core.evict(name, .age, atS) }
        }
      }
    }
    if lanes.contains(where: { $0.events > 0 }) { ageCheckS = atS + SpoolCore.ageCheckPeriodS }
  }

  /// Takes what to add to monotonic time for the time of day; nil: not known.
  mutating func note(clockOffsetS offsetS: Double?, _ atS: Double) {
    clockOffsetS = offsetS
    guard let offsetS else { return }
    if let lastOffsetS, (offsetS - lastOffsetS).magnitude > SpoolCore.clockDoubtS {
      clockDoubtedUntilS = atS + SpoolCore.clockDoubtS
    }
    lastOffsetS = offsetS
  }

  /// A segment is no younger than those after it: what nobody knows the age of goes with its successors.
  private func expired(_ lane: SpoolLane, _ bornBeforeS: Double, _ offsetS: Double) -> [SegmentName] {
    let mine = segments.filter { $0.name.lane == lane }
    let last = mine.lastIndex { segment in
      // Of what came in this run the age is known without any clock on the wall.
      let newestS = segment.lastAtS.map { $0 + offsetS } ?? segment.newestBornAt.map(Double.init)
      return newestS.map { $0 < bornBeforeS } ?? false
    }
    return last.map { mine[...$0].filter { !$0.isSpent }.map(\.name) } ?? []
  }

  mutating func configure(_ limits: SpoolLimits, _ atS: Double) {
    self.limits = limits
    guard phase == .open, trouble == nil else { return }
    attempt(atS) { core throws(DiskFailure) in _ = try core.makeRoom(for: 0, lane: .shock, atS) }
    ageCheckS = atS
  }
}
