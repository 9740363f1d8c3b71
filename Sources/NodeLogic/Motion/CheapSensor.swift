internal import Telemetry

/// What a cheap accelerometer makes of the truth: 3 mg of white noise on each axis in a bandwidth of half the rate at
/// 100 Hz, growing with the root of the rate, and steps of 1 mg.
struct CheapSensor: Sendable {
  private static let noiseG = 0.003
  private static let noiseRateHz = 100.0
  private static let stepG = 0.001

  private let noiseG: Double

  /// - Parameter rateHz: samples per second [Hz], > 0.
  init(rateHz: Double) {
    noiseG = Self.noiseG * (rateHz / Self.noiseRateHz).squareRoot()
  }

  /// The reading of a true specific force [g].
  func reading(of g: Vector, _ random: inout RandomNumbers) -> Vector {
    Vector(rounded(g.x, &random), rounded(g.y, &random), rounded(g.z, &random))
  }

  private func rounded(_ g: Double, _ random: inout RandomNumbers) -> Double {
    ((g + noiseG * random.normal()) / Self.stepG).rounded() * Self.stepG
  }
}
