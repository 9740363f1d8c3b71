public import Telemetry

/// All that is known about a fleet: its nodes, the link to the broker, and the alerts. A pure value; the shell hands
/// inputs in, with the time, and carries effects out.
///
/// Nothing that arrives can stop it: what cannot be used is counted by reason. Everything in it is bounded.
public struct FleetState: Sendable {
  /// What the configuration file says about the fleet.
  public struct Configuration: Equatable, Sendable {
    /// The levels before a node's name.
    public var prefix: PrefixPattern
    /// The levels before `status` and `alerts/<rule>/<node>`.
    public var alertsPrefix: TopicPrefix
    /// Which nodes are taken in.
    public var admission = Admission.all
    /// Nodes kept at the most, besides those with a label.
    public var maxNodes: Int
    /// After the link is made, silence doesn't count for this long [s].
    public var graceS: Double
    /// One alert per rule and subject.
    public var rules: [Rule]
    /// What is said about nodes.
    public var labels: [NodeName: Label] = [:]
    /// Parts of the calendar, for rules and maintenance.
    public var windows: [Window] = []
    /// When an alert counts as one that comes and goes.
    public var flapping = Flapping()
    /// Alerts and the fleet's status are published.
    public var publishes: Bool
    /// All that nodes say is heard; false: only some of it, so that nothing follows from silence.
    public var hearsEverything = true
    /// There is a store: `Effect.keep` says what is to be kept.
    public var keeps: Bool
    /// Whether people may ask something over the broker.
    public var control = Control.none

    public init(
      prefix: PrefixPattern = PrefixPattern(.standard), alertsPrefix: TopicPrefix = .standardFleet,
      maxNodes: Int = 20_000, graceS: Double = 30, rules: [Rule] = Rule.defaults, publishes: Bool = true,
      keeps: Bool = false
    ) {
      self.prefix = prefix
      self.alertsPrefix = alertsPrefix
      self.maxNodes = maxNodes
      self.graceS = graceS
      self.rules = rules
      self.publishes = publishes
      self.keeps = keeps
    }
  }

  /// The fleet tool's own connection to the broker.
  public enum Link: Equatable, Sendable {
    /// Not made yet.
    case none
    case connected(since: Moment)
    case disconnected(reason: String, since: Moment)
  }

  /// Whether what comes is kept.
  public enum Storing: Equatable, Sendable {
    /// There is no store.
    case none
    case kept
    /// Nothing is kept just now, and why; one line.
    case failed(reason: String)
  }

  /// What it was made with.
  public let configuration: Configuration
  /// The relation between the clocks, as it was said last.
  public internal(set) var clock: ClockState
  /// The fleet tool's own connection.
  public internal(set) var link = Link.none
  /// What became of the messages.
  public internal(set) var tally = Tally()
  /// When the last message came, whatever it was; nil before the first.
  public internal(set) var lastReceived: Instant?
  /// In the order in which they were first heard of.
  public internal(set) var nodes: [Node] = []
  /// Nodes that spoke and were not taken in.
  public internal(set) var quarantine = Quarantine()

  var indices: [NodeName: Int] = [:]
  var records: [AlertKey: AlertRecord] = [:]
  /// Alerts firing.
  public internal(set) var firingCount = 0
  /// Runs while there is a link.
  var linkClock = PausableClock()
  /// Runs while there is a link and the grace after its return is over.
  var silenceClock = PausableClock()
  /// When nodes count as silent if nothing comes from them, on the silence clock; see `silenceDue`.
  var silenceDues = DueQueue<Int, Double>()
  /// When time alone changes alerts: those of rules on silence by the silence clock, the others by the link's.
  var silentAlertDues = DueQueue<AlertKey, Double>()
  var alertDues = DueQueue<AlertKey, Double>()
  /// Whether what comes is kept.
  public internal(set) var storing = Storing.none
  /// Alerts that were decided and not told yet, oldest first; only where there is a store.
  var untold: [AlertKey: [Alert]] = [:]
  /// What is still to be told of alerts that no rule stands for any more, by rule and subject.
  var orphans: [String: [Alert]] = [:]
  /// The alerts that the input just handled changed.
  var touched: Set<AlertKey> = []
  /// An earlier run's alerts are known: what the broker kept and they do not have is over.
  var knowsAlerts = false
  /// What fired and was over before a restart, and may not have been told; by the alert's id.
  var transients: [String: [Alert]] = [:]
  /// Which alerts the broker has as they are, and when those that it has not are published.
  var retainedAlerts = RetainedAlerts()
  /// What fired within the millisecond of the last alert that did.
  var issued = IssuedIDs()
  /// Places that nodes are at, in the order in which they were first heard of.
  var sites: [Site] = []
  var siteIndices: [String: Int] = [:]
  /// Those that hold or will hold, by their id.
  var silences: [String: Silence] = [:]
  /// When time alone makes alerts worth another look.
  var attended = DueQueue<AlertKey, Instant>()
  /// When a silence or a window begins or ends next.
  var calendarDue: Instant?
  /// Alerts of which something else changed that may make them news.
  var restless: Set<AlertKey> = []
  /// Rules about nodes that shook together, by their place in the configuration.
  var togetherRules: [Int: TogetherRule] = [:]
  /// What people asked over the broker, and what they were answered.
  var desk = ControlDesk()
  /// Commands that wait for their nodes, and when the next of them lapses.
  var wishes = Wishes()
  var wishesDue: Instant?
  /// Something changed that may make any alert news. At first, so that the calendar is looked at.
  var isPolicyStale = true
  var complaints = Complaints<Rejection>()
  var oddities = Complaints<Doubt>()
  var rate = RateMeter()
  var announcement = Announcement()
  /// When this run began; nil when nothing vouched for its clock then.
  var started: WallTime?
  /// What the input just handled asks for.
  var effects: [Effect] = []

