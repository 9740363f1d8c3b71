internal import Telemetry

/// What becomes of each epoch.
extension LocationTracker {
  /// Decides on the pending epoch when its time has come, or at once.
  mutating func settle(at now: Instant, force: Bool) -> [LocationOutput] {
    latest = max(latest, now)
    guard let fix = pending, force || now >= fix.receivedAt + settings.settleS else { return [] }
    pending = nil
    counters.epochs += 1
    if goesBack(fix) { counters.backwards += 1 }
    decided = fix
    if let rejection = inaccuracy(of: fix) {
      counters.inaccurate += 1
      return [reject(fix, rejection, at: now)]
    }
    switch gate.judge(fix, after: lastGood) {
    case .good: return accept(fix, isJump: false, at: now)
    case .believed:
      counters.jumpsTaken += 1
      return accept(fix, isJump: true, at: now)
    case .rejected(let rejection):
      counters.jumps += 1
      return [reject(fix, rejection, at: now)]
    }
  }

  /// The receiver's time is before that of the epoch before: its position counts, and its time orders nothing.
  private func goesBack(_ fix: Fix) -> Bool {
    guard let decided, decided.device == fix.device else { return false }
    guard let before = decided.time, let time = fix.time else { return false }
    return time < before
  }

  func inaccuracy(of fix: Fix) -> FixDecision.Rejection? {
    guard settings.maxAccuracyM > 0, let accuracy = fix.accuracy, accuracy.metres > settings.maxAccuracyM else {
      return nil
    }
    return .accuracy(metres: accuracy.metres, limitM: settings.maxAccuracyM)
  }

  private mutating func reject(_ fix: Fix, _ rejection: FixDecision.Rejection, at now: Instant) -> LocationOutput {
    refused = Refused(rejection: rejection, accuracyM: fix.accuracy?.metres)
    evidence.hear(.rejected, from: fix.device, at: fix.receivedAt)
    return decision(fix, .rejected(rejection), at: now)
  }

  func decision(_ fix: Fix, _ verdict: FixDecision.Verdict, at now: Instant) -> LocationOutput {
    LocationOutput(at: now, .decided(FixDecision(fix: fix, verdict: verdict)))
  }

  // MARK: Good fixes

  private mutating func accept(_ fix: Fix, isJump: Bool, at now: Instant) -> [LocationOutput] {
    let departureM = move(to: fix, isJump: isJump)
    let lostS = self.lostS(until: fix)
    let movedM = published.map { $0.fix.coordinate.distanceM(to: fix.coordinate) }
    let neededM = self.neededM(for: fix)
    let cause = self.cause(movedM: max(movedM ?? 0, departureM), neededM, at: now)
    lastGood = fix
    devices.follow(fix.device)
    evidence.hear(.fix, from: fix.device, at: fix.receivedAt)
    phase = .fixed
    candidate = nil
    let verdict = cause.map(FixDecision.Verdict.published) ?? .withheld(withholding(movedM ?? 0, neededM, fix, at: now))
    var decision = FixDecision(fix: fix, verdict: verdict)
    decision.movedM = movedM
    if let movedM, departureM > movedM { decision.departureM = departureM }
    decision.neededM = published == nil ? nil : neededM
    decision.isJump = isJump
    if cause == nil { counters.withheld += 1 }
    var outputs = [LocationOutput(at: now, .decided(decision))]
    if let cause { outputs.append(publish(fix, cause, lostS: lostS, at: now)) }
    if isJump { fences.interrupt() }
    let crossings = fences.take(fix, isMoving: judge.movement.isMoving, at: now)
    return outputs + crossings.map { LocationOutput(at: now, .fence($0)) }
  }

  /// Lets a good fix say whether the node moves, and adds to the odometer. Answers how far it is from where the node
  /// stood [m], where it has just set off; 0 otherwise. A position published at the interval while it stood may have
  /// drifted in just that direction, or be of the departure itself, and must not hold the news back that it moves.
  private mutating func move(to fix: Fix, isJump: Bool) -> Double {
    if isJump {
      judge.restart(at: fix)
      travel.jump()
      return 0
    }
    let wasStanding = judge.movement == .standing
    switch judge.take(fix, stillness) {
    case .setOff(let anchor, let stoodS):
      travel.setOff(from: anchor, isNewTrip: stoodS + restedS >= settings.tripPauseS)
      restedS = 0
      hasSetOff = true
      travel.move(to: fix)
      return wasStanding ? judge.distanceM : 0
    case .stood(let anchor): travel.stop(at: anchor)
    case .none: if judge.movement == .moving { travel.move(to: fix) }
    }
    return 0
  }

