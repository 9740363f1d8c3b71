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
      let topic = text(.alert(rule: rule.name, node: nodes[key.node].name.description))
      publish(topic, alert.message.encode())
      publish(topic, [])
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
  }

  private func alert(
    _ key: AlertKey, _ record: AlertRecord, _ state: AlertMessage.State, previous: AlertMessage.State?,
    _ reason: String, at moment: Moment
  ) -> Alert {
    let rule = configuration.rules[key.rule]
    let value = value(key, record, at: moment)
    return Alert(
      rule: rule.name, kind: rule.kind, severity: rule.severity, node: nodes[key.node].name, state: state,
      previous: previous, at: moment, since: record.since, count: record.life.count, value: value,
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

  // MARK: What fired before a restart

  private mutating func takeAway(_ topic: String, _ reason: String) {
    guard configuration.publishes else { return }
    log(.information, "\(SafeText.escaped(topic)): a retained alert is taken away, since \(reason)")
    publish(topic, [])
  }

  /// Takes over an alert that an earlier run of the fleet tool left retained: it is not told again, and resolves as
  /// its condition does. One that no rule here stands for is taken away.
  mutating func adopt(topic: String, rule name: String, node: String, payload: [UInt8], at moment: Moment) {
    let message: AlertMessage
    do {
      message = try AlertMessage.decode(payload: payload)
    } catch {
      return reject(.payload(error.reason), "\(SafeText.escaped(topic)): \(error)", at: moment)
    }
    tally.own += 1
    guard let number = configuration.rules.firstIndex(where: { $0.name == name }), let node = NodeName(node),
      configuration.rules[number].nodes.matches(node.description), message.state == .firing,
      message.rule == name, message.node == node.description
    else { return takeAway(topic, "no rule stands for it") }
    if let known = indices[node], records[AlertKey(rule: number, node: known)]?.life.isFiring == true { return }
    // Published by this run, and over: the link was lost before it could be taken away.
    if let started, message.time >= started { return takeAway(topic, "it is over") }
    guard let index = index(of: node, at: moment) else { return }
    let key = AlertKey(rule: number, node: index)
    var record = AlertRecord(since: message.since)
    record.value = message.value
    record.life.adopt(count: message.count)
    records[key] = record
    firingCount += 1
    log(.information, "\(name) on \(node): firing since an earlier run, taken over")
    switch configuration.rules[number].kind {
    case .shake:
      observe(
        key, .clears(after: configuration.rules[number].clearForS), "the shake was before the restart", at: moment)
    case .geofence:
      // Crossings are not retained: it resolves with the next that comes.
      break
    case .lostFix, .silent:
      watch(node: index, at: moment)
    }
  }
}
