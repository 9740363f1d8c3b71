/// What the spool has to say.
public enum SpoolReport: Equatable, Sendable {
  /// The folder was read: what earlier runs left. Comes once, later where the folder could not be used at first.
  case opened(SpoolContents)
  /// These events outlast a power cut from now on, or were released before that was needed.
  case stored(boot: UInt32, [UInt64])
  /// These events are not kept, as far as is known: the caller keeps them, and offers them again when `state` says that
  /// the disk works.
  case notStored(boot: UInt32, [UInt64], reason: String)
  /// The answer to a `fetch`.
  case fetched(SpoolFetched)
  /// Events were given up. The caller appends an event that tells it, with `SpoolRecord.note` set to the note's id.
  case evicted(EvictionNote)
  /// Something on the disk was not as it was written. A note follows where events were lost by that.
  case damaged(SpoolDamage)
  /// How things stand; when something changed, at most once a second, and at once when the disk fails or works again.
  case state(SpoolState)
  /// The answer to `stop`.
  case stopped
}

/// The answer to a `SpoolFetch`.
public struct SpoolFetched: Equatable, Sendable {
  public var id: UInt64
  /// In the order of `SpoolPosition`.
  public var records: [SpoolRecord]
  /// Where the next fetch goes on; nil when there was nothing.
  public var last: SpoolPosition?
  /// Nothing comes after `last` at present.
  public var isEnd: Bool

  public init(id: UInt64, records: [SpoolRecord], last: SpoolPosition?, isEnd: Bool) {
    self.id = id
    self.records = records
    self.last = last
    self.isEnd = isEnd
  }
}

/// What one lane holds.
public struct SpoolLaneCount: Equatable, Sendable {
  /// Events that nobody has released, and what they take on the disk [bytes].
  public var events = 0
  public var bytes = 0

  /// - Parameters: as the properties.
  public init(events: Int = 0, bytes: Int = 0) {
    self.events = events
    self.bytes = bytes
  }
}

/// What was found when the folder was read.
public struct SpoolContents: Equatable, Sendable {
  /// By `SpoolLane.rawValue`.
  public var lanes: [SpoolLaneCount] = []
  /// When the oldest event was measured [s since 1970]; nil when nothing is kept, or it is not known.
  public var oldestBornAtS: Double?
  /// The runs that left events, in their order.
  public var boots: [UInt32] = []
  /// The place of this run in the order of runs, as in `SpoolPosition.bootOrdinal`.
  public var ordinal: UInt32 = 0
  /// A fleet tool has acknowledged this node in this run or an earlier one.
  public var fleetAcknowledges = false
  /// What was not as it was written.
  public var damage: [SpoolDamage] = []
  /// Whose events earlier runs kept; nil: not known.
  public var formerOwner: String?
  /// What is set aside because it is of another owner.
  public var aside: SpoolAside?
  /// What earlier runs gave up and could not tell any more: to be told as `SpoolReport.evicted` is.
  public var notes: [EvictionNote] = []

  /// Nothing.
  public init() {}
}

/// How things stand.
public struct SpoolState: Equatable, Sendable {
  /// By `SpoolLane.rawValue`; all zero until the folder could be read.
  public var lanes: [SpoolLaneCount] = []
  /// Of these the events of former runs.
  public var formerEvents = 0
  /// When the oldest event of former runs was measured [s since 1970]; nil when there is none, or it is not known.
  public var oldestBornAtS: Double?
  /// Bytes of the records, heads included, that outlast a power cut and that nobody has released.
  public var storedBytes = 0
  /// Why nothing can be kept at present; nil while the disk works.
  public var trouble: DiskFailure?
  /// Events that were taken and are not on the disk for good.
  public var unsaved = 0
  /// Bytes of everything in the folder.
  public var sizeBytes = 0
  /// Records lost to damage since the start, at least.
  public var damagedRecords = 0
  /// Notes that were given up because too many waited to be told.
  public var lostNotes = 0
  /// Bytes written and syncs of files and folders since the start.
  public var writtenBytes = 0
  public var syncs = 0

  /// Nothing kept, nothing wrong.
  public init() {}

  /// Whether events are kept on the disk at present.
  public var isWorking: Bool { trouble == nil }
}
