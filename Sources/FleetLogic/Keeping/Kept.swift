public import Telemetry

// What outlasts the fleet tool. The shell puts it on the disk in batches, and holds back what follows until then.

/// Something to be on the disk before anybody hears of what follows from it.
public enum Keep: Equatable, Sendable {
  /// An event of a node, also one that came before: only what is stored can be acknowledged, and a duplicate is
  /// acknowledged again.
  case event(KeptEvent)
  /// The message that says how a node is now; takes the place of the one before.
  case latest(KeptMessage)
  /// Something about a run of a node that its events don't tell.
  case boot(KeptNote)
  /// What is going on between a rule and a subject; takes the place of what was known before.
  case alert(KeptAlert)
  /// Nothing is going on between a rule and a subject any more, and everything was told.
  case alertOver(rule: String, subject: AlertSubject)
  /// A step in the life of an alert.
  case decision(Decision)
  /// Somebody silenced alerts, or ended that; takes the place of what was known of that silence.
  case silence(Silence)
  /// A command that waits for its node, or what became of it; takes the place of what was known of that wish.
  case wish(Wish)
  /// Anything else; takes the place of what was kept under its key.
  case note(KeptText)
}

/// Something that is kept as it is.
public struct KeptText: Equatable, Sendable {
  /// What it is: words with slashes.
  public var key: String
  /// Compact JSON.
  public var text: [UInt8]

  public init(key: String, text: [UInt8]) {
    self.key = key
    self.text = text
  }
}

/// An event as it came, with both of its times.
public struct KeptEvent: Equatable, Sendable {
  /// Whose; together with `boot` and `sequence` what makes it one event.
  public var node: NodeName
  /// Of which run.
  public var boot: BootID
  /// Its number within the run.
  public var sequence: UInt64
  /// What kind of event it is.
  public var stream: Stream
  /// When it was measured, by the best clock that its run is known to have had; nil when nothing vouches for any. Never
  /// later than 5 min after its receipt: what the node said stands in the payload.
  public var measured: WallTime?
  /// What the node's own time was worth.
  public var clock: ClockQuality?
  /// How long the node had run when it was measured [s].
  public var uptime: Double?
  /// When it came.
  public var received: WallTime
  /// It was no news when it came.
  public var isLate: Bool
  /// What is odd about it; nil when nothing is.
  public var doubt: Doubt?
  /// The message, as it came.
  public var payload: [UInt8]
  /// What it says was given up; nil unless it is of the stream `evicted`.
  public var eviction: Eviction?

  /// An event, all of it known.
  public init(
    node: NodeName, boot: BootID, sequence: UInt64, stream: Stream, measured: WallTime?, clock: ClockQuality?,
    uptime: Double?, received: WallTime, isLate: Bool, payload: [UInt8]
  ) {
    self.node = node
    self.boot = boot
    self.sequence = sequence
    self.stream = stream
    self.measured = measured
    self.clock = clock
    self.uptime = uptime
    self.received = received
    self.isLate = isLate
    self.payload = payload
  }

  /// Events that are not going to come.
  public struct Eviction: Equatable, Sendable {
    /// The run that they belong to.
    public var boot: BootID
    /// From the lowest to the highest number.
    public var range: ClosedRange<UInt64>
    /// Exactly what was given up; nil where only bounds are known, which acknowledge nothing.
    public var runs: [ClosedRange<UInt64>]?
    /// How many; nil when unknown.
    public var events: Int?
    /// Why.
    public var reason: EvictedMessage.Reason

    /// - Parameter boot: the run that says so.
    public init(_ message: EvictedMessage, in boot: BootID) {
      self.boot = message.boot ?? boot
      range = message.first...max(message.first, message.last)
      runs = message.exactRuns
      events = message.count
      reason = message.reason
    }
  }
}

/// Why an event may not be what it seems.
public enum Doubt: String, CaseIterable, Sendable {
  /// Several runs of the node speak in turn: two devices use one name.
  case clone
  /// Another event of the same number came before, with another content.
  case conflict
  /// Its number is lower than that of an event that was measured well before it.
  case backwards
}

/// The last message of its kind from a node.
public struct KeptMessage: Equatable, Sendable {
  /// Whose.
  public var node: NodeName
  /// What it takes the place of: the stream, and where several of one stream stand side by side what tells them
  /// apart: `location/fix`, `location/lost`, `status/lost`, `geofence/<fence>`.
  public var place: String
  /// When it came, live.
  public var received: WallTime
  /// It was no news when it came.
  public var isLate: Bool
  /// As it came.
  public var payload: [UInt8]

  /// A message in its place.
  public init(node: NodeName, place: String, received: WallTime, isLate: Bool, payload: [UInt8]) {
    self.node = node
    self.place = place
    self.received = received
    self.isLate = isLate
    self.payload = payload
  }

  /// The stream that it came on; nil for a place that this version doesn't know.
  public var stream: Stream? { place.split(separator: "/").first.flatMap { Stream(rawValue: String($0)) } }
}

/// All that was kept about a fleet, to begin with where an earlier run of the fleet tool ended.
public struct KeptFleet: Equatable, Sendable {
  /// In any order.
  public var nodes: [KeptNode]
  /// In any order.
  public var alerts: [KeptAlert]
  /// The last time at which anything came: the earlier run was there until then at least; nil when nothing ever did.
  public var lastReceived: WallTime?
  /// In any order.
  public var silences: [Silence]
  /// In any order.
  public var notes: [KeptText]
  /// In any order.
  public var wishes: [Wish] = []

  public init(
    nodes: [KeptNode] = [], alerts: [KeptAlert] = [], silences: [Silence] = [], notes: [KeptText] = [],
    lastReceived: WallTime? = nil
  ) {
    self.notes = notes
    self.nodes = nodes
    self.alerts = alerts
    self.silences = silences
    self.lastReceived = lastReceived
  }
}

/// What was kept about one node.
public struct KeptNode: Equatable, Sendable {
  /// Which.
  public var name: NodeName
  /// Its runs, in the order in which they were first heard of.
  public var boots: [KeptBoot]
  /// The last message in each place.
  public var latest: [KeptMessage]

  public init(name: NodeName, boots: [KeptBoot] = [], latest: [KeptMessage] = []) {
    self.name = name
    self.boots = boots
    self.latest = latest
  }
}

/// What was kept about one run of a node.
public struct KeptBoot: Equatable, Sendable {
  /// Which.
  public var boot: BootID
  /// The numbers that are stored or were given up, rising, without overlap.
  public var settled: [ClosedRange<UInt64>]
  /// The best clock that it is known to have had; nil when nothing vouched for any.
  public var clock: ClockState?
  /// As in `Node`.
  public var interleavings = 0, conflicts = 0, replays = 0

  public init(boot: BootID, settled: [ClosedRange<UInt64>], clock: ClockState? = nil) {
    self.boot = boot
    self.settled = settled
    self.clock = clock
  }
}

/// Something that was learned of one run of a node. Nil and 0 leave what is known as it is.
public struct KeptNote: Equatable, Sendable {
  /// Whose.
  public var node: NodeName
  /// Which run.
  public var boot: BootID
  /// A clock that is worth more than what was known.
  public var clock: ClockState?
  /// How many more live messages came though the run was thought to be over.
  public var interleavings: Int
  /// How many more events came whose numbers had gone back as no resending explains.
  public var replays: Int

  public init(node: NodeName, boot: BootID, clock: ClockState? = nil, interleavings: Int = 0, replays: Int = 0) {
    self.node = node
    self.boot = boot
    self.clock = clock
    self.interleavings = interleavings
    self.replays = replays
  }
}
