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
    state.oldestBornAtS = oldestBornAtS
    state.trouble = trouble?.text
    state.unsaved = writers.reduce(0) { $0 + ($1?.waiting.count ?? 0) }
    state.sizeBytes = sizeBytes
    state.damagedRecords = damagedRecords
    state.lostNotes = lostNotes
    state.writtenBytes = writtenBytes
    state.syncs = syncs
    return state
  }

  /// Of each lane's oldest segment, since looking at each event would cost too much.
  var oldestBornAtS: Double? {
    SpoolLane.allCases.compactMap { lane in
      segments.first { $0.name.lane == lane && !$0.isSpent }?.oldestBornAt
    }.min().map(Double.init)
  }

  mutating func reportState(_ atS: Double) {
    let isTurn = reported.trouble != trouble?.text
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
