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
    /// Between the thresholds: what is not raised by now is not raised by this, and what fires goes on.
    case between
  }

  /// The rules that concern a node, of one kind or all.
  func rules(of index: Int, _ kinds: Condition.Kind...) -> [(key: AlertKey, rule: Rule)] {
    nodes[index].rules.compactMap { number in
      let rule = configuration.rules[number]
      return kinds.contains(rule.kind) ? (AlertKey(rule: number, node: index), rule) : nil
    }
  }

  /// Looks at the rules about conditions that last, after something about the node changed or it was heard.
  mutating func watch(node index: Int, at moment: Moment) {
    for number in nodes[index].rules {
      let key = AlertKey(rule: number, node: index)
      switch configuration.rules[number].condition {
      case .silent(let silence): watchSilence(key, silence, node: index, at: moment)
      case .lostFix(let lostFix): watchFix(key, lostFix, node: index, at: moment)
      default: continue
      }
    }
    noteSilence(node: index)
  }

  private mutating func watchSilence(
    _ key: AlertKey, _ silence: Condition.Silence, node index: Int, at moment: Moment
  ) {
    let rule = configuration.rules[key.rule]
    switch nodes[index].presence {
    case .lost:
      observe(key, .holds(after: silence.holdS), "its will came", at: moment)
    case .stopped:
      observe(key, .clears(after: 0), "it said good-bye", at: moment)
    // What the broker kept says nothing about silence; but after a will it says that the node is back.
    case .online where nodes[index].lastSeen == moment || nodes[index].presenceSince == moment:
      observe(key, .clears(after: rule.clearForS), "it is back", at: moment)
    case .online, .silent, .unknown:
      return
    }
  }

  private mutating func watchFix(_ key: AlertKey, _ lostFix: Condition.LostFix, node index: Int, at moment: Moment) {
    let rule = configuration.rules[key.rule]
    let node = nodes[index]
    guard settleAbsence(key, node: index, at: moment) else { return }
    switch node.location?.content {
    case .lost(let loss) where !loss.isBacklog:
      guard lostFix.reasons.isEmpty || lostFix.reasons.contains(loss.reason) else {
        return observe(key, .clears(after: rule.clearForS), "\(loss.reason.sentence), which does not count", at: moment)
      }
      observe(key, .holds(after: rule.forS ?? 0), loss.reason.sentence, at: moment)
    case .fixed(let position) where !position.isBacklog:
      observe(key, .clears(after: rule.clearForS), "it has a fix", at: moment)
    case .lost, .fixed, nil:
      return
    }
  }

  /// Settles a condition that lasts where its node cannot be heard. Answers whether it can.
  private mutating func settleAbsence(_ key: AlertKey, node index: Int, at moment: Moment) -> Bool {
    let presence = nodes[index].presence
    switch presence {
    case .lost, .silent:
      // A node that cannot be heard has a more urgent trouble. An alert that fires already is left as it is.
      guard case .pending = records[key]?.life.phase else { return false }
      observe(key, .clears(after: 0), "the node is \(presence.rawValue)", at: moment)
      return false
    case .stopped:
      observe(key, .clears(after: 0), "the node said good-bye", at: moment)
      return false
    case .online, .unknown:
      return true
    }
  }

  /// What a change of a node's presence does to conditions that last, beside those that `watch` looks at.
  mutating func settleAbsences(node index: Int, at moment: Moment) {
    if nodes[index].presence != .online {
      nodes[index].interruptTraffic()
    } else if let orientation = nodes[index].orientation {
      // It says so again only when it is turned.
      judgeOrientation(orientation.content, node: index, at: moment)
    }
    for number in nodes[index].rules {
      restless.insert(AlertKey(rule: number, node: index))
      switch configuration.rules[number].kind {
      case .poorFix, .sensorFault, .clockWrong, .spool, .rate, .tipped:
        _ = settleAbsence(AlertKey(rule: number, node: index), node: index, at: moment)
      default: continue
      }
    }
  }
}
