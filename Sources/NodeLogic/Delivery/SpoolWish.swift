public import Telemetry

/// What the node asks of its spool. The shell hands these on in their order, and answers with `SpoolWord`.
public enum SpoolWish: Equatable, Sendable {
  /// Keep this event, and answer `stored` or `notStored`. Events of one lane come in the order of their numbers.
  ///
  /// - `note`: it tells of the eviction with this id, which need not be told again once this is stored; 0: it tells of
  ///   losses too, and ends none.
  /// - `born`: when it was measured, for the cap by age; nil where nothing vouches for the time.
  case append(StoredEvent, note: UInt64?, born: WallTime?)
  /// Answer `fetched` with this id: the first events behind a place that were not released, in order; nil: from the
  /// beginning. Waveforms are asked for by themselves. Not more than `limit` (> 0) nor, beyond the first, than
  /// `limitBytes` of payload.
  case fetch(id: UInt64, isWaveform: Bool, after: SpoolMark?, limit: Int, limitBytes: Int)
  /// These have reached their end, and need not be kept.
  case release(boot: BootID, ClosedRange<UInt64>)
  /// How to turn instants into wall time from now on, for the cap by age; nil: nothing vouches for the time.
  case clock(ClockState?)
  /// Keep over restarts that a fleet tool acknowledges what this node sends.
  case fleetAcknowledges
}

/// What the spool tells the node.
public enum SpoolWord: Equatable, Sendable {
  /// It works, and this is what it holds from earlier runs.
  case opened(SpoolContents)
  /// These are on the disk, or were released before they had to be.
  case stored(boot: BootID, [UInt64])
  /// These are not kept: to be offered again later.
  case notStored(boot: BootID, [UInt64])
  /// What was asked for. `last`: the place of the last of them; `isEnd`: nothing was behind it.
  case fetched(id: UInt64, [StoredEvent], last: SpoolMark?, isEnd: Bool)
  /// Events were given up for want of room, or for their age: to be told by an event with the id of the note.
  case evicted(SpoolEviction)
  /// Something on the disk is not as it was written.
  case damaged(SpoolDamage)
  /// How it is doing; comes when that changes, and as often as the spool likes.
  case state(SpoolCondition)
}

/// What was found when the spool was opened.
public struct SpoolContents: Equatable, Sendable {
  /// Events that were not released, waveforms included.
  public var events = 0
  /// How much room they take [bytes].
  public var bytes = 0
  /// When the oldest of them was measured; nil when unknown.
  public var oldestBorn: WallTime?
  /// The runs that they are of, oldest first, without this one.
  public var boots: [BootID] = []
  /// The place of this run in the order of runs; nil when unknown, then it is learnt from what is fetched.
  public var bootOrdinal: UInt32?
  /// A fleet tool has acknowledged this node in some run.
  public var fleetAcknowledges = false
  /// Why events that are there are not sent: they are of another name of this node; nil: there are none.
  public var aside: String?
  /// What was given up and not told yet.
  public var evictions: [SpoolEviction] = []
  /// What was not as it was written.
  public var damage: [SpoolDamage] = []

  /// An empty spool.
  public init() {}
}

/// Events that the spool gave up.
public struct SpoolEviction: Equatable, Sendable {
  /// Why.
  public enum Reason: String, CaseIterable, Sendable {
    /// There was no room.
    case cap
    /// They were too old.
    case age
    /// They cannot be read.
    case damaged
  }

  /// Names the note that the spool keeps of it until an event with this id is stored.
  public var id: UInt64
  /// The run that they are of.
  public var boot: BootID
  /// Their numbers, ascending, exactly; with `damaged` the bounds within which some are lost.
  public var runs: [ClosedRange<UInt64>]
  /// How many; nil when that is not known, with `damaged`.
  public var events: Int?
  /// How many of each stream, as far as that is known.
  public var counts: [Stream: Int]
  /// What cannot be read [bytes]; nil unless `damaged`.
  public var bytes: Int?
  /// Why.
  public var reason: Reason
  /// The payloads of those of them that told of losses: what tells of this tells of theirs too.
  public var tellings: [[UInt8]]

  /// Events given up for one reason.
  public init(
    id: UInt64, boot: BootID, runs: [ClosedRange<UInt64>], events: Int?, counts: [Stream: Int] = [:],
    bytes: Int? = nil, reason: Reason, tellings: [[UInt8]] = []
  ) {
    self.id = id
    self.boot = boot
    self.runs = runs
    self.events = events
    self.counts = counts
    self.bytes = bytes
    self.reason = reason
    self.tellings = tellings
  }
}

/// Something on the disk that was not as it was written. Where events were lost by that, a `SpoolEviction` says so.
public struct SpoolDamage: Equatable, Sendable {
  /// What and where, for the log.
  public var text: String
  /// The end of a file that was being written when the power went: nothing in it had been stored.
  public var isTorn: Bool

  /// Something that was not as it was written.
  public init(_ text: String, isTorn: Bool) {
    self.text = text
    self.isTorn = isTorn
  }
}

/// How the spool is doing.
public struct SpoolCondition: Equatable, Sendable {
  /// Why nothing can be kept on the disk just now, where, and what to do about it; nil: all is well.
  public var trouble: String?
  /// Events of former runs on the disk that were not released; nil: it does not say.
  public var formerEvents: Int?
  /// When the oldest of them was measured; nil when there is none, or that is not known.
  public var oldestBorn: WallTime?
  /// What the events on the disk take that were not released, of this run too [bytes]; nil: it does not say.
  public var bytes: Int?
  /// How much room the spool takes on the disk [bytes]; nil: it does not say.
  public var sizeBytes: Int?
  /// Words about events that were given up which are lost themselves, since the start: too many waited to be told.
  public var untold = 0

  /// A spool in this condition.
  public init(
    trouble: String? = nil, formerEvents: Int? = nil, oldestBorn: WallTime? = nil, bytes: Int? = nil,
    sizeBytes: Int? = nil, untold: Int = 0
  ) {
    self.trouble = trouble
    self.formerEvents = formerEvents
    self.oldestBorn = oldestBorn
    self.bytes = bytes
    self.sizeBytes = sizeBytes
    self.untold = untold
  }
}
