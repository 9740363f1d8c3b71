/// What an impact is. All are times, accelerations and velocities, never counts of samples.
///
/// The defaults come from 12 minutes of recordings, in which nothing was hit: as this detector sees it, the
/// acceleration without gravity reached 4.7 g at the trunk and 4.3 g at the foot of people who walk, 4.2 g in a flick
/// of the wrist, 4.1 g in a punch, 3.8 g in jumps, and never 5 g. A fall of 5 cm onto a hard floor
/// changes the velocity by 1 m/s, and more where it bounces.
public struct ImpactSettings: Equatable, Sendable {
  /// Whether impacts are looked for.
  public var isEnabled = true
  /// The acceleration without gravity, not band limited, that opens an impact [g], 0.1...1000.
  ///
  /// A sensor whose range ends below it shows no impact. Below 1 g the weightlessness of a fall counts as well.
  public var thresholdG = 5.0
  /// A shorter pulse is a tick, whatever its peak [s], 0...0.2: 300 g for 1 ms does no harm, for 20 ms it does.
  ///
  /// Only a sensor of 1 kHz and more can tell so short a pulse; at a lower rate every pulse is longer than this.
  public var minDurationS = 0.002
  /// A pulse that changes the velocity by less is a tap [m/s], 0...100; 0.3 m/s is a fall of half a centimetre.
  public var minDVMps = 0.3
  /// What comes within so long after the last sample above the threshold belongs to the same impact [s], 0.01...2.
  ///
  /// A case rings, and a node that falls bounces. It is also how late an impact is told.
  public var mergeS = 0.25
  /// At most so many impacts a minute are told, and a burst of so many at once, 1...600; the others are counted.
  public var perMinute = 6

  public init() {}
}

extension ImpactSettings {
  /// One of the settings that are numbers, under the name it has in the configuration.
  public enum Key: String, CaseIterable, Sendable {
    case thresholdG = "threshold_g"
    case minDurationS = "min_duration_s"
    case minDVMps = "min_dv_mps"
    case mergeS = "merge_s"
    case perMinute = "per_minute"

    /// What the setting may be, both ends included, in the unit that its name ends with.
    public var range: ClosedRange<Double> {
      switch self {
      case .thresholdG: 0.1...1000
      case .minDurationS: 0...0.2
      case .minDVMps: 0...100
      case .mergeS: 0.01...2
      case .perMinute: 1...600
      }
    }
  }

  /// A setting as a number. Setting `perMinute` rounds; what no number of impacts can be is not taken.
  public subscript(key: Key) -> Double {
    get {
      switch key {
      case .thresholdG: thresholdG
      case .minDurationS: minDurationS
      case .minDVMps: minDVMps
      case .mergeS: mergeS
      case .perMinute: Double(perMinute)
      }
    }
    set {
      switch key {
      case .thresholdG: thresholdG = newValue
      case .minDurationS: minDurationS = newValue
      case .minDVMps: minDVMps = newValue
      case .mergeS: mergeS = newValue
      case .perMinute: perMinute = Int(exactly: newValue.rounded()) ?? perMinute
      }
    }
  }

  /// What is wrong with these settings, one line each; empty when they can be used.
  public var problems: [String] {
    Key.allCases.filter { !$0.range.contains(self[$0]) }.map { key in
      "\(key.rawValue) is \(self[key]); expected \(key.range.lowerBound) to \(key.range.upperBound)"
    }
  }
}
