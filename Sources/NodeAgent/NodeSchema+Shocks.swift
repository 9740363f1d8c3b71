internal import Daemon
internal import NodeLogic

// The keys of impacts and falls, and what they become.

extension NodeSchema {
  static let impact = ConfigurationSection(
    "impact", summary: "Blows: dropped, knocked, driven into.",
    [.flag("enabled", default: ImpactSettings().isEnabled, "Look for impacts, and publish them.")]
      + ImpactSettings.Key.allCases.map(impactKey))

  static let freeFall = ConfigurationSection(
    "freefall", summary: "Falls: nothing is felt, not even gravity.",
    [.flag("enabled", default: FreeFallSettings().isEnabled, "Look for falls, and publish them.")]
      + FreeFallSettings.Key.allCases.map { key in
        .number(key.rawValue, key.range, unit: key.unit, default: FreeFallSettings()[key], key.summary)
      })

  private static func impactKey(_ key: ImpactSettings.Key) -> ConfigurationKey {
    let value = ImpactSettings()[key]
    guard let unit = key.unit else {
      return .integer(
        key.rawValue, Int(key.range.lowerBound)...Int(key.range.upperBound), default: Int(value), key.summary)
    }
    return .number(key.rawValue, key.range, unit: unit, default: value, key.summary)
  }
}

extension ImpactSettings.Key {
  /// The unit that the key's name ends with; nil for a count.
  var unit: String? {
    switch self {
    case .thresholdG: "g"
    case .minDurationS, .mergeS: "s"
    case .minDVMps: "m/s"
    case .perMinute: nil
    }
  }

  /// One sentence for the commented file.
  var summary: String {
    switch self {
    case .thresholdG:
      "Acceleration without gravity that opens an impact; people's own movements reach 4.7 g. The sensor's range must "
        + "be above it."
    case .minDurationS: "A shorter pulse is a tick. Only a sensor of 1 kHz and more can tell."
    case .minDVMps: "A smaller change of velocity is a tap."
    case .mergeS: "What comes so soon after belongs to the same impact: cases ring, and what falls bounces."
    case .perMinute: "At most so many a minute are published; the others leave a hole in the ids."
    }
  }
}

extension FreeFallSettings.Key {
  /// The unit that the key's name ends with.
  var unit: String { self == .levelG ? "g" : "s" }

  /// One sentence for the commented file.
  var summary: String {
    switch self {
    case .levelG: "What falls feels less than this; what spins as well feels more."
    case .minS: "A shorter fall is none: 0.2 s are 20 cm. Arms that swing reach 0.14 s."
    case .maxS: "A fall of so long is told before it ends; 2 s are 20 m."
    }
  }
}

extension ImpactSettings {
  /// The section `impact`.
  init(_ configuration: Configuration) {
    self.init()
    isEnabled = configuration.flag("impact.enabled")
    for key in Key.allCases {
      let path = "impact.\(key.rawValue)"
      self[key] = key.unit == nil ? Double(configuration.integer(path)) : configuration.number(path)
    }
  }
}

extension FreeFallSettings {
  /// The section `freefall`.
  init(_ configuration: Configuration) {
    self.init()
    isEnabled = configuration.flag("freefall.enabled")
    for key in Key.allCases { self[key] = configuration.number("freefall.\(key.rawValue)") }
  }
}
