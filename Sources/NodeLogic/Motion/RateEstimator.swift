/// The sampling rate as the timestamps show it; the nominal one is 2 to 4 % off on real sensors.
///
/// The spacings of 16 samples make a block. Its median is what one period is, untouched by a few holes; the mean of
/// those near the median is finer than the clock's resolution. Blocks are averaged over some 256 samples, and a new
/// rate is taken at once when it differs by more than a quarter.
public struct RateEstimator: Equatable, Sendable {
  private static let blockSize = 16
  /// After so few spacings there is a first estimate.
  private static let firstBlockSize = 4
  private static let longestMean = 256.0

  /// The time from one sample to the next [s]; nil until enough came.
  public private(set) var periodS: Double?
  /// Holes so long that they interrupt: more than 3 periods, and more than 0.25 s.
  public private(set) var gaps = 0
  private var lastTime: Double?
  private var spacings: [Double] = []
  /// How many spacings `periodS` is the mean of.
  private var averaged = 0.0
  private var isGapNoted = false
  /// Samples told as missing since the last block.
  private var toldInBlock = 0
  /// Samples told as missing that may still come: a reader was late, and what it held up arrives at once.
  private var owed = 0
  /// How late the last sample is for it [s].
  private var lateS = 0.0
  /// After so many more samples without one of those, they are lost.
  private var patience = 0

  /// Begins with no sample seen: there is no rate yet.
  public init() {
    spacings.reserveCapacity(Self.blockSize)
  }

  /// The measured rate [Hz]; nil until enough samples came.
  public var rateHz: Double? { periodS.map { 1 / $0 } }

  /// Takes the time of a sample [s] and answers how many samples are missing before it. Times must rise.
  ///
  /// The answer is negative where samples come that were told as missing: the sum is right. A time that is the
  /// arrival's is late when the machine was busy, and the samples behind it follow at once.
  public mutating func feed(_ time: Double) -> Int {
    defer { lastTime = time }
    guard let lastTime, time > lastTime else { return 0 }
    let spacing = time - lastTime
    var missed = 0
    if let periodS {
      missed = settle(spacing, periodS)
      if spacing > max(3 * periodS, 0.25), !isGapNoted { gaps += 1 }
    }
    isGapNoted = false
    // What arrives on the heels of a late sample says nothing about the rate.
    if missed >= 0 { spacings.append(spacing) }
    toldInBlock += missed
    guard spacings.count == Self.blockSize || (periodS == nil && spacings.count == Self.firstBlockSize) else {
      return missed
    }
    if closeBlock() {
      // What was told in this block was told by a wrong rate: the first few spacings may have been a burst.
      missed -= max(0, toldInBlock)
      owed = 0
      lateS = 0
    }
    toldInBlock = 0
    return missed
  }

  /// How many more samples, or fewer, are missing after a spacing [s] than before.
  private mutating func settle(_ spacing: Double, _ periodS: Double) -> Int {
    // The bound keeps an absurd timestamp from overflowing the count.
    func count(_ timeS: Double) -> Int { Int(max(0, min((timeS / periodS).rounded(), 1_000_000_000))) }
    if spacing > 1.5 * periodS {
      let lost = count(spacing - periodS)
      owed = min(owed + lost, 1_000_000_000)
      lateS += spacing - periodS
      patience = Self.blockSize
      return lost
    }
    guard owed > 0 else { return 0 }
    lateS += spacing - periodS
    let came = max(0, owed - count(lateS))
    owed -= came
    patience = came > 0 ? Self.blockSize : patience - 1
    if patience == 0 { owed = 0 }
    if owed == 0 { lateS = 0 }
    return -came
  }

  /// Tells that samples were lost here, which counts as one gap together with the hole that the timestamps show.
  public mutating func noteGap() {
    gaps += 1
    isGapNoted = true
  }

  /// Forgets the rate, for another sensor or another setting. The count of gaps goes on.
  public mutating func reset() {
    periodS = nil
    lastTime = nil
    averaged = 0
    isGapNoted = false
    owed = 0
    lateS = 0
    toldInBlock = 0
    spacings.removeAll(keepingCapacity: true)
  }

  /// A whole block has been measured, rather than the first few spacings.
  var isSettled: Bool { averaged >= Double(Self.blockSize) }

  /// Answers whether the block shows another rate than before.
  private mutating func closeBlock() -> Bool {
    spacings.sort()
    let median = spacings[spacings.count / 2]
    var sum = 0.0
    var count = 0.0
    for spacing in spacings where (0.5 * median...1.5 * median).contains(spacing) {
      sum += spacing
      count += 1
    }
    spacings.removeAll(keepingCapacity: true)
    let block = sum / count
    if let before = periodS, (block - before).magnitude <= 0.25 * before {
      averaged = min(averaged + count, Self.longestMean)
      periodS = before + (block - before) * (count / averaged)
      return false
    }
    averaged = count
    periodS = block
    return true
  }
}
