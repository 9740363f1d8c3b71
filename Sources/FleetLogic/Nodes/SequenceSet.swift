/// Which sequence numbers of one boot have been seen, in bounded room.
///
/// It is kept as ranges. Events come in order nearly always, which is one range; each gap costs one more: a node sends
/// waveforms after everything else, so that every shake of an outage leaves one for a while. Beyond
/// `capacity` ranges the oldest gap is forgotten, and an event that belongs there would later be taken for a duplicate.
struct SequenceSet: Equatable, Sendable {
  /// Ranges kept at the most.
  static let capacity = 256

  enum Verdict: Equatable {
    /// Higher than all before.
    case newest
    /// Not seen before, and lower than one that was.
    case late
    case duplicate
  }

  private var ranges: [ClosedRange<UInt64>] = []

  var highest: UInt64? { ranges.last?.upperBound }

  /// Events from `first` on that must exist, since a higher one was seen, and have not come.
  func missing(from first: UInt64) -> UInt64 {
    var gaps: UInt64 = 0
    for (lower, upper) in zip(ranges, ranges.dropFirst()) where upper.lowerBound > first {
      gaps += upper.lowerBound - max(lower.upperBound + 1, first)
    }
    return gaps
  }

  mutating func insert(_ sequence: UInt64) -> Verdict {
    guard let last = ranges.last else {
      ranges = [sequence...sequence]
      return .newest
    }
    if sequence > last.upperBound {
      append(sequence, after: last)
      return .newest
    }
    // From the end, where nearly all late events belong.
    guard let below = ranges.lastIndex(where: { $0.lowerBound <= sequence }) else {
      insert(sequence, at: 0)
      return .late
    }
    if ranges[below].contains(sequence) { return .duplicate }
    insert(sequence, at: below + 1)
    return .late
  }

  /// Adds numbers that need not come one by one, and answers how many of them were new.
  @discardableResult
  mutating func insert(_ range: ClosedRange<UInt64>) -> Int {
    let known = ranges.filter { $0.overlaps(range) }.map { $0.clamped(to: range) }
    let new = known.reduce(range.upperBound - range.lowerBound) { $0 &- ($1.upperBound - $1.lowerBound &+ 1) } &+ 1
    let first = ranges.firstIndex { $0.upperBound >= range.lowerBound || $0.upperBound + 1 == range.lowerBound }
    var merged = range
    var end = first ?? ranges.count
    while end < ranges.count, range.upperBound == .max || ranges[end].lowerBound <= range.upperBound + 1 {
      merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange((first ?? ranges.count)..<end, with: CollectionOfOne(merged))
    forgetOldestGap()
    return Int(clamping: new)
  }

  private mutating func append(_ sequence: UInt64, after last: ClosedRange<UInt64>) {
    if sequence == last.upperBound + 1 {
      ranges[ranges.count - 1] = last.lowerBound...sequence
    } else {
      ranges.append(sequence...sequence)
      forgetOldestGap()
    }
  }

  /// Puts a number that lies in no range before the range at `index`, and joins what now touches.
  private mutating func insert(_ sequence: UInt64, at index: Int) {
    var merged = sequence...sequence
    var replaced = index..<index
    if index > 0, ranges[index - 1].upperBound + 1 == sequence {
      merged = ranges[index - 1].lowerBound...sequence
      replaced = (index - 1)..<index
    }
    if index < ranges.count, sequence + 1 == ranges[index].lowerBound {
      merged = merged.lowerBound...ranges[index].upperBound
      replaced = replaced.lowerBound..<(index + 1)
    }
    ranges.replaceSubrange(replaced, with: CollectionOfOne(merged))
    forgetOldestGap()
  }

  private mutating func forgetOldestGap() {
    guard ranges.count > Self.capacity else { return }
    ranges.replaceSubrange(0..<2, with: CollectionOfOne(ranges[0].lowerBound...ranges[1].upperBound))
  }
}
