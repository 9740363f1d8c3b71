internal import BrokerLink
internal import Daemon
internal import NodeLogic
internal import Sensors
internal import Telemetry

/// Every key of node.toml.
enum NodeSchema {
  static let schema = ConfigurationSchema(
    heading: [
      "Configuration of judder-node: every key, with its type, unit, range and default.",
      "As it stands this file changes nothing; take the # away from what you set. A flag (--set KEY=VALUE) goes before "
        + "an environment variable (JUDDER_SECTION_KEY), that before this file, this before the default. "
        + "judder-node check reads all of it and says what is wrong.",
    ],
    sections: [
      node, BrokerSection.section(clientID: "judder-node-ID", reconnectSpreadS: 40), accelerometer, acceleration, shake,
      WaveformSettings.section, impact, freeFall, orientation, gpsd, location, Geofence.section, SpoolSettings.section,
      health, log,
    ])

  private static let node = ConfigurationSection(
    "node", summary: "Who this node is.",
    [
      .text("id", note: "made of the host name", "Name in every topic: a to z, 0 to 9 and -, at most 63.")
        .checked { value in
          guard case .text(let text) = value, NodeName(text) == nil else { return nil }
          return "must be a to z, 0 to 9 and -, at most 63 characters, and not begin with -"
        },
      .text("prefix", default: "judder", "First levels of every topic.").checked { value in
        guard case .text(let text) = value else { return nil }
        do throws(PrefixProblem) {
          _ = try TopicPrefix(text)
          return nil
        } catch {
          return "must be one or more levels, for example site/judder: \(error)"
        }
      },
      .choice(
        "convention", Convention.allCases.map(\.rawValue), default: Convention.standard.rawValue,
        "Sign of published accelerations: flat on a table, face up, z reads +1 (standard) or -1 (apple)."),
      .flag(
        "commands", default: false,
        "Do what comes on <prefix>/<id>/command: live, arm, disarm, locate, calibrate, and set, which changes what "
          + "tunes detectors and intervals. Who may publish there is up to the broker."),
      .number(
        "budget_mb_per_month", 0...1_000_000, unit: "MB", default: 0,
        "Data that may go over the wire in 30 days, headers included. The node keeps within it by stretching "
          + "acceleration windows, up to an hour, and says so; events are never withheld. 0: no budget."),
    ])

  private static let accelerometer = ConfigurationSection(
    "accelerometer", summary: "The sensor.",
    [
      .choice(
        "source", AccelerometerSettings.Source.allCases.map(\.rawValue), default: "iio",
        "Where samples come from: iio is a Linux IIO device, evdev an input device, recording a CSV file, "
          + "simulated a scenario, none nothing."),
      .text(
        "device", note: "the only accelerometer",
        "IIO device by name, label, iio:deviceN or path; input device by name, place, eventN or path."),
      .number(
        "rate_hz", 1...4000, unit: "Hz", default: 100,
        "Sampling rate wanted. The lowest rate that the sensor offers and that is not below it is chosen."),
      .path("sysfs_root", default: "/sys/bus/iio/devices", "Folder that lists IIO devices."),
      .path("input_root", default: "/sys/class/input", "Folder that lists input devices."),
      .path("dev_root", default: "/dev", "Folder of character devices."),
      .number(
        "evdev_units_per_g", 0.001...1_000_000_000, note: "as the device says",
        "Counts of an input device in 1 g, for one that does not say; an ADXL345 has 256."),
      .text(
        "mount_matrix", note: "as the driver says, else identity",
        "Rotation from the sensor's axes to the node's, by rows: 1, 0, 0; 0, 1, 0; 0, 0, 1."
      ).checked { value in
        guard case .text(let text) = value else { return nil }
        do throws(MountMatrix.Problem) {
          _ = try MountMatrix(parsing: text)
          return nil
        } catch {
          return "must be three rows of three numbers: \(error)"
        }
      },
      .text(
        "scale_correction", note: "1, 1, 1",
        "What the readings of the sensor's x, y, z axes are multiplied by, before the mount matrix: see "
          + "judder-node calibrate."
      ).checked { axisProblem($0) { text throws(AxisCorrection.Problem) in try AxisCorrection.scale(parsing: text) } },
      .text(
        "offset_g", note: "0, 0, 0",
        "What the sensor's x, y, z axes show where there is nothing to measure, in g: taken off before the factors."
      ).checked {
        axisProblem($0) { text throws(AxisCorrection.Problem) in try AxisCorrection.offsetG(parsing: text) }
      },
      .flag(
        "wake", default: false,
        "Sleep while nothing moves, until the chip's own motion event. Needs a driver with such an event and an "
          + "interrupt line; judder-node check tells. Asleep it is read every acceleration.rest_window_s, or every "
          + "10 s where that is less."),
      .number(
        "wake_threshold_g", 0.001...16, unit: "g", note: "as the driver has it",
        "What the chip takes for motion, rounded to the chip's own steps."),
      .number("idle_after_s", 5...86_400, unit: "s", default: 60, "How long it must be quiet before it sleeps."),
      .path("recording_file", note: "needed for recording", "CSV with the columns t [s], x, y, z [g]."),
      .choice(
        "scenario", MotionScenario.allCases.map(\.rawValue), default: AccelerometerSettings().scenario.rawValue,
        "What a simulated node goes through."),
      .integer("seed", 0...Int.max, default: 1, "Seed of the simulation: the same seed gives the same samples."),
    ])

