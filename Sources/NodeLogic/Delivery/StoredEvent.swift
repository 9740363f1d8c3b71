public import Telemetry

/// An event as the spool keeps it: its encoded telegram, and what it is found by.
public struct StoredEvent: Equatable, Sendable {
  /// The run that it is of.
  public var boot: BootID
  /// Its number in that run, >= 1.
  public var sequence: UInt64
  /// What it is about.
  public var stream: Stream
  /// The encoded telegram [bytes], at most 64 kB.
  public var payload: [UInt8]

  /// An event of a run.
  public init(boot: BootID, sequence: UInt64, stream: Stream, payload: [UInt8]) {
    self.boot = boot
    self.sequence = sequence
    self.stream = stream
    self.payload = payload
  }
}

/// A place in the order of all events of all runs: that of the runs, then that within one.
public struct SpoolMark: Comparable, Hashable, Sendable {
  /// Rises with each run of the node, >= 0.
  public var bootOrdinal: UInt32
  /// The event's number in its run.
  public var sequence: UInt64

  /// The place of an event.
  public init(bootOrdinal: UInt32, sequence: UInt64) {
    self.bootOrdinal = bootOrdinal
    self.sequence = sequence
  }

  /// Whether `a` comes before `b`.
  public static func < (a: SpoolMark, b: SpoolMark) -> Bool {
    (a.bootOrdinal, a.sequence) < (b.bootOrdinal, b.sequence)
  }
}

extension Stream {
  /// What names a stream on the disk, in every version; nil for streams whose messages are no events.
  public var storedNumber: UInt8? {
    switch self {
    case .shake: 1
    case .waveform: 2
    case .impact: 3
    case .freeFall: 4
    case .orientation: 5
    case .location: 6
    case .geofence: 7
    case .evicted: 8
    case .status, .acceleration, .health, .reply: nil
    }
  }

  /// The stream that this names; nil for a number of a later version.
  public init?(storedNumber: UInt8) {
    guard let stream = Stream.allCases.first(where: { $0.storedNumber == storedNumber }) else { return nil }
    self = stream
  }
}
