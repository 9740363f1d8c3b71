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
    record.notice.mayBeTold = false
    record.notice.isToldAsFlapping = false
    record.notice.sinks = configuration.rules[key.rule].sinks
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
    let isHeard = record.notice.isTold || record.notice.mayBeTold
    if isHeard {
      tell(key, record, .resolved, previous: .firing, reason, at: moment)
    } else {
      decide(.muted, key, record, "nobody was told that it fired", at: moment)
    }
    let alert = alert(key, record, .resolved, previous: .firing, reason, at: moment)
    publishOver(key, alert, isTold: isHeard)
  }

  // MARK: Why not

  /// Why an alert is not to be told at this moment; nil: nothing keeps it.
  func mute(_ key: AlertKey, _ record: AlertRecord, at moment: Moment) -> Mute? {
    let rule = configuration.rules[key.rule]
    if let reason = rule.times.pause(at: moment.wall, configuration.windows) { return Mute(.scheduled, reason) }
    if let exemption = exemption(key, at: moment) { return exemption }
    guard let index = key.node else { return nil }
    return inhibition(rule, nodes[index]) ?? groupMute(key, record, at: moment)
  }

  /// What somebody said about an alert's subject: there is maintenance, or a silence.
  func exemption(_ key: AlertKey, at moment: Moment) -> Mute? {
    let (subject, label) = (subject(key.place), label(key.place))
    if let window = maintenance(subject, label, at: moment) {
      return Mute(.maintenance, "there is maintenance: the window \(window)")
    }
    let silence = silences.values.filter {
      $0.holds(at: moment.wall) && $0.matchers.match(configuration.rules[key.rule], subject, label)
    }.min { $0.id < $1.id }
    return silence.map {
      Mute(
        .silenced,
        "\(SafeText.escaped($0.author, limit: 60)) silenced it (\($0.id)) until "
          + "\($0.end.rfc3339): \(SafeText.escaped($0.comment, limit: 200))")
    }
  }

  private func maintenance(_ subject: AlertSubject, _ label: Label?, at moment: Moment) -> String? {
    configuration.windows.first { window in
      guard let scope = window.maintenance, window.contains(moment.wall) else { return false }
      switch subject {
      case .node(let name): return scope.contains(name, label)
      // Of some of its nodes only is not of the site.
      case .site(let site): return scope.nodes.isEmpty && scope.groups.isEmpty && Scope.fits(scope.sites, site)
      case .fleet: return scope == Scope()
      }
    }?.name
  }

  /// A node that cannot be heard has a more urgent trouble than what it said last; but where it was taken is what
  /// people need to know most then.
  private func inhibition(_ rule: Rule, _ node: Node) -> Mute? {
    switch rule.kind {
    case .shake, .impact, .clone, .together, .silent, .flapping, .moved, .geofence: return nil
    case .lostFix, .poorFix, .tipped, .sensorFault, .clockWrong, .spool, .rate: break
    }
    switch node.presence {
    case .lost, .silent: return Mute(.inhibited, "the node is \(node.presence.rawValue)")
    case .online, .stopped, .unknown: return nil
    }
  }

  // MARK: Looking again

  /// Keeps in mind when time alone makes an alert worth another look.
  mutating func attend(_ key: AlertKey, _ record: AlertRecord) {
    attended.set(key, attention(key, record))
  }

  func attention(_ key: AlertKey, _ record: AlertRecord) -> Instant? {
    if let flap = record.memory.flap { return flap.changed + configuration.flapping.calmS }
    guard record.life.isFiring else { return record.isQuiet ? memoryEnds(key, record.memory) : nil }
    switch record.notice.mute?.cause {
    case .waiting: return groupDue(key, record)
    // What nobody is told of is not told again, and what is about to be over neither.
    case nil: return record.notice.acknowledgement == nil && !record.life.isClearing ? record.notice.repeats : nil
    default: return nil
    }
  }

  /// When what is counted is all out of its window; nil: nothing is counted.
  private func memoryEnds(_ key: AlertKey, _ memory: RuleMemory) -> Instant? {
    let strikes = memory.strikes.last.map { $0.at + (configuration.rules[key.rule].condition.withinS ?? 0) }
    let shakes = memory.shakes.last.map { $0.at + (configuration.rules[key.rule].condition.shakeHoldS ?? 0) }
    let raises = memory.raises.last.map { $0 + configuration.flapping.windowS }
    return [strikes, shakes, raises].compactMap { $0 }.max()
  }

  /// Looks at what keeps alerts from being told, where anything about that changed or was due to. Without a link
  /// nobody knows how anything is: that waits.
  mutating func applyPolicy(at moment: Moment) {
    guard isConnected else { return }
    if isPolicyStale || calendarDue.map({ $0 <= moment.instant }) ?? false {
      isPolicyStale = false
      expireSilences(at: moment)
      noteCalendar(at: moment)
      judgeGroups(at: moment)
      for (key, record) in records where record.life.isFiring { restless.insert(key) }
    }
    restless.formUnion(attended.takeKeys(dueBy: moment.instant))
    // Looking at one may make another restless.
    while !restless.isEmpty {
      let keys = restless.sorted()
      restless = []
      for key in keys { reconsider(key, at: moment) }
    }
  }

  /// When the calendar changes something. The calendar may be set meanwhile: that is looked at by itself.
  private mutating func noteCalendar(at moment: Moment) {
    var times = silences.values.flatMap { [$0.start, $0.end] }.filter { $0 > moment.wall }
    times += configuration.windows.compactMap { $0.nextChange(after: moment.wall) }
    calendarDue = times.min().map { moment.instant + max(0.001, $0 - moment.wall) }
  }

  private mutating func reconsider(_ key: AlertKey, at moment: Moment) {
    guard var record = records[key] else { return }
    if let flap = record.memory.flap {
      if flap.changed + configuration.flapping.calmS <= moment.instant { return endFlap(key, at: moment) }
      return tellFlap(key, record, at: moment)
    }
    guard record.life.isFiring else { return forgetMemory(key, record, at: moment) }
    let mute = mute(key, record, at: moment)
    // What nobody was told of, and is about to be over, is no news: its end will be none either.
    if mute == nil, !record.notice.isTold, record.life.isClearing { return }
    if mute?.cause != record.notice.mute?.cause { return change(mute, key, record, at: moment) }
    guard let repeats = record.notice.repeats, repeats <= moment.instant, mute == nil, !record.life.isClearing,
      record.notice.acknowledgement == nil
    else { return }
    noteTelling(&record, key, at: moment)
    put(key, record)
    tell(key, record, .firing, previous: .firing, "it fires still", isRepeated: true, at: moment)
  }

  /// Nothing goes on, and what was counted does not count any more.
  private mutating func forgetMemory(_ key: AlertKey, _ quiet: AlertRecord, at moment: Moment) {
    guard quiet.isQuiet, let end = memoryEnds(key, quiet.memory), end <= moment.instant else { return }
    var record = quiet
    record.memory.strikes = []
    record.memory.shakes = []
    record.memory.raises = []
    put(key, record)
  }

  private mutating func change(_ mute: Mute?, _ key: AlertKey, _ before: AlertRecord, at moment: Moment) {
    var record = before
    record.notice.mute = mute
    if let mute {
      put(key, record)
      decide(.muted, key, record, mute.reason, at: moment)
    } else {
      let reason = "nothing keeps it from being told any more: \(before.notice.mute?.reason ?? "")"
      let isNews = !before.notice.isTold || before.notice.isToldAsFlapping
      put(key, record)
      decide(.unmuted, key, record, reason, at: moment)
      if isNews {
        tell(key, record, .firing, previous: nil, reason, at: moment)
        noteTelling(&record, key, at: moment)
        put(key, record)
      }
    }
    publishFiring(key, at: moment)
  }
}
