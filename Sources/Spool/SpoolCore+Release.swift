/// Forgetting what has arrived, and ending.
extension SpoolCore {
  /// How long a segment without any record that is left waits for others like it [s].
  private static var removalS: Double { 1 }

  mutating func release(_ boot: UInt32, _ range: ClosedRange<UInt64>, _ atS: Double) {
    var isAny = false
    for index in segments.indices where segments[index].name.boot == boot {
      guard let sequences = segments[index].sequences, sequences.overlaps(range) else { continue }
      let gone = segments[index].release(range)
      guard gone.events > 0 else { continue }
      count(segments[index].name.lane, gone, -1)
      isAny = true
    }
    if boot == self.boot {
      forgetWaiting(range)
      for record in refused where range.contains(record.sequence) {
        givenBackTellers[record.sequence] = record.endedNote
      }
      refused.removeAll { range.contains($0.sequence) }
      endNotes(ofTellersIn: range, atS)
    }
    guard isAny else { return }
    scheduleState(atS + SpoolCore.stateS)
    scheduleRemoval(atS)
  }

  /// What was delivered before it had to be on the disk costs no sync. Only what tells of a note has to get there: its
  /// note would be told once more.
  private mutating func forgetWaiting(_ range: ClosedRange<UInt64>) {
    for lane in SpoolLane.allCases {
      guard let waiting = writers[lane.index]?.waiting, !waiting.isEmpty else { continue }
      arrivedTellers.formUnion(
        waiting.filter { range.contains($0.record.sequence) && $0.record.endedNote != nil }.map(\.record.sequence))
      let gone = waiting.filter { range.contains($0.record.sequence) && $0.record.endedNote == nil }
      guard !gone.isEmpty else { continue }
      let left = waiting.filter { !range.contains($0.record.sequence) || $0.record.endedNote != nil }
      writers[lane.index]?.waiting = left
      if left.isEmpty {
        writers[lane.index]?.dueS = nil
        writers[lane.index]?.waitingBytes = 0
      }
      reports.append(.stored(boot: boot, gone.map(\.record.sequence)))
    }
  }

  /// What was given back has arrived without having been on the disk.
  private mutating func endNotes(ofTellersIn range: ClosedRange<UInt64>, _ atS: Double) {
    for (sequence, note) in givenBackTellers where range.contains(sequence) {
      givenBackTellers[sequence] = nil
      fulfil(note)
      scheduleState(atS + SpoolCore.stateS)
    }
  }

  func isOpen(_ segment: Segment) -> Bool {
    writers[segment.name.lane.index]?.segment == segment.name.number
  }

  mutating func scheduleRemoval(_ atS: Double) {
    guard removalDueS == nil, segments.contains(where: { $0.isSpent && !isOpen($0) }) else { return }
    removalDueS = atS + SpoolCore.removalS
  }

  /// Removes the segments that nothing is left of, once the disk knows that.
  mutating func removeSpent() throws(DiskFailure) {
    removalDueS = nil
    let spent = segments.filter { $0.isSpent && !isOpen($0) }.map(\.name)
    guard !spent.isEmpty else { return }
    try save()
    for name in spent { try remove(name) }
  }

  /// Removes a segment's file and all that is known of it.
  mutating func remove(_ name: SegmentName) throws(DiskFailure) {
    guard let index = index(of: name.number) else { return }
    try disk.unlink(name.text)
    hasRemovals = true
    count(name.lane, segments[index].live, -1)
    segments.remove(at: index)
  }

  mutating func stop(_ atS: Double) {
    guard phase != .stopped else { return }
    if phase == .open, trouble == nil {
      attempt(atS) { core throws(DiskFailure) in
        for lane in SpoolLane.allCases {
          try core.endSegment(lane, atS)
        }
        if !core.refused.isEmpty { try core.tellRefused() }
        try core.save()
        // That these are gone need not be known: the next start finds that nothing is left of them.
        for segment in core.segments where segment.isSpent { try core.remove(segment.name) }
      }
    }
    for lane in SpoolLane.allCases where writers[lane.index] != nil { seal(lane) }
    if phase == .open { disk.close() }
    phase = .stopped
    reports.append(.stopped)
  }
}
