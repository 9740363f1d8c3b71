import Telemetry

@testable import NodeLogic

/// Fixes by hand, in metres from a place in Zurich.
enum FixMaker {
  static let origin = Coordinate(latitude: 47, longitude: 8).unsafelyUnwrapped

  /// A report at `seconds`, whose own time follows the clock unless told.
  static func report(
    at seconds: Double, east: Double = 0, north: Double = 0, accuracyM: Double? = 5, speedMPS: Double? = nil,
    time: Double?? = .none, mode: Int = 3, device: String? = "/dev/a"
  ) -> GpsdPosition {
    var position = GpsdPosition(device: device, mode: mode)
    let place = origin.moved(eastM: east, northM: north)
    (position.latitude, position.longitude) = (place.latitude, place.longitude)
    position.ephM = accuracyM
    position.speedMPS = speedMPS
    position.time = (time ?? seconds).map { WallTime(seconds: 1_700_000_000 + $0) }
    return position
  }

  static func fix(
    at seconds: Double, east: Double = 0, north: Double = 0, accuracyM: Double? = 5, speedMPS: Double? = nil,
    time: Double?? = .none, device: String? = "/dev/a"
  ) -> Fix {
    let report = report(
      at: seconds, east: east, north: north, accuracyM: accuracyM, speedMPS: speedMPS, time: time, device: device)
    return Fix(report, at: Instant(seconds: seconds)).unsafelyUnwrapped
  }
}
