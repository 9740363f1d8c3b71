/// Events that were given up, kept over restarts until a record says that they were told of (`SpoolRecord.note`).
public struct EvictionNote: Equatable, Sendable {
  /// Why events are given up.
  public enum Reason: UInt8, Sendable {
    /// No room: `SpoolLimits.capBytes`.
    case cap = 1
    /// Too old: `SpoolLimits.capAgeS`.
    case age = 2
    /// The disk lost them.
    case damaged = 3
  }

  /// At most so many runs in one note: more are told in several.
  public static let runLimit = 256

  /// Unique over all runs of the node.
  public var id: UInt64
  /// The run that made the events.
  public var boot: UInt32
  public var reason: Reason
  /// The numbers, ascending. Exact with `cap` and `age`: each of them, and no other. With `damaged` a single range of
  /// bounds: the lost events lie within, among others that are not lost.
  public var runs: [ClosedRange<UInt64>]
  /// How many events; nil when that is not known, with `damaged`.
  public var events: Int?
  /// The same by `SpoolRecord.kind`; empty when it is not known.
  public var counts: [UInt8: Int]
  /// The bytes that were damaged; nil with the other reasons.
  public var bytes: Int?
  /// Payloads of those of the events that told of losses themselves (`SpoolRecord.note`): whoever tells of this note
  /// tells of theirs too, since nobody else does any more.
  public var tellings: [[UInt8]]

  public init(
    id: UInt64, boot: UInt32, reason: Reason, runs: [ClosedRange<UInt64>], events: Int?, counts: [UInt8: Int],
    bytes: Int? = nil, tellings: [[UInt8]] = []
  ) {
    self.id = id
    self.boot = boot
    self.reason = reason
    self.runs = runs
    self.events = events
    self.counts = counts
    self.bytes = bytes
    self.tellings = tellings
  }
}

/// Something on the disk that was not as it was written.
public struct SpoolDamage: Equatable, Sendable {
  /// What kind of damage.
  public enum Kind: Sendable {
    /// The end of a file that was being written when the power or the program failed, cut off. Nothing in it had been
    /// reported stored.
    case torn
    /// Records that can't be read any more, with others behind them that can: the disk lost them, or a power cut came
    /// before they were on it, and left later sectors but not theirs. Nothing tells the two apart.
    case records
    /// The head of a segment; its records could be read.
    case header
    /// The file that says what was released: what was delivered lately goes out again.
    case state
  }

  public var kind: Kind
  /// The file in the spool's folder.
  public var file: String
  /// Where in it, and how much [bytes].
  public var offset: Int
  public var bytes: Int
  /// How many records were lost, at least.
  public var records: Int
  /// The run and the bounds of the numbers that were lost; nil when nothing was.
  public var boot: UInt32?
  public var bounds: ClosedRange<UInt64>?

  public init(
    kind: Kind, file: String, offset: Int, bytes: Int, records: Int = 0, boot: UInt32? = nil,
    bounds: ClosedRange<UInt64>? = nil
  ) {
    self.kind = kind
    self.file = file
    self.offset = offset
    self.bytes = bytes
    self.records = records
    self.boot = boot
    self.bounds = bounds
  }
}
