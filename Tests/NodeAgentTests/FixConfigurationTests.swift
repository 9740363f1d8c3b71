import Daemon
import NodeLogic
import Sensors
import Telemetry
import Testing

@testable import NodeAgent

@Suite struct FixConfigurationTests {
  private func load(_ text: String, environment: [String: String] = [:]) throws -> FixConfiguration {
    let configuration = try Configuration.load(NodeSchema.schema, text: Array(text.utf8), file: "node.toml")
    return try FixConfiguration(configuration, environment: environment, hostName: "host")
  }

  @Test func allThatDecidesAboutAPositionIsThatOfTheNode() throws {
    let text = """
      [broker]
      username = "me"
      password_file = "/nonexistent"
      [gpsd]
      device = "/dev/ttyACM0"
      port = 3000
      [location]
      distance_filter_m = 50
      [[geofence]]
      name = "yard"
      lat = 47.0
      lon = 8.0
      radius_m = 200
      """
    let environment = ["STATE_DIRECTORY": "/var/lib/judder"]
    let found = try load(text, environment: environment)
    #expect(found.gpsd.endpoint == "localhost:3000" && found.name.description == "host")
    #expect(found.logic.location?.distanceFilterM == 50 && found.logic.location?.device == "/dev/ttyACM0")
    #expect(found.logic.location?.fences.map(\.name) == ["yard"])
    #expect(found.recordFile == "/var/lib/judder/location.json")
    #expect(!found.accelerometer.wake && found.logic.motion != nil)
    let text2 = text.replacing("password_file = \"/nonexistent\"", with: "")
    let whole = try Configuration.load(NodeSchema.schema, text: Array(text2.utf8), file: "node.toml")
    let node = try NodeConfiguration(whole, environment: environment, hostName: "host")
    #expect(found.logic.location == node.logic.location && found.recordFile == node.recordFile)
  }

  @Test func withoutGpsdThereIsNothingToLookAt() {
    #expect(throws: ConfigurationFailure.self) { try load("[gpsd]\nenabled = false") }
  }

  @Test func anAccelerometerThatTheNodeHasIsExplained() {
    let busy = AccelerometerReport.failed(reason: "read in_accel_x_raw: Device or resource busy")
    #expect(FixCommand.explained(busy) == .failed(reason: "another program has it, judder-node run for one"))
    #expect(FixCommand.explained(.failed(reason: "gone")) == .failed(reason: "gone"))
    #expect(FixCommand.explained(.gap) == .gap)
  }
}
