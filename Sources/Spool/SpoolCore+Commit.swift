/// Bringing events to the medium.
extension SpoolCore {
  /// Brings to the disk what a lane has taken; where that fails, once more in a new segment.
  mutating func commit(_ lane: SpoolLane, _ atS: Double) {
    attempt(atS) { core throws(DiskFailure) in try core.commitOrThrow(lane, atS) }
  }

  mutating func commitOrThrow(_ lane: SpoolLane, _ atS: Double) throws(DiskFailure) {
    guard let writer = writers[lane.index] else { return }
    guard !writer.waiting.isEmpty else {
      writers[lane.index]?.dueS = nil
      return
    }
    guard let lost = syncOrAbandon(lane) else { return }
    do throws(DiskFailure) {
      try beginSegment(lane)
      for (record, bornAtS) in lost {
        try put(RecordFrame(record, bornAtS: bornAtS), record, atS)
        writers[lane.index]?.waiting.append((record, bornAtS))
      }
      try syncFile(lane)
    } catch {
      abandon(lane)
      giveBack(lost.map(\.record), error.text)
      throw error
    }
    reportStored(lane)
  }

  /// Syncs what a lane has taken, and tells. After a failure the segment is given up, and what waited is answered.
  ///
  /// Linux marks pages that it could not write as clean: a second sync of the file would succeed, and the data be gone
  /// (PostgreSQL's "fsyncgate", 2018). So it is trusted up to what was synced before, and never synced again.
  mutating func syncOrAbandon(_ lane: SpoolLane) -> [(record: SpoolRecord, bornAtS: Double?)]? {
    guard let waiting = writers[lane.index]?.waiting, !waiting.isEmpty else { return nil }
    do throws(DiskFailure) {
      try syncFile(lane)
    } catch {
      abandon(lane)
      return waiting
    }
    reportStored(lane)
    return nil
  }

  /// Syncs a lane's segment, and its name where that is new.
  mutating func syncFile(_ lane: SpoolLane) throws(DiskFailure) {
    guard let writer = writers[lane.index], let index = index(of: writer.segment) else { return }
    syncs += 1
    try disk.sync(writer.file)
    if !segments[index].isNameDurable { try syncFolder() }
    segments[index].syncedBytes = segments[index].sizeBytes
  }

  mutating func syncFolder() throws(DiskFailure) {
    syncs += 1
    try disk.syncDirectory()
    hasRemovals = false
    for index in segments.indices { segments[index].isNameDurable = true }
  }

  private mutating func reportStored(_ lane: SpoolLane) {
    guard let waiting = writers[lane.index]?.waiting else { return }
    writers[lane.index]?.waiting = []
    writers[lane.index]?.waitingBytes = 0
    writers[lane.index]?.dueS = nil
    guard !waiting.isEmpty else { return }
    probeIntervalS = Probing.firstS
    for record in waiting.map(\.record) {
      guard let note = record.endedNote else { continue }
      fulfil(note)
      arrivedTellers.remove(record.sequence)
      givenBackTellers[record.sequence] = nil
    }
    reports.append(.stored(boot: boot, waiting.map(\.record.sequence)))
  }

  /// Gives a lane's segment up from where it is not on the medium for sure.
  mutating func abandon(_ lane: SpoolLane) {
    guard let writer = writers[lane.index], let index = index(of: writer.segment) else { return }
    disk.close(writer.file)
    writers[lane.index] = nil
    let trusted = segments[index].isNameDurable ? segments[index].syncedBytes : 0
    predecessors[lane.index] = (writer.segment, trusted)
    count(lane, segments[index].forget(from: trusted), -1)
    let name = segments[index].name.text
    // What the disk does not let go of takes room until it is removed with the spent segments, or by the next start.
    if segments[index].entries.isEmpty {
      if (try? disk.unlink(name)) != nil { segments.remove(at: index) }
      hasRemovals = true
    } else if (try? disk.truncate(name, to: trusted)) != nil {
      segments[index].sizeBytes = trusted
    }
  }
}
