/// How things stand.
extension SpoolCore {
  private static var reportS: Double { 1 }

  /// Bytes of everything in the folder.
  var sizeBytes: Int {
    segments.reduce(0) { $0 + $1.sizeBytes } + quarantine.reduce(0) { $0 + $1.sizeBytes } + stateBytes
  }

  var state: SpoolState {
    var state = SpoolState()
    state.lanes = lanes
    state.formerEvents = former.reduce(0) { $0 + $1.live.events }
    state.oldestBornAtS = oldestBornAtS
    state.storedBytes = storedBytes
    state.trouble = trouble?.failure
    state.unsaved = writers.reduce(0) { $0 + ($1?.waiting.count ?? 0) }
    state.sizeBytes = sizeBytes
    state.damagedRecords = damagedRecords
    state.lostNotes = lostNotes
    state.writtenBytes = writtenBytes
    state.syncs = syncs
    return state
  }

  /// What earlier runs left and nobody has released.
  private var former: some Sequence<Segment> {
    segments.lazy.filter { [ordinal] in $0.name.ordinal != ordinal && !$0.isSpent }
  }

  /// Of each lane's oldest segment of a former run, since looking at each event would cost too much. One that nobody
  /// knows the age of may be the oldest of all.
  var oldestBornAtS: Double? {
    var oldest: UInt32?
    for lane in SpoolLane.allCases {
      guard let segment = former.first(where: { $0.name.lane == lane }) else { continue }
      guard let bornAt = segment.oldestBornAt else { return nil }
      oldest = min(oldest ?? bornAt, bornAt)
    }
    return oldest.map(Double.init)
  }

  /// What has been taken and is not on the disk yet is in memory too, and counted there.
  private var storedBytes: Int {
    let waiting = writers.compactMap { $0 }.flatMap(\.waiting)
    return max(
      0,
      lanes.reduce(0) { $0 + $1.bytes }
        - waiting.reduce(0) { $0 + RecordFrame($1.record, bornAtS: $1.bornAtS).size })
  }

  mutating func reportState(_ atS: Double) {
    let isTurn = reported.trouble?.code != trouble?.failure.code
    guard isTurn || reportDueS.map({ atS >= $0 }) ?? true else { return }
    let state = state
    if state != reported || reported.lanes.isEmpty {
      reports.append(.state(state))
      reported = state
      reportDueS = atS + SpoolCore.reportS
    } else {
      // Nothing happened in the meantime: no need to wake up for it.
      reportDueS = nil
    }
  }

  mutating func count(_ lane: SpoolLane, _ change: SpoolLaneCount, _ sign: Int) {
    lanes[lane.index].events += sign * change.events
    lanes[lane.index].bytes += sign * change.bytes
  }

  func index(of number: UInt32) -> Int? {
    var low = 0
    var high = segments.count
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].name.number < number { low = middle + 1 } else { high = middle }
    }
    return low < segments.count && segments[low].name.number == number ? low : nil
  }
}
