public import Telemetry

/// What metrics say of the shell around the fleet's state.
public struct Surroundings: Equatable, Sendable {
  /// How the store does.
  public struct Store: Equatable, Sendable {
    /// What comes is kept just now.
    public var isKeeping: Bool
    /// Events since the start: kept, known already, and another one under a number that was taken.
    public var stored = 0, duplicates = 0, conflicts = 0
    /// Events that found no room while it did not keep up; their nodes keep them.
    public var dropped = 0
    /// Events that it gave up, for their age and for room.
    public var trimmedForAge = 0, trimmedForRoom = 0
    /// Transactions that were committed, and the time from handing each over to its being on the disk [s].
    public var batches = 0, committingS = 0.0
    /// Events that wait for it.
    public var waiting = 0
    /// The database and its log, and what its disk has left [bytes].
    public var sizeBytes: Int64?, freeBytes: Int64?

    public init(isKeeping: Bool) {
      self.isKeeping = isKeeping
    }
  }

  /// How a sink does.
  public struct Sink: Equatable, Sendable {
    /// As in the configuration.
    public var name: String
    /// Notices that wait, and how long the oldest has [s].
    public var queued = 0, oldestS: Double?
    /// Notices handed on, tries that failed, and notices that are not tried any more.
    public var delivered = 0, failed = 0, givenUp = 0
    /// The last try failed.
    public var isFailing = false

    public init(name: String) {
      self.name = name
    }
  }

  /// Nil: nothing is kept.
  public var store: Store?
  /// In their order.
  public var sinks: [Sink] = []
  /// Publications that the broker took too slowly.
  public var droppedPublications = 0
  /// Resident memory [bytes], CPU time [s], and when the process began.
  public var residentBytes: Int?, processorS: Double?, started: WallTime?
  /// Nodes that have series of their own at the most; 0: none has.
  public var nodes = 0

  public init() {}
}
