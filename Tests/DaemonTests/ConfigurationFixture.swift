import Daemon

/// A schema with one key of each kind, and tables of each form.
let schema = ConfigurationSchema(
  heading: ["judder-node: every key.", "Changes need a reload."],
  sections: [
    ConfigurationSection(
      "accelerometer", summary: "Where motion is read.",
      [
        .choice("source", ["iio", "evdev", "recording", "none"], default: "iio", "What reads the sensor."),
        .number("rate_hz", 1...3200, unit: "Hz", default: 100, "Samples a second."),
        .integer("seed", 0...99, default: 1, "Starts the simulation."),
        .path("recording_file", note: "needed by the source recording", "The file to play."),
        .flag("loop", default: true, "Begin again at the end."),
        .texts("labels", default: ["lis3dh"], "Sensors that may be taken."),
        .numbers("mount_matrix", default: [1, 0, 0, 0, 1, 0, 0, 0, 1], "Sensor axes to node axes.").checked {
          if case .numbers(let numbers) = $0, numbers.count != 9 { "must have 9 numbers" } else { nil }
        },
      ]),
    ConfigurationSection(
      "broker", summary: "The MQTT broker.",
      [
        .text("host", default: "localhost", "Its name or address."),
        .integer("port", 1...65535, default: 1883, "Its TCP port."),
        .number("patience_s", 0...Double.infinity, unit: "s", note: "for ever", "How long to try."),
        .text("password", note: "no authentication", "The password.").secret,
      ]),
    ConfigurationSection(
      "rule", .list, summary: "What raises an alert.",
      [
        .text("name", "What the alert is called.").required,
        .choice("kind", ["shake", "lost-fix", "silent"], "What is watched.").required,
        .number("for_s", 0...86400, unit: "s", default: 0, "How long it must hold."),
      ]),
    ConfigurationSection(
      "node", .keyed(by: "ID"), summary: "What is known about a node.",
      [
        .text("site", default: "", "Where it stands."),
        .number("lat", -90...90, unit: "degrees", note: "unknown", "Its latitude."),
      ]),
  ])

func load(
  _ text: String, environment: [String: String] = [:], flags: [ConfigurationOverride] = []
) throws -> Configuration {
  try Configuration.load(
    schema, text: Array(text.utf8), file: "node.toml", environment: environment, flags: flags)
}

/// What is wrong with a configuration, line by line; empty when nothing is.
func problems(
  _ text: String, environment: [String: String] = [:], flags: [ConfigurationOverride] = []
) -> [String] {
  do {
    _ = try load(text, environment: environment, flags: flags)
    return []
  } catch let failure as ConfigurationFailure {
    return failure.problems.map(\.description)
  } catch {
    return ["\(error)"]
  }
}

func override(_ path: String, _ text: String, _ flag: String = "--flag") -> ConfigurationOverride {
  ConfigurationOverride(path: path, text: text, flag: flag)
}
