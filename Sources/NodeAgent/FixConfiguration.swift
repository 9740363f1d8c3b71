internal import Daemon
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// What the view of positions needs of the configuration: all that decides about a position, and neither the broker nor
/// its secrets, which whoever uses a tool may not be allowed to read.
struct FixConfiguration {
  var prefix: TopicPrefix
  var name: NodeName
  var logic: NodeSettings
  var gpsd: NodeConfiguration.GpsdAddress
  var accelerometer: AccelerometerSettings
  /// What a node kept of the location; only read here. Nil: nothing is kept.
  var recordFile: String?

  /// - Parameters:
  ///   - environment: where systemd says what folder is for state.
  ///   - hostName: what the node is called when the configuration does not say.
  init(
    _ configuration: Configuration, environment: [String: String], hostName: String
  ) throws(ConfigurationFailure) {
    guard let gpsd = NodeConfiguration.gpsd(configuration) else {
      throw ConfigurationFailure([configuration.problem("gpsd.enabled", "is false: there is nothing to look at")])
    }
    self.gpsd = gpsd
    name = try NodeConfiguration.name(configuration, hostName)
    prefix = try NodeConfiguration.prefix(configuration)
    logic = NodeConfiguration.logic(configuration)
    logic.gpsd = gpsd.endpoint
    logic.location?.fences = try Geofence.all(configuration)
    recordFile = NodeConfiguration.recordFile(configuration, environment)
    accelerometer = NodeConfiguration.accelerometer(configuration)
    // Samples come all the time: whoever looks waits for nothing to wake.
    accelerometer.wake = false
    try NodeConfiguration.check(accelerometer, logic.motion, configuration)
  }
}
