internal import Telemetry

/// Which alerts people are told of, and when again.
extension FleetState {
  // MARK: An alert fires, or is over

  /// Tells of an alert that fires, or notes why not.
  mutating func tellFiring(_ key: AlertKey, previous: AlertMessage.State?, _ reason: String, at moment: Moment) {
    guard var record = records[key], record.life.isFiring else { return }
    if record.memory.flap != nil {
      record.notice.mute = Mute(.flapping, "it comes and goes")
      put(key, record)
      decide(.muted, key, record, "it comes and goes", at: moment)
      return publishFiring(key, at: moment)
    }
    record.notice.mute = mute(key, record, at: moment)
    if let mute = record.notice.mute {
      put(key, record)
      decide(.muted, key, record, mute.reason, at: moment)
    } else {
      noteTelling(&record, key, at: moment)
      put(key, record)
      tell(key, record, .firing, previous: previous, reason, at: moment)
    }
    publishFiring(key, at: moment)
  }

  private func noteTelling(_ record: inout AlertRecord, _ key: AlertKey, at moment: Moment) {
    record.notice.isTold = true
    record.notice.mute = nil
    record.notice.repeats = configuration.rules[key.rule].repeatS.map { moment.instant + $0 }
  }

  /// Tells that an alert is over to those who heard that it fired.
  mutating func tellOver(_ key: AlertKey, _ record: AlertRecord, _ reason: String, at moment: Moment) {
    guard record.memory.flap == nil else {
      decide(.resolved, key, record, reason, at: moment)
      return noteFlap(key, at: moment)
    }
    decide(.resolved, key, record, reason, at: moment)
    if record.notice.isTold {
      tell(key, record, .resolved, previous: .firing, reason, at: moment)
    } else {
      decide(.muted, key, record, "nobody was told that it fired", at: moment)
    }
    let alert = alert(key, record, .resolved, previous: .firing, reason, at: moment)
    publishOver(key, alert, isTold: record.notice.isTold)
  }

  // MARK: Why not

  /// Why an alert is not to be told at this moment; nil: nothing keeps it.
  func mute(_ key: AlertKey, _ record: AlertRecord, at moment: Moment) -> Mute? {
    let rule = configuration.rules[key.rule]
    let (subject, label) = (subject(key.place), label(key.place))
    if let reason = rule.times.pause(at: moment.wall, configuration.windows) { return Mute(.scheduled, reason) }
    if let window = maintenance(subject, label, at: moment) {
      return Mute(.maintenance, "there is maintenance: the window \(window)")
    }
    let silence = silences.values.filter {
      $0.holds(at: moment.wall) && $0.matchers.match(rule, subject, label)
    }.min { $0.id < $1.id }
    if let silence {
      return Mute(
        .silenced,
        "\(SafeText.escaped(silence.author, limit: 60)) silenced it (\(silence.id)) until "
          + "\(silence.end.rfc3339): \(SafeText.escaped(silence.comment, limit: 200))")
    }
    guard let index = key.node else { return nil }
    return inhibition(rule, nodes[index]) ?? groupMute(key, record, at: moment)
  }

  private func maintenance(_ subject: AlertSubject, _ label: Label?, at moment: Moment) -> String? {
    configuration.windows.first { window in
      guard let scope = window.maintenance, window.contains(moment.wall) else { return false }
      switch subject {
      case .node(let name): return scope.contains(name, label)
      case .site(let site): return !scope.sites.isEmpty && Scope.fits(scope.sites, site) && scope.nodes.isEmpty
      case .fleet: return scope == Scope()
      }
    }?.name
  }

  /// A node that cannot be heard has a more urgent trouble than what it said last.
  private func inhibition(_ rule: Rule, _ node: Node) -> Mute? {
    guard !rule.kind.isEvent, rule.kind != .silent, rule.kind != .flapping else { return nil }
    switch node.presence {
    case .lost, .silent: return Mute(.inhibited, "the node is \(node.presence.rawValue)")
    case .online, .stopped, .unknown: return nil
    }
  }

  // MARK: Looking again

  /// Keeps in mind which alerts time or a change elsewhere may make news.
  mutating func attend(_ key: AlertKey, _ record: AlertRecord) {
    let isWorthIt =
      record.memory.flap != nil
      || record.life.isFiring && (record.notice.mute != nil || record.notice.repeats != nil || hasSilences)
    if isWorthIt { attended.insert(key) } else { attended.remove(key) }
    guard isWorthIt else { return }
    // What nobody is told of is not told again: looking at it then would change nothing.
    let isRepeating = record.notice.mute == nil && record.notice.acknowledgement == nil
    let repeats = isRepeating ? record.notice.repeats : nil
    let due = [
      repeats, record.memory.flap.map { $0.changed + configuration.flapping.calmS },
      groupDue(key, record),
    ]
    policyDue = ([policyDue] + due).compactMap { $0 }.min()
  }

  private var hasSilences: Bool { !silences.isEmpty || !configuration.windows.isEmpty }

  /// Looks at what keeps alerts from being told, where anything about that changed or was due to.
  mutating func applyPolicy(at moment: Moment) {
    guard isPolicyStale || policyDue.map({ $0 <= moment.instant }) ?? false else { return }
    isPolicyStale = false
    policyDue = nil
    expireSilences(at: moment)
    for key in attended.sorted(by: inOrder) { reconsider(key, at: moment) }
    for key in attended { if let record = records[key] { attend(key, record) } }
    notePolicyTimes(at: moment)
  }

  /// When the calendar changes something. The calendar may be set meanwhile: that is looked at by itself.
  private mutating func notePolicyTimes(at moment: Moment) {
    var times = silences.values.flatMap { [$0.start, $0.end] }.filter { $0 > moment.wall }
    times += configuration.windows.compactMap { $0.nextChange(after: moment.wall) }
    guard let next = times.min() else { return }
    let due = moment.instant + max(0.001, next - moment.wall)
    policyDue = policyDue.map { min($0, due) } ?? due
  }

  private mutating func reconsider(_ key: AlertKey, at moment: Moment) {
    guard var record = records[key] else {
      attended.remove(key)
      return
    }
    if let flap = record.memory.flap {
      guard moment.instant - flap.changed >= configuration.flapping.calmS else { return }
      return endFlap(key, at: moment)
    }
    guard record.life.isFiring else { return }
    let mute = mute(key, record, at: moment)
    if mute?.cause != record.notice.mute?.cause { return change(mute, key, record, at: moment) }
    guard let repeats = record.notice.repeats, repeats <= moment.instant, mute == nil,
      record.notice.acknowledgement == nil
    else { return }
    noteTelling(&record, key, at: moment)
    put(key, record)
    tell(key, record, .firing, previous: .firing, "it fires still", isRepeated: true, at: moment)
  }

  private mutating func change(_ mute: Mute?, _ key: AlertKey, _ before: AlertRecord, at moment: Moment) {
    var record = before
    let was = before.notice.mute
    record.notice.mute = mute
    if let mute {
      put(key, record)
      decide(.muted, key, record, mute.reason, at: moment)
    } else {
      let reason = "nothing keeps it from being told any more: \(was?.reason ?? "")"
      if !record.notice.isTold { noteTelling(&record, key, at: moment) }
      put(key, record)
      decide(.unmuted, key, record, reason, at: moment)
      if !before.notice.isTold { tell(key, record, .firing, previous: nil, reason, at: moment) }
    }
    publishFiring(key, at: moment)
  }
}
