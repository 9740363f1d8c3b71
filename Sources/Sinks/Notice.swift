internal import FleetLogic
internal import Telemetry

/// An alert on its way to a slow sink: what `FleetJSON.alert` says of it, which is also what lies in the queue.
struct Notice: Equatable, Sendable {
  /// One line of JSON, without its end.
  let json: [UInt8]
  /// The same for each try to hand it on, and for no other notice: the alert's id and its state, and where it fires
  /// still, when that was decided [s since 1970].
  let id: String
  let alertID: String
  let rule: String
  let ruleKind: String
  let severity: String
  /// Whose condition it is: a node's name, `@SITE` or `@fleet`.
  let node: String
  let state: String
  let previous: String?
  /// When it was decided, and since when the condition has held.
  let time: WallTime
  let since: WallTime
  let count: Int
  let value: Double?
  let summary: String
  let reason: String?
  /// Where the fleet tool knows them.
  let site: String?
  let group: String?

  /// Nil: this is no alert, or not all of one.
  init?(json: [UInt8]) {
    guard let read = try? JSONValue.parse(json), read["kind"]?.string == "alert",
      let alertID = read["id"]?.string, let rule = read["rule"]?.string,
      let state = read["state"]?.string, let time = read["t"]?.number, let since = read["since_t"]?.number
    else { return nil }
    self.json = json
    (self.alertID, self.rule, self.state) = (alertID, rule, state)
    // What is about several nodes has no node.
    node = read["node"]?.string ?? read["site"]?.string.map { "@\($0)" } ?? "@fleet"
    let isRepeated = read["repeated"]?.bool ?? false
    id = "\(alertID)/\(state)" + (isRepeated ? "/\(Decimal.text(time, decimals: 3))" : "")
    ruleKind = read["rule_kind"]?.string ?? ""
    severity = read["severity"]?.string ?? ""
    previous = read["previous"]?.string
    (self.time, self.since) = (WallTime(seconds: time), WallTime(seconds: since))
    count = read["count"]?.integer ?? 1
    value = read["value"]?.number
    summary = read["summary"]?.string ?? ""
    reason = read["reason"]?.string
    site = read["site"]?.string
    group = read["group"]?.string
  }

  var isResolved: Bool { state == "resolved" }

  /// What an Alertmanager tells alerts apart by: no values.
  var labels: [(name: StaticString, value: String)] {
    [
      ("alertname", rule), ("severity", severity), ("node", node), ("kind", ruleKind), ("site", site ?? ""),
      ("group", group ?? ""),
    ].filter { !$0.1.isEmpty }
  }

  /// Two notices of one alert have the same.
  var identity: String { "\(rule)\n\(node)" }
}
