internal import Daemon
internal import NodeLogic
internal import Sensors

/// What the tools for one sensor need of the configuration: no broker, no gpsd, and none of their secrets, which
/// whoever uses a tool may not be allowed to read.
struct SensorConfiguration {
  var accelerometer: AccelerometerSettings
  var motion: MotionSettings

  init(_ configuration: Configuration) throws(ConfigurationFailure) {
    accelerometer = NodeConfiguration.accelerometer(configuration)
    motion = NodeConfiguration.motion(configuration)
    try NodeConfiguration.check(accelerometer, motion, configuration)
    if accelerometer.source == .none {
      throw ConfigurationFailure([configuration.problem("accelerometer.source", "is none: there is nothing to read")])
    }
  }

  /// Along the sensor's own axes, as the driver gives them: neither mount matrix nor correction.
  var sensorAxes: AccelerometerSettings {
    var settings = accelerometer
    settings.mountMatrix = .identity
    settings.correction = .none
    return settings
  }
}
