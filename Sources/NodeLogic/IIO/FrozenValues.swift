public import Telemetry

/// Notices a sensor that gives the same raw numbers over and over, as one does whose measuring has stopped while its
/// interface goes on.
///
/// A coarse sensor at rest repeats itself quite rightly, so nothing is judged before its **noise** was seen: a block of
/// 128 scans, still on the whole, in which an axis with steps of at most 8 mg went over at least two of them. One step
/// is not enough: a value between two numbers flickers however little noise there is, and stops when the temperature
/// drifts. And a coarser step hides the noise of common chips altogether: what moves it is a machine, which may be
/// turned off. From such blocks come `q`, the largest share of scans that repeat the one before, and the longest run
/// that ended by itself.
///
/// A run is frozen when it has 50 scans, 5 s, four times the longest run seen, and a length `n` with `q^n < e^-35`.
/// **False alarms:** were scans independent, a run that long would begin once in 10^15 scans, which at 3200 Hz is once
/// in ten thousand years. They are not quite, for noise has memory; that is what the other three bounds are for.
public struct FrozenValues: Equatable, Sendable {
  private static let blockCount = 128
  private static let leastRun = 50
  private static let leastS = 5.0
  private static let runFactor = 4
  private static let surprise = 35.0

  /// A block is still when no axis strays over more than so many counts.
  private let stillCounts: Counts
  /// Steps above these are too coarse to show noise.
  private let noiseCounts: Counts
  private var last: RawScan?
  private var runStart = 0.0
  /// Scans in a row with the same numbers, the first included.
  private var run = 0
  private var block: Block?
  /// The smallest change of each axis: not every driver's numbers go up by one.
  private var step: Counts = (.max, .max, .max)
  private var repeatShare: Double?
  private var longestRun = 0
  /// The present values are frozen.
  public private(set) var isFrozen = false

  /// What a scan decided.
  public enum Change: Equatable, Sendable {
    /// The values have been the same for so long [s].
    case froze(afterS: Double)
    /// They changed again, after so long [s].
    case thawed(afterS: Double)
  }

  /// An axis that strays no further may be at rest [g].
  private static let stillG = 0.05
  /// A coarser step does not show noise [g].
  private static let noiseG = 0.008

  /// - Parameter countG: what one raw count of each axis is [g]; not 0.
  public init(countG: Vector) {
    stillCounts = Self.counts(Self.stillG, countG)
    noiseCounts = Self.counts(Self.noiseG, countG)
  }

  private static func counts(_ g: Double, _ countG: Vector) -> Counts {
    let counts = [countG.x, countG.y, countG.z].map { Int64(min(1e9, g / $0.magnitude)) }
    return (counts[0], counts[1], counts[2])
  }

  /// Takes the next scan, measured at `now` [s].
  public mutating func feed(_ scan: RawScan, at now: Double) -> Change? {
    guard let last else {
      begin(scan, at: now)
      return nil
    }
    let isRepeat = scan.x == last.x && scan.y == last.y && scan.z == last.z
    if isRepeat {
      run += 1
      block?.add(scan, isRepeat: true)
      closeBlock(scan)
      guard !isFrozen, run >= leastRun, now - runStart >= Self.leastS else { return nil }
      isFrozen = true
      return .froze(afterS: now - runStart)
    }
    let wasFrozen = isFrozen
    let lengthS = now - runStart
    if !wasFrozen { block?.end(run: run) }
    step.x = min(step.x, distance(scan.x, last.x) ?? step.x)
    step.y = min(step.y, distance(scan.y, last.y) ?? step.y)
    step.z = min(step.z, distance(scan.z, last.z) ?? step.z)
    block?.add(scan, isRepeat: false)
    closeBlock(scan)
    isFrozen = false
    self.last = scan
    runStart = now
    run = 1
    return wasFrozen ? .thawed(afterS: lengthS) : nil
  }

  /// So many equal scans are frozen; more than any run where nothing is known of the noise yet.
  private var leastRun: Int {
    guard let repeatShare else { return .max }
    let rare = Int((Self.surprise / -log(max(repeatShare, 0.01))).rounded(.up))
    return max(Self.leastRun, rare, Self.runFactor * longestRun)
  }

  private mutating func begin(_ scan: RawScan, at now: Double) {
    last = scan
    runStart = now
    run = 1
    block = Block(scan)
  }

  /// A full block tells about the noise, if it was still and has any. The run that goes on is left out: it may be the
  /// frozen one.
  private mutating func closeBlock(_ scan: RawScan) {
    guard let full = block, full.count >= Self.blockCount else { return }
    block = Block(scan)
    let count = full.count - min(run, full.count)
    guard count >= Self.blockCount / 2, full.isStill(within: stillCounts), full.hasNoise(step, atMost: noiseCounts)
    else { return }
    let repeats = max(0, full.repeats - min(run, full.count))
    repeatShare = min(0.999, max(repeatShare ?? 0, Double(repeats) / Double(count)))
    longestRun = max(longestRun, full.longestRun)
  }

  public static func == (a: FrozenValues, b: FrozenValues) -> Bool {
    a.stillCounts == b.stillCounts && a.noiseCounts == b.noiseCounts && a.last == b.last && a.runStart == b.runStart
      && a.run == b.run
      && a.step == b.step && a.block == b.block && a.repeatShare == b.repeatShare && a.longestRun == b.longestRun
      && a.isFrozen == b.isFrozen
  }
}

/// A number of raw counts for each axis.
private typealias Counts = (x: Int64, y: Int64, z: Int64)

/// Some scans in a row.
private struct Block: Equatable, Sendable {
  private(set) var count = 1
  private(set) var repeats = 0
  private(set) var longestRun = 0
  private var low: RawScan
  private var high: RawScan

  init(_ scan: RawScan) {
    low = scan
    high = scan
  }

  mutating func add(_ scan: RawScan, isRepeat: Bool) {
    count += 1
    if isRepeat {
      repeats += 1
      return
    }
    low = RawScan(x: min(low.x, scan.x), y: min(low.y, scan.y), z: min(low.z, scan.z))
    high = RawScan(x: max(high.x, scan.x), y: max(high.y, scan.y), z: max(high.z, scan.z))
  }

  mutating func end(run: Int) { longestRun = max(longestRun, run) }

  func isStill(within counts: Counts) -> Bool {
    spread.x <= counts.x && spread.y <= counts.y && spread.z <= counts.z
  }

  /// An axis went over two of its steps at least, and its steps are fine.
  func hasNoise(_ step: Counts, atMost most: Counts) -> Bool {
    step.x <= most.x && spread.x / 2 >= step.x || step.y <= most.y && spread.y / 2 >= step.y
      || step.z <= most.z && spread.z / 2 >= step.z
  }

  private var spread: Counts {
    (distance(high.x, low.x) ?? 0, distance(high.y, low.y) ?? 0, distance(high.z, low.z) ?? 0)
  }
}

/// How far apart two numbers are; nil when they are the same.
private func distance(_ a: Int64, _ b: Int64) -> Int64? {
  guard a != b else { return nil }
  let (difference, overflow) = max(a, b).subtractingReportingOverflow(min(a, b))
  return overflow ? .max : difference
}
