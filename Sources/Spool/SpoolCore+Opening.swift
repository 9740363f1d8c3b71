internal import Glibc

/// Taking over what earlier runs left.
extension SpoolCore {
  mutating func tryToOpen(_ atS: Double) {
    do throws(DiskFailure) {
      try disk.open()
      do throws(DiskFailure) {
        try recover(atS)
      } catch {
        disk.close()
        throw error
      }
    } catch {
      trouble = Trouble(failure: error, probeAtS: atS + probeIntervalS)
      lengthenProbing(error.code)
    }
  }

  /// Reads everything, then mends what it can. A crash in between does no harm: it is done again.
  private mutating func recover(_ atS: Double) throws(DiskFailure) {
    let entries = try disk.list(nil)
    try refuseNewer(entries)
    quarantine = (try? disk.list(Quarantine.folder)) ?? []
    var damage: [SpoolDamage] = []
    var state = try readState(entries, &damage)
    let files = entries.compactMap { entry in SegmentName(entry.name).map { (name: $0, sizeBytes: entry.sizeBytes) } }
    let unique = Dictionary(files.map { ($0.name.number, $0) }, uniquingKeysWith: { one, _ in one }).values
    var recovery = try Recovery(Array(unique), state) { name, size throws(DiskFailure) in
      try readPatiently(name.text, min(size, SegmentScan.largestBytes))
    }
    let formerOwner = state.owner
    if isOthers(state) { (state, recovery) = try part(from: state, recovery, files.map(\.name)) }
    adopt(state, recovery, files.map(\.name))
    damage += mend(recovery, entries)
    phase = .open
    reports.append(.opened(contents(damage, formerOwner)))
    attempt(atS) { core throws(DiskFailure) in
      try core.settle(recovery)
      try core.save()
      _ = try core.makeRoom(for: 0, lane: .shock, atS)
    }
    scheduleRemoval(atS)
    if limits.capAgeS != nil { ageCheckS = atS }
  }

  private mutating func readState(
    _ entries: [DiskEntry], _ damage: inout [SpoolDamage]
  ) throws(DiskFailure) -> SavedState {
    guard let entry = entries.first(where: { $0.name == SavedState.file }) else { return SavedState() }
    let bytes = try readPatiently(entry.name, min(entry.sizeBytes, SavedState.largestBytes + 1))
    if let state = SavedState(bytes) {
      savedBytes = bytes
      stateBytes = bytes.count
      return state
    }
    damage.append(SpoolDamage(kind: .state, file: entry.name, offset: 0, bytes: entry.sizeBytes))
    setAside(entry.name, entry.sizeBytes)
    return SavedState()
  }

  /// A file's bytes; those that the medium does not give are zero. A failure that says nothing about the medium is
  /// thrown.
  private func readPatiently(_ name: String, _ size: Int) throws(DiskFailure) -> [UInt8] {
    do throws(DiskFailure) {
      return try disk.read(name, from: 0, count: size)
    } catch {
      guard Quarantine.meansDamage(error.code) else { throw error }
      // Or the disk is gone altogether, and may come back with all that it had.
      do throws(DiskFailure) { try tryDisk() } catch { if error.code != EROFS { throw error } }
    }
    var bytes: [UInt8] = []
    while bytes.count < size {
      let count = min(4096, size - bytes.count)
      do throws(DiskFailure) {
        let block = try disk.read(name, from: bytes.count, count: count)
        if block.isEmpty { break }
        bytes += block
      } catch {
        guard Quarantine.meansDamage(error.code) else { throw error }
        bytes += [UInt8](repeating: 0, count: count)
      }
    }
    return bytes
  }

  private mutating func adopt(_ state: SavedState, _ recovery: Recovery, _ names: [SegmentName]) {
    let lastOrdinal = names.map(\.ordinal).max() ?? 0
    let lastOfNotes = state.notes.map { UInt32(truncatingIfNeeded: $0.note.id >> 32) }.max() ?? 0
    ordinal = max(state.ordinal, lastOrdinal, lastOfNotes) &+ 1
    lastSegment = max(state.segment, names.map(\.number).max() ?? 0)
    fleetAcknowledges = fleetAcknowledges || state.fleetAcknowledges || recovery.fleetAcknowledges
    segments = recovery.segments
    lanes = [SpoolLaneCount](repeating: SpoolLaneCount(), count: 3)
    for segment in segments { count(segment.name.lane, segment.live, 1) }
    let told = Set(segments.flatMap(\.notes))
    aside = stillAside(state)
    notes = state.notes.filter { !told.contains($0.note.id) }
    knownDamage = state.knownDamage
  }

