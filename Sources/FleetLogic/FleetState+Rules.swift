internal import Telemetry

/// From what is known about a node to what its rules make of it.
extension FleetState {
  /// What a rule sees.
  enum Observation {
    /// The condition holds; the alert may fire after that many seconds.
    case holds(after: Double)
    /// As `holds`, for a condition that is over by itself some seconds later unless it is seen again.
    case strikes(after: Double, lapsesAfter: Double)
    /// The condition is over; the alert may resolve after that many seconds.
    case clears(after: Double)
  }

  /// A shake whose end is never heard of counts as over after this [s]: longer than any preset lets one go on.
  static let longestShakeS = 300.0

  /// Looks at the rules about conditions that last, after something about the node changed or it was heard.
  mutating func watch(node index: Int, at moment: Moment) {
    for number in nodes[index].rules {
      let key = AlertKey(rule: number, node: index)
      switch configuration.rules[number].kind {
      case .silent: watchSilence(key, at: moment)
      case .lostFix: watchFix(key, at: moment)
      case .shake, .geofence: continue
      }
    }
    noteSilence(node: index)
  }

  private mutating func watchSilence(_ key: AlertKey, at moment: Moment) {
    let rule = configuration.rules[key.rule]
    switch nodes[key.node].presence {
    case .lost:
      observe(key, .holds(after: rule.holdS), "its will came", at: moment)
    case .stopped:
      observe(key, .clears(after: 0), "it said good-bye", at: moment)
    case .online where nodes[key.node].lastSeen == moment:
      observe(key, .clears(after: rule.clearForS), "it is back", at: moment)
    case .online, .silent, .unknown:
      return
    }
  }

  private mutating func watchFix(_ key: AlertKey, at moment: Moment) {
    let rule = configuration.rules[key.rule]
    let node = nodes[key.node]
    switch node.presence {
    case .lost, .silent:
      // A node that cannot be heard has a more urgent trouble. An alert that fires already is left as it is.
      guard case .pending = records[key]?.life.phase else { return }
      return observe(key, .clears(after: 0), "the node is \(node.presence.rawValue)", at: moment)
    case .stopped:
      return observe(key, .clears(after: 0), "the node said good-bye", at: moment)
    case .online, .unknown:
      break
    }
    switch node.location?.content {
    case .lost(let loss) where !loss.isBacklog:
      observe(key, .holds(after: rule.forS ?? 0), loss.reason.sentence, at: moment)
    case .fixed(let position) where !position.isBacklog:
      observe(key, .clears(after: rule.clearForS), "it has a fix", at: moment)
    case .lost, .fixed, nil:
      return
    }
  }

  // MARK: Fences

  /// Looks at the rules about fences when one was crossed. The newest crossing counts, in the order of the node's own
  /// numbers: one that comes late, after an outage, is news only where nothing newer is known.
  mutating func watchFences(node index: Int, at moment: Moment) {
    for number in nodes[index].rules where configuration.rules[number].kind == .geofence {
      let rule = configuration.rules[number]
      guard let crossing = nodes[index].crossing(of: rule.fence) else { continue }
      let key = AlertKey(rule: number, node: index)
      switch crossing.content.event {
      case .leave: observe(key, .holds(after: rule.forS ?? 0), "it left \(fenceName(crossing))", at: moment)
      case .enter: observe(key, .clears(after: rule.clearForS), "it entered \(fenceName(crossing))", at: moment)
      }
    }
  }

  private func fenceName(_ crossing: Node.Reported<GeofenceMessage>) -> String {
    SafeText.escaped(crossing.content.fence)
  }

  // MARK: Shakes

  /// Looks at the rules about shakes when a phase of one came.
  mutating func judgeShake(
    _ shake: ShakeMessage, _ telegram: Telegram, ageS: Double?, node index: Int, at moment: Moment
  ) {
    for number in nodes[index].rules where configuration.rules[number].kind == .shake {
      let rule = configuration.rules[number]
      let key = AlertKey(rule: number, node: index)
      let identity = ShakeIdentity(boot: telegram.envelope.boot, id: shake.id)
      if shake.phase != .cancelled, shake.peakG >= rule.minPeakG, records[key]?.lastShake != identity {
        strike(key, shake, identity, ageS: ageS, at: moment)
      }
      guard shake.phase != .began, records[key]?.lastShake == identity else { continue }
      let reason = shake.reason.map { "the shake was cancelled: \($0.rawValue)" } ?? "the shake ended"
      observe(key, .clears(after: rule.clearForS), reason, at: moment) { record in
        record.value = max(record.value ?? 0, shake.peakG)
      }
    }
  }

  private mutating func strike(
    _ key: AlertKey, _ shake: ShakeMessage, _ identity: ShakeIdentity, ageS: Double?, at moment: Moment
  ) {
    let rule = configuration.rules[key.rule]
    if let age = ageS, age > rule.maxAgeS {
      return log(
        .information, "\(nodes[key.node].name): a shake of \(plain(age.rounded())) s ago does not raise \(rule.name)")
    }
    let isAnother = records[key] != nil
    observe(
      key, .strikes(after: rule.forS ?? 0, lapsesAfter: Self.longestShakeS), "a shake \(shake.phase.rawValue)",
      at: moment
    ) { record in
      if isAnother { record.life.count += 1 }
      record.value = max(record.value ?? 0, shake.peakG)
      record.lastShake = identity
    }
  }

  /// No more can come of the shakes that go on.
  mutating func endShakes(node index: Int, _ reason: String, at moment: Moment) {
    for number in nodes[index].rules where configuration.rules[number].kind == .shake {
      let key = AlertKey(rule: number, node: index)
      guard records[key] != nil else { continue }
      observe(key, .clears(after: configuration.rules[number].clearForS), reason, at: moment)
    }
  }
}
