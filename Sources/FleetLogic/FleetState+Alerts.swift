public import Telemetry

/// The life of alerts: what is said when one changes.
extension FleetState {
  /// Tells an alert what its rule sees, and says what becomes of it.
  /// - Parameter adjust: notes details on the record, which exists by then.
  mutating func observe(
    _ key: AlertKey, _ observation: Observation, _ reason: String, at moment: Moment,
    adjust: (inout AlertRecord) -> Void = { _ in }
  ) {
    let rule = configuration.rules[key.rule]
    let reading = reading(for: rule, at: moment)
    let known = records[key]
    if known?.isQuiet ?? true {
      switch observation {
      case .clears, .between: return
      case .holds, .strikes: break
      }
    }
    var record = known ?? newRecord(rule, key.place, at: moment)
    if let known, known.isQuiet { record = newRecord(rule, key.place, at: moment).remembering(known) }
    let before = record
    let transition: AlertLife.Transition?
    switch observation {
    case .holds(let after): transition = record.life.holds(after: after, at: reading)
    case .strikes(let after, let lapses):
      transition = record.life.holds(after: after, lapsesAfter: lapses, at: reading)
    case .clears(let after): transition = record.life.clears(after: after, at: reading)
    case .between: transition = record.life.wavers(at: reading)
    }
    if transition == .heldAgain, !rule.kind.isEvent { record.life.count += 1 }
    adjust(&record)
    guard record != before || transition != nil else { return }
    let previous: AlertMessage.State? =
      if before.life.isFiring { .firing } else if case .pending = before.life.phase { .pending } else { nil }
    settle(key, record, transition, previous: previous, reason, at: moment)
  }

  private func newRecord(_ rule: Rule, _ place: AlertPlace, at moment: Moment) -> AlertRecord {
    guard case .node(let index) = place else { return AlertRecord(since: moment.wall) }
    let node = nodes[index]
    switch rule.condition {
    case .lostFix, .geofence:
      let stamp =
        if case .geofence(let fence) = rule.condition { node.crossing(of: fence.fence)?.stamp } else {
          node.location?.stamp
        }
      let since = stamp?.measured ?? stamp?.heard?.wall ?? moment.wall
      return AlertRecord(since: min(since, moment.wall))
    case .silent:
      let last = node.lastSeen ?? node.firstSeen
      return AlertRecord(since: last.wall, sinceInstant: last.instant)
    default:
      return AlertRecord(since: moment.wall)
    }
  }

  /// Keeps the record, and says what changed to sinks, subscribers and the log.
  mutating func settle(
    _ key: AlertKey, _ changed: AlertRecord, _ transition: AlertLife.Transition?, previous: AlertMessage.State?,
    _ reason: String, at moment: Moment
  ) {
    var record = changed
    let countBefore = records[key]?.life.count
    if transition == .fired {
      record.id = newID(key, at: moment)
      // One that comes and goes is one alert, whoever has seen it.
      let before = record.memory.flap == nil ? Notice() : record.notice
      record.notice = Notice(
        sinks: before.sinks, fired: moment.instant, mute: before.mute, acknowledgement: before.acknowledgement)
    }
    put(key, record)
    switch transition {
    case .becamePending:
      decide(.pending, key, record, reason, at: moment)
    case .dropped:
      decide(.dropped, key, record, reason, at: moment)
      judgeGroup(of: key, at: moment)
    case .fired:
      firingCount += 1
      decide(.fired, key, record, reason, at: moment)
      let beginsToFlap = noteRaise(key, at: moment)
      judgeGroup(of: key, at: moment)
      if !beginsToFlap { tellFiring(key, previous: previous, reason, at: moment) }
    case .resolved:
      firingCount -= 1
      tellOver(key, record, reason, at: moment)
      judgeGroup(of: key, at: moment)
      forgetFinding(key)
    case .heldAgain, nil:
      // One that was about to be over may be news again.
      if record.life.isFiring, !record.notice.isTold { restless.insert(key) }
      if record.life.isFiring, record.life.count != countBefore { publishFiring(key, at: moment) }
    }
  }

  private mutating func forgetFinding(_ key: AlertKey) {
    guard var record = records[key], record.memory.finding != nil else { return }
    record.memory.finding = nil
    put(key, record)
  }

  /// Puts a record in its place, or takes it away where nothing is left of it.
  mutating func put(_ key: AlertKey, _ record: AlertRecord) {
    let before = records[key]
    if before != record { touched.insert(key) }
    records[key] = record.isEmpty ? nil : record
    attend(key, record)
    noteDeadline(key, record)
    noteMember(key, before, record)
  }

  /// Notes a step in an alert's life, for those who ask why.
  mutating func decide(
    _ step: Decision.Step, _ key: AlertKey, _ record: AlertRecord, _ reason: String, told: Alert? = nil,
    at moment: Moment
  ) {
    let rule = configuration.rules[key.rule]
    let subject = subject(key.place)
    let level: LogEntry.Level = step == .pending || step == .dropped ? .information : .debug
    log(level, "\(rule.name) on \(subject): \(step == .dropped ? "not raised" : step.rawValue), since \(reason)")
    guard configuration.keeps else { return }
    effects.append(
      .keep(
        .decision(
          Decision(
            at: moment.wall, rule: rule.name, subject: subject, alert: record.id, step: step, reason: reason,
            told: told))))
  }

