internal import Telemetry

/// What happens when nothing is heard.
extension FleetState {
  /// What is due by so little less is looked at [s]: sums are rounded, and `AlertLife.isDue` decides.
  private static let marginS = 1e-5

  /// Does all that was due until `moment`.
  mutating func letTimePass(_ moment: Moment) {
    let (onLink, silence) = readings(at: moment)
    for index in silenceDues.keys(dueBy: silence + Self.marginS).sorted() { lookForSilence(node: index, at: moment) }
    let keys =
      alertDues.keys(dueBy: onLink + Self.marginS) + silentAlertDues.keys(dueBy: silence + Self.marginS)
    for key in keys.sorted() { passTime(key, at: moment) }
  }

  /// Does what was due of an alert.
  mutating func passTime(_ key: AlertKey, at moment: Moment) {
    guard var record = records[key] else { return }
    let rule = configuration.rules[key.rule]
    let transition = record.life.passes(clearAfter: rule.clearForS, at: reading(for: rule, at: moment))
    guard transition != nil || record != records[key] else { return }
    settle(
      key, record, transition, previous: transition == .fired ? .pending : .firing,
      Self.reasonOfTime(transition, rule), at: moment)
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
  mutating func lookForSilence(node index: Int, at moment: Moment) {
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

  /// Notes when time alone changes an alert.
  mutating func noteDeadline(_ key: AlertKey, _ record: AlertRecord) {
    guard configuration.rules[key.rule].kind == .silent else { return alertDues.set(key, record.life.deadline) }
    silentAlertDues.set(key, record.life.deadline)
    if let index = key.node { noteSilence(node: index) }
  }

  /// Notes when the node will count as silent if nothing comes from it.
  mutating func noteSilence(node index: Int) { silenceDues.set(index, silenceDue(node: index)) }

  /// When a node is to be looked at for its silence, on the silence clock; nil: never, as things are.
  func silenceDue(node index: Int) -> Double? {
    guard canFallSilent(index) else { return nil }
    let silenceS = nodes[index].silenceS
    var quietS = nodes[index].presence == .silent ? .infinity : silenceS
    for number in nodes[index].rules where configuration.rules[number].kind == .silent {
      guard records[AlertKey(rule: number, node: index)]?.life.isFiring != true else { continue }
      quietS = min(quietS, configuration.rules[number].forS ?? silenceS)
    }
    return quietS < .infinity ? nodes[index].silenceReference + quietS : nil
  }

  /// How the clock of a rule's timers reads.
  func reading(for rule: Rule, at moment: Moment) -> Double {
    (rule.kind == .silent ? silenceClock : linkClock).reading(at: moment.instant)
  }

  private func readings(at moment: Moment) -> (onLink: Double, silence: Double) {
    (linkClock.reading(at: moment.instant), silenceClock.reading(at: moment.instant))
  }
}
