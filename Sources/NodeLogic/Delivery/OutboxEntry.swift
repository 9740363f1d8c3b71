internal import Telemetry

/// An event that is in memory just now.
struct OutboxEntry: Sendable {
  /// Where it stands on its way to the disk.
  enum Keeping: Equatable, Sendable {
    /// In memory alone.
    case unsaved
    /// The spool was asked, and has not answered.
    case offered
    /// On the disk too.
    case stored
  }

  /// Where it stands on its way out.
  enum Phase: Equatable, Sendable {
    /// In one of the queues.
    case waiting
    /// Handed to the session, which has not answered.
    case underWay
    /// The broker has it, the fleet tool has not said so yet.
    case unconfirmed
    /// Its stream is closed: see `StreamGates`.
    case aside
    /// It is to be sent alone: see `PoisonWatch`.
    case suspect
  }

  var key: EventKey
  var telegram: Telegram
  var madeAt: Instant
  /// Of its payload.
  var bytes: Int
  var keeping = Keeping.unsaved
  var phase = Phase.waiting
  /// It tells of the eviction with this id.
  var note: UInt64?
  /// It was read from the disk; then this is the place behind which it is found again, nil: the beginning.
  var isFetched = false
  var foundAfter: SpoolMark?
  /// It goes out, or went out last, from the backlog.
  var isLate = false
  /// It is under way as part of what is paced.
  var isBulk = false
  /// It was handed over before it was so last: the broker may have it.
  var wasKnown = false
  /// When it was handed over last.
  var handedOverAt = Instant.start
  /// It reached its end while it was under way once more.
  var isSettled = false

  var stream: Stream { telegram.body.stream }
  var isWaveform: Bool { stream == .waveform }
  var lane: EventLane { EventLane(stream) }
}
