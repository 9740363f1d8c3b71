internal import Telemetry

// What the location part of a node says, and what is kept of it.

extension Node {
  /// Takes what the connection to gpsd says.
  mutating func take(_ input: GpsdInput, at now: Instant, _ effects: inout [NodeEffect]) {
    guard let outputs = location?.handle(input, at: now) else { return }
    if let note = input.note(settings.gpsd ?? "?") { effects.append(.log(note)) }
    learnTime(at: now, &effects)
    carryOut(outputs, at: now, &effects)
    keepLocation(.whenDue, at: now, &effects)
  }

  /// Before what the fix leads to is published, so that it has the time which the fix made known.
  mutating func learnTime(at now: Instant, _ effects: inout [NodeEffect]) {
    if let fix = location?.lastGood, let note = time.hear(fix, at: now) { effects.append(.log(note)) }
    if let restedS = keeping.restedS(clock) { location?.rested(beforeStartS: restedS) }
  }

  /// A node that lies still is not on its way, whatever its fixes drift to.
  mutating func feelMotion(at now: Instant) {
    location?.feel(motion?.stillness(at: now) ?? .unknown, at: now)
  }

  /// Publishes what the tracker says.
  mutating func carryOut(_ outputs: [LocationOutput], at now: Instant, _ effects: inout [NodeEffect]) {
    for output in outputs {
      if case .decided(let decision) = output.content {
        if let note = decision.note { effects.append(.log(note)) }
        effects.append(.decided(decision))
      }
      if case .fence(let event) = output.content {
        effects.append(.log(event.note))
        append(.geofence(event.message(clock: clock)), at: output.at, &effects)
      }
      guard let message = output.message(clock: clock) else { continue }
      if let note = message.note { effects.append(.log(note)) }
      append(.location(message), at: output.at, &effects)
    }
  }

  /// Takes other settings, or none; what was kept outlasts a time without location.
  mutating func reconfigureLocation(
    _ new: LocationTracker.Settings?, at now: Instant, _ effects: inout [NodeEffect]
  ) {
    guard let new else {
      keepLocation(.atOnce, at: now, &effects)
      keeping.fences = location?.fences.record(clock: clock)
      location = nil
      return
    }
    if location == nil { location = keeping.tracker(new, at: now) } else { location?.reconfigure(new) }
  }

  /// Asks the shell to keep what is worth it.
  mutating func keepLocation(_ urgency: LocationKeeping.Urgency, at now: Instant, _ effects: inout [NodeEffect]) {
    guard let location, keeping.isDue(urgency, at: now) else { return }
    // A crossing that the broker does not have yet is not kept either: after a power cut it is found again.
    let fences = hasUndeliveredCrossing ? keeping.kept?.fences ?? [] : location.fences.record(clock: clock)
    let record = LocationRecord(
      boot: boot, odometer: location.odometer, fences: fences,
      written: clock.quality == .none ? nil : clock.wall(at: now))
    if keeping.take(record, at: now) { effects.append(.keep(record)) }
  }
}

/// When what is known of the location is worth a write to flash: when the broker has a crossing and at the end, else
/// every ten minutes when something changed.
struct LocationKeeping: Equatable, Sendable {
  /// From one write to the next [s]: what a power cut may take of the odometer.
  static let everyS = 600.0

  enum Urgency {
    case atOnce, whenDue
  }

  /// What was kept last, by this run or the one before.
  private(set) var kept: LocationRecord?
  /// The fences that the node was inside of when location was switched off.
  var fences: [LocationRecord.Fence]?
  private var lookedAt: Instant
  private let startedAt: Instant
  /// When the run before wrote; nil once it was told.
  private var before: WallTime?

  init(_ kept: LocationRecord?, at now: Instant) {
    self.kept = kept
    before = kept?.written
    lookedAt = now
    startedAt = now
  }

  /// From the last change before the start to the start [s], once, as soon as the time is known; nil otherwise.
  mutating func restedS(_ clock: ClockState) -> Double? {
    guard let before, clock.quality != .none else { return nil }
    self.before = nil
    return clock.wall(at: startedAt) - before
  }

  /// A tracker that goes on from what was kept.
  func tracker(_ settings: LocationTracker.Settings, at now: Instant) -> LocationTracker {
    LocationTracker(
      settings, startedAt: now, odometer: kept?.odometer ?? Odometer(), inside: fences ?? kept?.fences ?? [])
  }

  func isDue(_ urgency: Urgency, at now: Instant) -> Bool {
    urgency == .atOnce || now >= lookedAt + Self.everyS
  }

  /// Whether the record is to be written.
  mutating func take(_ record: LocationRecord, at now: Instant) -> Bool {
    lookedAt = now
    guard record.isWorthKeeping(over: kept ?? LocationRecord(boot: record.boot)) else { return false }
    kept = record
    return true
  }
}
