internal import Telemetry

/// The extra measures of the window that is open, each nil unless it was asked for.
struct WindowMeasures: Equatable, Sendable {
  private let hasCrest: Bool
  private var dose: VibrationDose?
  private var absolute: AbsoluteVelocity?
  private var velocity: PeakVelocity?
  private var moments: Moments?
  private var bands: BandLevels?

  /// Nil where nothing is asked for: then nothing is computed.
  init?(_ measures: Set<AccelerationMeasure>) {
    guard !measures.isEmpty else { return nil }
    hasCrest = measures.contains(.crest)
    if measures.contains(.vdv) { dose = VibrationDose() }
    if measures.contains(.cav) { absolute = AbsoluteVelocity() }
    if measures.contains(.ppv) { velocity = PeakVelocity() }
    if measures.contains(.kurtosis) { moments = Moments() }
    if measures.contains(.bands) { bands = BandLevels() }
  }

  /// - Parameters:
  ///   - g: the sample [g].
  ///   - user: what is left of it without gravity [g]; nil where gravity is not known yet.
  ///   - square: the squared length of `user` [g^2].
  mutating func feed(_ g: Vector, user: Vector?, square: Double, _ step: SampleStep) {
    bands?.feed(g, step)
    guard let user else {
      velocity?.reset()
      return
    }
    dose?.feed(square: square, for: step.heldS)
    absolute?.feed(lengthG: square.squareRoot(), for: step.heldS)
    velocity?.feed(user, step)
    moments?.feed(user)
  }

  /// What the window comes to; the next begins.
  mutating func finish(rmsG: Double?, peakG: Double?) -> AccelerationMessage.Measures {
    var measures = AccelerationMessage.Measures()
    if hasCrest, let rmsG, let peakG, rmsG > 0 { measures.crest = peakG / rmsG }
    measures.unweightedDoseMPS175 = dose?.finish()
    measures.cavGS = absolute?.finish()
    if let peaks = velocity?.finish() {
      measures.velocityIndicatorMMPS = peaks.mmps
      measures.velocityIndicatorHz = peaks.hz
    }
    measures.kurtosis = moments?.finish() ?? nil
    if let levels = bands?.finish() {
      (measures.lowBandG, measures.midBandG, measures.highBandG) = (levels.low, levels.mid, levels.high)
    }
    return measures
  }
}

/// The integral of the 4th power of the length, and its 4th root.
struct VibrationDose: Equatable, Sendable {
  /// g^4 s.
  private var sum = 0.0
  private var elapsedS = 0.0

  mutating func feed(square: Double, for stepS: Double) {
    sum += square * square * stepS
    elapsedS += stepS
  }

  /// The dose [m/s^1.75]; nil where no time passed.
  mutating func finish() -> Double? {
    defer { self = VibrationDose() }
    return elapsedS > 0 ? standardGravity * sum.squareRoot().squareRoot() : nil
  }
}

/// The integral of the length, in pieces of 1 s that are left out where nothing but noise was in them.
struct AbsoluteVelocity: Equatable, Sendable {
  private static let pieceS = 1.0
  private static let gateG = 0.025

  private var sum = 0.0
  private var pieceSum = 0.0
  private var piecePeakG = 0.0
  private var pieceElapsedS = 0.0
  private var hasTime = false

  mutating func feed(lengthG: Double, for stepS: Double) {
    pieceSum += lengthG * stepS
    piecePeakG = max(piecePeakG, lengthG)
    pieceElapsedS += stepS
    if stepS > 0 { hasTime = true }
    // Half a step of a 4 kHz sensor: sums of steps miss a whole second by rounding.
    if pieceElapsedS >= Self.pieceS - 1e-4 { closePiece() }
  }

  /// The sum [g s], the piece that the window cut short counted by its own peak; nil where no time passed.
  mutating func finish() -> Double? {
    closePiece()
    defer { self = AbsoluteVelocity() }
    return hasTime ? sum : nil
  }

  private mutating func closePiece() {
    if piecePeakG > Self.gateG { sum += pieceSum }
    pieceSum = 0
    piecePeakG = 0
    pieceElapsedS = 0
  }
}

/// The 2nd and 4th moments on each axis, of which the strongest axis' kurtosis is told: 1.5 for a sine, 3 for noise,
/// far more for knocks. The length's would be 1.7 for noise, and textbooks know the axis'.
struct Moments: Equatable, Sendable {
  private var count = 0.0
  private var squares = Vector.zero
  private var fourths = Vector.zero

  mutating func feed(_ user: Vector) {
    let square = Vector(user.x * user.x, user.y * user.y, user.z * user.z)
    count += 1
    squares = squares + square
    fourths = fourths + Vector(square.x * square.x, square.y * square.y, square.z * square.z)
  }

  /// Nil where nothing moved.
  mutating func finish() -> Double? {
    defer { self = Moments() }
    let axes = [(squares.x, fourths.x), (squares.y, fourths.y), (squares.z, fourths.z)]
    guard let (second, fourth) = axes.max(by: { $0.0 < $1.0 }), second > 0 else { return nil }
    let kurtosis = count * fourth / (second * second)
    return kurtosis.isFinite ? kurtosis : nil
  }
}
