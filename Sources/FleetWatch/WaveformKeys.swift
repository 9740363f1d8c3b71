internal import Daemon
internal import Waveforms

// What the configuration says about the waveforms of shakes.
extension WaveformKeeping {
  private static let formatNames = WaveformFormat.allCases.map(\.rawValue).joined(separator: ", ")

  /// The section of fleet.toml.
  static let section = ConfigurationSection(
    "waveform", summary: "Files of the waveforms that nodes publish, one for each shake and format: NODE-BOOT-ID.",
    [
      .path("directory", note: "they are not written", "The folder that takes them. It must be there."),
      .text("formats", default: formatNames, "csv, mseed (miniSEED), or both with a comma.").checked { value in
        guard case .text(let text) = value, WaveformFormat.list(text) == nil else { return nil }
        return "must be a list of \(formatNames)"
      },
      .text("network", default: SEEDNames.unassignedNetwork, "Network code in miniSEED; XX is nobody's.").checked {
        value in
        guard case .text(let text) = value, !SEEDNames.isNetwork(text) else { return nil }
        return "must be one or two of A to Z and 0 to 9"
      },
    ])

  /// Nil: no folder is set.
  init?(_ configuration: Configuration) {
    guard let directory = configuration.optionalText("waveform.directory") else { return nil }
    self.init(
      directory: directory, formats: WaveformFormat.list(configuration.text("waveform.formats")) ?? [],
      network: configuration.text("waveform.network"))
  }
}
