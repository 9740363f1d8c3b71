public import Telemetry

/// Turns what gpsd says into the messages of the location stream: positions when they are due, and losses with their
/// reason.
///
/// A position is published when it is the first, when it is regained, when the node moved by the distance filter, or
/// when the interval has passed, whichever comes first. A fix that was refused changes nothing: neither the reference
/// of the distance filter nor the time since the last good one.
public struct LocationTracker: Sendable {
  enum Phase: Equatable {
    /// No fix yet, and not long enough to call it lost.
    case acquiring
    case fixed
    case lost(LossEvidence.Reason)
  }

  /// Another reason than the published one, and since when.
  struct Candidate: Equatable {
    var reason: LossEvidence.Reason
    var since: Instant
  }

  /// A position that was published.
  struct Published: Equatable {
    var fix: Fix
    var at: Instant
  }

  public private(set) var settings: Settings
  public internal(set) var counters = Counters()

  let startedAt: Instant
  var phase = Phase.acquiring
  var evidence = LossEvidence()
  var candidate: Candidate?
  /// The epoch whose reports are still coming in.
  var pending: Fix?
  /// The epoch that was decided on last, used or not.
  var decided: Fix?
  /// The last fix that was used.
  var lastGood: Fix?
  var published: Published?
  var satellites: Int?
  /// The last moment that was handed in.
  var latest: Instant

  /// - Parameter startedAt: from when on a missing fix counts.
  public init(_ settings: Settings = Settings(), startedAt: Instant = .start) {
    self.settings = settings
    self.startedAt = startedAt
    latest = startedAt
  }

  /// Takes new settings. What is known of gpsd, of the last fix and of what was published stays.
  public mutating func reconfigure(_ settings: Settings) {
    self.settings = settings
  }

  /// Takes one input in; `now` never goes back.
  public mutating func handle(_ input: GpsdInput, at now: Instant) -> [LocationOutput] {
    var outputs = settle(at: now, force: false)
    switch input {
    case .link(let link):
      outputs += settle(at: now, force: true)
      evidence.link(link, at: now)
      satellites = nil
    case .unreadable(let problem): counters.unreadable[problem, default: 0] += 1
    case .report(let report): outputs += take(report, at: now)
    }
    return outputs + review(at: now)
  }

  /// To be called at `nextDeadline`, and harmless at any other time.
  public mutating func tick(at now: Instant) -> [LocationOutput] {
    settle(at: now, force: false) + publishIfIntervalPassed(at: now) + review(at: now)
  }

  private mutating func take(_ report: GpsdReport, at now: Instant) -> [LocationOutput] {
    switch report {
    case .position(let position): return take(position, at: now)
    case .devices(let found): evidence.list(found)
    case .device(let device): evidence.change(device)
    case .sky(let sky): satellites = sky.used ?? satellites
    case .version, .watch, .error, .ignored: break
    }
    return []
  }

  private mutating func take(_ report: GpsdPosition, at now: Instant) -> [LocationOutput] {
    guard isFromChosenDevice(report, at: now) else {
      counters.otherDevice += 1
      return []
    }
    guard let fix = Fix(report, at: now), !report.isSimulated else {
      let outputs = settle(at: now, force: true)
      evidence.hear(refusal(of: report), from: report.device, at: now)
      return outputs
    }
    counters.fixReports += 1
    if let pending, belongs(report, to: pending) {
      self.pending?.merge(report)
      return []
    }
    let outputs = settle(at: now, force: true)
    if decided?.hasSameTime(as: report) == true {
      // The rest of an epoch that was decided on, or a receiver that repeats itself: no news either way.
      counters.repeated += 1
      if !isAfterRefusal { evidence.hear(.fix, from: report.device, at: now) }
      return outputs
    }
    pending = fix
    return outputs + settle(at: now, force: settings.settleS <= 0)
  }

  /// The last epoch was refused, and its other reports do not make it better.
  private var isAfterRefusal: Bool { decided != nil && decided != lastGood }

  /// A report without a time belongs to what came just before it from the same device, and the other way round.
  private func belongs(_ report: GpsdPosition, to fix: Fix) -> Bool {
    fix.hasSameTime(as: report) || fix.device == report.device && (fix.time == nil || report.time == nil)
  }

  /// Counts a report without a usable position, and says what it tells.
  private mutating func refusal(of report: GpsdPosition) -> LossEvidence.Heard {
    if report.coordinate != nil {
      counters.simulated += 1
      return .simulated
    }
    if report.mode >= 2, report.latitude != nil, report.longitude != nil { counters.impossible += 1 }
    counters.noFixReports += 1
    return .noFix
  }

  /// With several receivers: the one with the last good fix, until it has been without one for long or is gone.
  private func isFromChosenDevice(_ report: GpsdPosition, at now: Instant) -> Bool {
    guard let lastGood, let chosen = lastGood.device, let device = report.device, device != chosen else { return true }
    return now >= lastGood.receivedAt + settings.silenceS || !evidence.has(chosen)
  }

  // MARK: Fixes

  /// Decides on the pending epoch when its time has come, or at once.
  mutating func settle(at now: Instant, force: Bool) -> [LocationOutput] {
    latest = max(latest, now)
    guard let fix = pending, force || now >= fix.receivedAt + settings.settleS else { return [] }
    pending = nil
    decided = fix
    counters.epochs += 1
    if isTooInaccurate(fix) {
      counters.rejected += 1
      evidence.hear(.rejected, from: fix.device, at: fix.receivedAt)
      return []
    }
    lastGood = fix
    evidence.hear(.fix, from: fix.device, at: fix.receivedAt)
    let cause = self.cause(of: fix, at: now)
    phase = .fixed
    candidate = nil
    return cause.map { [publish(fix, $0, at: now)] } ?? []
  }

  func isTooInaccurate(_ fix: Fix) -> Bool {
    guard settings.maxAccuracyM > 0, let accuracy = fix.accuracy else { return false }
    return accuracy.metres > settings.maxAccuracyM
  }

  private func cause(of fix: Fix, at now: Instant) -> LocationMessage.Position.Cause? {
    guard let published else { return .first }
    if case .lost = phase { return .regained }
    if published.fix.coordinate.distanceM(to: fix.coordinate) >= settings.distanceFilterM { return .distance }
    return now >= published.at + settings.intervalS ? .interval : nil
  }

  /// On cadence even where the receiver is slow: what it said last, with its age.
  private mutating func publishIfIntervalPassed(at now: Instant) -> [LocationOutput] {
    guard let due = intervalDeadline, now >= due, let lastGood else { return [] }
    return [publish(lastGood, .interval, at: now)]
  }

  /// Only while there is a fix that was not published yet.
  var intervalDeadline: Instant? {
    guard phase == .fixed, let published, let lastGood, lastGood != published.fix else { return nil }
    return published.at + settings.intervalS
  }

  mutating func publish(
    _ fix: Fix, _ cause: LocationMessage.Position.Cause, at now: Instant
  ) -> LocationOutput {
    var position = LocationMessage.Position(
      dimensions: fix.dimensions, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
      ageS: now - fix.receivedAt, cause: cause)
    position.accuracyM = fix.accuracy?.metres
    position.accuracySource = fix.accuracy?.source
    position.altitudeM = fix.altitudeM
    position.speedMPS = fix.speedMPS
    position.courseDeg = fix.courseDeg
    position.fixTime = fix.time
    position.movedM = published.map { $0.fix.coordinate.distanceM(to: fix.coordinate) }
    published = Published(fix: fix, at: now)
    return LocationOutput(at: now, .fixed(position))
  }
}
