/// What a shake is: every constant of `ShakeDetector`. All are times, frequencies and accelerations, never counts of
/// samples, so that they mean the same at every sampling rate.
public struct ShakeSettings: Equatable, Sendable {
  /// The RMS of the band-limited acceleration that opens a shake [g], 0.0001...16.
  public var onG = 0.7
  /// Movement above this share of the level in force counts as active and as a swing, 0.1...1. Below 1 it is a
  /// hysteresis.
  public var levelRatio = 0.8
  /// The level in force is at least this many times the background RMS, 0...20; 0 leaves only `onG`.
  public var snr = 2.0
  /// What is slower is gravity [Hz], 0.05...5.
  public var highPassHz = 0.7
  /// What is quicker is left out [Hz], 2...200.
  public var lowPassHz = 15.0
  /// The time over which the RMS is taken [s], 0.02...5.
  public var envelopeS = 0.1
  /// The time in which the background follows a rising level [s], 1...600.
  public var backgroundS = 20.0
  /// The background falls this many times faster than it rises, 1...50.
  public var backgroundFall = 4.0
  /// Changes of direction on one axis that a shake needs, 0...20.
  public var reversals = 3
  /// Changes of direction further apart do not belong together [s], 0.05...5; 0.35 s asks for 1.4 Hz.
  public var reversalGapS = 0.35
  /// The reversals that begin a shake come in a rhythm: the longest of the times between them is at most this many
  /// times the shortest, 1...10; 0 asks for none.
  public var rhythm = 2.5
  /// And they keep it for so long [s], 0...5: three reversals within less are a knock that rings.
  public var rhythmS = 0.2
  /// So long without activity ends a shake [s], 0.05...60; its end is the last active sample.
  public var holdS = 0.3
  /// A shake still active so long after its first swing is cancelled as too long [s], 0.2...600.
  public var maxS = 1.5
  /// `maxS` counts from the moment at which the shake was recognised rather than from its first swing, as in the
  /// reference detector. Not a key: a preset has it or not.
  public var countsFromBegan = false
  /// So long without activity after a shake before another may begin [s], 0...600: one event per bout of motion.
  public var rearmS = 1.0
  /// Samples further apart interrupt: the filters start again [s], 0.05...60.
  public var maxGapS = 0.25
  /// No shake begins so soon after a start or an interruption, while the filters settle [s], 0...60.
  public var warmUpS = 0.75

  /// The values of `ShakePreset.handheld`.
  public init() {}
}

extension ShakeSettings {
  /// One of the settings, under the name it has in the configuration.
  public enum Key: String, CaseIterable, Sendable {
    case onG = "on_g"
    case levelRatio = "level_ratio"
    case snr
    case highPassHz = "high_pass_hz"
    case lowPassHz = "low_pass_hz"
    case envelopeS = "envelope_s"
    case backgroundS = "background_s"
    case backgroundFall = "background_fall"
    case reversals
    case reversalGapS = "reversal_gap_s"
    case rhythm
    case rhythmS = "rhythm_s"
    case holdS = "hold_s"
    case maxS = "max_s"
    case rearmS = "rearm_s"
    case maxGapS = "max_gap_s"
    case warmUpS = "warm_up_s"

    /// What the setting may be, both ends included, in the unit that its name ends with.
    public var range: ClosedRange<Double> {
      switch self {
      case .onG: 0.0001...16
      case .levelRatio: 0.1...1
      case .snr: 0...20
      case .highPassHz: 0.05...5
      case .lowPassHz: 2...200
      case .envelopeS: 0.02...5
      case .reversalGapS: 0.05...5
      case .backgroundS: 1...600
      case .backgroundFall: 1...50
      case .reversals: 0...20
      case .rhythm: 0...10
      case .rhythmS: 0...5
      case .holdS, .maxGapS: 0.05...60
      case .maxS: 0.2...600
      case .rearmS: 0...600
      case .warmUpS: 0...60
      }
    }
  }

