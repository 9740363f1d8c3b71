/// What a simulated node goes through.
public enum MotionScenario: String, CaseIterable, Sendable {
  /// Standing still.
  case parked
  /// In the pocket or the hand of somebody who walks, turned round now and then.
  case carried
  /// In a vehicle: road, engine, corners and brakes.
  case driven
  /// Mostly standing still, shaken by hand every 8 to 20 s: short shakes, which end, and now and then one of more than
  /// a second, which is cancelled.
  case shaken
  /// Lying still, dropped every 12 to 30 s from 0.35 to 1.2 m, and then lying on another side.
  case dropped
}
