internal import Telemetry

/// Names one run of one node in the database.
struct BootKey: Hashable {
  var node: Int64
  var boot: UInt32
}

/// Which numbers of one run of a node are settled, and what else its row says.
final class BootCoverage {
  /// Ranges of each kind at the most. A number that would be one more is in the database, and is counted from there
  /// again when there is room.
  static let capacity = 4096

  /// All of 1 to this are stored or were given up.
  private(set) var upto: UInt64 = 0
  /// Stored, above `upto`.
  private(set) var above = RangeSet()
  /// Given up by the node, or lost with damaged pages, and not come nevertheless.
  private(set) var evicted = RangeSet()
  /// From 1 to this, numbers that were given up are not known any more: there was no room. 0: all are.
  private(set) var forgotten: UInt64 = 0
  /// There may be more above `upto` in the database, stored or given up.
  private(set) var isOverfull = false
  var highest: UInt64 = 0
  var firstS = 0.0, lastS = 0.0
  var clock: ClockState?
  var duplicates = 0, conflicts = 0, interleavings = 0, replays = 0
  /// Events of it that retention took.
  var dropped = 0
  /// There is a row of it.
  var isKept = false
  /// When it was last needed.
  var use: UInt64 = 0

  init() {}

  init(upto: UInt64, above: RangeSet, evicted: RangeSet, forgotten: UInt64 = 0) {
    self.upto = upto
    self.forgotten = forgotten
    self.above = above
    self.evicted = evicted
    isOverfull = !isRoomy
    advance()
  }

  /// It is known to have been stored, even if it has gone since. Where that is not known, the database tells whether it
  /// is there.
  func isStored(_ number: UInt64) -> Bool {
    guard number > forgotten else { return false }
    return number <= upto ? !evicted.contains(number) : above.contains(number)
  }

  func noteStored(_ number: UInt64) {
    highest = max(highest, number)
    guard number > 0 else { return }
    evicted.remove(number...number)
    guard number > upto else { return }
    let isRoomy = above.ranges.count < Self.capacity
    guard isRoomy || number == upto + 1 || above.touches(number) else {
      isOverfull = true
      return
    }
    above.insert(number)
    advance()
  }

  func noteEvicted(_ range: ClosedRange<UInt64>) {
    guard range.upperBound > upto, range.upperBound <= UInt64(Int64.max) else { return }
    while evicted.ranges.count >= Self.capacity, let lowest = evicted.ranges.first, lowest.upperBound <= upto {
      evicted.remove(lowest)
      forgotten = lowest.upperBound
    }
    let first = max(range.lowerBound, upto + 1)
    guard evicted.ranges.count < Self.capacity || evicted.touches(first) || evicted.touches(range.upperBound) else {
      isOverfull = true
      return
    }
    var new = RangeSet([first...range.upperBound])
    for stored in above.ranges where stored.overlaps(range) { new.remove(stored) }
    for range in new.ranges { evicted.insert(range) }
    highest = max(highest, range.upperBound)
    advance()
  }

  /// `stored` is all that was stored: there was room to remember every number.
  var knowsAll: Bool { forgotten == 0 && !isOverfull }

  /// Numbers that are known to have been stored.
  var stored: RangeSet {
    var numbers = above
    if upto > forgotten { numbers.insert((forgotten + 1)...upto) }
    for range in evicted.ranges { numbers.remove(range) }
    return numbers
  }

  /// Numbers that were stored, and are not there any more. One that comes again is new.
  ///
  /// - Parameter last: the highest number that is there. What is lost above it was stored last of all, and its node may
  ///   not have heard that it was: it is not settled any more. The others are, or the run would never be.
  func noteLost(_ lost: RangeSet, last: UInt64) {
    for range in lost.ranges where range.upperBound > last {
      let first = max(range.lowerBound, last + 1)
      above.remove(first...range.upperBound)
      upto = min(upto, first - 1)
    }
    for range in lost.ranges where range.lowerBound <= last {
      let settled = range.lowerBound...min(last, range.upperBound)
      if evicted.ranges.count < Self.capacity {
        above.remove(settled)
        evicted.insert(settled)
      } else if settled.upperBound <= upto {
        forgotten = max(forgotten, settled.upperBound)
      }
    }
    advance()
  }

  /// Takes in what touches `upto`.
  private func advance() {
    while upto < .max {
      if let range = above.range(of: upto + 1) {
        upto = range.upperBound
        above.remove(range)
      } else if let range = evicted.range(of: upto + 1) {
        upto = range.upperBound
      } else {
        return
      }
    }
  }

  /// Counts what the database has above `upto`, after it was more than there was room for.
  func recount(_ numbers: RangeSet, evicted given: RangeSet = RangeSet()) {
    isOverfull = false
    for range in numbers.ranges where range.upperBound > upto {
      guard above.ranges.count < Self.capacity else {
        isOverfull = true
        break
      }
      above.insert(max(range.lowerBound, upto + 1)...range.upperBound)
    }
    advance()
    for range in given.ranges { noteEvicted(range) }
  }

  /// It was overfull, and there is room again.
  var wantsRecount: Bool { isOverfull && isRoomy }

  private var isRoomy: Bool {
    // What was given up below `upto` makes room when it is needed.
    let waiting = evicted.ranges.count { $0.upperBound > upto }
    return above.ranges.count < Self.capacity / 2 && waiting < Self.capacity / 2
  }

  /// Whether one acknowledgement has room for all of `numbers`.
  func fitsOne(_ numbers: [UInt64]) -> Bool {
    var named = RangeSet()
    for number in numbers where number > upto && named.ranges.count <= Acknowledgement.maximumRanges {
      named.insert(above.range(of: number) ?? number...number)
    }
    return named.ranges.count <= Acknowledgement.maximumRanges
  }

  /// The ranges to be told beside `upto`: those of `numbers` first, then the lowest.
  func also(for numbers: [UInt64], limit: Int = Acknowledgement.maximumRanges) -> [ClosedRange<UInt64>] {
    var chosen = RangeSet()
    for number in numbers where number > upto && chosen.ranges.count < limit {
      chosen.insert(above.range(of: number) ?? number...number)
    }
    for range in above.ranges where chosen.ranges.count < limit { chosen.insert(range) }
    return chosen.ranges
  }

  /// What its rows in `coverage` say.
  struct Ranges {
    var stored: RangeSet, evicted: RangeSet, forgotten: UInt64
  }

  var ranges: Ranges { Ranges(stored: above, evicted: evicted, forgotten: forgotten) }

  /// All that is settled above `upto`.
  var settledAbove: RangeSet {
    above.union(RangeSet(evicted.ranges.filter { $0.lowerBound > upto }))
  }
}

/// FNV-1a over 64-bit numbers: any flipped bit changes it (Fowler, Noll and Vo).
func checksum(_ numbers: UInt64...) -> Int64 {
  var hash: UInt32 = 2_166_136_261
  for number in numbers {
    for shift in stride(from: 0, to: 64, by: 8) {
      hash = (hash ^ UInt32(truncatingIfNeeded: (number >> UInt64(shift)) & 0xff)) &* 16_777_619
    }
  }
  return Int64(hash)
}