  /// How long there was no good fix, where that was told [s].
  private func lostS(until fix: Fix) -> Double? {
    guard case .lost = phase else { return nil }
    return max(0, fix.receivedAt - (lastGood?.receivedAt ?? startedAt))
  }

  private func cause(movedM: Double, _ neededM: Double, at now: Instant) -> LocationMessage.Position.Cause? {
    guard let published else { return .first }
    if case .lost = phase { return .regained }
    // What a node that stands moves, is drift; but who wants every fix gets it.
    if settings.distanceFilterM <= 0 || judge.movement != .standing && movedM >= neededM { return .distance }
    return now >= published.at + settings.intervalS ? .interval : nil
  }

  /// How far a fix must be from the published one to be worth a message [m]: the filter, or what the accuracies of both
  /// leave open, but no more than 80 m for that: a tow must be seen within 100 m.
  func neededM(for fix: Fix) -> Double {
    guard settings.distanceFilterM > 0, let published else { return settings.distanceFilterM }
    return min(
      max(settings.distanceFilterM, FixNoise.metres(published.fix, fix)),
      max(settings.distanceFilterM, LocationTracker.mostNeededM))
  }

  private static let mostNeededM = DriftAllowance.mostEverM

  private func withholding(
    _ movedM: Double, _ neededM: Double, _ fix: Fix, at now: Instant
  ) -> FixDecision.Withholding {
    let distanceM = judge.distanceM
    let allowanceM = judge.allowanceM
    guard judge.movement == .standing else {
      let remainingS = published.map { max(0, $0.at + settings.intervalS - now) } ?? 0
      return .near(movedM: movedM, neededM: neededM, remainingS: remainingS)
    }
    if let beyond = judge.beyond {
      return .unconfirmed(distanceM: distanceM, allowanceM: allowanceM, fixes: beyond.fixes)
    }
    return .standing(distanceM: distanceM, allowanceM: allowanceM, accuracyM: fix.accuracy?.metres)
  }

  // MARK: Publishing

  /// On cadence even where the receiver is slow: what it said last, with its age.
  mutating func publishIfIntervalPassed(at now: Instant) -> [LocationOutput] {
    guard let due = intervalDeadline, now >= due, let lastGood else { return [] }
    return [publish(lastGood, .interval, at: now)]
  }

  /// Only while there is a fix that was not published yet. One from before a sleep waits for the next.
  var intervalDeadline: Instant? {
    guard phase == .fixed, let published, let lastGood, lastGood != published.fix, !isFromBeforeWaking(lastGood) else {
      return nil
    }
    return published.at + settings.intervalS
  }

  mutating func publish(
    _ fix: Fix, _ cause: LocationMessage.Position.Cause, lostS: Double? = nil, at now: Instant
  ) -> LocationOutput {
    var position = LocationMessage.Position(fix, cause, at: now)
    position.movedM = published.map { $0.fix.coordinate.distanceM(to: fix.coordinate) }
    position.lostS = lostS
    position.isMoving = judge.isMoving
    if position.isMoving == false {
      position.speedMPS = nil
      position.courseDeg = nil
    }
    if judge.movement != .unknown || travel.odometer != Odometer() {
      position.odometerM = travel.odometer.totalM
      position.tripM = travel.odometer.tripM
    }
    if devices.isSeveral { position.device = fix.device }
    // Who repeats on waking what it knew before, still owes the next fix.
    published = Published(fix: fix, at: isFromBeforeWaking(fix) ? fix.receivedAt : now)
    return LocationOutput(at: now, .fixed(position))
  }
}

extension LocationMessage.Position {
  /// What the fix alone says.
  fileprivate init(_ fix: Fix, _ cause: Cause, at now: Instant) {
    self.init(
      dimensions: fix.dimensions, latitude: fix.coordinate.latitude, longitude: fix.coordinate.longitude,
      ageS: now - fix.receivedAt, cause: cause)
    status = fix.status
    accuracyM = fix.accuracy?.metres
    accuracySource = fix.accuracy?.source
    altitudeM = fix.altitude?.metres
    altitudeSource = fix.altitude?.source
    altitudeAccuracyM = fix.altitudeAccuracyM
    speedMPS = fix.speedMPS
    courseDeg = fix.courseDeg
    fixTime = fix.time
  }
}
