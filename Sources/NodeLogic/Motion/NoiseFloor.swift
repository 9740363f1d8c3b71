/// The sensor's noise: the RMS of the acceleration without gravity in the quietest 10 s so far.
///
/// The stretches have their own fixed length, because the quietest of very short windows would say less than the noise.
struct NoiseFloor: Equatable, Sendable {
  private static let blockS = 10.0
  private static let leastCount = 8

  /// [g]; nil before the first 10 s.
  private(set) var rmsG: Double?
  private var count = 0
  private var elapsedS = 0.0
  private var squareSum = 0.0

  /// - Parameters:
  ///   - square: the squared length of the acceleration without gravity [g^2].
  ///   - stepS: the time since the sample before [s].
  mutating func feed(_ square: Double, after stepS: Double) {
    count += 1
    elapsedS += stepS
    squareSum += square
    guard elapsedS >= Self.blockS, count >= Self.leastCount else { return }
    let blockRMS = (squareSum / Double(count)).squareRoot()
    rmsG = min(rmsG ?? blockRMS, blockRMS)
    count = 0
    elapsedS = 0
    squareSum = 0
  }
}
