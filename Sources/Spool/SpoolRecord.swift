/// An event on its way to the disk or back. Spool looks at none of it but the numbers.
public struct SpoolRecord: Equatable, Sendable {
  /// The longest payload [bytes].
  public static let payloadBytes = 65_536

  /// The run of the node that made it, and its number within, rising from 1.
  public var boot: UInt32
  public var sequence: UInt64
  /// With what it is kept and given up.
  public var lane: SpoolLane
  /// What kind of event it is, in the caller's own numbers: events given up are counted by it.
  public var kind: UInt8
  /// The `EvictionNote` that this event tells about; 0: it tells of losses too, and ends no note; nil for every other.
  public var note: UInt64?
  /// The event itself, at most `payloadBytes`.
  public var payload: [UInt8]

  public init(
    boot: UInt32, sequence: UInt64, lane: SpoolLane, kind: UInt8, note: UInt64? = nil, payload: [UInt8]
  ) {
    self.boot = boot
    self.sequence = sequence
    self.lane = lane
    self.kind = kind
    self.note = note
    self.payload = payload
  }

  /// The note that ends once this is stored.
  var endedNote: UInt64? { note == 0 ? nil : note }
}

/// A place in the order of all events of a node: by run, then by number within it.
public struct SpoolPosition: Comparable, Hashable, Sendable {
  /// Rises with each run that kept something, unlike the boot id, which is random.
  public var bootOrdinal: UInt32
  public var sequence: UInt64

  public init(bootOrdinal: UInt32, sequence: UInt64) {
    self.bootOrdinal = bootOrdinal
    self.sequence = sequence
  }

  public static func < (one: SpoolPosition, other: SpoolPosition) -> Bool {
    (one.bootOrdinal, one.sequence) < (other.bootOrdinal, other.sequence)
  }
}
