public import Telemetry

/// Whether a node is there.
public enum Presence: String, CaseIterable, Sendable {
  case online
  /// It said good-bye.
  case stopped
  /// The broker published its will.
  case lost
  /// Nothing came from it for longer than it promised.
  case silent
  /// Nothing is known but what the broker kept.
  case unknown
}

/// What is known about one node. Everything in it is bounded.
public struct Node: Equatable, Sendable {
  /// The level of its topics.
  public let name: NodeName
  /// Whether it is there.
  public internal(set) var presence = Presence.unknown
  /// Since when; by the fleet tool's clock.
  public internal(set) var presenceSince: Moment
  /// When the first message about it came.
  public internal(set) var firstSeen: Moment
  /// The last message that came live; nil when all that is known was kept by the broker.
  public internal(set) var lastSeen: Moment?
  /// The newest time of measurement of what the broker had kept, as far as anything vouches for it.
  public internal(set) var lastMeasured: WallTime?
  /// The last status other than a will.
  public internal(set) var status: StatusMessage?
  /// The last position or loss; nil before the first.
  public internal(set) var location: Reported<LocationMessage>?
  /// The last position, which outlasts the loss of the fix.
  public internal(set) var position: Reported<LocationMessage.Position>?
  /// The first of the losses since its last position; nil while it has one.
  var firstLoss: Stamp?
  /// How long it had no position before the one that it has [s]; nil where that is not known.
  var regainedAfterS: Double?
  /// The side that is up; nil before the first message.
  public internal(set) var orientation: Reported<OrientationMessage>?
  /// The last acceleration window; nil before the first.
  public internal(set) var acceleration: Reported<AccelerationMessage>?
  /// The last phase of the last shake; nil before the first.
  public internal(set) var shake: Reported<ShakeMessage>?
  /// The last crossing of each of its fences.
  public internal(set) var crossings: [String: Reported<GeofenceMessage>] = [:]
  /// What it said last about its own condition; nil before the first.
  public internal(set) var health: Reported<HealthMessage>?
  /// Messages taken, by stream.
  public internal(set) var counts: [Stream: Int] = [:]
  /// Wills that spoke of the current boot.
  public internal(set) var wills = 0
  /// How often it came back after a will.
  public internal(set) var flaps = 0
  /// Events that had come before, live.
  public internal(set) var duplicates = 0
  /// Events that came after a newer one of the same boot.
  public internal(set) var late = 0
  /// Messages of boots that are over, wills among them.
  public internal(set) var stale = 0
  /// Events that came again under the same number, with another content.
  public internal(set) var conflicts = 0
  /// Events whose number was lower than that of an event measured well before them.
  public internal(set) var replays = 0
  /// Events that it said it gave up, by reason, as far as it knew how many.
  public private(set) var evicted: [EvictedMessage.Reason: Int] = [:]
  /// How often it could not read back what it had kept.
  public internal(set) var damages = 0
  /// The levels before its name, as they were in the last live message; nil before the first.
  public internal(set) var prefix: TopicPrefix?
  var memory = EventMemory()
  /// When a message that comes often was last kept, by place.
  var lastKept: [String: Instant] = [:]
  var boots = BootLog()
  /// The rules that concern it, as indices into the configuration's list.
  var rules: [Int] = []
  /// What the configuration says about it; nil when nothing.
  public internal(set) var label: Label?
  /// The place of its site in the fleet's list; nil: it has none.
  var site: Int?
  /// How much it sends, for each rule that looks at that.
  var traffic: [Int: Traffic] = [:]
  /// When it was last heard live, or first known, on the fleet's silence clock [s].
  var silenceReference: Double

  init(_ name: NodeName, at moment: Moment, silenceReference: Double) {
    self.name = name
    self.presenceSince = moment
    self.firstSeen = moment
    self.silenceReference = silenceReference
  }

  /// Something a node said, and when.
  public struct Reported<Content: Equatable & Sendable>: Equatable, Sendable {
    /// What it said.
    public var content: Content
    /// When.
    public var stamp: Stamp
  }

  /// The last crossing of a fence, or of any.
  func crossing(of fence: String?) -> Reported<GeofenceMessage>? {
    if let fence { return crossings[fence] }
    return crossings.values.max { $1.stamp.isNewer(than: $0.stamp) && !$0.stamp.isNewer(than: $1.stamp) }
  }