  /// Hands an alert to the sinks.
  mutating func tell(
    _ key: AlertKey, _ record: AlertRecord, _ state: AlertMessage.State, previous: AlertMessage.State?,
    _ reason: String, isRepeated: Bool = false, at moment: Moment
  ) {
    var alert = alert(key, record, state, previous: previous, reason, at: moment)
    alert.isRepeated = isRepeated
    alert.mayHaveBeenTold = !isRepeated && record.notice.mayBeTold
    alert.mute = nil
    effects.append(.alert(alert))
    noteUntold(key, alert)
    decide(isRepeated ? .repeated : .told, key, record, "\(state.rawValue): \(reason)", told: alert, at: moment)
  }

  /// Publishes an alert that fires, or what has become of it.
  mutating func publishFiring(_ key: AlertKey, at moment: Moment) {
    guard let record = records[key], record.life.isFiring || record.memory.flap != nil else { return }
    let state: AlertMessage.State = record.memory.flap == nil ? .firing : .flapping
    let alert = alert(key, record, state, previous: .firing, "", at: moment)
    publish(text(.alert(rule: alert.rule, subject: alert.subject.description)), alert.message.encode())
    retainedAlerts.note(key)
  }

  /// Publishes that an alert is over, and takes it away. With a store it is taken away once it is on the disk that this
  /// was told: what the broker still has then says, after a restart, what was published and what was not.
  /// - Parameter isTold: sinks are told, too, so that the store will hear when they have been.
  mutating func publishOver(_ key: AlertKey, _ alert: Alert, isTold: Bool) {
    let topic = text(.alert(rule: alert.rule, subject: alert.subject.description))
    publish(topic, alert.message.encode())
    if !configuration.keeps || !isTold { publish(topic, []) }
    retainedAlerts.forget(key)
  }

  /// A name of an alert that fires: the rule, the subject and the moment, and a number from the second in it on.
  private mutating func newID(_ key: AlertKey, at moment: Moment) -> String {
    let id = momentID(key, at: moment)
    let count = issued.counts.removeValue(forKey: id).map { $0 + 1 } ?? 1
    let timeMs = (moment.wall.seconds * 1000).rounded()
    if issued.timeMs != timeMs { issued = IssuedIDs(timeMs: timeMs) }
    issued.counts[id] = count
    return count == 1 ? id : "\(id)-\(count)"
  }

  private func momentID(_ key: AlertKey, at moment: Moment) -> String {
    "\(configuration.rules[key.rule].name)/\(subject(key.place))/\(Decimal.text(moment.wall.seconds, decimals: 3))"
  }

  /// Whose condition it is.
  func subject(_ place: AlertPlace) -> AlertSubject {
    switch place {
    case .node(let index): .node(nodes[index].name)
    case .site(let index): .site(sites[index].name)
    case .fleet: .fleet
    }
  }

  /// What the configuration says of the node that it is about.
  func label(_ place: AlertPlace) -> Label? {
    switch place {
    case .node(let index): nodes[index].label
    case .site(let index): Label(site: sites[index].name)
    case .fleet: nil
    }
  }

  func alert(
    _ key: AlertKey, _ record: AlertRecord, _ state: AlertMessage.State, previous: AlertMessage.State?,
    _ reason: String, at moment: Moment
  ) -> Alert {
    let rule = configuration.rules[key.rule]
    let value = value(key, record, at: moment)
    // To the millisecond, as they are written: what is read back is the same.
    func written(_ time: WallTime) -> WallTime { WallTime(seconds: (time.seconds * 1000).rounded() / 1000) }
    var alert = Alert(
      id: record.memory.flap?.id ?? record.id ?? momentID(key, at: moment), rule: rule.name, kind: rule.kind,
      severity: rule.severity, subject: subject(key.place), state: state,
      previous: previous, at: Moment(instant: moment.instant, wall: written(moment.wall)),
      since: written(record.memory.flap?.since ?? record.since), count: record.life.count, value: value,
      summary: summary(key, record, state, value: value), reason: reason)
    alert.label = label(key.place)
    alert.mute = record.notice.mute
    alert.acknowledgement = record.notice.acknowledgement
    alert.sinks = state == .resolved ? concernedSinks(rule, record.notice) : rule.sinks
    return alert
  }

  /// Those of the rule, and those that heard that it fires: the configuration may have changed since. Empty: all.
  func concernedSinks(_ rule: Rule, _ notice: Notice) -> [String] {
    guard let told = notice.sinks else { return rule.sinks }
    return told.isEmpty || rule.sinks.isEmpty ? [] : rule.sinks + told.filter { !rule.sinks.contains($0) }
  }

  private func summary(
    _ key: AlertKey, _ record: AlertRecord, _ state: AlertMessage.State, value: Double?
  ) -> String {
    let rule = configuration.rules[key.rule]
    switch key.place {
    case .node(let index): return Summary.of(nodes[index], rule, record, state, value: value)
    case .site(let index): return Summary.of(sites[index], rule, record, state)
    case .fleet: return Summary.ofFleet(rule, record, state)
    }
  }

  private func value(_ key: AlertKey, _ record: AlertRecord, at moment: Moment) -> Double? {
    func tenths(_ seconds: Double) -> Double { (max(0, seconds) * 10).rounded() / 10 }
    guard let index = key.node else { return record.value }
    return switch configuration.rules[key.rule].kind {
    case .silent: record.sinceInstant.map { tenths(moment.instant - $0) }
    case .lostFix: nodes[index].withoutFixS(at: moment.instant, clock).map(tenths)
    case .geofence: nil
    default: record.value
    }
  }

  /// The alerts that fire, by node and rule; those that nobody is told of just now among them.
  public func firingAlerts(at now: Instant) -> [Alert] {
    records.keys.sorted().compactMap { key in
      guard let record = records[key], record.life.isFiring || record.memory.flap != nil else { return nil }
      return alert(
        key, record, record.memory.flap == nil ? .firing : .flapping, previous: .firing, "", at: moment(now))
    }
  }
}
