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
  mutating func adopt(topic: String, rule name: String, subject text: String, payload: [UInt8], at moment: Moment) {
    let message: AlertMessage
    do {
      message = try AlertMessage.decode(payload: payload)
    } catch {
      return reject(.payload(error.reason), "\(SafeText.escaped(topic)): \(error)", at: moment)
    }
    tally.own += 1
    retainedAlerts.expectMore(at: moment.instant)
    guard message.state != .resolved else { return takeAwayOver(message, topic) }
    guard let number = configuration.rules.firstIndex(where: { $0.name == name }), let subject = AlertSubject(text),
      concerns(number, subject), message.state == .firing || message.state == .flapping,
      message.rule == name, message.node == subject.node?.description
    else { return takeAway(topic, "no rule stands for it") }
    if let key = knownKey(number, subject), let record = records[key],
      record.life.isFiring || record.memory.flap != nil
    {
      return noteRetained(key, record, message)
    }
    if knowsAlerts { return end(message, topic, at: moment) }
    // Published by this run, and over: the link was lost before it could be taken away.
    if let started, message.time >= started { return takeAway(topic, "it is over") }
    guard let key = key(number, subject, at: moment) else { return }
    takeOver(message, key, at: moment)
  }

  /// Whether a rule still stands for alerts about a subject.
  func concerns(_ number: Int, _ subject: AlertSubject) -> Bool {
    let rule = configuration.rules[number]
    switch subject {
    case .node(let name):
      return rule.kind != .together && isAdmitted(name) && rule.scope.contains(name, configuration.labels[name])
    case .site(let site):
      guard configuration.labels.values.contains(where: { $0.site == site }) else { return false }
      return rule.kind == .together || rule.grouping != nil
    case .fleet: return rule.kind == .together
    }
  }

  func knownKey(_ number: Int, _ subject: AlertSubject) -> AlertKey? {
    let place: AlertPlace? =
      switch subject {
      case .node(let name): indices[name].map { .node($0) }
      case .site(let site): siteIndices[site].map { .site($0) }
      case .fleet: .fleet
      }
    return place.map { AlertKey(rule: number, place: $0) }
  }

  /// The key of an alert about a subject, which is made when it is not known; nil where there is no room.
  mutating func key(_ number: Int, _ subject: AlertSubject, at moment: Moment) -> AlertKey? {
    switch subject {
    case .node(let name): index(of: name, at: moment).map { AlertKey(rule: number, node: $0) }
    case .site(let name): AlertKey(rule: number, place: .site(site(name)))
    case .fleet: AlertKey(rule: number, place: .fleet)
    }
  }

  private mutating func takeOver(_ message: AlertMessage, _ key: AlertKey, at moment: Moment) {
    let rule = configuration.rules[key.rule]
    var record = AlertRecord(since: message.since)
    record.id = message.id
    record.value = message.value
    record.life.adopt(count: message.count)
    let mute = message.muted.flatMap { Mute.Cause(rawValue: $0) }
    record.notice.isTold = mute == nil || mute == .flapping
    record.notice.mayBeTold = mute != nil
    record.notice.isToldAsFlapping = mute == .flapping
    // Whether that still holds is looked at.
    record.notice.mute = mute.map { Mute($0, "that was so before the restart") }
    restless.insert(key)
    record.notice.repeats = rule.repeatS.map { moment.instant + $0 }
    put(key, record)
    retainedAlerts.note(key)
    firingCount += 1
    log(.information, "\(rule.name) on \(subject(key.place)): firing since an earlier run, taken over")
    decide(.adopted, key, record, "the broker kept it", at: moment)
    switch rule.kind {
    case .shake, .impact, .clone, .together, .flapping:
      observe(key, .clears(after: rule.clearForS), "it was before the restart", at: moment)
    case .lostFix, .silent:
      if let index = key.node { watch(node: index, at: moment) }
    default:
      // It resolves with the next word of the node.
      break
    }
  }

  /// The broker has an alert that fires: as it is now, or as it was.
  private mutating func noteRetained(_ key: AlertKey, _ record: AlertRecord, _ message: AlertMessage) {
    guard message.id == record.memory.flap?.id ?? record.id, message.count == record.life.count,
      message.muted == record.notice.mute?.cause.rawValue
    else { return }
    retainedAlerts.note(key)
  }

  /// The broker has an alert that is over by what the store knows: whoever subscribes to alerts was not told yet.
  private mutating func end(_ message: AlertMessage, _ topic: String, at moment: Moment) {
    guard configuration.publishes else { return }
    log(.information, "\(SafeText.escaped(topic)): a retained alert is ended, since it was over before")
    var over = message
    over.state = .resolved
    over.time = moment.wall
    over.summary = "\(SafeText.escaped(message.node ?? message.site.map { "@\($0)" } ?? "@fleet")): over"
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
    for key in records.keys.sorted() where !retainedAlerts.has(key) {
      publishFiring(key, at: moment)
    }
    let unknown = Self.inOrderOfTelling(transients.values.joined())
    transients = [:]
    for alert in unknown {
      publish(text(.alert(rule: alert.rule, subject: alert.subject.description)), alert.message.encode())
      noteTold(alert)
    }
  }
}