  /// A setting as a number. Setting `reversals` rounds; what no number of reversals can be is not taken.
  public subscript(key: Key) -> Double {
    get { key.path.map { self[keyPath: $0] } ?? Double(reversals) }
    set {
      if let path = key.path {
        self[keyPath: path] = newValue
      } else if let count = Int(exactly: newValue.rounded()) {
        reversals = count
      }
    }
  }

  /// What is wrong with these settings, one line each; empty when they can be used.
  public var problems: [String] {
    var problems: [String] = []
    for key in Key.allCases where !key.range.contains(self[key]) {
      let range = key.range
      problems.append("\(key.rawValue) is \(self[key]); expected \(range.lowerBound) to \(range.upperBound)")
    }
    if lowPassHz <= highPassHz {
      problems.append("low_pass_hz (\(lowPassHz)) must be above high_pass_hz (\(highPassHz)): nothing is left between")
    }
    if rhythm > 0, rhythm < 1 {
      problems.append("rhythm is \(rhythm); expected 0, or 1 to 10: the longest is never below the shortest")
    }
    return problems
  }
}

extension ShakeSettings.Key {
  /// Where the value lives; nil for `reversals`, the one integer.
  fileprivate var path: WritableKeyPath<ShakeSettings, Double>? {
    switch self {
    case .onG: \.onG
    case .levelRatio: \.levelRatio
    case .snr: \.snr
    case .highPassHz: \.highPassHz
    case .lowPassHz: \.lowPassHz
    case .envelopeS: \.envelopeS
    case .backgroundS: \.backgroundS
    case .backgroundFall: \.backgroundFall
    case .reversalGapS: \.reversalGapS
    case .rhythm: \.rhythm
    case .rhythmS: \.rhythmS
    case .holdS: \.holdS
    case .maxS: \.maxS
    case .rearmS: \.rearmS
    case .maxGapS: \.maxGapS
    case .warmUpS: \.warmUpS
    case .reversals: nil
    }
  }
}

/// Settings that were measured to work.
public enum ShakePreset: String, CaseIterable, Sendable {
  /// Something shaken by a hand: 0.7 g and more, three reversals in a rhythm, at most 1.5 s long.
  case handheld
  /// Something bolted down: 1 mg and more, up to a minute (an earthquake always outlasts a second).
  case fixed
  /// `handheld` without the rhythm, and with a maximum of 1 s after the shake was recognised: what `handheld` is
  /// measured against.
  case referenceHandheld = "reference-handheld"

  /// The values of the preset.
  public var settings: ShakeSettings {
    var settings = ShakeSettings()
    guard self != .handheld else { return settings }
    settings.rhythm = 0
    settings.rhythmS = 0
    settings.maxS = 1
    settings.countsFromBegan = true
    guard self == .fixed else { return settings }
    settings.onG = 0.001
    settings.levelRatio = 0.5
    settings.snr = 4
    settings.lowPassHz = 12
    settings.backgroundS = 30
    settings.reversals = 2
    settings.reversalGapS = 0.7
    settings.holdS = 3
    settings.maxS = 60
    settings.rearmS = 5
    settings.maxGapS = 2.5
    settings.warmUpS = 5
    return settings
  }

  /// The lowest sampling rate at which the preset's results hold [Hz].
  ///
  /// Handheld was measured: 24 of 24 shakes found from 20 Hz up, 10 of 24 at 10 Hz. Fixed finds all 9 earthquakes down
  /// to 10 Hz and 5 to 8 of them at 5 Hz, but below 20 Hz it takes longer: a second at 12.5 Hz, 4 s at 8 Hz.
  public var minimumRateHz: Double { 20 }

  /// Whether no shakes are looked for below `minimumRateHz`.
  ///
  /// A hand's shake goes to and fro up to 8 times a second: below 20 Hz samples turn it into another movement, and what
  /// is found is luck. An earthquake's energy lies lower: what `fixed` finds there is true, if late, so that it only
  /// warns.
  public var needsMinimumRate: Bool { self != .fixed }
}