  /// Tidies up as far as the disk lets it, and answers what was wrong. Nothing here may fail: what is left behind is
  /// found again by the next start.
  private mutating func mend(_ recovery: Recovery, _ entries: [DiskEntry]) -> [SpoolDamage] {
    let temporary = entries.map(\.name).filter { $0.hasSuffix(".tmp") || $0 == Probing.file }
    for name in recovery.superfluous + temporary {
      try? disk.unlink(name)
      hasRemovals = true
    }
    return mendHeads(recovery) + mendTails(recovery) + mendLosses(recovery)
  }

  private mutating func mendHeads(_ recovery: Recovery) -> [SpoolDamage] {
    recovery.badHeads.filter { !isKnown($0, 0) }.map { name in
      knownDamage.append(SavedState.KnownDamage(segment: name.number, offset: 0))
      return SpoolDamage(kind: .header, file: name.text, offset: 0, bytes: SegmentHeader.size, boot: name.boot)
    }
  }

  private mutating func mendTails(_ recovery: Recovery) -> [SpoolDamage] {
    recovery.tails.compactMap { tail in
      let isCut = (try? disk.truncate(tail.name.text, to: tail.offset)) != nil
      if let index = index(of: tail.name.number) {
        if isCut { segments[index].sizeBytes = tail.offset }
        segments[index].syncedBytes = tail.offset
      }
      guard tail.isTorn else { return nil }
      return SpoolDamage(
        kind: .torn, file: tail.name.text, offset: tail.offset, bytes: tail.sizeBytes, boot: tail.name.boot)
    }
  }

  private mutating func mendLosses(_ recovery: Recovery) -> [SpoolDamage] {
    recovery.losses.filter { !isKnown($0.name, $0.hole.range.lowerBound) }.map { loss in
      let damage = loss.damage
      damagedRecords += damage.records
      _ = take(damage, of: loss.name)
      return damage
    }
  }

  /// Of a segment that nothing is left of, its note says that it was told.
  private func isKnown(_ name: SegmentName, _ offset: Int) -> Bool {
    if index(of: name.number) == nil, notes.contains(where: { $0.segment == name.number }) { return true }
    return knownDamage.contains(SavedState.KnownDamage(segment: name.number, offset: offset))
  }

  /// What has to be on the disk before anything else happens, or may only happen once something is.
  private mutating func settle(_ recovery: Recovery) throws(DiskFailure) {
    // A program that was killed left its last records to the kernel. They count as kept from here on.
    let saved = savedBytes.flatMap(SavedState.init)?.segments ?? []
    let known = Dictionary(saved.map { ($0.segment, $0.bytes) }, uniquingKeysWith: max)
    var isAny = false
    for name in recovery.loose {
      guard let index = index(of: name.number), known[name.number] != segments[index].syncedBytes else { continue }
      syncs += 1
      try disk.sync(name.text)
      isAny = true
    }
    if isAny { try syncFolder() }
    if !recovery.losses.isEmpty { try save() }
    for (name, size) in recovery.empty { discard(name, size) }
    let damaged = Set(recovery.losses.map(\.name)).subtracting(recovery.empty.map(\.name))
    for name in damaged { keepCopy(of: name) }
  }

  private func contents(_ damage: [SpoolDamage], _ formerOwner: String) -> SpoolContents {
    var contents = SpoolContents()
    contents.lanes = lanes
    contents.oldestBornAtS = oldestBornAtS
    var boots: [UInt32] = []
    let live = segments.filter { !$0.isSpent }.sorted { $0.name.ordinal < $1.name.ordinal }
    for segment in live where !boots.contains(segment.name.boot) { boots.append(segment.name.boot) }
    contents.boots = boots
    contents.ordinal = ordinal
    contents.fleetAcknowledges = fleetAcknowledges
    contents.damage = damage
    contents.formerOwner = formerOwner.isEmpty ? nil : formerOwner
    contents.aside = aside
    contents.notes = notes.map(\.note)
    return contents
  }
}
