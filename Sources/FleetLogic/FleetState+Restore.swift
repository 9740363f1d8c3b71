public import Telemetry

/// From what was kept to a fleet that goes on where an earlier run of the fleet tool ended.
extension FleetState {
  /// Begins with what an earlier run kept. To be called before any message came; may be called for one part after the
  /// other, nodes before alerts. Later, what is known already stays as it is.
  /// - Returns: what that run decided and may not have told, in order; `Alert.mayHaveBeenTold` is set.
  public mutating func restore(_ kept: KeptFleet, at now: Instant) -> [Effect] {
    effects = []
    if started != nil { started = moment(now).wall }
    for silence in kept.silences where !silence.isOver(at: moment(now).wall) { silences[silence.id] = silence }
    for wish in kept.wishes where wish.state == .waiting { _ = wishes.add(wish) }
    for node in kept.nodes { restore(node, at: moment(now)) }
    restoreTogether(kept.notes)
    let last = kept.lastReceived
    var alerts: [Alert] = []
    for alert in kept.alerts { alerts += restore(alert, last: last, at: moment(now)) }
    if !kept.alerts.isEmpty { settleTogether(at: moment(now)) }
    if !kept.nodes.isEmpty || !kept.alerts.isEmpty { knowsAlerts = true }
    alerts = Self.inOrderOfTelling(alerts)
    keepTouched(at: moment(now))
    let answer = effects + alerts.map { .alert($0) }
    effects = []
    return answer
  }

  /// By time; what is told of one alert in the order in which it was decided, even if the clock was set meanwhile.
  static func inOrderOfTelling(_ alerts: some Sequence<Alert>) -> [Alert] {
    var latest: [String: WallTime] = [:]
    let timed = alerts.enumerated().map { place, alert in
      let time = max(alert.at.wall, latest[alert.id] ?? alert.at.wall)
      latest[alert.id] = time
      return (time: time, place: place, alert: alert)
    }
    return timed.sorted { ($0.time, $0.alert.id, $0.place) < ($1.time, $1.alert.id, $1.place) }.map(\.alert)
  }

  // MARK: Nodes

  private mutating func restore(_ kept: KeptNode, at moment: Moment) {
    guard indices[kept.name] == nil, let index = index(of: kept.name, at: moment) else { return }
    let latest = kept.latest.compactMap { message -> (KeptMessage, Telegram)? in
      guard let stream = message.stream else { return nil }
      return (try? Telegram.decode(stream: stream, payload: message.payload)).map { (message, $0) }
    }.sorted { $0.0.received < $1.0.received }
    restoreRuns(kept, latest, node: index)
    for (message, telegram) in latest { restore(message, telegram, node: index, at: moment) }
    noteSilence(node: index)
  }

  private mutating func restoreRuns(_ kept: KeptNode, _ latest: [(KeptMessage, Telegram)], node index: Int) {
    var boots = kept.boots
    // What only a running node sends says which run is the current one.
    let alive = latest.last { !$0.1.body.stream.isEvent }?.1.envelope.boot
    if let alive {
      let place = boots.firstIndex { $0.boot == alive }
      boots.append(place.map { boots.remove(at: $0) } ?? KeptBoot(boot: alive, settled: []))
    }
    var runs = boots.enumerated().map { BootLog.Run($1, order: $0 + 1) }
    for place in runs.indices {
      for (_, telegram) in latest where telegram.envelope.boot == runs[place].boot {
        _ = runs[place].learnClock(telegram.envelope)
        runs[place].noteUptime(telegram.envelope, .live)
      }
      runs[place].isConfirmed = runs[place].boot == alive
    }
    nodes[index].boots.restore(runs, interleavings: boots.reduce(0) { $0 + $1.interleavings })
    nodes[index].conflicts = boots.reduce(0) { $0 + $1.conflicts }
    nodes[index].replays = boots.reduce(0) { $0 + $1.replays }
  }

  private mutating func restore(_ message: KeptMessage, _ telegram: Telegram, node index: Int, at moment: Moment) {
    let envelope = telegram.envelope
    guard let run = nodes[index].boots.run(of: envelope.boot) else { return }
    let heard = earlier(message.received, at: moment)
    let stamp = Stamp(
      envelope, heard: message.isLate ? nil : heard, order: run.order, clock: run.clock(for: envelope))
    if let heard, !message.isLate, heard.instant < nodes[index].firstSeen.instant { nodes[index].firstSeen = heard }
    nodes[index].restore(telegram, stamp)
    if let heard, !message.isLate, telegram.body.stream == .acceleration || telegram.body.stream == .health {
      learnLag(telegram, heard: heard.instant, isFirm: false, node: index)
    }
    guard envelope.boot == nodes[index].boot else { return }
    if let heard, !message.isLate, message.place != Node.willPlace { nodes[index].lastSeen = heard }
    guard case .status(let status) = telegram.body else { return }
    nodes[index].presence =
      switch status.state {
      case .online: .online
      case .stopped: .stopped
      case .lost: nodes[index].presence == .stopped ? .stopped : .lost
      }
    nodes[index].presenceSince = heard ?? moment
  }

