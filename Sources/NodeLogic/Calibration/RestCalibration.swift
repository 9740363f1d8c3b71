internal import Telemetry

/// Measures a sensor that lies still: offsets, noise, drift, and whether it really lay still.
///
/// Samples go in one at a time; nothing but a line for each second is kept.
public struct RestCalibration: Sendable {
  /// Samples of about a second.
  private struct Block: Sendable {
    var start = 0.0
    var count = 0
    var mean = Vector.zero
    /// Sum of the squared deviations from the mean, each axis by itself.
    var squareSum = Vector.zero

    /// Welford's update (1962), which loses no digits to the 1 g that is always there.
    mutating func add(_ g: Vector) {
      count += 1
      let before = g - mean
      mean = mean + before * (1 / Double(count))
      squareSum = squareSum + before.scaled(by: g - mean)
    }

    var rmsG: Double {
      (max(0, squareSum.x + squareSum.y + squareSum.z) / Double(max(1, count - 1))).squareRoot()
    }
  }

  private static let blockS = 1.0
  private static let leastInBlock = 8
  /// Half a day; what comes later is not used.
  private static let mostBlocks = 43_200
  /// The filters of the preset fixed need so long to forget how they started [s].
  private static let settlingS = 3.0
  /// Means that differ by more are of a device that was turned: 0.6 deg [g].
  private static let turnG = 0.01
  /// More than this below 12 Hz is no noise of any sensor worth using [g RMS].
  private static let restlessG = 0.01
  /// A block that moves so much more than most was touched [g RMS].
  private static let knockG = 0.001

  private var rate = RateEstimator()
  private var filter: HighPass
  private var allan = AllanDeviation()
  private var whole = Block()
  private var open = Block()
  private var blocks: [Block] = []
  private var last: Sample?
  private var missed = 0
  private var clipped = 0
  private var bandSum = 0.0
  private var bandCount = 0
  /// The smallest step between two samples that was not 0: the sensor's resolution, or less [g].
  private var stepG = Double.infinity

  /// Begins with no sample seen.
  public init() {
    let fixed = ShakePreset.fixed.settings
    filter = HighPass(highPassHz: fixed.highPassHz, lowPassHz: fixed.lowPassHz)
  }

  /// From the first sample to the last [s].
  public var durationS: Double { whole.count > 0 ? (last?.at.seconds ?? 0) - whole.start : 0 }

  /// Takes the next sample. One whose time does not rise, or that is no number, is passed over.
  public mutating func feed(_ sample: Sample) {
    guard sample.isUsable, blocks.count < Self.mostBlocks else { return }
    let time = sample.at.seconds
    var stepS = 0.0
    if let last {
      stepS = time - last.at.seconds
      guard stepS > 0 else { return }
      let step = (sample.g - last.g).largest
      if step > 0 { stepG = min(stepG, step) }
    } else {
      whole.start = time
      open.start = time
    }
    last = sample
    missed += rate.feed(time)
    if sample.isClipped { clipped += 1 }
    allan.feed(sample.g)
    whole.add(sample.g)
    feedBand(sample.g, stepS, time)
    if time - open.start >= Self.blockS, open.count >= Self.leastInBlock {
      blocks.append(open)
      open = Block(start: time)
    }
    open.add(sample.g)
  }

  private mutating func feedBand(_ g: Vector, _ stepS: Double, _ time: Double) {
    let linear = filter.feed(g, after: stepS)
    guard time - whole.start >= Self.settlingS else { return }
    bandSum += linear.dot(linear)
    bandCount += 1
  }

  /// What was found; nil before 5 s, which tell too little.
  ///
  /// - Parameter bandwidthHz: of the sensor's own filter; nil: half the measured rate.
  public func report(bandwidthHz: Double? = nil) -> RestReport? {
    guard blocks.count >= 5, bandCount > 0, let rateHz = rate.rateHz else { return nil }
    var report = RestReport(durationS: durationS, samples: whole.count, missed: missed, clipped: clipped)
    report.rateHz = rateHz
    report.meanG = whole.mean
    report.isConstant = !stepG.isFinite
    report.face = Face.nearest(to: whole.mean)
    report.noiseG = noiseG
    report.bandwidthHz = bandwidthHz ?? rateHz / 2
    report.inBandG = (bandSum / Double(bandCount)).squareRoot()
    report.allan = allan.points(near: [0.1, 1, 10], periodS: 1 / rateHz)
    report.motion = motion(inBandG: report.inBandG)
    return report
  }

  /// Within the blocks, so that a slow drift does not count as noise.
  private var noiseG: Vector {
    let count = blocks.reduce(0) { $0 + $1.count - 1 }
    return (blocks.reduce(Vector.zero) { $0 + $1.squareSum } * (1 / Double(max(1, count)))).roots
  }

  private func motion(inBandG: Double) -> RestReport.Motion? {
    let sorted = blocks.map(\.rmsG).sorted()
    let typical = sorted[sorted.count / 2]
    // A coarse sensor flips by a whole step, which is no motion.
    let coarse = stepG.isFinite ? stepG : 0
    let limit = 3 * typical + Self.knockG + 2 * coarse
    // Means of noise differ too: by six of their deviations once in a lifetime.
    let chance = 6 * typical / Double(whole.count / blocks.count).squareRoot()
    let turned = spread
    if turned > Self.turnG + coarse + chance { return .turned(g: turned) }
    if let knock = blocks.filter({ $0.rmsG > limit }).max(by: { $0.rmsG < $1.rmsG }) {
      return .knocked(atS: knock.start - whole.start, g: knock.rmsG)
    }
    return inBandG > Self.restlessG + coarse ? .restless(g: inBandG) : nil
  }

  /// How far apart the means of two blocks are on one axis, at the most [g].
  private var spread: Double {
    func range(_ path: KeyPath<Vector, Double>) -> Double {
      let values = blocks.map { $0.mean[keyPath: path] }
      return (values.max() ?? 0) - (values.min() ?? 0)
    }
    return max(range(\.x), max(range(\.y), range(\.z)))
  }
}
