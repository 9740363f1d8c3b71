public import Telemetry

/// Runs stored events through rules, as if they came again in the order and at the times of their receipt: what would
/// have fired. Nothing is published, kept or told.
///
/// Only events are in the history: rules about silence, the connection, the sensor, the clock, the spool and rates have
/// nothing to go by, see `blindKinds`.
public struct Rehearsal: Sendable {
  /// Kinds whose messages the history does not keep.
  public static let blindKinds: [Condition.Kind] = [
    .silent, .flapping, .sensorFault, .clockWrong, .spool, .clone, .rate,
  ]

  /// What became of one rule.
  public struct Count: Equatable, Sendable {
    /// How often people would have been told that it fires, and again.
    public var told = 0, repeated = 0
    /// How often it would have fired, and nobody would have been told.
    public var muted = 0
    /// The nodes, sites and fleets concerned.
    public var subjects: Set<String> = []

    /// Nothing happened.
    public init() {}
  }

  private var fleet: FleetState
  private let prefix: TopicPrefix
  private var last = Instant.start
  private let first: WallTime
  /// Events that went through.
  public private(set) var events = 0
  /// By the rule's name.
  public private(set) var counts: [String: Count] = [:]

  /// - Parameter first: when the first event came.
  public init(_ configuration: FleetState.Configuration, first: WallTime) {
    var configuration = configuration
    configuration.publishes = false
    // Decisions are wanted, and nothing is written.
    configuration.keeps = true
    configuration.hearsEverything = false
    configuration.prefix = PrefixPattern(.standard)
    prefix = .standard
    self.first = first
    fleet = FleetState(configuration, clock: ClockState(wallAtStart: first, quality: .ntp))
    _ = fleet.handle(.connected, at: .start)
  }

  /// Takes the next event. Answers what would have been told.
  public mutating func take(_ event: KeptEvent) -> [Alert] {
    events += 1
    let now = max(last, Instant.start + (event.received - first))
    var alerts = pass(to: now)
    let topic = Topic(prefix: prefix, node: event.node, stream: event.stream).description
    alerts += note(fleet.handle(.message(topic: Array(topic.utf8), payload: event.payload, retained: false), at: now))
    return alerts
  }

  /// Lets time pass until the end of what is looked at.
  public mutating func finish(at end: WallTime) -> [Alert] { pass(to: max(last, Instant.start + (end - first))) }

  /// What fires at the end.
  public var firing: [Alert] { fleet.firingAlerts(at: last) }

  private mutating func pass(to end: Instant) -> [Alert] {
    var alerts: [Alert] = []
    while let due = fleet.nextDeadline(after: last), due < end {
      last = max(due, last + 0.001)
      alerts += note(fleet.handle(.tick, at: last))
    }
    last = end
    return alerts
  }

  private mutating func note(_ effects: [Effect]) -> [Alert] {
    var alerts: [Alert] = []
    for effect in effects {
      switch effect {
      case .alert(let alert):
        alerts.append(alert)
        counts[alert.rule, default: Count()].subjects.insert(alert.subject.description)
        guard alert.state != .resolved else { continue }
        counts[alert.rule, default: Count()].told += alert.isRepeated ? 0 : 1
        counts[alert.rule, default: Count()].repeated += alert.isRepeated ? 1 : 0
      case .keep(.decision(let decision)) where decision.step == .muted:
        counts[decision.rule, default: Count()].muted += 1
        counts[decision.rule, default: Count()].subjects.insert(decision.subject.description)
      default: continue
      }
    }
    return alerts
  }
}
