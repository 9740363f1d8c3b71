/// How the node itself is doing: stream `health`, each `health.interval_s`.
public struct HealthMessage: Equatable, Sendable {
  /// What waits to be delivered.
  public struct Spool: Equatable, Sendable {
    /// Where it waits.
    public enum State: String, CaseIterable, Sendable {
      /// On the disk.
      case disk
      /// Only in memory: a power cut loses it.
      case memory
    }

    /// Whose word ends the duty to keep an event.
    public enum Delivery: String, CaseIterable, Sendable {
      case broker
      case fleet
    }

    /// How many events.
    public var events: Int
    /// Their size in all [bytes].
    public var bytes: Int
    /// The age of the oldest [s]; absent when nothing waits.
    public var oldestS: Double?
    /// Events given up since the start because there was no room, or because they were too old.
    public var evicted: Int
    /// Where it waits; absent when nobody says.
    public var state: State?
    /// Why it waits in memory although a folder is configured; absent when it does not.
    public var trouble: String?
    /// Whose word ends the duty to keep an event; absent when nobody says.
    public var delivery: Delivery?
    /// Events that the broker has, and no fleet tool has acknowledged; absent unless `delivery` is `fleet`.
    public var unconfirmed: Int?
    /// Events that are not safe on the disk, though they should be; absent while there is none.
    public var unsaved: Int?
    /// Events that the broker does not let this node publish, kept for a better day; absent while there is none.
    public var setAside: Int?
    /// Places in the spool that could not be read back, since the start; absent while there is none.
    public var damaged: Int?
    /// How long it takes until there is no more room, if nothing is delivered and as much comes as of late [s]; absent
    /// when that is not known.
    public var lastsS: Double?

    /// What waits, counted.
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

    /// The connection, counted.
    public init(connects: Int, unacknowledged: Int, dropped: Int, refused: Int) {
      self.connects = connects
      self.unacknowledged = unacknowledged
      self.dropped = dropped
      self.refused = refused
    }
  }

  /// How the accelerometer is doing.
  public struct Accelerometer: Equatable, Sendable {
    /// Whether samples come.
    public enum State: String, CaseIterable, Sendable {
      case running
      /// Samples were promised and do not come.
      case stalled
      /// The sensor cannot be read.
      case failed
      case starting
      /// The sensor sleeps until something moves it.
      case idle
      /// Samples come, and nothing of them is published: the node was told so.
      case disarmed
    }

    /// Movements that did not become shakes, since the start: what a threshold is chosen by.
    public struct NearMisses: Equatable, Sendable {
      /// They went to and fro often enough, too weakly.
      public var weak: Int
      /// They were strong enough, and did not go to and fro often enough.
      public var fewReversals: Int
      /// The strongest of them [g], as `on_g` counts; nil before the first.
      public var strongestG: Double?

      /// Near misses, counted.
      public init(weak: Int, fewReversals: Int, strongestG: Double?) {
        self.weak = weak
        self.fewReversals = fewReversals
        self.strongestG = strongestG
      }
    }

    /// What went wrong between the sensor and the samples, since the start.
    public struct Faults: Equatable, Sendable {
      /// Readings that failed and were tried again.
      public var retried: Int
      /// How often the sensor fell silent.
      public var stalls: Int
      /// Readings of exactly zero on all axes, which no sensor measures.
      public var zeros: Int
      /// How often the values stood still as no sensor's do.
      public var frozen: Int
      /// Readings beyond what the sensor can measure.
      public var outOfRange: Int

      /// Faults, counted.
      public init(retried: Int = 0, stalls: Int = 0, zeros: Int = 0, frozen: Int = 0, outOfRange: Int = 0) {
        self.retried = retried
        self.stalls = stalls
        self.zeros = zeros
        self.frozen = frozen
        self.outOfRange = outOfRange
      }
    }

    /// Whether samples come.
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
    /// The last error, while `state` is `failed` or `stalled`; or why no shakes are looked for.
    public var error: String?
    /// Absent when no shakes are looked for.
    public var nearMisses: NearMisses?
    /// Absent when nothing ever went wrong.
    public var faults: Faults?

    /// A sensor of which only this is known.
    public init(state: State, gaps: Int, dropped: Int) {
      self.state = state
      self.gaps = gaps
      self.dropped = dropped
    }
  }

  /// How the receiver behind gpsd is doing.
  public struct GPS: Equatable, Sendable {
    /// Whether there is a fix, and why not.
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

    /// What was wrong with fixes and with gpsd, since the start.
    public struct Faults: Equatable, Sendable {
      /// Fixes worse than the accuracy asked for.
      public var inaccurate: Int
      /// Fixes that no vehicle could have got to.
      public var jumps: Int
      /// Jumps that later fixes confirmed, so that the position moved there.
      public var jumpsTaken: Int
      /// Fixes from a simulator.
      public var simulated: Int
      /// Fixes that are not on the globe.
      public var impossible: Int
      /// How often the receiver's time went back.
      public var backwards: Int
      /// How often the receiver's time began to be off by multiples of 1024 weeks.
      public var rollovers: Int
      /// How often gpsd stopped answering.
      public var outages: Int

      /// Faults, counted.
      public init(
        inaccurate: Int = 0, jumps: Int = 0, jumpsTaken: Int = 0, simulated: Int = 0, impossible: Int = 0,
        backwards: Int = 0, rollovers: Int = 0, outages: Int = 0
      ) {
        self.inaccurate = inaccurate
        self.jumps = jumps
        self.jumpsTaken = jumpsTaken
        self.simulated = simulated
        self.impossible = impossible
        self.backwards = backwards
        self.rollovers = rollovers
        self.outages = outages
      }
    }

    /// Whether there is a fix, and why not.
    public var state: State
    /// The age of the last usable fix [s]; absent before the first.
    public var ageS: Double?
    /// Satellites used in the last solution.
    public var satellites: Int?
    /// Fixes not used since the start, for any reason: `faults` says which.
    public var rejected: Int
    /// Good fixes that were not published since the start: not far enough, or drift of a node that stands.
    public var withheld: Int?
    /// Lines of gpsd that could not be read since the start.
    public var badLines: Int
    /// Absent when nothing ever went wrong.
    public var faults: Faults?

    /// A receiver of which only this is known.
    public init(state: State, rejected: Int, badLines: Int) {
      self.state = state
      self.rejected = rejected
      self.badLines = badLines
    }
  }

  /// What the node does to keep within a volume of data.
  public struct Budget: Equatable, Sendable {
    /// What it may use in 30 days [MB of 10^6 bytes].
    public var limitMB: Double
    /// What it used in the last 30 days, or since the start [MB].
    public var usedMB: Double
    /// How many times longer than configured windows are just now; 1: as configured.
    public var stretch: Double

    /// A budget and what became of it.
    public init(limitMB: Double, usedMB: Double, stretch: Double) {
      self.limitMB = limitMB
      self.usedMB = usedMB
      self.stretch = stretch
    }
  }

  /// What goes out: while offline, what waits in memory.
  public var spool: Spool
  /// The connection to the broker.
  public var link: Link
  /// Absent without an accelerometer.
  public var accelerometer: Accelerometer?
  /// Absent when location is off.
  public var gps: GPS?
  /// Absent without a budget.
  public var budget: Budget?
  /// Resident memory [kB of 1024 bytes].
  public var residentKB: Int?
  /// Processor time used since the start [s].
  public var processorS: Double?

  /// The health of a node without sensors.
  public init(spool: Spool, link: Link) {
    self.spool = spool
    self.link = link
  }
}
