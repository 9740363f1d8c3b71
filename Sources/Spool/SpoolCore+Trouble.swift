internal import CLinux
internal import Glibc

/// When the disk is tried again [s].
enum Probing {
  static let firstS = 0.5
  /// Where trying costs a write.
  static let longestS = 30.0
  /// Where it costs none, as with a read-only file system.
  static let longestFreeS = 4.0
  static let file = "probe"
  static let bytes = [UInt8](repeating: 0x70, count: 4096)
}

/// A disk that does not do what it should, and its coming back.
extension SpoolCore {
  /// Nothing is kept from now on; what waits is given back.
  mutating func fall(into failure: DiskFailure, _ atS: Double) {
    guard trouble == nil else { return }
    trouble = Trouble(failure: failure, probeAtS: atS + probeIntervalS)
    lengthenProbing(failure.code)
    for lane in SpoolLane.allCases { salvage(lane) }
    let records = refused
    refused = []
    refusedDueS = nil
    giveBack(records)
  }

  /// What a lane has written may be on the disk yet, and is synced once. What can't be is given back.
  private mutating func salvage(_ lane: SpoolLane) {
    guard let writer = writers[lane.index], !writer.waiting.isEmpty else { return }
    if let lost = syncOrAbandon(lane) { giveBack(lost.map(\.record)) }
  }

  /// Gives records back, but for what tells of a note and has arrived meanwhile: that is not offered again, so that
  /// nobody else could end the note.
  mutating func giveBack(_ records: [SpoolRecord], _ reason: String? = nil) {
    let arrived = records.filter { $0.endedNote != nil && arrivedTellers.contains($0.sequence) }
    for note in arrived.compactMap(\.endedNote) { fulfil(note) }
    arrivedTellers.subtract(arrived.map(\.sequence))
    for record in records { givenBackTellers[record.sequence] = record.endedNote }
    for record in arrived { givenBackTellers[record.sequence] = nil }
    giveBack(records.map(\.sequence).filter { number in !arrived.contains { $0.sequence == number } }, reason)
  }

  mutating func giveBack(_ sequences: [UInt64], _ reason: String? = nil) {
    guard !sequences.isEmpty else { return }
    let reason = reason ?? trouble?.failure.text ?? "the spool is closed"
    reports.append(.notStored(boot: boot, sequences, reason: reason))
  }

  mutating func lengthenProbing(_ code: Int32) {
    let isFree = [ENOSPC, EROFS, EACCES, EPERM, EWOULDBLOCK].contains(code)
    probeIntervalS = min(probeIntervalS * 2, isFree ? Probing.longestFreeS : Probing.longestS)
  }

  /// Looks whether the disk works again.
  mutating func probe(_ atS: Double) {
    guard phase == .open else {
      trouble = nil
      tryToOpen(atS)
      return
    }
    if trouble?.failure.code == ENOSPC { freeSpent() }
    do throws(DiskFailure) {
      try tryDisk()
      // What could not be saved meanwhile, before anything else is taken: the disk may have a state that was withdrawn.
      try save()
      trouble = nil
      scheduleRemoval(atS)
    } catch {
      trouble?.failure = error
      trouble?.probeAtS = atS + probeIntervalS
      lengthenProbing(error.code)
    }
  }

  /// On a full disk not even the state can be saved. Segments that nothing is left of go without it, but for those
  /// that tell of notes: these would be told once more.
  private mutating func freeSpent() {
    for lane in SpoolLane.allCases {
      guard let writer = writers[lane.index], let index = index(of: writer.segment) else { continue }
      if segments[index].isSpent { seal(lane) }
    }
    for segment in segments where segment.isSpent && segment.notes.isEmpty { try? remove(segment.name) }
  }

  /// Whether something can be written.
  func tryDisk() throws(DiskFailure) {
    if trouble?.failure.code == ENOSPC, let free = disk.freeBytes(), free < 4 * Probing.bytes.count {
      throw DiskFailure(call: "write", code: ENOSPC, name: Probing.file)
    }
    try disk.tryOut(Probing.file)
  }
}

extension SpoolDisk {
  /// Writes, syncs and removes a small file.
  public func tryOut(_ name: String) throws(DiskFailure) {
    try? unlink(name)
    let file = try create(name)
    defer {
      close(file)
      try? unlink(name)
    }
    try append(Probing.bytes, to: file)
    try sync(file)
  }
}

extension DiskFailure {
  /// In words, for the log and for messages.
  public var text: String {
    if call == "format" { return "\(name) was written by a newer version; the folder is left alone" }
    if call == "owner" { return "events of \(name), and others are set aside already" }
    if call == "flock", code == EWOULDBLOCK { return "in use by another process" }
    return name.isEmpty ? "\(errorText) (\(call))" : "\(errorText) (\(call) of \(name))"
  }

  /// What the system says of its code: strerror(3).
  public var errorText: String { judder_error_text(code).map { String(cString: $0) } ?? "error \(code)" }
}
