/// What a free fall is.
///
/// The defaults come from recordings: as this detector sees it, arms that swing and wave feel less than 0.35 g for up
/// to 0.14 s, and that is worth no message. 0.2 s is a fall of 20 cm.
public struct FreeFallSettings: Equatable, Sendable {
  /// Whether falls are looked for.
  public var isEnabled = true
  /// What falls feels less than this, with gravity [g], 0.05...0.8. It falls on until it feels 0.1 g more.
  ///
  /// What spins while it falls feels a pull away from its axis of turning: 3 turns a second at 1 cm from the axis are
  /// 0.36 g. A sensor far from the middle of a thing that tumbles needs a higher level, or sees no fall.
  public var levelG = 0.35
  /// A shorter fall is none [s], 0.03...5: 0.12 s are 7 cm, 0.2 s are 20 cm.
  public var minS = 0.2
  /// A fall of so long is told at once, before it ends [s], 0.1...60; 2 s are 20 m.
  public var maxS = 2.0

  public init() {}
}

extension FreeFallSettings {
  /// One of the settings that are numbers, under the name it has in the configuration.
  public enum Key: String, CaseIterable, Sendable {
    case levelG = "level_g"
    case minS = "min_s"
    case maxS = "max_s"

    /// What the setting may be, both ends included, in the unit that its name ends with.
    public var range: ClosedRange<Double> {
      switch self {
      case .levelG: 0.05...0.8
      case .minS: 0.03...5
      case .maxS: 0.1...60
      }
    }

    fileprivate var path: WritableKeyPath<FreeFallSettings, Double> {
      switch self {
      case .levelG: \.levelG
      case .minS: \.minS
      case .maxS: \.maxS
      }
    }
  }

  /// A setting as a number.
  public subscript(key: Key) -> Double {
    get { self[keyPath: key.path] }
    set { self[keyPath: key.path] = newValue }
  }

  /// What is wrong with these settings, one line each; empty when they can be used.
  public var problems: [String] {
    var problems = Key.allCases.filter { !$0.range.contains(self[$0]) }.map { key in
      "\(key.rawValue) is \(self[key]); expected \(key.range.lowerBound) to \(key.range.upperBound)"
    }
    if maxS < minS { problems.append("max_s (\(maxS)) must not be below min_s (\(minS))") }
    return problems
  }
}