  /// - Parameter clock: as the shell found it at start.
  public init(_ configuration: Configuration = Configuration(), clock: ClockState) {
    self.configuration = configuration
    self.clock = clock
    started = clock.quality == .none ? nil : clock.wallAtStart
    for (number, rule) in configuration.rules.enumerated() {
      if case .together(let settings) = rule.condition { togetherRules[number] = TogetherRule(settings) }
    }
  }

  /// Takes one input, and answers what is to be done about it, in order.
  /// - Parameter now: must not go back from call to call.
  public mutating func handle(_ input: Input, at now: Instant) -> [Effect] {
    effects = []
    letTimePass(moment(now))
    switch input {
    case .message(let topic, let payload, let retained):
      receive(topic: topic, payload: payload, retained: retained, at: moment(now))
    case .connected: connect(at: moment(now))
    case .disconnected(let reason): disconnect(reason, at: moment(now))
    case .clock(let state):
      noteClock(state, at: now)
    case .tick: break
    case .stop: stop(at: moment(now))
    case .told(let alert): if !noteOrphanTold(alert, at: moment(now)) { noteTold(alert) }
    case .conflict(let event): noteConflict(event, at: moment(now))
    case .store(let state): noteStore(state, at: moment(now))
    case .order(let order, let id): effects.append(.answer(carryOut(order, at: moment(now)), id: id))
    }
    publishMissing(at: moment(now))
    passTogether(at: moment(now))
    applyPolicy(at: moment(now))
    expireWishes(at: moment(now))
    keepTogether(at: moment(now))
    keepTouched(at: moment(now))
    announceIfChanged(at: moment(now))
    let answer = effects
    effects = []
    return answer
  }

  /// When `tick` is due next; nil when only an input can change anything. It may prove to be early.
  public func nextDeadline(after now: Instant) -> Instant? {
    [
      alertDues.earliest.flatMap { linkClock.moment(of: $0) },
      silentAlertDues.earliest.flatMap { silenceClock.moment(of: $0) },
      silenceDues.earliest.flatMap { silenceClock.moment(of: $0) },
      announcement.due(link: link, nodes: nodes.count, firing: firingCount), retainedAlerts.due,
      isConnected ? attended.earliest : nil, isConnected ? calendarDue : nil,
      togetherDue, togetherKeepDue(after: now), wishesDue,
    ].compactMap { $0 }.min().map { max($0, now) }
  }

  /// What is known about one node; nil if it was never heard of.
  public func node(_ name: NodeName) -> Node? { indices[name].map { nodes[$0] } }

  /// Messages per second of late; nil in the first second.
  public func messagesPerSecond(at now: Instant) -> Double? { rate.perSecond(at: now) }

  /// How many nodes are in each state.
  public var presences: [Presence: Int] { nodes.reduce(into: [:]) { $0[$1.presence, default: 0] += 1 } }

  /// The calendar time of `now`, as the fleet tool's clock has it.
  public func moment(_ now: Instant) -> Moment { Moment(instant: now, wall: clock.wall(at: now)) }

  /// The levels to subscribe to, with QoS 1: every node; waveforms, without which the numbers of events would have
  /// holes that look like losses; the fleet's own alerts, which are how it finds again what was firing before it was
  /// restarted; and what people ask.
  public var subscriptions: [String] {
    [
      configuration.prefix.subscription, configuration.prefix.subscription(to: .waveform),
      FleetTopic.alertSubscription(under: configuration.alertsPrefix),
    ] + (configuration.control == .none ? [] : [text(.command)])
  }

  func text(_ topic: FleetTopic) -> String { topic.text(under: configuration.alertsPrefix) }
}
