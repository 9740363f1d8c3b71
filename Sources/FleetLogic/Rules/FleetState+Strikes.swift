internal import Telemetry

/// Rules about things that happen: shakes, impacts, falls.
extension FleetState {
  /// A shake whose end is never heard of counts as over after this [s]: longer than any preset lets one go on.
  public static let longestShakeS = 300.0

  /// Something that happened, as rules count it.
  private struct Strike {
    var identity: ShakeIdentity
    /// Nil: it has none, and always counts.
    var peakG: Double?
    var ageS: Double?
    /// What it is, for people: `a shake`.
    var name: String
    /// How long it goes on when nothing more is heard [s].
    var lapsesS: Double
  }

  // MARK: Shakes

  /// Looks at the rules about shakes when a phase of one came.
  mutating func judgeShake(
    _ shake: ShakeMessage, _ telegram: Telegram, ageS: Double?, node index: Int, at moment: Moment
  ) {
    let strike = Strike(
      identity: ShakeIdentity(boot: telegram.envelope.boot, id: shake.id), peakG: shake.peakG, ageS: ageS,
      name: "a shake \(shake.phase.rawValue)", lapsesS: Self.longestShakeS)
    for (key, rule) in rules(of: index, .shake) {
      guard case .shake(let events) = rule.condition else { continue }
      if events.phases.contains(shake.phase), !hasCounted(strike.identity, key) {
        take(strike, key, events, at: moment)
      }
      guard shake.phase != .began, hasCounted(strike.identity, key) else { continue }
      strengthen(key, strike)
      // The end of one that was overtaken by another does not end that.
      guard events.count == 1, records[key]?.lastShake == strike.identity else { continue }
      let reason = shake.reason.map { "the shake was cancelled: \($0.rawValue)" } ?? "the shake ended"
      observe(key, .clears(after: rule.clearForS), reason, at: moment)
    }
  }

  /// Whether a phase of it, or it, was counted before.
  private func hasCounted(_ shake: ShakeIdentity, _ key: AlertKey) -> Bool {
    guard let record = records[key] else { return false }
    return record.lastShake == shake || record.memory.hasCounted(shake)
  }

  /// No more can come of the shakes that go on.
  mutating func endShakes(node index: Int, _ reason: String, at moment: Moment) {
    for (key, rule) in rules(of: index, .shake) {
      // What is counted has happened.
      guard case .shake(let events) = rule.condition, events.count == 1 else { continue }
      observe(key, .clears(after: rule.clearForS), reason, at: moment)
    }
  }

  /// A shake that was counted turns out to be stronger.
  private mutating func strengthen(_ key: AlertKey, _ strike: Strike) {
    guard var record = records[key], let peakG = strike.peakG else { return }
    if let place = record.memory.strikes.firstIndex(where: { $0.shake == strike.identity }) {
      record.memory.strikes[place].peakG = max(record.memory.strikes[place].peakG ?? 0, peakG)
    }
    if !record.isQuiet { record.value = max(record.value ?? 0, peakG) }
    put(key, record)
  }

  // MARK: Impacts

  mutating func judgeImpact(
    _ impact: ImpactMessage, _ telegram: Telegram, ageS: Double?, node index: Int, at moment: Moment
  ) {
    let identity = ShakeIdentity(boot: telegram.envelope.boot, id: -1 - 2 * impact.id)
    judgeImpact(
      Strike(identity: identity, peakG: impact.peakG, ageS: ageS, name: "an impact", lapsesS: 0), isFall: false,
      node: index, at: moment)
  }

  mutating func judgeFall(
    _ fall: FreeFallMessage, _ telegram: Telegram, ageS: Double?, node index: Int, at moment: Moment
  ) {
    let identity = ShakeIdentity(boot: telegram.envelope.boot, id: -2 - 2 * fall.id)
    judgeImpact(
      Strike(identity: identity, peakG: nil, ageS: ageS, name: "a fall", lapsesS: 0), isFall: true, node: index,
      at: moment)
  }

  private mutating func judgeImpact(_ strike: Strike, isFall: Bool, node index: Int, at moment: Moment) {
    for (key, rule) in rules(of: index, .impact) {
      guard case .impact(let events) = rule.condition, !isFall || events.freeFall,
        !hasCounted(strike.identity, key)
      else { continue }
      take(strike, key, events, at: moment)
      guard events.count == 1, records[key]?.lastShake == strike.identity else { continue }
      observe(key, .clears(after: rule.clearForS), "\(strike.name) takes no time", at: moment)
    }
  }

  // MARK: Counting

  private mutating func take(_ strike: Strike, _ key: AlertKey, _ events: Condition.Events, at moment: Moment) {
    let rule = configuration.rules[key.rule]
    let isActive = records[key].map { !$0.isQuiet } ?? false
    if let peakG = strike.peakG, peakG < (isActive ? events.keepingPeakG : events.minPeakG) { return }
    if let age = strike.ageS, age > events.maxAgeS {
      let what = strike.name.split(separator: " ").prefix(2).joined(separator: " ")
      return log(
        .information, "\(subject(key.place)): \(what) of \(plain(age.rounded())) s ago does not raise \(rule.name)")
    }
    var (counted, lapsesS, peaks) = (1, strike.lapsesS, [strike.peakG])
    if events.count > 1 {
      let strikes = count(strike, key, events, at: moment)
      guard strikes.count >= events.count else { return }
      (counted, peaks) = (strikes.count, strikes.map(\.peakG))
      lapsesS = max(0, strikes[strikes.count - events.count].at + events.withinS - moment.instant)
    }
    observe(
      key, .strikes(after: rule.forS ?? 0, lapsesAfter: lapsesS), strike.name, at: moment
    ) { record in
      record.life.count = isActive ? record.life.count + 1 : counted
      record.value = (peaks + [record.value]).compactMap { $0 }.max()
      record.lastShake = strike.identity
    }
    guard events.count == 1, var record = records[key], record.lastShake == strike.identity else { return }
    note(strike, in: &record, events, at: moment)
    put(key, record)
  }

  private func note(_ strike: Strike, in record: inout AlertRecord, _ events: Condition.Events, at moment: Moment) {
    record.lastShake = strike.identity
    record.memory.count(strike.identity, at: moment.instant, forgetsAfter: events.holdS)
  }

  /// Notes a strike that raises an alert only with others. Answers those of late.
  private mutating func count(
    _ strike: Strike, _ key: AlertKey, _ events: Condition.Events, at moment: Moment
  ) -> [RuleMemory.Strike] {
    var record = records[key] ?? AlertRecord(since: moment.wall)
    let counted = record.memory.strike(
      RuleMemory.Strike(at: moment.instant, shake: strike.identity, peakG: strike.peakG), withinS: events.withinS,
      limit: events.count)
    note(strike, in: &record, events, at: moment)
    put(key, record)
    log(
      .debug,
      "\(configuration.rules[key.rule].name) on \(subject(key.place)): \(strike.name), \(counted) of "
        + "\(events.count) within \(plain(events.withinS)) s")
    return record.memory.strikes
  }
}
