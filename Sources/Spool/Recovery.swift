/// What a folder holds, found out without changing anything in it.
struct Recovery {
  /// A place in a segment that could not be read.
  struct Loss {
    let name: SegmentName
    let hole: SegmentScan.Hole
    /// The last number of the segment before it, and the first of the one after it, in its lane and run.
    var before: UInt64?
    var behind: UInt64?
  }

  struct Tail {
    let name: SegmentName
    let offset: Int
    let sizeBytes: Int
    /// It came from a program or power that failed, rather than from a disk that did.
    let isTorn: Bool
  }

  /// Ascending.
  var segments: [Segment] = []
  /// Files that are to go: segments that were given up.
  var superfluous: [String] = []
  /// Files with nothing in them that could be read.
  var empty: [(name: SegmentName, sizeBytes: Int)] = []
  var tails: [Tail] = []
  var losses: [Loss] = []
  var badHeads: [SegmentName] = []
  /// A head says that a fleet tool had acknowledged this node.
  var fleetAcknowledges = false
  /// Segments that had no successor: their last records may not be on the medium.
  var loose: [SegmentName] = []

  private struct Lane: Hashable {
    let lane: SpoolLane
    let ordinal: UInt32

    init(_ name: SegmentName) {
      lane = name.lane
      ordinal = name.ordinal
    }
  }

  /// - Parameters:
  ///   - files: name and length of each segment
  ///   - state: what the state file said
  ///   - read: the bytes of a file; what of it can't be read is zero
  init(
    _ files: [(name: SegmentName, sizeBytes: Int)], _ state: SavedState,
    read: (SegmentName, Int) throws(DiskFailure) -> [UInt8]
  ) throws(DiskFailure) {
    let known = Dictionary(state.segments.map { ($0.segment, $0) }, uniquingKeysWith: { one, _ in one })
    let forgotten = files.map(\.name.number).filter { $0 <= state.segment && known[$0] == nil }
    let gone = Set(state.notes.filter { $0.note.reason != .damaged }.map(\.segment) + forgotten)
    let released = Dictionary(state.released.map { ($0.ordinal, $0.runs) }, uniquingKeysWith: +)
    var ends = known.filter(\.value.isEnded).mapValues(\.bytes)
    var firsts: [Lane: UInt64] = [:]
    // From the newest on, since each head says where the one before it ends.
    for (name, size) in files.sorted(by: { $0.name.number > $1.name.number }) {
      if gone.contains(name.number) {
        superfluous.append(name.text)
        continue
      }
      let bytes = try read(name, size)
      let scan = SegmentScan(
        bytes, of: name, syncedBytes: known[name.number]?.bytes ?? 0, endBytes: ends[name.number])
      if let header = scan.header {
        ends[header.predecessor] = max(ends[header.predecessor] ?? 0, Int(header.predecessorBytes))
      }
      take(scan, name, size, released[name.ordinal] ?? [], hadSuccessor: ends[name.number] != nil, &firsts)
    }
    segments.reverse()
    findBounds()
  }

  private mutating func take(
    _ scan: SegmentScan, _ name: SegmentName, _ size: Int, _ released: [ClosedRange<UInt64>],
    hadSuccessor: Bool, _ firsts: inout [Lane: UInt64]
  ) {
    if scan.header?.fleetAcknowledges ?? false { fleetAcknowledges = true }
    losses += scan.holes.map { Loss(name: name, hole: $0, behind: $0.behind ?? firsts[Lane(name)]) }
    if scan.records.isEmpty {
      empty.append((name, size))
      return
    }
    var segment = Segment(name: name, sizeBytes: size, isDurable: true)
    segment.expect(scan.records.count)
    for found in scan.records { segment.insert(found.frame, at: found.offset) }
    for run in released { _ = segment.release(run) }
    let end = scan.records.last.map { $0.offset + $0.frame.size } ?? SegmentHeader.size
    if let tornAt = scan.tornAt, tornAt < size {
      tails.append(Tail(name: name, offset: tornAt, sizeBytes: size - tornAt, isTorn: true))
    } else if scan.isCut, end < size, scan.holes.allSatisfy({ $0.range.upperBound <= end }) {
      tails.append(Tail(name: name, offset: end, sizeBytes: size - end, isTorn: false))
    }
    if scan.header == nil { badHeads.append(name) }
    if !hadSuccessor, !segment.isSpent { loose.append(name) }
    firsts[Lane(name)] = segment.sequences?.lowerBound
    segments.append(segment)
  }

  /// Where a loss is at the end of what is there, its bounds come from the neighbours.
  private mutating func findBounds() {
    for index in losses.indices {
      let name = losses[index].name
      let before = segments.last { Lane($0.name) == Lane(name) && $0.name.number < name.number }
      losses[index].before = losses[index].hole.before ?? before?.sequences?.upperBound
      if losses[index].behind == nil {
        losses[index].behind = segments.filter { $0.name.ordinal == name.ordinal }
          .compactMap { $0.sequences?.upperBound }.max().map { $0 &+ 1 }
      }
    }
  }
}

extension Recovery.Loss {
  /// The numbers within which the lost ones lie.
  var bounds: ClosedRange<UInt64> {
    let first = (before ?? 0) &+ 1
    let last = (behind ?? first) &- 1
    return first...max(first, last)
  }

  var damage: SpoolDamage {
    SpoolDamage(
      kind: .records, file: name.text, offset: hole.range.lowerBound, bytes: hole.range.count, records: hole.records,
      boot: name.boot, bounds: bounds)
  }
}
