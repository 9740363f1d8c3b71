internal import Telemetry

/// The fleet tool's own link, and what it says about itself.
extension FleetState {
  mutating func connect(at moment: Moment) {
    if case .connected = link { return }
    log(.information, "connected to the broker; silence counts in \(plain(configuration.graceS)) s")
    link = .connected(since: moment)
    effects.append(.link(link, at: moment))
    linkClock.resume(at: moment.instant, countingFrom: moment.instant)
    postponePending(at: moment)
    postponeTelling(at: moment)
    for index in nodes.indices { nodes[index].interruptTraffic() }
    if clock.quality == .none { noteClockForTogether() }
    silenceClock.resume(at: moment.instant, countingFrom: moment.instant + configuration.graceS)
    announce(.online, at: moment)
    // Whatever happened to the broker, it now has what is firing. With a store nothing is published twice: what the
    // broker still has comes by itself, and the rest is published then.
    guard !configuration.keeps else { return retainedAlerts.expect(at: moment.instant) }
    for key in records.keys.sorted() { publishFiring(key, at: moment) }
  }

  /// What was to be told while nothing could be heard waits for what the nodes say now.
  private mutating func postponeTelling(at moment: Moment) {
    let earliest = moment.instant + configuration.graceS
    for (key, before) in records where !before.isQuiet || before.memory.flap != nil {
      var record = before
      record.notice.repeats = record.notice.repeats.map { max($0, earliest) }
      if let flap = record.memory.flap {
        record.memory.flap?.changed = max(flap.changed, earliest - configuration.flapping.calmS)
      }
      if record != before { put(key, record) }
    }
  }

  /// What was about to fire when the link was lost waits for what its node said meanwhile: a grace as for silence.
  private mutating func postponePending(at moment: Moment) {
    for (key, record) in records {
      guard case .pending = record.life.phase, !configuration.rules[key.rule].kind.isEvent else { continue }
      let rule = configuration.rules[key.rule]
      guard rule.kind != .silent else { continue }
      var postponed = record
      postponed.life.postpone(to: reading(for: rule, at: moment) + configuration.graceS)
      put(key, postponed)
    }
  }

  mutating func disconnect(_ reason: String, at moment: Moment) {
    var since = moment
    if case .disconnected(let known, let first) = link {
      if known == reason { return }
      since = first
    }
    log(.warning, "no link to the broker: \(reason); alerts stand still until it is back")
    link = .disconnected(reason: reason, since: since)
    effects.append(.link(link, at: moment))
    linkClock.pause(at: moment.instant)
    silenceClock.pause(at: moment.instant)
    retainedAlerts = RetainedAlerts()
  }

  mutating func stop(at moment: Moment) {
    // With what is left of their deadlines just now.
    touched.formUnion(records.keys)
    keepTogether(at: moment, isStopping: true)
    keepQuarantine(at: moment, isStopping: true)
    announce(.stopped, at: moment)
  }

  var isConnected: Bool {
    if case .connected = link { true } else { false }
  }

  mutating func publish(_ topic: String, _ payload: [UInt8]) {
    guard configuration.publishes, isConnected else { return }
    effects.append(.publish(Publication(topic: topic, payload: payload, retained: true)))
  }

  mutating func log(_ level: LogEntry.Level, _ text: String) {
    effects.append(.log(LogEntry(level, text)))
  }

  /// The machine's clock was set, or is worth more or less.
  mutating func noteClock(_ state: ClockState, at now: Instant) {
    let (jumpS, was) = (state.wall(at: now) - clock.wall(at: now), clock.quality)
    clock = state
    // What is smaller is a correction that changes nothing that anybody reads.
    if jumpS.magnitude >= 1 {
      log(.information, "the clock was set \(jumpS < 0 ? "back" : "forward") by \(Age.phrase(jumpS.magnitude))")
    }
    if (was == .none) != (state.quality == .none) { noteClockForTogether() }
    isPolicyStale = true
  }

  // MARK: The fleet's own status

  /// The will that the session announces for the fleet tool.
  public var will: Publication {
    Publication(topic: text(.status), payload: FleetStatusMessage(.lost).encode(), retained: true)
  }

  mutating func announce(_ state: StatusMessage.State, at moment: Moment) {
    announcement.note(nodes: nodes.count, firing: firingCount, at: moment.instant)
    var message = FleetStatusMessage(state, time: moment.wall)
    message.agent = softwareVersion
    message.nodes = nodes.count
    message.firing = firingCount
    switch storing {
    case .none: break
    case .kept: message.store = .kept
    case .failed(let reason):
      message.store = .failed
      message.trouble = reason
    }
    publish(text(.status), message.encode())
  }

  mutating func announceIfChanged(at moment: Moment) {
    guard let due = announcement.due(link: link, nodes: nodes.count, firing: firingCount), due <= moment.instant else {
      return
    }
    announce(.online, at: moment)
  }
}

/// What the fleet's published status said last, and when it may be said anew.
struct Announcement: Equatable, Sendable {
  /// At least this long between two [s].
  static let intervalS = 10.0

  private var nodes = 0
  private var firing = 0
  private var last: Instant?

  mutating func note(nodes: Int, firing: Int, at now: Instant) {
    self.nodes = nodes
    self.firing = firing
    last = now
  }

  /// When a change is to be announced; nil when nothing changed, or nobody could be told.
  func due(link: FleetState.Link, nodes: Int, firing: Int) -> Instant? {
    guard case .connected = link, let last, nodes != self.nodes || firing != self.firing else { return nil }
    return last + Self.intervalS
  }
}
