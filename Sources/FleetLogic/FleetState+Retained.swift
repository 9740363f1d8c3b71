internal import Telemetry

/// The alerts that the broker keeps: what fired before a restart, and what became of it meanwhile.
extension FleetState {
  private mutating func takeAway(_ topic: String, _ reason: String) {
    guard configuration.publishes else { return }
    log(.information, "\(SafeText.escaped(topic)): a retained alert is taken away, since \(reason)")
    publish(topic, [])
  }

  /// Takes over an alert that an earlier run of the fleet tool left retained: it is not told again, and resolves as
  /// its condition does. One that no rule here stands for is taken away. What the store knows goes before.
  mutating func adopt(topic: String, rule name: String, node: String, payload: [UInt8], at moment: Moment) {
    let message: AlertMessage
    do {
      message = try AlertMessage.decode(payload: payload)
    } catch {
      return reject(.payload(error.reason), "\(SafeText.escaped(topic)): \(error)", at: moment)
    }
    tally.own += 1
    retainedAlerts.expectMore(at: moment.instant)
    guard message.state != .resolved else { return takeAwayOver(message, topic) }
    guard let number = configuration.rules.firstIndex(where: { $0.name == name }), let node = NodeName(node),
      configuration.rules[number].nodes.matches(node.description), message.state == .firing,
      message.rule == name, message.node == node.description
    else { return takeAway(topic, "no rule stands for it") }
    if let known = indices[node], let record = records[AlertKey(rule: number, node: known)], record.life.isFiring {
      return noteRetained(AlertKey(rule: number, node: known), record, message)
    }
    if knowsAlerts { return end(message, topic, at: moment) }
    // Published by this run, and over: the link was lost before it could be taken away.
    if let started, message.time >= started { return takeAway(topic, "it is over") }
    guard let index = index(of: node, at: moment) else { return }
    takeOver(message, AlertKey(rule: number, node: index), at: moment)
  }

  private mutating func takeOver(_ message: AlertMessage, _ key: AlertKey, at moment: Moment) {
    let rule = configuration.rules[key.rule]
    var record = AlertRecord(since: message.since)
    record.id = message.id
    record.value = message.value
    record.life.adopt(count: message.count)
    records[key] = record
    touched.insert(key)
    retainedAlerts.note(key)
    firingCount += 1
    log(.information, "\(rule.name) on \(nodes[key.node].name): firing since an earlier run, taken over")
    switch rule.kind {
    case .shake:
      observe(key, .clears(after: rule.clearForS), "the shake was before the restart", at: moment)
    case .geofence:
      // Crossings are not retained: it resolves with the next that comes.
      break
    case .lostFix, .silent:
      watch(node: key.node, at: moment)
    }
  }

  /// The broker has an alert that fires: as it is now, or as it was.
  private mutating func noteRetained(_ key: AlertKey, _ record: AlertRecord, _ message: AlertMessage) {
    guard message.id == record.id, message.count == record.life.count else { return }
    retainedAlerts.note(key)
  }

  /// The broker has an alert that is over by what the store knows: whoever subscribes to alerts was not told yet.
  private mutating func end(_ message: AlertMessage, _ topic: String, at moment: Moment) {
    guard configuration.publishes else { return }
    log(.information, "\(SafeText.escaped(topic)): a retained alert is ended, since it was over before")
    var over = message
    over.state = .resolved
    over.time = moment.wall
    over.summary = "\(message.node): over"
    let told = message.id.flatMap { transients.removeValue(forKey: $0) } ?? []
    if let last = told.last { over = last.message }
    publish(topic, over.encode())
    for alert in told { noteTold(alert) }
    if told.isEmpty { publish(topic, []) }
  }

  /// The broker has the end of an alert, which was published and is still to be taken away.
  private mutating func takeAwayOver(_ message: AlertMessage, _ topic: String) {
    takeAway(topic, "it is over")
    for alert in message.id.flatMap({ transients.removeValue(forKey: $0) }) ?? [] { noteTold(alert) }
  }

  /// Publishes what the broker has not, once what it kept has come.
  mutating func publishMissing(at moment: Moment) {
    guard retainedAlerts.isDue(at: moment.instant) else { return }
    for key in records.keys.sorted(by: inOrder) where records[key]?.life.isFiring == true && !retainedAlerts.has(key) {
      publishFiring(key, at: moment)
    }
    let unknown = transients.values.joined().sorted { ($0.at.wall, $0.id) < ($1.at.wall, $1.id) }
    transients = [:]
    for alert in unknown {
      publish(text(.alert(rule: alert.rule, node: alert.node.description)), alert.message.encode())
      noteTold(alert)
    }
  }
}
