/// What a waveform can be written as.
public enum WaveformFormat: String, CaseIterable, Sendable {
  /// `t` [s], `x`, `y`, `z` [g]: see `WaveformTable`.
  case csv
  /// See `MiniSEED`.
  case mseed

  /// The end of a file's name.
  public var suffix: String { ".\(rawValue)" }

  /// The formats that a list such as `csv, mseed` names, each once; nil when a word of it is none, or when it is empty.
  public static func list(_ text: String) -> [WaveformFormat]? {
    var formats: [WaveformFormat] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = word.split(separator: " ").joined(separator: " ")
      guard let format = WaveformFormat(rawValue: name) else { return nil }
      if !formats.contains(format) { formats.append(format) }
    }
    return formats.isEmpty ? nil : formats
  }

  /// The whole file of a waveform.
  ///
  /// - Parameter network: the SEED network's code.
  public func encode(_ waveform: Waveform, network: String) throws(WaveformProblem) -> [UInt8] {
    switch self {
    case .csv: WaveformTable.encode(waveform)
    case .mseed: try MiniSEED.encode(waveform, SEEDNames(waveform.node, network: network))
    }
  }
}
