internal import Glibc

/// Taking events in.
extension SpoolCore {
  mutating func append(_ record: SpoolRecord, _ bornAtS: Double?, _ atS: Double) {
    if phase != .open || trouble != nil {
      return giveBack([record])
    }
    guard record.boot == boot, record.payload.count <= SpoolRecord.payloadBytes else {
      let reason = record.boot == boot ? "longer than \(SpoolRecord.payloadBytes) bytes" : "of another run"
      return reports.append(.notStored(boot: record.boot, [record.sequence], reason: reason))
    }
    do throws(DiskFailure) {
      let size = RecordFrame(record, bornAtS: bornAtS).size + SegmentHeader.size
      guard try makeRoom(for: size, lane: record.lane, atS) else { return refuse(record, atS) }
      try write(record, bornAtS, atS)
    } catch {
      fall(into: error, atS)
      return giveBack([record])
    }
    guard trouble == nil else { return }
    guard let writer = writers[record.lane.index] else { return }
    if writer.waitingBytes >= SpoolLane.commitBytes { return commit(record.lane, atS) }
    // Due now, but not done here: where the disk is slow, all that came meanwhile shares one sync.
    if writer.waiting.count == record.lane.commitEvents { writers[record.lane.index]?.dueS = atS }
  }

  /// Appends a record to its lane's segment, which outlasts the end of the program from then on.
  private mutating func write(_ record: SpoolRecord, _ bornAtS: Double?, _ atS: Double) throws(DiskFailure) {
    let lane = record.lane
    let frame = RecordFrame(record, bornAtS: bornAtS)
    if let writer = writers[lane.index], let index = index(of: writer.segment),
      !hasRoom(segments[index], for: frame, atS)
    {
      try endSegment(lane, atS)
    }
    if writers[lane.index] == nil { try beginSegment(lane) }
    do throws(DiskFailure) {
      try put(frame, record, atS)
    } catch {
      mendTail(lane, error)
      throw error
    }
    writers[lane.index]?.waiting.append((record, bornAtS))
    writers[lane.index]?.waitingBytes += frame.size
    if writers[lane.index]?.dueS == nil { writers[lane.index]?.dueS = atS + lane.commitS }
    // Given up by age is whole segments: one that is not full for long would keep its oldest events too long.
    if limits.capAgeS != nil, ageCheckS == nil { ageCheckS = atS + SpoolCore.ageCheckPeriodS }
  }

  private func hasRoom(_ segment: Segment, for frame: RecordFrame, _ atS: Double) -> Bool {
    if segment.entries.isEmpty { return true }
    if let firstAtS = segment.firstAtS, let capAgeS = limits.capAgeS, atS - firstAtS > max(60, capAgeS / 16) {
      return false
    }
    return segment.sizeBytes + frame.size <= limits.segmentBytes && segment.admits(frame.sequence)
  }

  /// Writes a record into the open segment and its index.
  mutating func put(_ frame: RecordFrame, _ record: SpoolRecord, _ atS: Double) throws(DiskFailure) {
    guard let writer = writers[record.lane.index], let index = index(of: writer.segment) else { return }
    let bytes = frame.encoded(record.payload, in: segments[index].name)
    try disk.append(bytes, to: writer.file)
    writtenBytes += bytes.count
    if segments[index].insert(frame, at: segments[index].sizeBytes) {
      count(record.lane, SpoolLaneCount(events: 1, bytes: frame.size), 1)
    }
    segments[index].sizeBytes += bytes.count
    segments[index].firstAtS = segments[index].firstAtS ?? atS
    segments[index].lastAtS = atS
  }

  /// A write failed half way: what it left is cut off, or else nothing more is written to this segment.
  private mutating func mendTail(_ lane: SpoolLane, _ failure: DiskFailure) {
    guard let writer = writers[lane.index], let index = index(of: writer.segment) else { return }
    do throws(DiskFailure) {
      try disk.truncate(segments[index].name.text, to: segments[index].sizeBytes)
    } catch {
      // Its records are good up to there, and are still to be synced.
      if let lost = syncOrAbandon(lane) {
        giveBack(lost.map(\.record), failure.text)
      } else {
        abandon(lane)
      }
    }
  }

  /// Makes a lane's next segment. Its name, and with it the boot id, is on the disk before the first of its records
  /// counts as stored: `sync` sees to that.
  mutating func beginSegment(_ lane: SpoolLane) throws(DiskFailure) {
    lastSegment += 1
    let name = SegmentName(number: lastSegment, lane: lane, ordinal: ordinal, boot: boot)
    let file = try disk.create(name.text)
    let predecessor = predecessors[lane.index]
    let header = SegmentHeader(
      name: name, predecessor: predecessor?.segment ?? 0, predecessorBytes: UInt32(predecessor?.bytes ?? 0),
      fleetAcknowledges: fleetAcknowledges)
    do throws(DiskFailure) {
      try disk.append(header.encoded, to: file)
    } catch {
      disk.close(file)
      try? disk.unlink(name.text)
      throw error
    }
    writtenBytes += SegmentHeader.size
    segments.append(Segment(name: name, sizeBytes: SegmentHeader.size, isDurable: false))
    writers[lane.index] = Writer(file: file, segment: name.number)
  }

  /// A lane's segment is full. What waits in it is brought to the disk first: its successor vouches for its length.
  mutating func endSegment(_ lane: SpoolLane, _ atS: Double) throws(DiskFailure) {
    guard let writer = writers[lane.index], let index = index(of: writer.segment) else { return }
    if !writer.waiting.isEmpty {
      try commitOrThrow(lane, atS)
    } else if !segments[index].isSpent, segments[index].syncedBytes < segments[index].sizeBytes {
      do throws(DiskFailure) {
        try syncFile(lane)
      } catch {
        abandon(lane)
        throw error
      }
    }
    seal(lane)
    scheduleRemoval(atS)
  }

  /// Nothing more is written to a lane's segment, which holds as far as it is synced: beyond are at most records that
  /// were released.
  mutating func seal(_ lane: SpoolLane) {
    guard let writer = writers[lane.index], let index = index(of: writer.segment) else { return }
    disk.close(writer.file)
    predecessors[lane.index] = (writer.segment, segments[index].syncedBytes)
    writers[lane.index] = nil
  }
}
