import Foundation
import NodeLogic
import Telemetry

/// Samples at an even rate, of an acceleration [g] that is a function of time [s].
func samples(
  rateHz: Double = 100, from startS: Double = 0, lengthS: Double, _ g: (Double) -> Vector
) -> [Sample] {
  (0..<Int((rateHz * lengthS).rounded())).map { index in
    let time = startS + Double(index) / rateHz
    return Sample(at: Instant(seconds: time), g: g(time))
  }
}

/// Flat on a table, face up.
let flat = Vector(0, 0, 1)

/// Flat on a table, and shaken along x from `startS` for `lengthS`.
func shaken(from startS: Double, lengthS: Double, peakG: Double = 2, swingHz: Double = 4.5) -> (Double) -> Vector {
  { time in
    guard time >= startS, time < startS + lengthS else { return flat }
    return flat + Vector(peakG * sin(2 * .pi * swingHz * (time - startS)), 0, 0)
  }
}

func shakes(_ outputs: [MotionOutput]) -> [ShakeEvent] {
  outputs.compactMap { if case .shake(let event) = $0 { event } else { nil } }
}

func windows(_ outputs: [MotionOutput]) -> [AccelerationWindow] {
  outputs.compactMap { if case .acceleration(let window) = $0 { window } else { nil } }
}

func orientations(_ outputs: [MotionOutput]) -> [OrientationChange] {
  outputs.compactMap { if case .orientation(let change) = $0 { change } else { nil } }
}

func warnings(_ outputs: [MotionOutput]) -> [MotionWarning] {
  outputs.compactMap { if case .warning(let warning) = $0 { warning } else { nil } }
}

extension Instant {
  /// So that tests can write moments as plain seconds.
  static func s(_ seconds: Double) -> Instant { Instant(seconds: seconds) }
}

/// A half-sine pulse [g] from `startS`, which is what a shock machine and a padded landing give.
func halfSine(peakG: Double, lengthS: Double, from startS: Double) -> (Double) -> Double {
  { time in
    guard time >= startS, time <= startS + lengthS else { return 0 }
    return peakG * sin(.pi * (time - startS) / lengthS)
  }
}

func impacts(_ outputs: [MotionOutput]) -> [ImpactEvent] {
  outputs.compactMap { if case .impact(let event) = $0 { event } else { nil } }
}

func freeFalls(_ outputs: [MotionOutput]) -> [FreeFallEvent] {
  outputs.compactMap { if case .freeFall(let event) = $0 { event } else { nil } }
}