  private static func axisProblem(
    _ value: ConfigurationValue, _ parse: (String) throws(AxisCorrection.Problem) -> Vector
  ) -> String? {
    guard case .text(let text) = value else { return nil }
    do throws(AxisCorrection.Problem) {
      _ = try parse(text)
      return nil
    } catch {
      return "must be three numbers: \(error)"
    }
  }

  private static let acceleration = ConfigurationSection(
    "acceleration", summary: "The stream of acceleration windows.",
    [
      .choice(
        "filter", AccelerationMessage.Filter.allCases.map(\.rawValue), default: "raw",
        "What the mean is taken of: raw samples, gravity alone (low-pass), what is left without gravity (user, "
          + "high-pass), or an adaptive low-pass that opens when much moves: for looking at, not for measuring."),
      .number(
        "window_s", 0.001...3600, unit: "s", default: 10,
        "Length of a window: the update interval. A window has at least one sample. Below 1 s the mean is a low-passed "
          + "value without aliases, some three windows late."),
      .number(
        "rest_window_s", 0.001...3600, unit: "s", default: 300,
        "Length to which windows stretch at rest; not above window_s: they never stretch."),
      .number("cutoff_hz", 0.01...10, unit: "Hz", default: 0.7, "What is slower counts as gravity."),
      .text(
        "measures", default: "",
        "What is measured of each window beyond the plain, in words between commas: "
          + AccelerationMeasure.allCases.map(\.rawValue).joined(separator: ", ") + "; or all."
      ).checked { value in
        guard case .text(let text) = value else { return nil }
        do throws(AccelerationMeasure.UnknownWord) {
          _ = try AccelerationMeasure.parse(text)
          return nil
        } catch {
          return "must be measures between commas: \(error)"
        }
      },
      .number(
        "live_hz", 1...400, unit: "Hz", default: 25,
        "Highest rate of samples while somebody watches live: every n-th of the sensor's, without aliases."),
      .number(
        "live_batch_s", 0.1...60, unit: "s", default: 1,
        "Seconds of live samples in a message, which has 200 at the most."),
    ])

  private static let shake = ConfigurationSection(
    "shake", summary: "The shake detector: a preset, then any of its values.",
    [
      .choice(
        "preset", ShakePreset.allCases.map(\.rawValue), default: ShakePreset.handheld.rawValue,
        "handheld: something shaken by a hand, at most 1.5 s. fixed: something bolted down, from 1 mg, at most 60 s. "
          + "reference-handheld: what handheld is measured against.")
    ] + ShakeSettings.Key.allCases.map(shakeKey))

