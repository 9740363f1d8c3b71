internal import Telemetry

/// What happens when nothing is heard.
extension FleetState {
  /// Does all that was due until `moment`.
  mutating func letTimePass(_ moment: Moment) {
    let (onLink, silence) = readings(at: moment)
    guard AlertLife.isDue(earliestOnLink, onLink) || AlertLife.isDue(earliestSilence, silence) else { return }
    for index in nodes.indices { lookForSilence(node: index, at: moment) }
    for key in records.filter({ $0.value.life.deadline != nil }).keys.sorted(by: inOrder) {
      guard var record = records[key] else { continue }
      let rule = configuration.rules[key.rule]
      let transition = record.life.passes(
        clearAfter: rule.clearForS, at: reading(for: rule, at: moment))
      guard transition != nil || record != records[key] else { continue }
      settle(
        key, record, transition, previous: transition == .fired ? .pending : .firing,
        Self.reasonOfTime(transition, rule), at: moment)
    }
    findEarliest()
  }

  private static func reasonOfTime(_ transition: AlertLife.Transition?, _ rule: Rule) -> String {
    switch (transition, rule.condition) {
    case (.fired, .silent(let silence)): "its will came \(plain(silence.holdS)) s ago and it has not come back"
    case (.fired, _): "the condition has held for \(plain(rule.forS ?? 0)) s"
    case (.resolved, _): "the condition has been over for \(plain(rule.clearForS)) s"
    default: "nothing more was heard of it"
    }
  }

  /// Whether a node has been quiet for too long, for its state and for each rule on silence.
  private mutating func lookForSilence(node index: Int, at moment: Moment) {
    guard canFallSilent(index) else { return }
    let quiet = silenceClock.reading(at: moment.instant) - nodes[index].silenceReference
    if nodes[index].presence != .silent, AlertLife.isDue(nodes[index].silenceS, quiet) {
      setPresence(.silent, "nothing came for \(plain(quiet.rounded())) s", node: index, nil, at: moment)
      watch(node: index, at: moment)
    }
    for number in nodes[index].rules where configuration.rules[number].kind == .silent {
      let rule = configuration.rules[number]
      let key = AlertKey(rule: number, node: index)
      guard AlertLife.isDue(rule.forS ?? nodes[index].silenceS, quiet), records[key]?.life.isFiring != true else {
        continue
      }
      observe(key, .holds(after: 0), "nothing came for \(plain(quiet.rounded())) s", at: moment)
    }
  }

  /// A node that never said anything live, or said good-bye, owes nothing; one that is lost is waited for already.
  private func canFallSilent(_ index: Int) -> Bool {
    guard configuration.hearsEverything else { return false }
    switch nodes[index].presence {
    case .online, .silent: return true
    case .unknown: return nodes[index].lastSeen != nil
    case .stopped, .lost: return false
    }
  }

  /// Makes the lower bounds of the deadlines exact.
  private mutating func findEarliest() {
    earliestOnLink = .infinity
    earliestSilence = .infinity
    for (key, record) in records { noteDeadline(record, configuration.rules[key.rule]) }
    for index in nodes.indices { noteSilence(node: index) }
  }

  mutating func noteDeadline(_ record: AlertRecord, _ rule: Rule) {
    guard let deadline = record.life.deadline else { return }
    if rule.kind == .silent {
      earliestSilence = min(earliestSilence, deadline)
    } else {
      earliestOnLink = min(earliestOnLink, deadline)
    }
  }

  /// Notes when the node will count as silent if nothing comes from it.
  mutating func noteSilence(node index: Int) {
    guard canFallSilent(index) else { return }
    let node = nodes[index]
    if node.presence != .silent { earliestSilence = min(earliestSilence, node.silenceReference + node.silenceS) }
    for number in node.rules where configuration.rules[number].kind == .silent {
      guard records[AlertKey(rule: number, node: index)]?.life.isFiring != true else { continue }
      earliestSilence = min(
        earliestSilence, node.silenceReference + (configuration.rules[number].forS ?? node.silenceS))
    }
  }

  /// How the clock of a rule's timers reads.
  func reading(for rule: Rule, at moment: Moment) -> Double {
    (rule.kind == .silent ? silenceClock : linkClock).reading(at: moment.instant)
  }

  private func readings(at moment: Moment) -> (onLink: Double, silence: Double) {
    (linkClock.reading(at: moment.instant), silenceClock.reading(at: moment.instant))
  }

  /// By the subject's place, then the rule's.
  func inOrder(_ a: AlertKey, _ b: AlertKey) -> Bool { (a.place, a.rule) < (b.place, b.rule) }
}
