public import Telemetry

/// What a rule looks at, with its thresholds. Where an alert is raised by one value and ends by another, the second is
/// the weaker one, so that a value at the threshold does not make alerts come and go.
public enum Condition: Equatable, Sendable {
  /// The node shook.
  case shake(Events)
  /// The node was hit, or fell.
  case impact(Events)
  /// The node says that it has no position.
  case lostFix(LostFix)
  /// The node's positions are less accurate than somebody needs.
  case poorFix(PoorFix)
  /// Nothing comes from the node.
  case silent(Silence)
  /// The node's connection breaks again and again.
  case flapping(Flapping)
  /// The node stood, and is somewhere else.
  case moved(Moved)
  /// The node crossed a fence of its own configuration.
  case geofence(Geofence)
  /// Another side of the node is up, or it leans.
  case tipped(Tipped)
  /// Something is wrong with the node's accelerometer.
  case sensorFault(SensorFault)
  /// The node's clock is not to be trusted.
  case clockWrong(ClockWrong)
  /// What the node has to deliver waits, or is lost.
  case spool(Spool)
  /// Two devices use one name.
  case clone(Clone)
  /// The node sends more, or less, than it should.
  case rate(Rate)
  /// Many nodes shook at a time.
  case together(Together.Settings)

  /// Strikes that are counted: shakes or impacts.
  public struct Events: Equatable, Sendable {
    /// Weaker ones don't count [g].
    public var minPeakG = 0.0
    /// While the alert fires, those from here on keep it firing [g]; nil: as `minPeakG`.
    public var clearPeakG: Double?
    /// So many within `withinS` raise the alert. From 2 on it fires as long as there are so many.
    public var count = 1
    /// See `count` [s].
    public var withinS = 600.0
    /// One that is older when it arrives, by clocks that can be trusted, is history and doesn't count [s].
    public var maxAgeS = 300.0
    /// `shake`: the phases that count. A shake counts once, whatever phases of it come.
    public var phases: Set<ShakeMessage.Phase> = [.began, .ended]
    /// `impact`: falls count, too.
    public var freeFall = false

    public init() {}

    /// So long after it was counted another phase of a shake may come that could count [s].
    var holdS: Double { maxAgeS + FleetState.longestShakeS }

    /// What keeps an alert firing [g].
    var keepingPeakG: Double { min(clearPeakG ?? minPeakG, minPeakG) }
  }

  /// No position.
  public struct LostFix: Equatable, Sendable {
    /// The reasons that count; empty: all.
    public var reasons: Set<LocationMessage.Loss.Reason> = []

    public init() {}
  }

  /// A position of little worth.
  public struct PoorFix: Equatable, Sendable {
    /// Accuracies above this raise the alert [m].
    public var raiseM = 50.0
    /// Accuracies up to this end it [m].
    public var clearM = 30.0

    public init() {}
  }

  /// Silence.
  public struct Silence: Equatable, Sendable {
    /// How long a node whose will came has got to come back [s].
    public var holdS = 30.0

    public init() {}
  }

  /// A connection that comes and goes.
  public struct Flapping: Equatable, Sendable {
    /// So many losses within `withinS` raise the alert.
    public var count = 5
    /// It ends when there are no more than so many within `withinS`.
    public var clearCount = 2
    /// See `count` [s].
    public var withinS = 3600.0

    public init() {}
  }

  /// A departure of something that stood.
  public struct Moved: Equatable, Sendable {
    /// Farther than this from where it stood, the accuracies of both places taken off, raises the alert [m].
    public var raiseM = 100.0
    /// Back within this it is where it stood [m].
    public var clearM = 50.0
    /// A node that stays within `clearM` for so long stands there [s].
    public var parkedS = 900.0

    public init() {}
  }

  /// A fence.
  public struct Geofence: Equatable, Sendable {
    /// The fence's name; nil for any, where whichever was crossed last counts.
    public var fence: String?
    /// Which crossing raises the alert; the other one ends it.
    public var event = GeofenceMessage.Event.leave

    public init() {}
  }

  /// A side that should be up.
  public struct Tipped: Equatable, Sendable {
    /// The sides that may be up; empty: only the one that was when the node was first heard.
    public var faces: Set<Face> = []
    /// The node leans by more than this from where it stood upright [deg]; nil: only sides count.
    public var raiseDeg: Double?
    /// It leans by no more than this [deg]; nil: as `raiseDeg`.
    public var clearDeg: Double?

    public init() {}
  }

