/// What a node does: everything that its configuration decides about the logic.
public struct NodeSettings: Equatable, Sendable {
  /// The sign of published accelerations.
  public var convention = Convention.standard
  /// Nil: there is no accelerometer.
  public var motion: MotionSettings?
  /// Nil: location is off.
  public var location: LocationTracker.Settings?
  /// `host:port` of the gpsd that is asked, for the status; nil when location is off.
  public var gpsd: String?
  /// How events reach their end, and how many may wait.
  public var outbox = OutboxSettings()
  /// From one health message to the next [s], > 0.
  public var healthIntervalS = 300.0
  /// Nil: as much data as it takes.
  public var budget: DataBudget.Settings?

  /// What was set over the broker, as `KEY=VALUE`, for the status.
  public var set: [String] = []

  public init() {}
}
