public import Telemetry

/// What is to outlast the fleet tool.
extension FleetState {
  /// Alerts of one rule and node that wait to be told at the most.
  private static let mostUntold = 16
  /// A time of measurement may be this far in the future [s]: clocks differ.
  static let mostAheadS = 300.0
  /// Health and acceleration come too often for every one to be kept: one in this time is [s].
  static let latestIntervalS = 60.0

  /// An event that could be read. Duplicates, too: what was stored is acknowledged again.
  mutating func keepEvent(
    _ telegram: Telegram, _ payload: [UInt8], _ mark: EventMark, node index: Int, at moment: Moment
  ) {
    guard configuration.keeps, let sequence = telegram.envelope.sequence else { return }
    var measured = measured(telegram, node: index)
    if clock.quality != .none { measured = measured.map { min($0, moment.wall + Self.mostAheadS) } }
    var event = KeptEvent(
      node: nodes[index].name, boot: telegram.envelope.boot, sequence: sequence, stream: telegram.body.stream,
      measured: measured, clock: telegram.envelope.clock, uptime: telegram.envelope.uptime, received: moment.wall,
      isLate: mark.late != nil, payload: payload)
    event.doubt = mark.doubt
    if case .evicted(let message) = telegram.body {
      event.eviction = KeptEvent.Eviction(message, in: telegram.envelope.boot)
    }
    effects.append(.keep(.event(event)))
  }

  /// A message that came live, and says how its node is now.
  mutating func keepLatest(
    _ telegram: Telegram, _ payload: [UInt8], _ stamp: Stamp, isLate: Bool, node index: Int, at moment: Moment
  ) {
    guard configuration.keeps, let place = nodes[index].place(of: telegram, stamp) else { return }
    if telegram.body.stream == .health || telegram.body.stream == .acceleration {
      if let last = nodes[index].lastKept[place], moment.instant - last < Self.latestIntervalS { return }
      nodes[index].lastKept[place] = moment.instant
    }
    effects.append(
      .keep(
        .latest(
          KeptMessage(
            node: nodes[index].name, place: place, received: moment.wall, isLate: isLate, payload: payload))))
  }

  /// Something about a run of a node that its events don't tell.
  mutating func keepBoot(
    _ boot: BootID, clock: ClockState? = nil, interleavings: Int = 0, replays: Int = 0, node index: Int
  ) {
    guard configuration.keeps, clock != nil || interleavings > 0 || replays > 0 else { return }
    effects.append(
      .keep(
        .boot(
          KeptNote(
            node: nodes[index].name, boot: boot, clock: clock, interleavings: interleavings, replays: replays))))
  }

  // MARK: Alerts

  /// What is going on with the alerts that the input just handled changed.
  mutating func keepTouched(at moment: Moment) {
    defer { touched = [] }
    guard configuration.keeps else { return }
    for key in touched.sorted() {
      if let alert = kept(key, at: moment) {
        effects.append(.keep(.alert(alert)))
      } else {
        effects.append(.keep(.alertOver(rule: configuration.rules[key.rule].name, subject: subject(key.place))))
      }
    }
  }

  /// Nil when nothing is going on any more, and everything was told.
  private func kept(_ key: AlertKey, at moment: Moment) -> KeptAlert? {
    let rule = configuration.rules[key.rule]
    let waiting = untold[key] ?? []
    guard let record = records[key] else {
      guard let last = waiting.last else { return nil }
      var alert = KeptAlert(
        rule: rule.name, subject: last.subject, phase: .over, since: last.since, count: last.count, at: moment.wall)
      alert.id = last.id
      alert.untold = waiting
      return alert
    }
    var alert = KeptAlert(
      rule: rule.name, subject: subject(key.place),
      phase: KeptAlert.Phase(record.life.phase, at: reading(for: rule, at: moment)), since: record.since,
      count: record.life.count, at: moment.wall)
    alert.id = record.id
    alert.value = record.value
    alert.lapsesS = record.life.pendingLapses.map { max(0, $0 - reading(for: rule, at: moment)) }
    alert.lastShake = record.lastShake
    alert.untold = waiting
    if record.notice.isTold, record.life.isFiring || record.memory.flap != nil {
      alert.told = self.alert(key, record, .firing, previous: .firing, "", at: moment)
      alert.told?.sinks = concernedSinks(rule, record.notice)
    }
    alert.notice = KeptNotice(record.notice, at: moment.instant)
    alert.memory = KeptMemory(record.memory, at: moment.instant)
    return alert
  }

  mutating func noteUntold(_ key: AlertKey, _ alert: Alert) {
    guard configuration.keeps else { return }
    untold[key, default: []].append(alert)
    if untold[key, default: []].count > Self.mostUntold { untold[key]?.removeFirst() }
  }

  /// Every sink knows. What the broker may not know yet counts as told when it does.
  mutating func noteTold(_ alert: Alert) {
    guard transients[alert.id] == nil, let rule = configuration.rules.firstIndex(where: { $0.name == alert.rule }),
      let key = knownKey(rule, alert.subject)
    else { return }
    guard let place = untold[key]?.firstIndex(where: { $0.id == alert.id && $0.state == alert.state }) else { return }
    untold[key]?.remove(at: place)
    if untold[key]?.isEmpty == true { untold[key] = nil }
    touched.insert(key)
    guard alert.state == .resolved, records[key].map({ !$0.life.isFiring && $0.memory.flap == nil }) ?? true else {
      return
    }
    publish(text(.alert(rule: alert.rule, subject: alert.subject.description)), [])
  }

  // MARK: The store itself

  /// Where a run of a node is told what is stored: under the prefix where that run was last heard live, or, when it is
  /// not remembered, the node. Nil for a node that was not heard live since the start: it is told with its next event.
  ///
  /// With a prefix of wildcards, two nodes of one name under two prefixes are one node here, whose runs speak in turn:
  /// each is told what is stored of its own runs, but they share their alerts and what is known of them.
  public func ackTopic(of node: NodeName, boot: BootID) -> AckTopic? {
    guard let known = self.node(node) else { return nil }
    return (known.boots.run(of: boot)?.prefix ?? known.prefix).map { AckTopic(prefix: $0, node: node) }
  }

  mutating func noteStore(_ state: Storing, at moment: Moment) {
    guard state != storing else { return }
    // What could not be written meanwhile is written now.
    if state == .kept, case .failed = storing { touched.formUnion(Array(records.keys) + Array(untold.keys)) }
    storing = state
    announce(.online, at: moment)
  }
}

extension KeptAlert.Phase {
  init(_ phase: AlertLife.Phase, at reading: Double) {
    self =
      switch phase {
      case .quiet: .quiet
      case .pending(let due): .pending(leftS: max(0, due - reading))
      case .firing(let lapses): .firing(leftS: lapses.map { max(0, $0 - reading) })
      case .clearing(let due): .clearing(leftS: max(0, due - reading))
      }
  }

  /// As it goes on after `passedS` seconds, of which at least a moment is left for what waits at the broker.
  func life(passedS: Double, at reading: Double) -> AlertLife.Phase {
    func due(_ leftS: Double) -> Double { reading + max(min(leftS, Self.leastS), leftS - passedS) }
    return switch self {
    case .over, .quiet: .quiet
    case .pending(let leftS): .pending(due: due(leftS))
    case .firing(let leftS): .firing(lapses: leftS.map(due))
    case .clearing(let leftS): .clearing(due: due(leftS))
    }
  }

  /// What was published while the fleet tool was away comes first [s].
  private static let leastS = 5.0
}
