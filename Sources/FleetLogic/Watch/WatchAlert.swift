internal import Telemetry

/// An alert as the viewer shows it: by its own rules, and by the word of the fleet tool where that publishes.
struct WatchAlert: Sendable {
  var name: WatchMemory.Name
  /// By the viewer's own rules; nil: they know nothing of it.
  var key: AlertKey?
  /// By the fleet tool; nil: it says nothing of it.
  var word: AlertMessage?
  var since: WallTime

  /// Whose, where it is about one node.
  var node: NodeName? { AlertSubject(name.subject)?.node }
}

/// An alert in words that are safe to show.
struct WatchAlertText: Sendable {
  var state: String
  var severity: Rule.Severity?
  var summary: String
  /// Why nobody is told of it; nil: they are.
  var muted: String?
  /// Who looks after it; nil: nobody.
  var acknowledged: String?
  /// Who says so.
  var source: String
}

extension FleetState {
  /// All alerts that fire, by this state's rules or by the fleet tool's word, the newest first.
  func watchAlerts(_ memory: WatchMemory) -> [WatchAlert] {
    var alerts: [WatchMemory.Name: WatchAlert] = [:]
    for (key, record) in records where record.life.isFiring || record.memory.flap != nil {
      let name = WatchMemory.Name(
        rule: configuration.rules[key.rule].name, subject: subject(key.place).description)
      alerts[name] = WatchAlert(name: name, key: key, word: nil, since: record.memory.flap?.since ?? record.since)
    }
    for (name, word) in memory.words {
      alerts[name] = WatchAlert(name: name, key: alerts[name]?.key, word: word, since: word.since)
    }
    return alerts.values.sorted { a, b in
      if a.since != b.since { return a.since > b.since }
      return (a.name.subject, a.name.rule) < (b.name.subject, b.name.rule)
    }
  }

  /// An alert in words: the fleet tool's where it has any, since that is who tells people.
  func text(_ alert: WatchAlert, at now: Instant) -> WatchAlertText {
    let own = alert.key.flatMap { key in
      records[key].map {
        self.alert(
          key, $0, $0.memory.flap == nil ? .firing : .flapping, previous: .firing, "", at: moment(now))
      }
    }
    if let word = alert.word {
      return WatchAlertText(
        state: word.state.rawValue, severity: word.severity.flatMap { Rule.Severity(rawValue: $0) } ?? own?.severity,
        summary: SafeText.escaped(word.summary, limit: 400), muted: word.muted.map { SafeText.escaped($0, limit: 60) },
        acknowledged: word.acknowledgedBy.map { SafeText.escaped($0, limit: 60) },
        source: own == nil ? "fleet tool" : "fleet tool, and here")
    }
    return WatchAlertText(
      state: own?.state.rawValue ?? "over", severity: own?.severity, summary: own?.summary ?? "",
      muted: own?.mute.map { "\($0.cause.rawValue): \(SafeText.escaped($0.reason, limit: 200))" },
      acknowledged: own?.acknowledgement.map { SafeText.escaped($0.author, limit: 60) }, source: "here")
  }
}
