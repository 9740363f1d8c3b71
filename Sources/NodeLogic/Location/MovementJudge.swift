internal import Telemetry

/// Whether the node stands or moves, from good fixes and the accelerometer's stillness.
///
/// Positions wander while nothing moves, so a node that stands stays where its first fixes were until several in a row
/// are displaced by more than an allowance. The allowance grows with the accuracies, is wider while the accelerometer
/// is still and narrower while something says that the node moves, and is capped, so that a tow too smooth for the
/// accelerometer and too slow for the speed is still seen within 100 m. A fix that was rejected never gets here, so
/// that it says neither standing nor moving. Constant work and memory.
struct MovementJudge: Equatable, Sendable {
  /// So many fixes in a row over `confirmS` make a departure; where fixes are rare, `fewFixes` over `fewS`.
  static let confirmFixes = 3
  static let confirmS = 1.9
  static let fewFixes = 2
  static let fewS = 20.0
  /// Coming to stand takes so long with a still accelerometer, and without one [s].
  static let standStillS = 30.0
  static let standS = 120.0
  /// And so long that a crawl at this speed would leave the circle [m/s].
  static let crawlMPS = 0.3
  /// The least radius of the circle [m].
  static let leastCircleM = 10.0
  /// A reported speed from here on is no standing [m/s], unless the accelerometer is still.
  static let slowMPS = 1.0

  /// What a fix changed.
  enum Change: Equatable {
    case none
    /// It left `from`, where it had been for `stoodS`.
    case setOff(from: RestAnchor, stoodS: Double)
    case stood(at: RestAnchor)
  }

  /// Fixes in a row outside a limit.
  struct Row: Equatable {
    var since: Instant
    var fixes: Int
  }

  private(set) var movement = LocationTracker.Movement.unknown
  /// Since when; nil before the first fix.
  private(set) var since: Instant?
  /// Where it stands, or may come to stand.
  private(set) var anchor: RestAnchor?
  /// Of the newest fix.
  private(set) var distanceM = 0.0
  private(set) var allowanceM = 0.0
  private(set) var beyond: Row?
  /// When the speed was last too high for standing.
  private var fastAt: Instant?

  /// Whether the node moves; nil when it is not known, and while fixes speak for a departure that is not sure yet.
  var isMoving: Bool? { movement == .standing && beyond != nil ? nil : movement.isMoving }

  /// Takes a good fix.
  mutating func take(_ fix: Fix, _ stillness: LocationTracker.Stillness) -> Change {
    guard let anchor else {
      restart(at: fix)
      return .none
    }
    distanceM = anchor.coordinate.distanceM(to: fix.coordinate)
    allowanceM = DriftAllowance.metres(anchor: anchor, fix, stillness)
    if let speed = fix.speedMPS, speed >= MovementJudge.slowMPS, stillness.duration(at: fix.receivedAt) == nil {
      fastAt = fix.receivedAt
    }
    return movement == .moving ? settle(fix, anchor, stillness) : leave(fix, anchor, stillness)
  }

  /// Forgets what was: the node is elsewhere, and nobody knows how it came there.
  mutating func restart(at fix: Fix) {
    self = MovementJudge()
    anchor = RestAnchor(fix)
    since = fix.receivedAt
  }

  /// Moves what is remembered back, by what the monotonic clock did not count [s]. A departure that was not sure yet
  /// has to be seen anew: two fixes with a night between them are no row.
  mutating func age(by seconds: Double) {
    since = since.map { $0 - seconds }
    anchor?.age(by: seconds)
    fastAt = fastAt.map { $0 - seconds }
    beyond = nil
  }

  // MARK: From standing to moving

  private mutating func leave(_ fix: Fix, _ anchor: RestAnchor, _ stillness: LocationTracker.Stillness) -> Change {
    guard distanceM > allowanceM else {
      beyond = nil
      self.anchor?.add(fix)
      return movement == .unknown ? standIfLong(fix, stillness) : .none
    }
    beyond = beyond.map { Row(since: $0.since, fixes: $0.fixes + 1) } ?? Row(since: fix.receivedAt, fixes: 1)
    guard let row = beyond, isConfirmed(row, at: fix.receivedAt) else { return .none }
    movement = .moving
    since = row.since
    restAt(fix)
    return .setOff(from: anchor, stoodS: max(0, row.since - anchor.since))
  }

  private func isConfirmed(_ row: Row, at now: Instant) -> Bool {
    let durationS = now - row.since
    return row.fixes >= MovementJudge.confirmFixes && durationS >= MovementJudge.confirmS
      || row.fixes >= MovementJudge.fewFixes && durationS >= MovementJudge.fewS
  }

  private mutating func restAt(_ fix: Fix) {
    anchor = RestAnchor(fix)
    beyond = nil
  }

  // MARK: From moving to standing

  /// Looks for a circle that the node does not leave for long.
  private mutating func settle(_ fix: Fix, _ anchor: RestAnchor, _ stillness: LocationTracker.Stillness) -> Change {
    let circleM = self.circleM(anchor, fix)
    if fastAt == fix.receivedAt || distanceM > 2 * circleM || distanceM > circleM && beyond != nil {
      restAt(fix)
      return .none
    }
    if distanceM > circleM {
      beyond = Row(since: fix.receivedAt, fixes: 1)
      return .none
    }
    beyond = nil
    self.anchor?.add(fix)
    return standIfLong(fix, stillness)
  }

  private func circleM(_ anchor: RestAnchor, _ fix: Fix) -> Double {
    max(MovementJudge.leastCircleM, hypot(anchor.accuracyM, FixNoise.metres(fix)))
  }

  private mutating func standIfLong(_ fix: Fix, _ stillness: LocationTracker.Stillness) -> Change {
    guard let anchor, anchor.fixes >= MovementJudge.confirmFixes else { return .none }
    let now = fix.receivedAt
    let heldS = now - max(anchor.since, fastAt ?? anchor.since)
    let crawlS = circleM(anchor, fix) / MovementJudge.crawlMPS
    let isStill = stillness.duration(at: now).map { min($0, heldS) >= max(MovementJudge.standStillS, crawlS) } ?? false
    guard isStill || heldS >= max(MovementJudge.standS, crawlS) else { return .none }
    let wasMoving = movement == .moving
    movement = .standing
    since = anchor.since
    beyond = nil
    return wasMoving ? .stood(at: anchor) : .none
  }
}
