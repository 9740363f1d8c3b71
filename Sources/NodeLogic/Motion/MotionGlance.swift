public import Telemetry

/// What the motion part sees just now, for people who watch it work.
public struct MotionGlance: Equatable, Sendable {
  /// Where the shake detector is.
  public var stage: ShakeDetector.Stage
  /// RMS of the acceleration without gravity over the detector's envelope [g].
  public var activityG: Double
  /// What the activity must exceed for a shake to begin [g]: set, or raised by the background.
  public var levelG: Double
  /// Changes of direction on the busiest axis, and how many a shake needs.
  public var reversals: Int
  public var reversalsNeeded: Int
  /// The side that is up; `unknown` until the first was decided.
  public var face: Face
  /// Measured [Hz]; nil until enough samples came.
  public var rateHz: Double?
}
