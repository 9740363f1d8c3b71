public import Telemetry

extension LocationTracker {
  /// What a viewer wants to know about the tracker at one moment.
  public struct Glance: Equatable, Sendable {
    /// Whether there is a position.
    public enum State: Equatable, Sendable {
      /// No fix yet, and not long enough to call it lost.
      case acquiring
      case fixed
      case lost(LocationMessage.Loss.Reason)
    }

    /// A receiver that reported.
    public struct Device: Equatable, Sendable {
      /// As gpsd names it.
      public var path: String
      /// Its last report with a position; nil when there was none.
      public var fixAt: Instant?
      /// Of that report: 2 or 3, 0 without.
      public var dimensions: Int
      /// Of the last report that gave one [m].
      public var accuracyM: Double?
      /// Since when it has been clearly better than the one that is followed.
      public var betterSince: Instant?
      /// It is the one that is followed.
      public var isFollowed: Bool
    }

    /// Whether there is a position.
    public var state: State
    /// The last fix that was used.
    public var lastGood: Fix?
    /// The fix that was published last, and when.
    public var published: Fix?
    public var publishedAt: Instant?
    /// How far a fix of the last accuracy must be from the published one to be worth a message [m].
    public var neededM: Double
    /// From the published one to the last good one [m].
    public var movedM: Double?
    /// Standing or moving.
    public var movement: Movement
    /// Since when.
    public var movementSince: Instant?
    /// Where it stands; nil before the first fix, and while it moves.
    public var anchor: Coordinate?
    /// From there to the last good fix [m].
    public var anchorDistanceM: Double?
    /// How far a fix of the last accuracy may be from there while the node stands [m].
    public var allowanceM: Double?
    /// What the accelerometer says.
    public var stillness: Stillness
    /// Rejected fixes in a row that agree with one another.
    public var candidates: Int
    /// The newest rejection of a fix.
    public var lastRejection: FixDecision.Rejection?
    /// All receivers that reported a position or the lack of one, at most 8.
    public var devices: [Device]
    /// Distances travelled.
    public var odometer: Odometer
  }

  /// Whether the node stands.
  public enum Movement: String, CaseIterable, Equatable, Sendable {
    case unknown, standing, moving

    /// Whether it moves; nil when it is not known.
    public var isMoving: Bool? {
      switch self {
      case .unknown: nil
      case .standing: false
      case .moving: true
      }
    }
  }
}

extension LocationTracker {
  /// What there is to see just now.
  public var glance: Glance {
    let movedM = published.flatMap { last in lastGood.map { last.fix.coordinate.distanceM(to: $0.coordinate) } }
    return Glance(
      state: glanceState, lastGood: lastGood, published: published?.fix, publishedAt: published?.at,
      neededM: lastGood.map(neededM(for:)) ?? settings.distanceFilterM, movedM: movedM, movement: judge.movement,
      movementSince: judge.since, anchor: judge.movement == .moving ? nil : judge.anchor?.coordinate,
      anchorDistanceM: judge.movement == .moving ? nil : judge.anchor.map { _ in judge.distanceM },
      allowanceM: judge.movement == .moving ? nil : judge.anchor.map { _ in judge.allowanceM }, stillness: stillness,
      candidates: gate.candidates, lastRejection: refused?.rejection, devices: devices.heard.map(glance(of:)),
      odometer: travel.odometer)
  }

  private var glanceState: Glance.State {
    switch phase {
    case .acquiring: .acquiring
    case .fixed: .fixed
    case .lost(let reason): .lost(reason)
    }
  }

  private func glance(of device: DeviceChoice.Heard) -> Glance.Device {
    Glance.Device(
      path: device.path, fixAt: device.fixAt, dimensions: device.dimensions, accuracyM: device.accuracyM,
      betterSince: device.betterSince, isFollowed: device.path == (settings.device ?? devices.followed))
  }
}
