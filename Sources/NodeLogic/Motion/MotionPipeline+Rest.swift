public import Telemetry

/// Whether the node stands, as far as an accelerometer can tell.
extension MotionPipeline {
  /// RMS on one axis that a standing node may have [g]: twice the noise of a cheap sensor. A car on a smooth road
  /// reaches it on its worst axis, an engine that idles may.
  static let restG = 0.02
  /// So long after something moved, and without a quiet moment since, it counts as moving [s]: a sensor that is read
  /// less often than twice a second cannot tell.
  private static let disturbedS = 5.0

  /// What the sensor says at `now`: still since when, moving, or nothing, because it does not run or is too slow. A
  /// sensor that rides along smoothly, on a ship or behind a crane, says still too.
  public func stillness(at now: Instant) -> LocationTracker.Stillness {
    switch state {
    case .idle: return .still(since: asleepSince ?? now)
    case .waiting, .starting, .stalled, .failed: return .unknown
    case .running: break
    }
    if let since = rest.since { return .still(since: since) }
    guard let last = rest.lastDisturbed, now - last < Self.disturbedS else { return .unknown }
    return .moving
  }
}
