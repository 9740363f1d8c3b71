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
    if case .clears = observation, records[key] == nil { return }
    var record = records[key] ?? newRecord(rule, node: key.node, at: moment)
    let before = record
    let transition: AlertLife.Transition?
    switch observation {
    case .holds(let after): transition = record.life.holds(after: after, at: reading)
    case .strikes(let after, let lapses):
      transition = record.life.holds(after: after, lapsesAfter: lapses, at: reading)
    case .clears(let after): transition = record.life.clears(after: after, at: reading)
    }
    if transition == .heldAgain, rule.kind != .shake { record.life.count += 1 }
    adjust(&record)
    guard record != before || transition != nil else { return }
    let previous: AlertMessage.State? =
      if before.life.isFiring { .firing } else if case .pending = before.life.phase { .pending } else { nil }
    settle(key, &record, transition, previous: previous, reason, at: moment)
  }

  private func newRecord(_ rule: Rule, node index: Int, at moment: Moment) -> AlertRecord {
    let node = nodes[index]
    switch rule.kind {
    case .shake:
      return AlertRecord(since: moment.wall)
    case .lostFix, .geofence:
      let stamp = rule.kind == .lostFix ? node.location?.stamp : node.crossing(of: rule.fence)?.stamp
      let since = stamp?.measured ?? stamp?.heard?.wall ?? moment.wall
      return AlertRecord(since: min(since, moment.wall))
    case .silent:
      let last = node.lastSeen ?? node.firstSeen
      return AlertRecord(since: last.wall, sinceInstant: last.instant)
    }
  }

  /// Keeps the record, and says what changed to sinks, subscribers and the log.
  mutating func settle(
    _ key: AlertKey, _ record: inout AlertRecord, _ transition: AlertLife.Transition?, previous: AlertMessage.State?,
    _ reason: String, at moment: Moment
  ) {
    let rule = configuration.rules[key.rule]
    let countBefore = records[key]?.life.count
    if transition == .fired { record.id = alertID(rule, node: key.node, at: moment) }
    touched.insert(key)
    records[key] = record.life.phase == .quiet ? nil : record
    noteDeadline(record, rule)
    let who = "\(rule.name) on \(nodes[key.node].name)"
    switch transition {
    case .becamePending:
      log(.information, "\(who): pending, since \(reason)")
    case .dropped:
      log(.information, "\(who): not raised, since \(reason)")
    case .fired:
      firingCount += 1
      tell(key, record, .firing, previous: previous, reason, at: moment)
      publishFiring(key, at: moment)
    case .resolved:
      firingCount -= 1
      let alert = tell(key, record, .resolved, previous: .firing, reason, at: moment)
      publishOver(key, alert)
    case .heldAgain, nil:
      log(.debug, "\(who): still firing, since \(reason)")
      if record.life.isFiring, record.life.count != countBefore { publishFiring(key, at: moment) }
    }
  }

  @discardableResult
  private mutating func tell(
    _ key: AlertKey, _ record: AlertRecord, _ state: AlertMessage.State, previous: AlertMessage.State?,
    _ reason: String, at moment: Moment
  ) -> Alert {
    let alert = alert(key, record, state, previous: previous, reason, at: moment)
    effects.append(.alert(alert))
    noteUntold(key, alert)
    // The sinks say it; the log adds why, for who asks.
    log(
      .debug,
      "\(alert.rule) on \(alert.node): \(state.rawValue), since \(reason): \(alert.summary)")
    return alert
  }

  /// Publishes an alert that fires, or what has become of it.
  mutating func publishFiring(_ key: AlertKey, at moment: Moment) {
    guard let record = records[key] else { return }
    let alert = alert(key, record, .firing, previous: .firing, "", at: moment)
    publish(text(.alert(rule: alert.rule, node: alert.node.description)), alert.message.encode())
    retainedAlerts.note(key)
  }

  /// Publishes that an alert is over, and takes it away. With a store it is taken away once it is on the disk that this
  /// was told: what the broker still has then says, after a restart, what was published and what was not.
  private mutating func publishOver(_ key: AlertKey, _ alert: Alert) {
    let topic = text(.alert(rule: alert.rule, node: alert.node.description))
    publish(topic, alert.message.encode())
    if !configuration.keeps { publish(topic, []) }
    retainedAlerts.forget(key)
  }

  private func alertID(_ rule: Rule, node index: Int, at moment: Moment) -> String {
    "\(rule.name)/\(nodes[index].name)/\(Decimal.text(moment.wall.seconds, decimals: 3))"
  }

  private func alert(
    _ key: AlertKey, _ record: AlertRecord, _ state: AlertMessage.State, previous: AlertMessage.State?,
    _ reason: String, at moment: Moment
  ) -> Alert {
    let rule = configuration.rules[key.rule]
    let value = value(key, record, at: moment)
    // To the millisecond, as they are written: what is read back is the same.
    func written(_ time: WallTime) -> WallTime { WallTime(seconds: (time.seconds * 1000).rounded() / 1000) }
    return Alert(
      id: record.id ?? alertID(rule, node: key.node, at: moment), rule: rule.name, kind: rule.kind,
      severity: rule.severity, node: nodes[key.node].name, state: state,
      previous: previous, at: Moment(instant: moment.instant, wall: written(moment.wall)), since: written(record.since),
      count: record.life.count, value: value,
      summary: Summary.of(nodes[key.node], rule, record, state, value: value), reason: reason)
  }

  private func value(_ key: AlertKey, _ record: AlertRecord, at moment: Moment) -> Double? {
    func tenths(_ seconds: Double) -> Double { (max(0, seconds) * 10).rounded() / 10 }
    return switch configuration.rules[key.rule].kind {
    case .shake: record.value
    case .silent: record.sinceInstant.map { tenths(moment.instant - $0) }
    case .lostFix: nodes[key.node].withoutFixS(at: moment.instant, clock).map(tenths)
    case .geofence: nil
    }
  }

  /// The alerts that fire, by node and rule.
  public func firingAlerts(at now: Instant) -> [Alert] {
    records.keys.sorted(by: inOrder).compactMap { key in
      guard let record = records[key], record.life.isFiring else { return nil }
      return alert(key, record, .firing, previous: .firing, "", at: moment(now))
    }
  }
}
