public import Telemetry

/// What others may ask at any time.
extension LocationTracker {
  /// What was counted since the start.
  public struct Counters: Equatable, Sendable {
    /// Reports with a position, several for one epoch.
    public internal(set) var fixReports = 0
    /// Reports without one.
    public internal(set) var noFixReports = 0
    /// Epochs decided on.
    public internal(set) var epochs = 0
    /// Reports with the time of an epoch that was decided on.
    public internal(set) var repeated = 0
    /// Epochs worse than the accuracy asked for.
    public internal(set) var inaccurate = 0
    /// Epochs at a place where no vehicle can have got to.
    public internal(set) var jumps = 0
    /// Such places that enough fixes in a row agreed on.
    public internal(set) var jumpsTaken = 0
    /// Epochs that were good and not worth a message.
    public internal(set) var withheld = 0
    /// Epochs with a time before that of the one before.
    public internal(set) var backwards = 0
    /// How often gpsd stopped answering.
    public internal(set) var outages = 0
    /// Positions from a simulator.
    public internal(set) var simulated = 0
    /// Positions that are not on the globe.
    public internal(set) var impossible = 0
    /// Reports of another device than the one that is followed.
    public internal(set) var otherDevice = 0
    /// Lines that could not be used.
    public internal(set) var unreadable: [GpsdLineProblem: Int] = [:]

    /// Epochs that were not used.
    public var rejected: Int { inaccurate + jumps }

    fileprivate var faults: HealthMessage.GPS.Faults? {
      let faults = HealthMessage.GPS.Faults(
        inaccurate: inaccurate, jumps: jumps, jumpsTaken: jumpsTaken, simulated: simulated, impossible: impossible,
        backwards: backwards, outages: outages)
      return faults == HealthMessage.GPS.Faults() ? nil : faults
    }
  }

  /// The last fix that was used, however old; nil before the first.
  public func place(at now: Instant) -> Place? {
    lastGood.map {
      Place(
        latitude: $0.coordinate.latitude, longitude: $0.coordinate.longitude, fixAgeS: max(0, now - $0.receivedAt))
    }
  }

  /// The state in force as a message, for a broker that was not there when it changed; nil before there is any. The
  /// position becomes the reference of the distance filter, as any that is published does.
  public mutating func present(at now: Instant) -> LocationOutput? {
    switch phase {
    case .acquiring: nil
    case .fixed: lastGood.map { publish($0, .request, at: now) }
    case .lost(let reason): LocationOutput(at: now, .lost(loss(because: reason)))
    }
  }

  /// Distances travelled; to be kept over a restart.
  public var odometer: Odometer { travel.odometer }

  /// What the health message says about the position.
  public func health(at now: Instant) -> HealthMessage.GPS {
    var health = HealthMessage.GPS(
      state: state, rejected: counters.rejected + counters.simulated + counters.impossible,
      badLines: counters.unreadable.values.reduce(0, +))
    health.ageS = lastGood.map { max(0, now - $0.receivedAt) }
    health.satellites = sky.flatMap { $0.counts(for: settings.device ?? devices.followed) ? $0.used : nil }
    health.withheld = counters.withheld
    health.faults = counters.faults
    return health
  }

  private var state: HealthMessage.GPS.State {
    switch phase {
    case .acquiring: .acquiring
    case .fixed: .fix
    case .lost(.noFix): .noFix
    case .lost(.stalled): .stalled
    case .lost(.deviceGone): .deviceGone
    case .lost(.gpsdGone): .gpsdGone
    case .lost(.simulated): .simulated
    case .lost(.rejected): .rejected
    }
  }
}
