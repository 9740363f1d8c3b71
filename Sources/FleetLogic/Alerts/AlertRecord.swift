public import Telemetry

/// What became of one rule at one subject: kept for each pair where something is going on or is remembered.
struct AlertRecord: Equatable, Sendable {
  var life = AlertLife()
  /// Names the alert that fires; nil until one does.
  var id: String?
  /// Since when the condition has held, as far as is known.
  var since: WallTime
  /// `silent`: since when, on the fleet's clock; nil for what was taken over from an earlier run.
  var sinceInstant: Instant?
  var value: Double?
  /// The last shake or impact that was counted.
  var lastShake: ShakeIdentity?
  /// What people were told.
  var notice = Notice()
  /// What the rule remembers, also while nothing is going on.
  var memory = RuleMemory()

  /// Nothing is going on, and nothing is to be remembered.
  var isEmpty: Bool { isQuiet && memory == RuleMemory() }

  /// A new record, with what is known from before.
  func remembering(_ quiet: AlertRecord) -> AlertRecord {
    var record = self
    record.memory = quiet.memory
    record.lastShake = quiet.lastShake
    // One that comes and goes is told as one.
    if quiet.memory.flap != nil { record.notice = quiet.notice }
    return record
  }

  /// The condition does not hold, and no alert fires.
  var isQuiet: Bool { life.phase == .quiet }
}

/// What people were told of an alert that fires.
struct Notice: Equatable, Sendable {
  /// That it fires.
  var isTold = false
  /// They may have been told of it before a restart, or not.
  var mayBeTold = false
  /// Which sinks were told that it fires; empty: all; nil: none, or it is not known.
  var sinks: [String]?
  /// What they heard last is that it comes and goes.
  var isToldAsFlapping = false
  /// When it fired, on the monotonic clock.
  var fired: Instant?
  /// When it is told again, should it fire still; nil: never.
  var repeats: Instant?
  /// Why it is not told just now.
  var mute: Mute?
  /// Somebody has seen it.
  var acknowledgement: AlertAcknowledgement?
}

/// What a rule remembers of its subject from one message to the next. Bounded.
struct RuleMemory: Equatable, Sendable {
  /// What is counted: shakes, impacts, losses of the connection. Oldest first.
  var strikes: [Strike] = []
  /// The shakes, impacts and falls that were counted, so that a further phase that comes late, or after the alert is
  /// over, does not count them again. At most `mostShakes`, oldest first.
  var shakes: [CountedShake] = []
  /// When the alert fired of late. Oldest first.
  var raises: [Instant] = []
  /// It comes and goes; nil: it does not.
  var flap: Flap?
  /// `tipped`: how it stood upright.
  var upright: OrientationMessage?
  /// `moved`: where it stands, or stood.
  var parking: Parking?
  /// `together`: what shook the nodes.
  var finding: FindingNote?
  /// `moved`: where it has been since it left, and may stand; nil: nowhere.
  var stand: Parking?

  static let mostShakes = 32

  /// One that raised the alert, or was counted towards it.
  struct CountedShake: Equatable, Sendable {
    var identity: ShakeIdentity
    var at: Instant
  }

  /// Something that is counted.
  struct Strike: Equatable, Sendable {
    var at: Instant
    /// Which shake or impact it was; nil for anything else.
    var shake: ShakeIdentity?
    /// How strong it was [g]; nil where that means nothing.
    var peakG: Double?
  }

  /// An alert that comes and goes, and is told as one.
  struct Flap: Equatable, Sendable {
    /// Names it, like an alert.
    var id: String
    /// Since when.
    var since: WallTime
    /// When it last came or went.
    var changed: Instant
    /// People know.
    var isTold = false
  }

  /// A place where a node stood.
  struct Parking: Equatable, Sendable {
    var latitude: Double, longitude: Double
    /// How well the place is known [m].
    var accuracyM: Double
    /// Since when it has been there.
    var since: Instant
    /// It has been there long enough to be expected there.
    var isParked: Bool
  }

  func hasCounted(_ shake: ShakeIdentity) -> Bool { shakes.contains { $0.identity == shake } }

  /// Notes that a shake was counted, and forgets those of which nothing can come any more.
  mutating func count(_ shake: ShakeIdentity, at now: Instant, forgetsAfter holdS: Double) {
    shakes.removeAll { now - $0.at > holdS }
    if shakes.count >= Self.mostShakes { shakes.removeFirst(shakes.count - Self.mostShakes + 1) }
    shakes.append(CountedShake(identity: shake, at: now))
  }

  /// Notes a strike, and forgets what is out of the window; answers how many are in it.
  mutating func strike(_ strike: Strike, withinS: Double, limit: Int) -> Int {
    strikes.append(strike)
    strikes.removeAll { strike.at - $0.at > withinS }
    if strikes.count > limit { strikes.removeFirst(strikes.count - limit) }
    return strikes.count
  }
}

/// Which shake of which run; or which impact, whose numbers are negative here.
public struct ShakeIdentity: Equatable, Sendable {
  /// The run.
  public var boot: BootID
  /// The shake's number in it.
  public var id: Int

  public init(boot: BootID, id: Int) {
    self.boot = boot
    self.id = id
  }
}

/// How often alerts fired within one millisecond: a backlog can take a condition to and fro in less than that, and
/// each of its alerts has an id of its own.
struct IssuedIDs: Sendable {
  /// Since 1970 [ms].
  var timeMs = 0.0
  /// By the id of the first.
  var counts: [String: Int] = [:]
}
