public import Telemetry

/// What the fleet is told.
public enum Input: Sendable {
  /// A message came. Nothing is assumed about its topic or payload.
  case message(topic: [UInt8], payload: [UInt8], retained: Bool)
  /// The link to the broker was made, subscriptions included.
  case connected
  /// The link was lost or could not be made, and why. Said again, it is ignored unless the reason is another one.
  case disconnected(reason: String)
  /// The relation between the clocks changed.
  case clock(ClockState)
  /// Time passed: at `nextDeadline`, or at any other moment.
  case tick
  /// The fleet tool is going to stop.
  case stop
  /// Every sink has been told of an alert.
  case told(Alert)
  /// The store has another event under the number of this one, and keeps the first.
  case conflict(KeptEvent)
  /// What comes is kept, or why it is not.
  case store(FleetState.Storing)
  /// Somebody does something about alerts. `id` comes back with the answer.
  case order(Order, id: String)
}

/// What the fleet wants done.
///
/// Where an answer to one input has anything to `keep`, its alerts and publications, and all that come after it, wait
/// until that is on the disk: nobody hears of what could be forgotten.
public enum Effect: Equatable, Sendable {
  /// An alert fired or resolved: for every sink. Pending ones are only in the log.
  case alert(Alert)
  /// To be published at QoS 1; dropped when there is no link, since all of it is repeated at the next one.
  case publish(Publication)
  /// Something about a node changed: for those who watch.
  case change(Change)
  /// The fleet tool's own link was made or lost, or is still away for another reason.
  case link(FleetState.Link, at: Moment)
  case log(LogEntry)
  /// Is to be on the disk before anybody hears of what follows from it; only where `Configuration.keeps`.
  case keep(Keep)
  /// What became of an order.
  case answer(OrderAnswer, id: String)
}

/// A message to publish.
public struct Publication: Equatable, Sendable {
  /// Without wildcards.
  public var topic: String
  /// Empty takes a retained message away.
  public var payload: [UInt8]
  /// The broker keeps it for later subscribers.
  public var retained: Bool

  public init(topic: String, payload: [UInt8], retained: Bool) {
    self.topic = topic
    self.payload = payload
    self.retained = retained
  }
}

/// One line for the log, safe to show.
public struct LogEntry: Equatable, Sendable {
  /// How much a line matters.
  public enum Level: String, CaseIterable, Sendable {
    case debug, information, warning
  }

  /// How much it matters.
  public var level: Level
  /// One line, without its end.
  public var text: String

  public init(_ level: Level, _ text: String) {
    self.level = level
    self.text = text
  }
}

/// Something that changed and is worth a line.
public struct Change: Equatable, Sendable {
  /// What changed.
  public enum Kind: Equatable, Sendable {
    case presence(Presence, was: Presence, reason: String)
    case boot(BootID, was: BootID?)
    /// It was told to publish no motion, or to do so again.
    case armed(Bool)
    case shake(ShakeMessage)
    case impact(ImpactMessage)
    case freeFall(FreeFallMessage)
    case location(LocationMessage)
    /// How long ago, nil when nobody can say; and whether nothing newer is known of that fence.
    case geofence(GeofenceMessage, ageS: Double?, isLatest: Bool)
    case face(Face, was: Face?)
    case evicted(EvictedMessage)
    /// An event may not be what it seems, and why; one sample a minute of each kind.
    case doubt(Doubt, String)
    /// Any message that was taken; also for those that cause one of the other changes.
    case message(Telegram, Receipt, retained: Bool)
  }

  /// Whose.
  public var node: NodeName
  /// When the fleet tool learned of it.
  public var at: Moment
  /// When it was measured, by the best clock that this run of the node is known to have had until now; nil when nothing
  /// vouches for any.
  public var measured: WallTime?
  /// It was no news when it came; nil: it was, or nobody can say.
  public var late: Lateness?
  /// What.
  public var kind: Kind
}

/// Why an event is no news.
public struct Lateness: Equatable, Sendable {
  /// What gives it away.
  public enum Cause: String, CaseIterable, Sendable {
    /// It is older than 5 min, by clocks that can be trusted or by what the node said since.
    case age
    /// The node says so.
    case backlog
    /// The run of the node that it belongs to is over.
    case formerBoot = "former_boot"
  }

  /// What gives it away.
  public var cause: Cause
  /// How old it was at least when it came [s]; nil when nobody can say.
  public var ageS: Double?

  public init(_ cause: Cause, ageS: Double?) {
    self.cause = cause
    self.ageS = ageS
  }
}

/// What became of a message that could be read.
public enum Receipt: String, CaseIterable, Sendable {
  /// The newest of the node's current boot.
  case newest
  /// Of the current boot, after a newer one had come: fills only what nothing newer has filled.
  case late
  /// Of a boot that is over, likewise.
  case formerBoot = "former_boot"
}
