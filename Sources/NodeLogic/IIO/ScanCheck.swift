public import Telemetry

/// Judges each scan of a sensor before it counts as a sample: sensors and their buses answer nonsense at times.
public struct ScanCheck: Equatable, Sendable {
  /// What a scan is worth.
  public enum Verdict: Equatable, Sendable {
    case good
    /// Exactly 0, 0, 0: a sensor always measures something, and this is what silent hubs answer.
    case zeros
    /// Beyond what the sensor can measure.
    case outOfRange
  }

  /// What is worth a line in the log.
  public enum Remark: Equatable, Sendable, CustomStringConvertible {
    /// The same values have come for so long [s].
    case froze(afterS: Double)
    /// They changed again, after so long [s].
    case thawed(afterS: Double)
    /// At rest it measures this [m/s^2].
    case notGravity(Double)

    /// It tells of a problem, rather than of the end of one.
    public var isProblem: Bool { if case .thawed = self { false } else { true } }

    /// What it is about: a later remark on the same takes the place of an earlier one.
    public var subject: String { if case .notGravity = self { "gravity" } else { "frozen" } }

    public var description: String {
      switch self {
      case .froze(let afterS):
        "exactly the same values for \(tenths(afterS)) s, which its noise does not allow: it may have stopped measuring"
      case .thawed(let afterS): "its values change again, after \(tenths(afterS)) s"
      case .notGravity(let metres):
        "at rest it measures \(tenths(metres)) m/s^2, which is not gravity (\(RestMagnitude.plausible.lowerBound) to"
          + " \(RestMagnitude.plausible.upperBound)): the driver's scale or the mount matrix is wrong"
      }
    }
  }

  /// No accelerometer that Linux has a driver for measures more, by far (H3LIS331DL: 400 g).
  private static let largestG = 1000.0
  /// Offsets and rough ranges let a right reading lie a little beyond the range.
  private static let rangeFactor = 1.25

  private var limitG: Double
  /// Nil where noise cannot be seen.
  private var values: FrozenValues?
  private var rest = RestMagnitude()

  /// - Parameters:
  ///   - scale: the sensor's; its range, where known, is what bounds a reading.
  ///   - showsNoise: false where small changes are held back on the way, so that a still sensor repeats itself.
  public init(_ scale: AccelerationScale, showsNoise: Bool = true) {
    limitG = Self.limitG(of: scale)
    let countG = Vector(scale.x.scale, scale.y.scale, scale.z.scale) * (1 / standardGravity)
    values = showsNoise ? FrozenValues(countG: countG) : nil
  }

  /// Takes over the range of a scale that was changed meanwhile; what was learnt of the noise stays.
  public mutating func setRange(of scale: AccelerationScale) { limitG = Self.limitG(of: scale) }

  private static func limitG(of scale: AccelerationScale) -> Double {
    scale.fullScaleG.map { rangeFactor * $0 } ?? largestG
  }

  /// The present values are frozen.
  public var isFrozen: Bool { values?.isFrozen ?? false }

  /// Judges a scan, which is `g` [g] and was measured at `now`. A scan that is not good says nothing of the next ones.
  ///
  /// - Parameter remarks: takes what is worth a line, which is rare.
  public mutating func feed(_ scan: RawScan, g: Vector, at now: Instant, remarks: inout [Remark]) -> Verdict {
    guard scan.x != 0 || scan.y != 0 || scan.z != 0 else { return .zeros }
    // A mount matrix turns, so that no component alone says what was measured; the length does.
    guard g.length <= limitG * Self.diagonal else { return .outOfRange }
    switch values?.feed(scan, at: now.seconds) {
    case .froze(let afterS): remarks.append(.froze(afterS: afterS))
    case .thawed(let afterS): remarks.append(.thawed(afterS: afterS))
    case nil: break
    }
    if let metres = rest.feed(g, at: now.seconds) { remarks.append(.notGravity(metres)) }
    return .good
  }

  /// The square root of three: all axes at their end at once.
  private static let diagonal = 1.7320508075688772
}
