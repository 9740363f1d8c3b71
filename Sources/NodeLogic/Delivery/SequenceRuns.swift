/// A set of numbers, kept as runs: as large as it has holes.
struct SequenceRuns: Equatable, Sendable {
  /// Ascending, and apart from each other.
  private(set) var runs: [ClosedRange<UInt64>] = []
  /// How many numbers.
  private(set) var count = 0

  init() {}

  init(_ runs: [ClosedRange<UInt64>]) {
    for run in runs { insert(run) }
  }

  var isEmpty: Bool { runs.isEmpty }
  var first: UInt64? { runs.first?.lowerBound }
  var last: UInt64? { runs.last?.upperBound }

  func contains(_ number: UInt64) -> Bool {
    let place = firstRun(endingFrom: number)
    return place < runs.count && runs[place].lowerBound <= number
  }

  mutating func insert(_ number: UInt64) { insert(number...number) }

  mutating func insert(_ run: ClosedRange<UInt64>) {
    // What touches it becomes part of it; most of what comes goes on at the end.
    if let end = runs.last?.upperBound, end < run.lowerBound, run.lowerBound - end > 1 || end == .max {
      runs.append(run)
      count += run.count
      return
    }
    let low = run.lowerBound == 0 ? 0 : run.lowerBound - 1
    let start = firstRun(endingFrom: low)
    var end = start
    var merged = run
    while end < runs.count, runs[end].lowerBound <= (run.upperBound == .max ? .max : run.upperBound + 1) {
      merged = min(merged.lowerBound, runs[end].lowerBound)...max(merged.upperBound, runs[end].upperBound)
      count -= runs[end].count
      end += 1
    }
    runs.replaceSubrange(start..<end, with: [merged])
    count += merged.count
  }

  mutating func remove(_ number: UInt64) { remove(number...number) }

  mutating func remove(_ run: ClosedRange<UInt64>) {
    let start = firstRun(endingFrom: run.lowerBound)
    var end = start
    var rest: [ClosedRange<UInt64>] = []
    while end < runs.count, runs[end].lowerBound <= run.upperBound {
      let old = runs[end]
      if old.lowerBound < run.lowerBound { rest.append(old.lowerBound...(run.lowerBound - 1)) }
      if old.upperBound > run.upperBound { rest.append((run.upperBound + 1)...old.upperBound) }
      count -= old.count
      end += 1
    }
    count += rest.reduce(0) { $0 + $1.count }
    runs.replaceSubrange(start..<end, with: rest)
  }

  /// What is in both.
  func intersection(_ run: ClosedRange<UInt64>) -> SequenceRuns {
    var shared = SequenceRuns()
    var place = firstRun(endingFrom: run.lowerBound)
    while place < runs.count, runs[place].lowerBound <= run.upperBound {
      shared.insert(runs[place].clamped(to: run))
      place += 1
    }
    return shared
  }

  mutating func formUnion(_ other: SequenceRuns) {
    for run in other.runs { insert(run) }
  }

  mutating func subtract(_ other: SequenceRuns) {
    for run in other.runs { remove(run) }
  }

  /// The place of the first run that ends at `number` or behind it.
  private func firstRun(endingFrom number: UInt64) -> Int {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
