internal import Telemetry

/// Alerts that no rule stands for any more: it was taken out of the configuration, or concerns others now. Whoever
/// heard that one fires is told that it is over; an Alertmanager would be told for ever that it fires.
extension FleetState {
  private static let reason = "no rule stands for it any more"

  /// Ends an alert that an earlier run kept. Answers what is still to be told of it.
  mutating func forget(_ kept: KeptAlert, at moment: Moment) -> [Alert] {
    let place = Self.place(kept.rule, kept.subject)
    guard orphans[place] == nil else { return [] }
    var untold = kept.untold
    let end = kept.untold.last?.state == .resolved ? nil : (kept.untold.last ?? kept.told).map { over($0, at: moment) }
    if let end { untold.append(end) }
    if kept.phase != .over { noteForgotten(kept, end, at: moment) }
    guard !untold.isEmpty else {
      effects.append(.keep(.alertOver(rule: kept.rule, subject: kept.subject)))
      return []
    }
    orphans[place] = untold
    keepOrphan(kept, untold, at: moment)
    return untold
  }

  /// Whether an alert is one of these, of which every sink knows now.
  mutating func noteOrphanTold(_ alert: Alert, at moment: Moment) -> Bool {
    let place = Self.place(alert.rule, alert.subject)
    guard let index = orphans[place]?.firstIndex(where: { $0.id == alert.id && $0.state == alert.state }) else {
      return false
    }
    orphans[place]?.remove(at: index)
    if orphans[place]?.isEmpty == true {
      orphans[place] = nil
      effects.append(.keep(.alertOver(rule: alert.rule, subject: alert.subject)))
    }
    return true
  }

  private func over(_ told: Alert, at moment: Moment) -> Alert {
    var alert = told
    alert.previous = told.state
    alert.state = .resolved
    alert.at = moment
    alert.summary = "\(alert.subject): over, since \(Self.reason)"
    alert.reason = Self.reason
    alert.isRepeated = false
    alert.mayHaveBeenTold = false
    return alert
  }

  private mutating func noteForgotten(_ kept: KeptAlert, _ end: Alert?, at moment: Moment) {
    log(.information, "\(kept.rule) on \(kept.subject): forgotten, since \(Self.reason)")
    effects.append(
      .keep(
        .decision(
          Decision(
            at: moment.wall, rule: kept.rule, subject: kept.subject, alert: kept.id, step: .forgotten,
            reason: Self.reason, told: end))))
  }

  /// As an alert that is over and not told yet.
  private mutating func keepOrphan(_ kept: KeptAlert, _ untold: [Alert], at moment: Moment) {
    var over = KeptAlert(
      rule: kept.rule, subject: kept.subject, phase: .over, since: kept.since, count: kept.count, at: moment.wall)
    over.id = kept.id
    over.untold = untold
    effects.append(.keep(.alert(over)))
  }

  private static func place(_ rule: String, _ subject: AlertSubject) -> String { "\(rule) \(subject)" }
}
