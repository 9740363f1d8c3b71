/// A class of events that are kept, committed and given up together. Each has segments of its own on the disk.
public enum SpoolLane: UInt8, CaseIterable, Sendable, Comparable {
  /// What somebody must hear about: kept longest.
  case shock = 0
  /// What comes by itself all the time: positions, orientation.
  case routine = 1
  /// Samples of shakes, many and large: given up first.
  case waveform = 2

  public static func < (one: SpoolLane, other: SpoolLane) -> Bool { one.rawValue < other.rawValue }

  /// After how long at the most what was taken is on the disk for good [s].
  public var commitS: Double { self == .shock ? 0.2 : 5 }

  /// After how many events it is brought there at once, with whatever else waits by then.
  public var commitEvents: Int { self == .shock ? 10 : 100 }

  /// How many bytes wait for that at the most, since they are kept in memory too.
  public static let commitBytes = 262_144
}