  /// A time before this run, on its own clock; nil when nothing vouches for the calendar.
  private func earlier(_ time: WallTime, at moment: Moment) -> Moment? {
    guard clock.quality != .none else { return nil }
    return Moment(instant: moment.instant - max(0, moment.wall - time), wall: time)
  }

  // MARK: Alerts

  private mutating func restore(_ kept: KeptAlert, last: WallTime?, at moment: Moment) -> [Alert] {
    guard let number = configuration.rules.firstIndex(where: { $0.name == kept.rule }),
      concerns(number, kept.subject), let key = key(number, kept.subject, at: moment)
    else { return forget(kept, at: moment) }
    let rule = configuration.rules[number]
    guard records[key] == nil, untold[key] == nil else {
      touched.insert(key)
      return []
    }
    if !kept.untold.isEmpty { untold[key] = kept.untold }
    noteTransients(kept)
    guard kept.phase != .over else { return kept.untold }
    var record = AlertRecord(since: kept.since, sinceInstant: earlier(kept.since, at: moment)?.instant)
    record.id = kept.id
    record.value = kept.value
    record.lastShake = kept.lastShake
    let passedS = max(0, last.map { $0 - kept.at } ?? 0)
    let reading = reading(for: rule, at: moment)
    record.life.restore(
      kept.phase.life(passedS: passedS, at: reading), count: kept.count,
      pendingLapses: kept.lapsesS.map { reading + max(0, $0 - passedS) })
    // Meanwhile as much time has passed as the calendar says, where anything vouches for that.
    let agoS = clock.quality == .none ? passedS : max(0, moment.wall - kept.at)
    record.notice = kept.notice?.notice(agoS: agoS, at: moment.instant) ?? Notice(isTold: record.life.isFiring)
    record.memory = kept.memory?.memory(agoS: agoS, at: moment.instant) ?? RuleMemory()
    put(key, record)
    touched.remove(key)
    if record.life.isFiring { firingCount += 1 }
    // Where it is clearing the node is back.
    if rule.kind == .silent, case .firing = record.life.phase, let index = key.node, nodes[index].presence == .online {
      nodes[index].presence = .silent
      noteSilence(node: index)
    }
    return kept.untold
  }

  /// What fired and was over before anybody may have heard of it: the broker may know nothing of it.
  private mutating func noteTransients(_ kept: KeptAlert) {
    guard configuration.publishes else { return }
    for (id, alerts) in Dictionary(grouping: kept.untold, by: \.id)
    where alerts.count > 1 && alerts.last?.state == .resolved { transients[id] = alerts }
  }
}

extension Node {
  /// Where a will stands, which says nothing of the node itself.
  static let willPlace = "status/lost"

  /// Where a message that came stands among those that say how the node is now; nil when it says nothing of that, or
  /// something newer is known.
  func place(of telegram: Telegram, _ stamp: Stamp) -> String? {
    switch telegram.body {
    case .status(let status) where status.state == .lost: Self.willPlace
    case .status where boot == telegram.envelope.boot: "status"
    case .acceleration where acceleration?.stamp == stamp: "acceleration"
    case .health where health?.stamp == stamp: "health"
    case .orientation where orientation?.stamp == stamp: "orientation"
    case .location(.fixed) where position?.stamp == stamp: "location/fix"
    case .location(.lost) where location?.stamp == stamp: "location/lost"
    case .shake where shake?.stamp == stamp: "shake"
    case .geofence(let geofence) where crossings[geofence.fence]?.stamp == stamp: "geofence/\(geofence.fence)"
    default: nil
    }
  }

  /// Takes a message of an earlier run of the fleet tool over.
  mutating func restore(_ telegram: Telegram, _ stamp: Stamp) {
    func isNewer<Content>(_ place: Reported<Content>?) -> Bool { place.map { stamp.isNewer(than: $0.stamp) } ?? true }
    switch telegram.body {
    case .status(let message): if message.state != .lost { status = message }
    case .acceleration(let message): acceleration = Reported(content: message, stamp: stamp)
    case .health(let message): health = Reported(content: message, stamp: stamp)
    case .orientation(let message): orientation = Reported(content: message, stamp: stamp)
    case .shake(let message): shake = Reported(content: message, stamp: stamp)
    case .geofence(let message): _ = note(message, stamp)
    case .location(let message):
      if case .fixed(let fix) = message { position = Reported(content: fix, stamp: stamp) }
      guard isNewer(location) else { return }
      location = Reported(content: message, stamp: stamp)
      if case .lost = message { firstLoss = stamp } else { firstLoss = nil }
    case .waveform, .impact, .freeFall, .reply, .evicted: break
    }
  }
}
