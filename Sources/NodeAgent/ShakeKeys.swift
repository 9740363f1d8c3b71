internal import NodeLogic

// What the configuration says about the values of a shake preset.
extension ShakeSettings.Key {
  /// The unit that the key's name ends with; nil for a ratio or a count.
  var unit: String? {
    if rawValue.hasSuffix("_hz") { return "Hz" }
    if rawValue.hasSuffix("_g") { return "g" }
    return rawValue.hasSuffix("_s") ? "s" : nil
  }

  /// One sentence for the commented file.
  var summary: String {
    switch self {
    case .onG: "RMS of the acceleration without gravity that opens a shake."
    case .levelRatio: "Share of that level above which movement counts as active and as a swing."
    case .snr: "The level is at least this many times the background's RMS; 0: only on_g counts."
    case .highPassHz: "What is slower is gravity."
    case .lowPassHz: "What is quicker is left out."
    case .envelopeS: "Time over which the RMS is taken."
    case .backgroundS: "Time in which the background follows a rising level."
    case .backgroundFall: "The background falls this many times faster than it rises."
    case .reversals: "Changes of direction on one axis that a shake needs; a knock has none."
    case .reversalGapS: "Changes of direction further apart do not belong together."
    case .holdS: "So long without activity ends a shake."
    case .rhythm:
      "The longest time between the reversals that begin a shake is at most this many times the shortest; 0: any."
    case .rhythmS: "So long the reversals keep that rhythm; fewer in less time are a knock that rings."
    case .maxS:
      "A shake still active so long after its first swing is cancelled as too_long; fixed and reference-handheld count "
        + "from the moment at which it was recognised."
    case .rearmS: "So long without activity before another shake may begin."
    case .maxGapS: "Samples further apart interrupt: an active shake is cancelled as interrupted."
    case .warmUpS: "No shake begins so soon after a start or an interruption."
    }
  }
}
