/// Records that tell of notes outlast their segment's being given up: else nobody would hear any more what was given
/// up before.
///
/// They go to a small segment of their own with the same run, whose head names the one that they come from. As long as
/// both are there, the old one holds.
extension SpoolCore {
  /// Writes what tells of notes to a new segment, and answers that; nil where there is nothing.
  mutating func carry(_ old: Segment) throws(DiskFailure) -> Segment? {
    let records = told(in: old)
    guard !records.isEmpty else { return nil }
    lastSegment += 1
    let name = SegmentName(
      number: lastSegment, lane: old.name.lane, ordinal: old.name.ordinal, boot: old.name.boot)
    var segment = Segment(name: name, sizeBytes: SegmentHeader.size, isDurable: false)
    var bytes = SegmentHeader(
      name: name, predecessor: old.name.number, predecessorBytes: SegmentHeader.carried,
      fleetAcknowledges: fleetAcknowledges
    ).encoded
    for (frame, payload) in records {
      segment.insert(frame, at: bytes.count)
      bytes += frame.encoded(payload, in: name)
    }
    do throws(DiskFailure) {
      try write(bytes, to: name)
    } catch {
      try? disk.unlink(name.text)
      throw error
    }
    segment.sizeBytes = bytes.count
    segment.syncedBytes = bytes.count
    segment.isNameDurable = true
    segment.isCarried = true
    segments.append(segment)
    count(name.lane, segment.live, 1)
    return segment
  }

  /// The state with its source's end could not be saved; or it was, and only that it is on the medium is not known:
  /// then a next start decides between the two.
  mutating func withdraw(_ copy: Segment) {
    guard let index = index(of: copy.name.number) else { return }
    count(copy.name.lane, segments[index].live, -1)
    segments.remove(at: index)
    if savedBytes != nil { try? disk.unlink(copy.name.text) }
  }

  private mutating func write(_ bytes: [UInt8], to name: SegmentName) throws(DiskFailure) {
    let file = try disk.create(name.text)
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
    try syncFolder()
  }

  /// The records of a segment that tell of notes and that nobody has released.
  private func told(in segment: Segment) -> [(frame: RecordFrame, payload: [UInt8])] {
    guard !segment.notes.isEmpty else { return [] }
    var seed = CRC32C()
    seed.update(segment.name.seed)
    return segment.entries.filter { !$0.isReleased && $0.hasNote }.compactMap { entry in
      guard let bytes = try? disk.read(segment.name.text, from: Int(entry.offset), count: entry.size),
        let frame = bytes.withUnsafeBufferPointer({ RecordFrame(at: 0, in: $0, seed: seed) })
      else { return nil }
      return (frame, Array(bytes.suffix(frame.payloadBytes)))
    }
  }
}
