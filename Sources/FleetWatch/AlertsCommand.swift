internal import Daemon
internal import FleetLogic
internal import Store
internal import Telemetry

/// `judder-fleet alerts`.
enum AlertsCommand {
  static func run(_ history: History) throws(Termination) {
    let known =
      history.invocation.isGiven("all")
      ? AlertMessage.State.allCases.map(\.rawValue)
      : Store.KeptAlert.Phase.allCases.filter { $0 != .quiet }.map(\.rawValue)
    let states = try history.words("state", among: known)
    let rule = history.invocation.text("rule")
    let pattern = history.invocation.text("node").map { NamePattern($0) }
    func fits(_ identity: AlertIdentity, _ state: String?) -> Bool {
      (rule == nil || identity.rule == rule) && pattern?.matches(identity.subject) != false
        && isWanted(identity.subject, history)
        && (states.map { state.map($0.contains) ?? false } ?? true)
    }
    if history.invocation.isGiven("all") {
      let query = HistoryReader.DecisionQuery(rule: rule, from: history.from, until: history.until)
      return try decisions(history, query) { fits($0.identity, $0.state) }
    }
    try history.refuse(["since", "until", "limit"], without: "--all")
    let kept = try history.stored { () throws(StoreProblem) in try history.reader.alerts() }
    for alert in kept where fits(alert.identity, alert.phase.rawValue) {
      if history.isJSON { try history.json(json(alert)) } else { try history.line(text(alert)) }
    }
  }

  /// Whether what an alert is about fits `--site` and `--group`.
  private static func isWanted(_ subject: String, _ history: History) -> Bool {
    if let node = NodeName(subject) { return history.isWanted(node) }
    if subject.hasPrefix("@"), subject != "\(AlertSubject.fleet)" {
      return history.isWanted(site: String(subject.dropFirst())) && !history.invocation.isGiven("group")
    }
    return !history.hasLabelFilter
  }

  /// Decisions in their order, of more than `--limit` the newest.
  static func decisions(
    _ history: History, _ query: HistoryReader.DecisionQuery, _ fits: (KeptDecision) -> Bool
  ) throws(Termination) {
    var query = query
    let limit = history.invocation.integer("limit")
    query.isNewestFirst = limit != nil
    let cursor = history.reader.decisions(query)
    var newest: [KeptDecision] = []
    while newest.count < limit ?? .max,
      let decision = try history.stored({ () throws(StoreProblem) in try cursor.next() })
    {
      guard fits(decision) else { continue }
      if limit == nil { try show(decision, history) } else { newest.append(decision) }
    }
    for decision in newest.reversed() { try show(decision, history) }
  }

  private static func show(_ decision: KeptDecision, _ history: History) throws(Termination) {
    if history.isJSON { return try history.json(json(decision)) }
    let words = [decision.identity.rule, decision.identity.subject, decision.step].map { SafeText.escaped($0) }
    try history.line(
      "\(decision.time.second) \(words.joined(separator: " ")): \(SafeText.escaped(decision.reason, limit: 400))")
  }

  /// One line on an alert.
  static func text(_ alert: Store.KeptAlert) -> String {
    let words = [alert.identity.rule, alert.identity.subject].map { SafeText.escaped($0) }.joined(separator: " ")
    let value = alert.value.map { ", value \(Decimal.text($0, decimals: 3))" } ?? ""
    let told = alert.isTold || alert.phase == .pending ? "" : ", not told yet"
    let seen = alert.count == 1 ? "seen once" : "seen \(alert.count) times"
    let kept = FleetLogic.KeptAlert(decoding: alert.details)
    let muted = kept?.mute.map { ", muted (\($0.cause.rawValue)): \(SafeText.escaped($0.reason))" } ?? ""
    let acknowledged = kept?.acknowledgement.map { by in
      ", acknowledged by \(SafeText.escaped(by.author))"
        + (by.comment.isEmpty ? "" : " (\(SafeText.escaped(by.comment)))")
    }
    return "\(words) \(alert.phase.rawValue) since \(alert.since.second), \(seen)\(value)\(told)\(muted)"
      + (acknowledged ?? "")
  }

  private static func json(_ alert: Store.KeptAlert) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.string("kind", "alert")
      write(alert, to: &json)
    }
    return json.bytes
  }

  static func write(_ alert: Store.KeptAlert, to json: inout JSONWriter) {
    json.string("rule", alert.identity.rule)
    json.string("subject", alert.identity.subject)
    json.string("state", alert.phase.rawValue)
    json.number("since_t", alert.since.seconds, decimals: 3)
    json.number("changed_t", alert.changed.seconds, decimals: 3)
    json.integer("count", alert.count)
    json.number("value", alert.value, decimals: 6)
    json.boolean("is_told", alert.isTold)
    let kept = FleetLogic.KeptAlert(decoding: alert.details)
    json.string("muted", kept?.mute?.cause.rawValue)
    json.string("acknowledged_by", kept?.acknowledgement?.author)
  }

  private static func json(_ decision: KeptDecision) -> [UInt8] {
    var json = JSONWriter()
    json.object { json in
      json.string("kind", "decision")
      json.number("t", decision.time.seconds, decimals: 3)
      json.string("rule", decision.identity.rule)
      json.string("subject", decision.identity.subject)
      json.string("alert", decision.alert)
      json.string("step", decision.step)
      json.string("state", decision.state)
      json.string("reason", decision.reason)
    }
    return json.bytes
  }
}

/// `judder-fleet why RULE NODE`.
enum WhyCommand {
  static func run(_ history: History) throws(Termination) {
    let words = history.invocation.operands
    let pairs = [AlertIdentity(rule: words[0], subject: words[1]), AlertIdentity(rule: words[1], subject: words[0])]
    for identity in pairs {
      let query = HistoryReader.DecisionQuery(
        rule: identity.rule, subject: identity.subject, from: history.from, until: history.until)
      let isKnown = try history.stored { () throws(StoreProblem) in
        if try history.reader.decisions(query).next() != nil { return true }
        return try history.reader.alerts().contains { $0.identity == identity }
      }
      guard isKnown else { continue }
      try AlertsCommand.decisions(history, query) { _ in true }
      let kept = try history.stored { () throws(StoreProblem) in try history.reader.alerts() }
      if !history.isJSON, let alert = kept.first(where: { $0.identity == identity }) {
        try history.line("now: \(AlertsCommand.text(alert))")
      }
      return
    }
    let names = words.map { SafeText.quoted($0) }.joined(separator: " and ")
    throw Termination(.findings, ["the history has no decision about \(names)"])
  }
}