  private static func shakeKey(_ key: ShakeSettings.Key) -> ConfigurationKey {
    let presets = ShakePreset.allCases.map { "\($0.rawValue) \(shortest($0.settings[key]))" }.joined(separator: ", ")
    let unit = key.unit
    if key == .reversals {
      return .integer(
        key.rawValue, Int(key.range.lowerBound)...Int(key.range.upperBound), note: "from the preset: \(presets)",
        key.summary)
    }
    return .number(key.rawValue, key.range, unit: unit, note: "from the preset: \(presets)", key.summary)
  }

  /// 1, not 1.0.
  private static func shortest(_ value: Double) -> String {
    Int(exactly: value).map(String.init) ?? String(value)
  }

  private static let orientation = ConfigurationSection(
    "orientation", summary: "Which side is up.",
    [
      .number(
        "enter_deg", 5...44, unit: "deg", default: 35, "A side comes up when its axis is this close to vertical."),
      .number("leave_deg", 45...85, unit: "deg", default: 55, "And stays up until its axis is this far from vertical."),
      .number("settle_s", 0...60, unit: "s", default: 0.5, "A new side must hold so long."),
    ])

  private static let gpsd = ConfigurationSection(
    "gpsd", summary: "Where positions come from.",
    [
      .flag("enabled", default: true, "Ask gpsd, and publish the location."),
      .text("host", default: "localhost", "Name or address of gpsd."),
      .integer("port", 1...65535, default: 2947, "TCP port of gpsd."),
      .text("device", note: "whatever gpsd has", "Path of one receiver, where gpsd has several."),
    ])

  private static let location = ConfigurationSection(
    "location", summary: "When a position is worth a message, and when its absence is.",
    [
      .number(
        "distance_filter_m", LocationTracker.Settings.distanceFilterRangeM, unit: "m",
        default: locationDefaults.distanceFilterM, "Publish after moving so far; 0 publishes every fix."),
      .number(
        "interval_s", LocationTracker.Settings.intervalRangeS, unit: "s", default: locationDefaults.intervalS,
        "Publish at least so often while there is a fix."),
      .number(
        "max_accuracy_m", LocationTracker.Settings.maxAccuracyRangeM, unit: "m",
        default: locationDefaults.maxAccuracyM,
        "Desired accuracy: a worse fix is rejected and counted; 0 takes any. One of unknown accuracy is taken."),
      .number(
        "lost_after_s", LocationTracker.Settings.lostAfterRangeS, unit: "s", default: locationDefaults.lostAfterS,
        "Publish the loss, with its reason, after so long without a usable fix."),
      .number(
        "max_speed_mps", LocationTracker.Settings.maxSpeedRangeMPS, unit: "m/s", default: locationDefaults.maxSpeedMPS,
        "No faster than this: a fix that would take more is rejected, until three in a row agree. They agree by the "
          + "same limit: one that is too low for the vehicle loses the node for as long as it is faster. 0: no limit."),
      .number(
        "max_acceleration_mps2", LocationTracker.Settings.maxAccelerationRangeMPS2, unit: "m/s^2",
        default: locationDefaults.maxAccelerationMPS2,
        "Nor does it gain speed faster than this, with the same consequence. 0: no limit."),
      .number(
        "trip_pause_s", LocationTracker.Settings.tripPauseRangeS, unit: "s", default: locationDefaults.tripPauseS,
        "A trip begins when the node sets off after standing for so long."),
      .path(
        "record_file", note: "location.json in systemd's state directory, without one nothing is kept",
        "File that keeps the odometer and the fences that the node is inside of over a restart: written when the "
          + "broker has a crossing and at the end, and else every 10 minutes at the most."),
    ])

  private static let locationDefaults = LocationTracker.Settings()

  private static let health = ConfigurationSection(
    "health", summary: "The node's own condition.",
    [.number("interval_s", 1...86_400, unit: "s", default: 300, "Time between health messages.")])

  private static let log = ConfigurationSection(
    "log", summary: "What the agent says on standard error.",
    [
      .choice(
        "level", LogLevel.allCases.map(\.rawValue), default: LogLevel.info.rawValue,
        "The least important level that is printed.")
    ])
}