  /// Notes events that it said it gave up.
  mutating func noteEvicted(_ count: Int, _ reason: EvictedMessage.Reason) {
    evicted[reason, default: 0].addClamped(count)
  }

  /// As many fences as a node may have, and as many that it had before.
  private static let mostFences = 200

  /// Notes a crossing, unless something newer is known of that fence. Answers whether it did.
  mutating func note(_ crossing: GeofenceMessage, _ stamp: Stamp) -> Bool {
    if let known = crossings[crossing.fence], !stamp.isNewer(than: known.stamp) { return false }
    if crossings[crossing.fence] == nil, crossings.count >= Self.mostFences,
      let oldest = crossings.min(by: { $1.value.stamp.isNewer(than: $0.value.stamp) })?.key
    {
      crossings[oldest] = nil
    }
    crossings[crossing.fence] = Reported(content: crossing, stamp: stamp)
    return true
  }

  /// The run that counts; nil before the first message.
  public var boot: BootID? { boots.current?.boot }
  /// Runs that the fleet tool has taken for the current one.
  public var bootsSeen: Int { boots.count }
  /// Boots before the current one, oldest first; 8 at the most.
  public var formerBoots: [BootID] { boots.former.map(\.boot) }
  /// The highest sequence number of the current boot.
  public var lastSequence: UInt64? { boots.current?.sequences.highest }
  /// Events of the current boot that must exist and have not come.
  public var missing: UInt64 { boots.current?.missing ?? 0 }
  /// Live messages of a boot that was thought to be over.
  public var interleavings: Int { boots.interleavings }
  /// Several boots speak in turn: two devices use one name.
  public var isSuspectedClone: Bool { boots.interleavings >= 3 }
  /// The version of its software; nil when it did not say.
  public var agent: String? { status?.agent }

  /// Nothing for this long means silence [s]: two and a half of the intervals that the node promised.
  public var silenceS: Double {
    let interval = status?.healthIntervalS ?? 300
    return 2.5 * min(max(interval, 1), 86400)
  }

  /// Tells anew when what is known was measured, after a run turned out to have a better clock than was known.
  mutating func repairTimes(of boot: BootID, by clock: ClockState) {
    location?.stamp.repair(boot, by: clock)
    position?.stamp.repair(boot, by: clock)
    firstLoss?.repair(boot, by: clock)
    orientation?.stamp.repair(boot, by: clock)
    acceleration?.stamp.repair(boot, by: clock)
    shake?.stamp.repair(boot, by: clock)
    health?.stamp.repair(boot, by: clock)
    let kept = [location?.stamp, orientation?.stamp, shake?.stamp].compactMap { $0 }.filter { $0.heard == nil }
    lastMeasured = (kept.compactMap(\.measured) + [lastMeasured].compactMap { $0 }).max()
  }

  /// The age of the last thing heard from it [s]; nil when nobody can say.
  public func age(at now: Instant, _ clock: ClockState) -> Double? {
    if let lastSeen { return max(0, now - lastSeen.instant) }
    guard let lastMeasured, clock.quality != .none else { return nil }
    return max(0, clock.wall(at: now) - lastMeasured)
  }

  /// The age of its last position's fix, which the loss of it does not make any newer [s]: of the one that the loss
  /// names, else of the last that was published. Where there never was one, how long the node has said so. Nil when
  /// nobody can say.
  public func fixAge(at now: Instant, _ clock: ClockState) -> Double? {
    if let location, case .lost(let loss) = location.content, let last = loss.last {
      return location.stamp.age(at: now, clock).map { $0 + last.ageS }
    }
    guard let position else { return firstLoss?.age(at: now, clock) }
    return position.stamp.age(at: now, clock).map { $0 + position.content.ageS }
  }

  /// How long it has had no position, or had none before the one that it has [s]; nil when nobody can say.
  func withoutFixS(at now: Instant, _ clock: ClockState) -> Double? {
    switch location?.content {
    case .lost: fixAge(at: now, clock)
    case .fixed: regainedAfterS
    case nil: nil
    }
  }

  /// The last place that was good: with a loss the one that it names, which may be newer than the last published one.
  var lastPlace: (latitude: Double, longitude: Double, accuracyM: Double?)? {
    if case .lost(let loss) = location?.content, let last = loss.last {
      return (last.latitude, last.longitude, last.accuracyM)
    }
    return position.map { ($0.content.latitude, $0.content.longitude, $0.content.accuracyM) }
  }
}
