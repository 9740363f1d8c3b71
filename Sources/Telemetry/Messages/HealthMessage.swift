/// How the node itself is doing: stream `health`, each `health.interval_s`.
public struct HealthMessage: Equatable, Sendable {
  /// What waits to be delivered.
  public struct Spool: Equatable, Sendable {
    public var events: Int
    public var bytes: Int
    /// The age of the oldest [s]; absent when nothing waits.
    public var oldestS: Double?
    /// Events given up since the start because there was no room.
    public var evicted: Int

    public init(events: Int, bytes: Int, oldestS: Double?, evicted: Int) {
      self.events = events
      self.bytes = bytes
      self.oldestS = oldestS
      self.evicted = evicted
    }
  }

  /// The connection to the broker.
  public struct Link: Equatable, Sendable {
    /// How often it was made since the start.
    public var connects: Int
    /// Messages handed over and not acknowledged yet.
    public var unacknowledged: Int
    /// Messages that are not events, dropped because there was no connection.
    public var dropped: Int
    /// Messages that the broker refused for good.
    public var refused: Int

    public init(connects: Int, unacknowledged: Int, dropped: Int, refused: Int) {
      self.connects = connects
      self.unacknowledged = unacknowledged
      self.dropped = dropped
      self.refused = refused
    }
  }

  public struct Accelerometer: Equatable, Sendable {
    public enum State: String, CaseIterable, Sendable {
      case running
      /// Samples were promised and do not come.
      case stalled
      /// The sensor cannot be read.
      case failed
      case starting
    }

    public var state: State
    /// The measured rate [Hz].
    public var rateHz: Double?
    /// The age of the last sample [s]; absent before the first.
    public var ageS: Double?
    /// Interruptions since the start.
    public var gaps: Int
    /// Samples dropped since the start: out of order or not finite.
    public var dropped: Int
    /// RMS of the acceleration without gravity at the quietest window so far [mg].
    public var noiseMg: Double?
    /// Why samples are polled rather than buffered; absent when they are buffered.
    public var polling: String?
    /// The last error, while `state` is `failed` or `stalled`.
    public var error: String?

    public init(state: State, gaps: Int, dropped: Int) {
      self.state = state
      self.gaps = gaps
      self.dropped = dropped
    }
  }

  public struct GPS: Equatable, Sendable {
    public enum State: String, CaseIterable, Sendable {
      case fix
      /// Not enough heard yet to say anything.
      case acquiring
      case noFix = "no_fix"
      case stalled
      case deviceGone = "device_gone"
      case gpsdGone = "gpsd_gone"
      case simulated
      case rejected
    }

    public var state: State
    /// The age of the last usable fix [s]; absent before the first.
    public var ageS: Double?
    /// Satellites used in the last solution.
    public var satellites: Int?
    /// Fixes not used since the start, for any reason: too inaccurate, simulated, impossible.
    public var rejected: Int
    /// Lines of gpsd that could not be read since the start.
    public var badLines: Int

    public init(state: State, rejected: Int, badLines: Int) {
      self.state = state
      self.rejected = rejected
      self.badLines = badLines
    }
  }

  /// What goes out: while offline, what waits in memory.
  public var spool: Spool
  public var link: Link
  /// Absent without an accelerometer.
  public var accelerometer: Accelerometer?
  /// Absent when location is off.
  public var gps: GPS?
  /// Resident memory [kB of 1024 bytes].
  public var residentKB: Int?
  /// Processor time used since the start [s].
  public var processorS: Double?

  public init(spool: Spool, link: Link) {
    self.spool = spool
    self.link = link
  }
}
