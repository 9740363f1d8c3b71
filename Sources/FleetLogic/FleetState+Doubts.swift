internal import Telemetry

/// What is said of an event besides its content.
struct EventMark: Equatable, Sendable {
  /// Nil: it is news, or nobody can say.
  var late: Lateness?
  /// How old it is at least [s]; nil when nobody can say.
  var ageS: Double?
  var doubt: Doubt?
}

/// Whether an event is news, and what it seems.
extension FleetState {
  /// An event is news for so long after it was measured [s].
  static let newsS = 300.0

  mutating func mark(
    _ telegram: Telegram, _ verdict: BootLog.Verdict, retained: Bool, node index: Int, at moment: Moment
  ) -> EventMark {
    guard telegram.body.stream.isEvent, !retained else { return EventMark() }
    var mark = EventMark()
    mark.ageS = age(of: telegram, node: index, at: moment)
    mark.late = lateness(telegram, mark.ageS, node: index)
    mark.doubt = doubt(telegram, verdict, node: index, at: moment)
    return mark
  }

  private func lateness(_ telegram: Telegram, _ ageS: Double?, node index: Int) -> Lateness? {
    if telegram.isBacklog { return Lateness(.backlog, ageS: ageS) }
    if telegram.envelope.boot != nodes[index].boot { return Lateness(.formerBoot, ageS: ageS) }
    if let ageS, ageS > Self.newsS { return Lateness(.age, ageS: ageS) }
    return nil
  }

  /// How long ago the content was measured at least [s]: by the calendar where both clocks are good enough to say, less
  /// what the node's is behind, and by what the node has said since, which takes no clock. Nil when nobody can say.
  private func age(of telegram: Telegram, node index: Int, at moment: Moment) -> Double? {
    let boots = nodes[index].boots
    let sinceThen = boots.age(of: telegram.envelope)
    guard let time = measured(telegram, node: index), clock.quality != .none else { return sinceThen }
    let lagS = boots.run(of: telegram.envelope.boot)?.lag?.seconds(by: clock) ?? 0
    return max(moment.wall - time - lagS, sinceThen ?? 0)
  }

  /// Learns from a live message that is never late how far its node's clock is behind. A status may have waited at the
  /// broker while the fleet tool was away, so that one counts only once the link has stood for a while.
  mutating func learnLag(_ telegram: Telegram, node index: Int, at moment: Moment) {
    switch telegram.body {
    case .acceleration, .health: break
    case .status(let status) where status.state != .lost:
      guard case .connected(let since) = link, moment.instant - since.instant >= configuration.graceS else { return }
    default: return
    }
    learnLag(telegram, heard: moment.instant, isFirm: true, node: index)
  }

  /// - Parameter isFirm: false for what an earlier run of the fleet tool heard.
  mutating func learnLag(_ telegram: Telegram, heard: Instant, isFirm: Bool, node index: Int) {
    guard let time = measured(telegram, node: index), let uptime = telegram.envelope.uptime else { return }
    let lag = ClockLag(measured: time, uptime: uptime, heard: heard, isFirm: isFirm)
    _ = nodes[index].boots.update(telegram.envelope.boot) { $0.learnLag(lag) }
  }

  private mutating func doubt(_ telegram: Telegram, _ verdict: BootLog.Verdict, node index: Int, at moment: Moment)
    -> Doubt?
  {
    let envelope = telegram.envelope
    if nodes[index].memory.note(envelope, telegram.content) {
      noteConflict(envelope, node: index, at: moment)
      return .conflict
    }
    if verdict != .duplicate, telegram.body.stream != .waveform, nodes[index].boots.goesBackwards(envelope) {
      nodes[index].replays += 1
      keepBoot(envelope.boot, replays: 1, node: index)
      say(
        .backwards,
        "number \(envelope.sequence ?? 0) of run \(envelope.boot) is newer than events of higher numbers: "
          + "something counts anew under its name", node: index, at: moment)
      return .backwards
    }
    return nodes[index].isSuspectedClone ? .clone : nil
  }

  /// A run speaks that was thought to be over.
  mutating func noteInterleaving(_ boot: BootID, node index: Int, at moment: Moment) {
    keepBoot(boot, interleavings: 1, node: index)
    guard nodes[index].isSuspectedClone else { return }
    judgeClone("run \(boot) speaks in turn with another", node: index, at: moment)
    say(.clone, "run \(boot) speaks in turn with another: two devices use one name", node: index, at: moment)
  }

  private mutating func noteConflict(_ envelope: Envelope, node index: Int, at moment: Moment) {
    nodes[index].conflicts += 1
    say(
      .conflict,
      "number \(envelope.sequence ?? 0) of run \(envelope.boot) came again with another content: "
        + "the first one counts", node: index, at: moment)
  }

  /// The store found another event under its number.
  mutating func noteConflict(_ event: KeptEvent, at moment: Moment) {
    guard event.doubt != .conflict, let index = indices[event.node] else { return }
    noteConflict(Envelope(boot: event.boot, sequence: event.sequence), node: index, at: moment)
  }

  private mutating func say(_ doubt: Doubt, _ text: String, node index: Int, at moment: Moment) {
    guard let held = oddities.admit(doubt, at: moment.instant) else { return }
    let more = held > 0 ? " (and \(held) more of this kind)" : ""
    log(.warning, "\(nodes[index].name): \(text)\(more)")
    note(.doubt(doubt, text), node: index, nil, at: moment)
  }
}
