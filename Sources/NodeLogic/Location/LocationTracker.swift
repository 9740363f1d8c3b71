public import Telemetry

/// Turns what gpsd says into the messages of the location stream: positions when they are due, and losses with their
/// reason.
///
/// Each epoch is decided on once: its accuracy, then whether a vehicle can have got there (`OutlierGate`), then whether
/// the node stands or moves (`MovementJudge`), then whether it is worth a message. A position is published when it is
/// the first, when it is regained, when the node moved by the distance filter, or when the interval has passed,
/// whichever comes first. A fix that was refused changes nothing: neither the reference of the distance filter nor the
/// time since the last good one, nor what is known of standing and moving.
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

  /// A fix that was refused.
  struct Refused: Equatable {
    var rejection: FixDecision.Rejection
    var accuracyM: Double?
  }

  public private(set) var settings: Settings
  public internal(set) var counters = Counters()
  /// What the accelerometer says.
  public private(set) var stillness = Stillness.unknown

  var startedAt: Instant
  /// When the machine was last suspended until.
  var wokenAt: Instant?
  /// The first waking after the last good fix.
  var patientFrom: Instant?
  var phase = Phase.acquiring
  var evidence = LossEvidence()
  var candidate: Candidate?
  var devices = DeviceChoice()
  var gate: OutlierGate
  var judge = MovementJudge()
  var travel: Travel
  /// Without travel before the start [s]; counts until the node sets off, and no more then.
  var restedS = 0.0
  var hasSetOff = false
  /// Which fences the node is inside of.
  public internal(set) var fences: GeofenceWatch
  /// The epoch whose reports are still coming in.
  var pending: Fix?
  /// The epoch that was decided on last, used or not.
  var decided: Fix?
  /// The last fix that was used.
  var lastGood: Fix?
  /// The newest fix that was not.
  var refused: Refused?
  var published: Published?
  /// What was last heard of satellites that counts.
  var sky: SkyCount?
  /// The last moment that was handed in.
  var latest: Instant

  /// - Parameters:
  ///   - startedAt: from when on a missing fix counts.
  ///   - odometer: distances from before.
  ///   - inside: the fences that the node was inside of before.
  public init(
    _ settings: Settings = Settings(), startedAt: Instant = .start, odometer: Odometer = Odometer(),
    inside: [LocationRecord.Fence] = []
  ) {
    self.settings = settings
    self.startedAt = startedAt
    gate = settings.gate
    travel = Travel(odometer)
    fences = GeofenceWatch(settings.fences, recorded: inside)
    latest = startedAt
  }

  /// Takes new settings. What is known of gpsd, of the last fix and of what was published stays.
  public mutating func reconfigure(_ settings: Settings) {
    if settings.fences != self.settings.fences { fences.reconfigure(settings.fences) }
    self.settings = settings
    gate.limit(maxSpeedMPS: settings.maxSpeedMPS, maxAccelerationMPS2: settings.maxAccelerationMPS2)
  }

  /// Tells that the node did not travel for so long before it was started [s]: that counts as standing, so that a node
  /// whose power comes with the ignition begins a trip with each ride.
  public mutating func rested(beforeStartS: Double) {
    // Told too late, it would make the next stop, however short, the end of a trip.
    restedS = hasSetOff ? 0 : max(0, beforeStartS)
  }

  /// Takes what the accelerometer says; each change is enough. It counts from the next fix on.
  public mutating func feel(_ stillness: Stillness, at now: Instant) {
    latest = max(latest, now)
    self.stillness = sinceWaking(stillness)
  }

  /// Takes one input in; `now` never goes back.
  public mutating func handle(_ input: GpsdInput, at now: Instant) -> [LocationOutput] {
    var outputs = settle(at: now, force: false)
    switch input {
    case .link(let link):
      outputs += settle(at: now, force: true)
      if evidence.isLinkUp, case .down = link { counters.outages += 1 }
      evidence.link(link, at: now)
      sky = nil
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
    case .sky(let sky): take(sky)
    case .version, .watch, .error, .ignored: break
    }
    return []
  }

  /// Satellites of another receiver than the one that is followed say nothing about the position.
  private mutating func take(_ report: GpsdSky) {
    guard let used = report.used else { return }
    let count = SkyCount(device: report.device, used: used)
    if count.counts(for: settings.device ?? devices.followed) { sky = count }
  }

  // MARK: Reports of one epoch

  private mutating func take(_ report: GpsdPosition, at now: Instant) -> [LocationOutput] {
    // While none is followed yet, the first epoch chooses: another receiver's report must not slip in before it does.
    let isChoosing = devices.followed == nil && pending.map { $0.device != report.device } ?? false
    return (isChoosing ? settle(at: now, force: true) : []) + weigh(report, at: now)
  }

  private mutating func weigh(_ report: GpsdPosition, at now: Instant) -> [LocationOutput] {
    let fix = Fix(report, at: now)
    guard admits(report, fix, at: now) else {
      return pass(over: fix, at: now)
    }
    guard let fix, !report.isSimulated else { return refuse(report, fix, at: now) }
    counters.fixReports += 1
    if let pending, belongs(report, to: pending) {
      self.pending?.merge(report)
      return []
    }
    let followed = devices.followed
    let outputs = settle(at: now, force: true)
    // Two receivers began at once, and the other one was the first.
    if devices.followed != followed, fix.device != devices.followed { return outputs + pass(over: fix, at: now) }
    if let decided, decided.hasSameTime(as: report) { return outputs + take(fix, repeating: decided, at: now) }
    pending = fix
    return outputs + settle(at: now, force: settings.settleS <= 0)
  }

  private mutating func admits(_ report: GpsdPosition, _ fix: Fix?, at now: Instant) -> Bool {
    let isUsable = fix.map { !report.isSimulated && inaccuracy(of: $0) == nil } ?? false
    let isOverdue = lastGood == nil || now >= quietFrom + settings.silenceS
    // Half of the time there is: the other receiver takes over before there is a loss to tell.
    return devices.admits(
      report, usable: isUsable, isFollowedLost: isOverdue || !evidence.has(devices.followed),
      patienceS: settings.lostAfterS / 2, pinned: settings.device, at: now)
  }

  /// Another receiver is followed.
  private mutating func pass(over fix: Fix?, at now: Instant) -> [LocationOutput] {
    counters.otherDevice += 1
    let followed = settings.device ?? devices.followed ?? ""
    return fix.map { [decision($0, .withheld(.otherDevice(followed: followed)), at: now)] } ?? []
  }

  /// The rest of an epoch that was decided on, or a receiver that repeats itself: no news either way.
  private mutating func take(_ fix: Fix, repeating decided: Fix, at now: Instant) -> [LocationOutput] {
    counters.repeated += 1
    // The other reports of an epoch that was refused do not make it better.
    if decided == lastGood { evidence.hear(.fix, from: fix.device, at: now) }
    let durationS = now - decided.receivedAt
    guard durationS >= max(settings.settleS, 1) else { return [] }
    return [decision(fix, .rejected(.repeated(durationS: durationS)), at: now)]
  }

  /// A report without a usable position.
  private mutating func refuse(_ report: GpsdPosition, _ fix: Fix?, at now: Instant) -> [LocationOutput] {
    var outputs = settle(at: now, force: true)
    evidence.hear(refusal(of: report), from: report.device, at: now)
    if let fix { outputs.append(decision(fix, .rejected(.simulated), at: now)) }
    return outputs
  }

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
}
