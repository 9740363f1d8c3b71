internal import Daemon
internal import NodeLogic

/// Which keys may be set over the broker: what tunes the detectors and says how often what is published.
///
/// None that could cut the node off (node, broker, gpsd, devices, files, the spool, the commands themselves), and
/// within narrower limits where the file's would let somebody run up its data.
enum RemoteKeys {
  /// Section and name, in the order of the file.
  static let all: [String] = sections.flatMap { section in section.names.map { "\(section.name).\($0)" } }

  private static let sections: [(name: String, names: [String])] = [
    (
      "acceleration",
      ["filter", "window_s", "rest_window_s", "cutoff_hz", "measures", "live_hz", "live_batch_s"]
    ),
    ("shake", ["preset"] + ShakeSettings.Key.allCases.map(\.rawValue)),
    ("impact", ["enabled"] + ImpactSettings.Key.allCases.map(\.rawValue)),
    ("freefall", ["enabled"] + FreeFallSettings.Key.allCases.map(\.rawValue)),
    ("orientation", ["enter_deg", "leave_deg", "settle_s"]),
    (
      "location",
      [
        "distance_filter_m", "interval_s", "max_accuracy_m", "lost_after_s", "max_speed_mps", "max_acceleration_mps2",
        "trip_pause_s",
      ]
    ),
    ("health", ["interval_s"]),
  ]

  /// The least and the most from afar, in the key's unit.
  private static let limits: [String: ClosedRange<Double>] = [
    "acceleration.window_s": 1...3600, "acceleration.rest_window_s": 1...3600, "acceleration.live_hz": 1...100,
    "shake.rearm_s": 1...600, "impact.per_minute": 1...60, "orientation.settle_s": 0.1...60,
    "location.distance_filter_m": 1...100_000, "location.interval_s": 10...86_400, "health.interval_s": 10...86_400,
  ]

  /// Whether the key may be set at all.
  ///
  /// - Throws: that there is none, or that it may not, with those that may.
  static func check(_ path: String) throws(ConfigurationRefusal) {
    guard !all.contains(path) else { return }
    let shown = printableLine(String(path.unicodeScalars.prefix(60).map(Character.init)))
    if NodeSchema.schema.paths.contains(path) {
      let list = sections.map { "\($0.name): \($0.names.joined(separator: " "))" }.joined(separator: "; ")
      throw ConfigurationRefusal(text: "\(shown) cannot be set from afar; what can: \(list)")
    }
    let meant = nearestName(to: path, among: all).map { "; did you mean \($0)?" } ?? ""
    throw ConfigurationRefusal(text: "unknown key '\(shown)'\(meant)")
  }

  /// Whether the value, which the file may have, may come from afar as well.
  static func check(_ path: String, _ value: ConfigurationValue) throws(ConfigurationRefusal) {
    try check(path)
    let number: Double
    switch value {
    case .number(let value): number = value
    case .integer(let value): number = Double(value)
    case .text, .flag, .texts, .numbers: return
    }
    guard let limit = limits[path], !limit.contains(number) else { return }
    let (least, most) = (
      ConfigurationValue.number(limit.lowerBound).toml, ConfigurationValue.number(limit.upperBound).toml
    )
    throw ConfigurationRefusal(
      text: "\(path) = \(value.toml) is out of range; from afar it must be \(least) to \(most)")
  }
}
