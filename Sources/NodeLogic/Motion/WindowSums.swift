internal import Telemetry

/// The sums of a window that is still open, or empty.
struct WindowSums: Equatable, Sendable {
  private(set) var start = Instant.start
  private(set) var end = Instant.start
  /// Longer than asked for, because nothing moves.
  var isStretched = false

  private var count = 0
  private var missed = MissedCount(patience: WindowSums.patience)
  /// Those that the sensor told, rather than repeats.
  private var told = 0
  private var clipped = 0
  private var sum = Vector.zero
  private var smallest = Vector.zero
  private var largest = Vector.zero
  private var userCount = 0
  private var squareSum = 0.0
  private var largestSquare = 0.0

  /// More than any burst of late samples has in time in between.
  private static let patience = 8

  init() {}

  /// No sample follows that could tell whether the last hole was one.
  mutating func settle() { missed.settle() }

  /// The window that follows `former`.
  init(after former: WindowSums) {
    missed = former.missed
    missed.next()
  }

  /// No sample is in it.
  var isEmpty: Bool { count == 0 }

  /// - Parameters:
  ///   - filtered: what the filter makes of the sample [g].
  ///   - square: the squared length of the acceleration without gravity [g^2]; nil where gravity is not known yet.
  ///   - missed: how many samples are missing before this one; below 0 where it was told as missing.
  mutating func add(_ sample: Sample, filtered: Vector, square: Double?, missed: Int) {
    if isEmpty {
      start = sample.at
      smallest = sample.g
      largest = sample.g
    }
    end = sample.at
    count += 1
    if !sample.isRepeat { told += 1 }
    self.missed.add(missed)
    if sample.isClipped { clipped += 1 }
    sum = sum + filtered
    let g = sample.g
    smallest = Vector(min(smallest.x, g.x), min(smallest.y, g.y), min(smallest.z, g.z))
    largest = Vector(max(largest.x, g.x), max(largest.y, g.y), max(largest.z, g.z))
    guard let square else { return }
    userCount += 1
    squareSum += square
    largestSquare = max(largestSquare, square)
  }

  /// RMS of the acceleration without gravity so far [g]; nil where gravity was not known yet.
  var rmsG: Double? { userCount > 0 ? (squareSum / Double(userCount)).squareRoot() : nil }

  /// Largest length of the acceleration without gravity so far [g]; nil where gravity was not known yet.
  var peakG: Double? { userCount > 0 ? largestSquare.squareRoot() : nil }

  /// The finished window.
  func window(
    _ filter: AccelerationMessage.Filter, closing: AccelerationWindow.Closing, isScaleKnown: Bool
  ) -> AccelerationWindow {
    let lengthS = end - start
    var window = AccelerationWindow(
      start: start, end: end, closing: closing, filter: filter, meanG: sum * (1 / Double(max(count, 1))), count: told,
      missed: missed.told)
    window.rmsG = rmsG
    window.peakG = peakG
    window.clipped = isScaleKnown ? clipped : nil
    guard count > 1 else { return window }
    window.peakToPeakG = largest - smallest
    // That of samples that are repeated is the one they are made with.
    window.rateHz = told == count && lengthS > 0 ? Double(count - 1) / lengthS : nil
    return window
  }
}
