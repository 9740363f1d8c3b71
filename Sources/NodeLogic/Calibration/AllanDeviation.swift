public import Telemetry

/// How much the means of neighbouring stretches differ, by the length of a stretch: noise falls with the length,
/// drift rises.
///
/// `sqrt(mean((m[i+1] - m[i])^2) / 2)` over means of stretches side by side, for lengths of 1, 2, 4, ... samples
/// (Allan 1966; IEEE Std 952). Each length takes two means of the one before it, so that memory stays the same however
/// long it goes on.
public struct AllanDeviation: Equatable, Sendable {
  /// One length of stretches.
  private struct Level: Equatable, Sendable {
    /// The first of the two means that make one of the next level.
    var waiting: Vector?
    var last: Vector?
    var squareSum = Vector.zero
    var differences = 0
  }

  /// What is known of one length.
  public struct Point: Equatable, Sendable {
    /// The length of the stretches [s].
    public var tauS: Double
    /// The deviation on each axis [g].
    public var deviationG: Vector
    /// Of so many differences; the more the surer.
    public var differences: Int
  }

  /// 2^24 samples are an hour at 4 kHz.
  private static let mostLevels = 24
  /// With fewer differences the figure says little.
  private static let leastDifferences = 4

  private var levels: [Level] = []

  /// Begins with no sample seen.
  public init() {
    levels.reserveCapacity(Self.mostLevels)
  }

  /// Takes the next sample [g]. Samples must be evenly spaced.
  public mutating func feed(_ g: Vector) {
    var mean = g
    for index in 0..<Self.mostLevels {
      if index == levels.count { levels.append(Level()) }
      if let last = levels[index].last {
        levels[index].squareSum = levels[index].squareSum + (mean - last).squares
        levels[index].differences += 1
      }
      levels[index].last = mean
      guard let first = levels[index].waiting else {
        levels[index].waiting = mean
        return
      }
      levels[index].waiting = nil
      mean = (first + mean) * 0.5
    }
  }

  /// What is known of all lengths with enough differences.
  ///
  /// - Parameter periodS: the spacing of the samples [s].
  public func points(periodS: Double) -> [Point] {
    var tauS = periodS
    return levels.compactMap { level in
      defer { tauS *= 2 }
      guard level.differences >= Self.leastDifferences else { return nil }
      let deviation = (level.squareSum * (0.5 / Double(level.differences))).roots
      return Point(tauS: tauS, deviationG: deviation, differences: level.differences)
    }
  }

  /// The points nearest to some lengths [s], each once.
  public func points(near taus: [Double], periodS: Double) -> [Point] {
    var left = points(periodS: periodS)
    return taus.compactMap { tau in
      let found = left.indices.first { (0.7 * tau...1.42 * tau).contains(left[$0].tauS) }
      return found.map { left.remove(at: $0) }
    }
  }
}
