internal import Daemon
internal import NodeLogic

// What the configuration says about the waveforms of shakes.
extension WaveformSettings {
  private static let defaults = WaveformSettings()

  /// The section of node.toml.
  static let section = ConfigurationSection(
    "waveform", summary: "The samples of each shake, from before it to its end, on the stream shake/waveform.",
    [
      .flag("enabled", default: false, "Publish them: some 5 kB for a shake of 1 s at 100 Hz."),
      .number(
        "pre_s", preRangeS, unit: "s", default: defaults.preS, "How long before the first swing a waveform begins."),
      .number(
        "max_s", maxRangeS, unit: "s", default: defaults.maxS,
        "A waveform ends so long after the shake was recognised, where the shake goes on."),
      .integer(
        "chunk_bytes", chunkRangeBytes, default: defaults.chunkBytes,
        "Payload of a message at the most. Larger ones cost less in all, smaller ones get through a bad link."),
      .integer(
        "max_per_hour", perHourRange, default: defaults.maxPerHour,
        "Waveforms in any hour at the most, so that something that rattles does not use up a metered link. Further "
          + "shakes are published without one, and counted in the log."),
    ])

  /// Nil: not enabled.
  init?(_ configuration: Configuration) {
    guard configuration.flag("waveform.enabled") else { return nil }
    self.init(keysOf: configuration)
  }

  /// The values of the section, whether it is enabled or not.
  init(keysOf configuration: Configuration) {
    self.init()
    preS = configuration.number("waveform.pre_s")
    maxS = configuration.number("waveform.max_s")
    chunkBytes = configuration.integer("waveform.chunk_bytes")
    maxPerHour = configuration.integer("waveform.max_per_hour")
  }
}
