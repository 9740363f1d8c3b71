public import Telemetry

/// What is written together, or not at all.
public struct StoreBatch: Equatable, Sendable {
  /// Events of one batch at the most.
  public static let maximumEvents = 10_000

  /// The owner's own; the answer repeats it.
  public var id: UInt64
  /// The calendar time just now; nil while nothing vouches for it, and then nothing is given up for its age.
  public var now: WallTime?
  /// Events as they came, duplicates and all.
  public var events: [EventRow] = []
  /// The newest message of streams, for the next start. Of several for one node and stream the last one counts.
  public var latest: [LatestRow] = []
  /// What became of alerts: each takes the place of the record of the same rule and node.
  public var alerts: [KeptAlert] = []
  /// Alerts that sinks and subscribers have been told of.
  public var told: [ToldAlert] = []
  /// Alerts of which nothing needs to be known any more.
  public var forgottenAlerts: [AlertIdentity] = []
  /// What was decided about alerts, and what people wish, in the order of it.
  public var changes: [AlertingChange] = []
  /// Events that nodes said they gave up.
  public var evictions: [EvictionRow] = []
  /// What was learned of runs of nodes.
  public var boots: [BootNote] = []

  /// An empty batch.
  public init(id: UInt64, now: WallTime?) {
    self.id = id
    self.now = now
  }

  /// Nothing is in it.
  public var isEmpty: Bool {
    events.isEmpty && latest.isEmpty && alerts.isEmpty && told.isEmpty && forgottenAlerts.isEmpty
      && changes.isEmpty && evictions.isEmpty && boots.isEmpty
  }

  /// About what its rows take in the database's log, beside other nodes' [bytes].
  var sizeBytes: Int64 {
    let pagesBytes: Int64 = 4096
    return events.reduce(0) { $0 + Int64($1.payload.count) + pagesBytes }
      + latest.reduce(0) { $0 + Int64($1.payload.count) + pagesBytes }
  }
}

/// One event of a node.
public struct EventRow: Equatable, Sendable {
  /// With `boot` and `sequence` its identity.
  public var node: NodeName
  /// The run of the node.
  public var boot: BootID
  /// Its number in that run, from 1.
  public var sequence: UInt64
  /// What kind of message it is.
  public var stream: Stream
  /// When it was measured, repaired as well as is known; nil when nothing vouches for any time.
  public var measured: WallTime?
  /// What the node's own time was worth.
  public var clock: ClockQuality?
  /// Monotonic time from the node's start to the event [s].
  public var uptimeS: Double?
  /// When it came, by the fleet tool's clock.
  public var received: WallTime
  /// It came late: from the backlog, after a newer one, or of a run that was over.
  public var isLate: Bool
  /// As it came, 64 kB at most.
  public var payload: [UInt8]

  public init(
    node: NodeName, boot: BootID, sequence: UInt64, stream: Stream, measured: WallTime?, clock: ClockQuality?,
    uptimeS: Double?, received: WallTime, isLate: Bool, payload: [UInt8]
  ) {
    self.node = node
    self.boot = boot
    self.sequence = sequence
    self.stream = stream
    self.measured = measured
    self.clock = clock
    self.uptimeS = uptimeS
    self.received = received
    self.isLate = isLate
    self.payload = payload
  }
}

/// The newest message of one stream of a node, or of one part of a stream.
public struct LatestRow: Equatable, Sendable {
  /// Whose.
  public var node: NodeName
  /// Which stream.
  public var stream: Stream
  /// What tells several of one stream apart that stand side by side, a fence's name for example; empty: there is one.
  public var part: String
  /// When it came; nil when the broker had kept it, so that receipt says nothing about its age.
  public var received: WallTime?
  /// As it came.
  public var payload: [UInt8]

  public init(node: NodeName, stream: Stream, part: String = "", received: WallTime?, payload: [UInt8]) {
    self.node = node
    self.stream = stream
    self.part = part
    self.received = received
    self.payload = payload
  }

  /// Stream and part as they are in the database.
  var place: String { part.isEmpty ? stream.rawValue : "\(stream.rawValue)/\(part)" }

  /// Reads what `place` says; nil for a stream that this version doesn't know.
  static func stream(ofPlace place: String) -> (stream: Stream, part: String)? {
    if let stream = Stream(rawValue: place) { return (stream, "") }
    guard let slash = place.firstIndex(of: "/"), let stream = Stream(rawValue: String(place[..<slash])) else {
      return nil
    }
    return (stream, String(place[place.index(after: slash)...]))
  }
}

/// Events that a node said it gave up.
public struct EvictionRow: Equatable, Sendable {
  /// Whose.
  public var node: NodeName
  /// The run whose events are gone.
  public var ofBoot: BootID
  /// The run and the number of the event that said so: said twice, it counts once.
  public var boot: BootID, sequence: UInt64
  /// From the lowest to the highest number.
  public var range: ClosedRange<UInt64>
  /// The numbers, exactly: those that count as settled. Empty when nobody knows which they were (`damaged`).
  public var runs: [ClosedRange<UInt64>]
  /// How many; nil when unknown.
  public var events: UInt64?
  /// The node's word for why.
  public var reason: String
  /// When it was told.
  public var received: WallTime

  public init(
    node: NodeName, ofBoot: BootID, boot: BootID, sequence: UInt64, range: ClosedRange<UInt64>,
    runs: [ClosedRange<UInt64>], events: UInt64?, reason: String, received: WallTime
  ) {
    self.node = node
    self.ofBoot = ofBoot
    self.boot = boot
    self.sequence = sequence
    self.range = range
    self.runs = runs
    self.events = events
    self.reason = reason
    self.received = received
  }
}

/// What was learned of one run of a node. Nil and 0 leave what is known as it is.
public struct BootNote: Equatable, Sendable {
  /// Whose.
  public var node: NodeName
  /// Which run.
  public var boot: BootID
  /// The best clock that the run is known to have had.
  public var clock: ClockState?
  /// How many more live messages of a run that was thought to be over came, as two devices with one name send them.
  public var interleavings: Int
  /// How many more events came whose number had gone back in a way that no resending explains.
  public var replays: Int

  public init(node: NodeName, boot: BootID, clock: ClockState? = nil, interleavings: Int = 0, replays: Int = 0) {
    self.node = node
    self.boot = boot
    self.clock = clock
    self.interleavings = interleavings
    self.replays = replays
  }
}

extension EvictionRow {
  /// What an `evicted` event says.
  /// - Parameter envelope: of the event, which has a number.
  public init(node: NodeName, _ envelope: Envelope, _ message: EvictedMessage, received: WallTime) {
    let bounds = min(message.first, message.last)...max(message.first, message.last)
    self.init(
      node: node, ofBoot: message.boot ?? envelope.boot, boot: envelope.boot, sequence: envelope.sequence ?? 0,
      range: bounds, runs: message.exactRuns ?? [], events: message.count.map { UInt64(max(0, $0)) },
      reason: message.reason.rawValue, received: received)
  }
}