  /// A sensor that cannot be believed.
  public struct SensorFault: Equatable, Sendable {
    /// What may be wrong.
    public enum Fault: String, CaseIterable, Sendable {
      /// Samples were promised and do not come.
      case stalled
      /// It cannot be read.
      case failed
      /// Its values stood still as no sensor's do.
      case frozen
      /// Readings beyond what it can measure.
      case clipped
      /// Samples are polled rather than buffered.
      case polling
    }

    /// What counts.
    public var faults: Set<Fault> = [.stalled, .failed, .frozen, .clipped]

    public init() {}
  }

  /// A wrong clock.
  public struct ClockWrong: Equatable, Sendable {
    /// Farther off the fleet tool's clock than this raises the alert [s].
    public var raiseS = 60.0
    /// Not farther than this ends it [s].
    public var clearS = 30.0

    public init() {}
  }

  /// A node that cannot deliver.
  public struct Spool: Equatable, Sendable {
    /// What may be wrong.
    public enum Trouble: String, CaseIterable, Sendable {
      /// The oldest event has waited too long.
      case backlog
      /// Events were given up.
      case evicted
      /// They wait in memory though there should be a disk.
      case degraded
      /// What was kept could not be read back.
      case damaged
      /// The broker does not let it publish some.
      case refused
    }

    /// What counts.
    public var troubles: Set<Trouble> = Set(Trouble.allCases)
    /// An event that has waited longer raises the alert [s].
    public var raiseS = 3600.0
    /// None that has waited longer ends it [s].
    public var clearS = 600.0

    public init() {}
  }

  /// Two devices of one name.
  public struct Clone: Equatable, Sendable {
    /// So long without a sign of the other one ends the alert [s].
    public var quietS = 3600.0

    public init() {}
  }

  /// How much a node sends.
  public struct Rate: Equatable, Sendable {
    /// More than this raises the alert [messages/min]; nil: only `factor` counts.
    public var raisePerMin: Double?
    /// Up to this ends it [messages/min]; nil: as `raisePerMin`.
    public var clearPerMin: Double?
    /// So many times what the node usually sends raises the alert, or so many times less; nil: that does not count.
    public var factor: Double? = 10
    /// Over so long messages are counted [s].
    public var windowS = 300.0

    public init() {}
  }
}

extension Condition {
  /// The kind of a condition, as the configuration names it.
  public enum Kind: String, CaseIterable, Sendable {
    case shake, impact
    case lostFix = "lost-fix"
    case poorFix = "poor-fix"
    case silent, flapping, moved, geofence, tipped
    case sensorFault = "sensor-fault"
    case clockWrong = "clock-wrong"
    case spool, clone, rate, together
  }

  /// The condition of `kind` with its defaults.
  public init(_ kind: Kind) {
    self =
      switch kind {
      case .shake: .shake(Events())
      case .impact: .impact(Events())
      case .lostFix: .lostFix(LostFix())
      case .poorFix: .poorFix(PoorFix())
      case .silent: .silent(Silence())
      case .flapping: .flapping(Flapping())
      case .moved: .moved(Moved())
      case .geofence: .geofence(Geofence())
      case .tipped: .tipped(Tipped())
      case .sensorFault: .sensorFault(SensorFault())
      case .clockWrong: .clockWrong(ClockWrong())
      case .spool: .spool(Spool())
      case .clone: .clone(Clone())
      case .rate: .rate(Rate())
      case .together: .together(Together.Settings())
      }
  }

  /// Within so long strikes are counted [s]; nil: they are not.
  var withinS: Double? {
    switch self {
    case .shake(let events), .impact(let events): events.withinS
    case .flapping(let flapping): flapping.withinS
    default: nil
    }
  }

  /// So long after a shake was counted another phase of it may come that could count [s]; nil: nothing is counted.
  var shakeHoldS: Double? {
    switch self {
    case .shake(let events), .impact(let events): events.holdS
    default: nil
    }
  }

  /// What it looks at.
  public var kind: Kind {
    switch self {
    case .shake: .shake
    case .impact: .impact
    case .lostFix: .lostFix
    case .poorFix: .poorFix
    case .silent: .silent
    case .flapping: .flapping
    case .moved: .moved
    case .geofence: .geofence
    case .tipped: .tipped
    case .sensorFault: .sensorFault
    case .clockWrong: .clockWrong
    case .spool: .spool
    case .clone: .clone
    case .rate: .rate
    case .together: .together
    }
  }
}

extension Condition.Kind {
  /// It is a thing that happens rather than a state that lasts: a node that does it is there.
  public var isEvent: Bool {
    switch self {
    case .shake, .impact, .clone, .together: true
    default: false
    }
  }
}
