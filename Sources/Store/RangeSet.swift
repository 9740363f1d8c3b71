/// Whole numbers as ascending ranges that neither overlap nor touch.
struct RangeSet: Equatable, Sendable {
  private(set) var ranges: [ClosedRange<UInt64>] = []

  init() {}

  /// Ranges in any order.
  init(_ ranges: some Sequence<ClosedRange<UInt64>>) {
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { insert(range) }
  }

  var isEmpty: Bool { ranges.isEmpty }

  func contains(_ number: UInt64) -> Bool {
    let index = firstIndex(endingAtOrAfter: number)
    return index < ranges.count && ranges[index].lowerBound <= number
  }

  /// Whether a number other than 0 is in a range or next to one.
  func touches(_ number: UInt64) -> Bool {
    contains(number) || contains(number - 1) || number < .max && contains(number + 1)
  }

  /// The range that a number is in.
  func range(of number: UInt64) -> ClosedRange<UInt64>? {
    let index = firstIndex(endingAtOrAfter: number)
    return index < ranges.count && ranges[index].lowerBound <= number ? ranges[index] : nil
  }

  mutating func insert(_ number: UInt64) { insert(number...number) }

  mutating func insert(_ range: ClosedRange<UInt64>) {
    // In order nearly always: the last range grows.
    if let last = ranges.last, last.upperBound < .max, range.lowerBound == last.upperBound + 1 {
      ranges[ranges.count - 1] = last.lowerBound...range.upperBound
      return
    }
    let start = firstIndex(endingAtOrAfter: range.lowerBound == 0 ? 0 : range.lowerBound - 1)
    var merged = range
    var end = start
    while end < ranges.count, range.upperBound == .max || ranges[end].lowerBound <= range.upperBound + 1 {
      merged = min(merged.lowerBound, ranges[end].lowerBound)...max(merged.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(start..<end, with: CollectionOfOne(merged))
  }

  mutating func remove(_ range: ClosedRange<UInt64>) {
    let start = firstIndex(endingAtOrAfter: range.lowerBound)
    var end = start
    var left: [ClosedRange<UInt64>] = []
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
      let cut = ranges[end]
      if cut.lowerBound < range.lowerBound { left.append(cut.lowerBound...(range.lowerBound - 1)) }
      if cut.upperBound > range.upperBound { left.append((range.upperBound + 1)...cut.upperBound) }
      end += 1
    }
    if start < end { ranges.replaceSubrange(start..<end, with: left) }
  }

  mutating func removeLowest(_ count: UInt64) {
    var left = count
    while left > 0, let first = ranges.first {
      let length = first.upperBound - first.lowerBound
      remove(first.lowerBound...(length < left ? first.upperBound : first.lowerBound + left - 1))
      left -= length < left ? length + 1 : left
    }
  }

  /// How many numbers.
  var count: UInt64 { ranges.reduce(0) { $0 &+ ($1.upperBound - $1.lowerBound &+ 1) } }

  func union(_ other: RangeSet) -> RangeSet {
    if other.isEmpty { return self }
    if isEmpty { return other }
    return RangeSet([ranges, other.ranges].joined())
  }

  private func firstIndex(endingAtOrAfter number: UInt64) -> Int {
    if let last = ranges.last, last.upperBound < number { return ranges.count }
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
