public import Telemetry

/// A stretch of samples in which nothing moved.
public struct StillStretch: Equatable, Sendable {
  /// The first sample that counts.
  public var start: Instant
  /// [g]
  public var meanG: Vector
  /// How many samples the mean is of.
  public var count: Int
}

/// Finds the moments at which a sensor lies still for long enough, one sample at a time.
///
/// Quarters of a second are compared: a quiet one whose mean is that of the stretch before carries it on. The first
/// half second of a stretch does not count, because hands are still letting go.
public struct Stillness: Sendable {
  private static let blockS = 0.25
  private static let leastInBlock = 4
  private static let settleS = 0.5
  /// RMS within a block on one axis; the worst noise of a cheap sensor is a third of it [g].
  public static let quietG = 0.03
  /// A turn by a degree or two [g].
  private static let driftG = 0.03
  /// Samples further apart do not belong together [s].
  private static let gapS = 1.0

  /// How long a stretch must last after it has settled [s], > 0.
  public let neededS: Double
  private let quietG: Double

  // The block that is being filled.
  private var blockStart: Double?
  private var sum = Vector.zero
  private var squareSum = Vector.zero
  private var count = 0
  private var lastTime = -Double.infinity

  // The stretch that goes on.
  private var stretch: StillStretch?
  private var stillSince = 0.0
  private var isAnswered = false
  /// The end of the last block in which something moved; nil while none did.
  public private(set) var lastDisturbed: Instant?

  /// Begins with no sample seen.
  ///
  /// - Parameter quietG: what a quarter of a second may have on each axis to count as quiet [g RMS], > 0.
  public init(neededS: Double, quietG: Double = Stillness.quietG) {
    self.neededS = neededS
    self.quietG = quietG
  }

  /// Nothing has moved for a moment.
  public var isStill: Bool { stretch != nil }

  /// Since when nothing has moved; nil when something has, or nothing is known.
  public var since: Instant? { stretch == nil ? nil : Instant(seconds: stillSince) }

  /// Takes the next sample, and answers a stretch at the moment when it has lasted long enough; each stretch once.
  public mutating func feed(_ sample: Sample) -> StillStretch? {
    let time = sample.at.seconds
    guard sample.isUsable, time > lastTime else { return nil }
    if time - lastTime > Self.gapS { interrupt() }
    lastTime = time
    let start = blockStart ?? time
    blockStart = start
    sum = sum + sample.g
    squareSum = squareSum + sample.g.squares
    count += 1
    guard time - start >= Self.blockS, count >= Self.leastInBlock else { return nil }
    let mean = sum * (1 / Double(count))
    let variance = squareSum * (1 / Double(count)) - mean.squares
    let isQuiet = max(variance.x, max(variance.y, variance.z)) <= quietG * quietG
    let block = StillStretch(start: Instant(seconds: start), meanG: mean, count: count)
    clearBlock()
    return carryOn(block, isQuiet: isQuiet, until: time)
  }

  /// Tells that samples were lost here.
  public mutating func interrupt() {
    stretch = nil
    clearBlock()
  }

  private mutating func clearBlock() {
    blockStart = nil
    sum = .zero
    squareSum = .zero
    count = 0
  }

  private mutating func carryOn(_ block: StillStretch, isQuiet: Bool, until time: Double) -> StillStretch? {
    guard isQuiet else {
      stretch = nil
      lastDisturbed = Instant(seconds: time)
      return nil
    }
    guard var known = stretch, (block.meanG - known.meanG).largest <= Self.driftG else {
      if stretch != nil { lastDisturbed = Instant(seconds: time) }
      stretch = block
      stillSince = block.start.seconds
      isAnswered = false
      return nil
    }
    if known.start.seconds - stillSince < Self.settleS {
      // What is left of the letting go is forgotten.
      known = block
    } else {
      let all = known.count + block.count
      known.meanG = known.meanG + (block.meanG - known.meanG) * (Double(block.count) / Double(all))
      known.count = all
    }
    stretch = known
    guard !isAnswered, time - known.start.seconds >= neededS else { return nil }
    isAnswered = true
    return known
  }
}
