internal import Telemetry

/// The sentences that people read about alerts.
enum Summary {
  static func of(
    _ node: Node, _ rule: Rule, _ record: AlertRecord, _ state: AlertMessage.State, value: Double?
  ) -> String {
    let name = node.label?.title.map { "\(node.name) (\(SafeText.escaped($0, limit: 60)))" } ?? "\(node.name)"
    return "\(name) \(predicate(node, rule, record, state, value))"
  }

  /// Of several nodes of a site.
  static func of(_ site: Site, _ rule: Rule, _ record: AlertRecord, _ state: AlertMessage.State) -> String {
    let count = record.life.count
    switch (rule.kind, state) {
    case (.together, _): return "site \(site.name): \(count) nodes shook together\(record.memory.finding?.text ?? "")"
    case (_, .resolved): return "site \(site.name) is in order again: \(rule.name)"
    case (.silent, _): return "site \(site.name): \(count) of \(site.size) nodes are silent or lost"
    default: return "site \(site.name): \(count) of \(site.size) nodes: \(rule.name)"
    }
  }

  /// Of nodes anywhere.
  static func ofFleet(_ rule: Rule, _ record: AlertRecord, _ state: AlertMessage.State) -> String {
    "\(record.life.count) nodes shook together\(record.memory.finding?.text ?? "")"
  }

  private static func predicate(
    _ node: Node, _ rule: Rule, _ record: AlertRecord, _ state: AlertMessage.State, _ value: Double?
  ) -> String {
    if state == .flapping { return "comes and goes: \(rule.name)" }
    let isOver = state == .resolved
    switch rule.condition {
    case .shake: return isOver ? "is quiet again after \(strikes("shake", record))" : "shook\(times(record))"
    case .impact: return isOver ? "is quiet again after \(strikes("impact", record))" : "was hit\(times(record))"
    case .lostFix: return isOver ? resolvedFix(node) : lostFix(node, value)
    case .poorFix:
      if isOver { return "knows well enough where it is again" }
      return "knows only to \(number(value)) m where it is"
    case .silent: return isOver ? (node.presence == .stopped ? "was stopped" : "is back") : silent(node, record, value)
    case .flapping: return isOver ? "keeps its connection again" : "lost its connection \(record.life.count) times"
    case .moved: return isOver ? "stands" : "was moved: \(number(value)) m from where it stood"
    case .geofence(let fence): return crossing(node, fence, isOver: isOver)
    case .tipped: return isOver ? "stands upright again" : tipped(node, value)
    case .sensorFault: return isOver ? "measures again" : "has trouble with its accelerometer"
    case .clockWrong: return isOver ? "has the right time again" : clockWrong(value)
    case .spool: return isOver ? "delivers again" : "has trouble to deliver what it measures"
    case .clone: return isOver ? "speaks for one device again" : "is the name of two devices"
    case .rate: return isOver ? "sends as usual again" : "sends \(number(value, decimals: 1)) messages a minute"
    case .together: return "shook with others"
    }
  }

  private static func strikes(_ noun: String, _ record: AlertRecord) -> String {
    let article = noun == "impact" ? "an" : "a"
    return (record.life.count == 1 ? "\(article) \(noun)" : "\(record.life.count) \(noun)s") + peak(record)
  }

  private static func times(_ record: AlertRecord) -> String {
    (record.life.count == 1 ? "" : " \(record.life.count) times") + peak(record)
  }

  private static func peak(_ record: AlertRecord) -> String {
    record.value.map { ", peak \(Decimal.text($0, decimals: 2)) g" } ?? ""
  }

  private static func number(_ value: Double?, decimals: Int = 0) -> String {
    value.map { Decimal.text($0, decimals: decimals) } ?? "-"
  }

  private static func span(_ seconds: Double?) -> String { seconds.map { " for \(Age.phrase($0))" } ?? "" }

  private static func silent(_ node: Node, _ record: AlertRecord, _ value: Double?) -> String {
    // Heard since: the rule may be stricter than what the node promised, so that it still counts as online.
    let isBack = record.sinceInstant.flatMap { since in node.lastSeen.map { $0.instant > since } } ?? true
    return switch node.presence {
    // The alert goes on until the node has been back for the rule's clear_for_s.
    case .online where isBack: "had said nothing\(span(value)); it is back, not for long yet"
    case .lost: "lost its connection; nothing heard\(span(value))"
    default: "has said nothing\(span(value))"
    }
  }

  private static func crossing(_ node: Node, _ fence: Condition.Geofence, isOver: Bool) -> String {
    let name = fence.fence ?? node.crossing(of: nil)?.content.fence
    let text = name.map { "the fence \(SafeText.escaped($0))" } ?? "its fence"
    switch (fence.event, isOver) {
    case (.leave, false): return "left \(text)"
    case (.leave, true): return "is in \(text) again"
    case (.enter, false): return "came into \(text)"
    case (.enter, true): return "is out of \(text) again"
    }
  }

  private static func tipped(_ node: Node, _ leanDeg: Double?) -> String {
    let face = node.orientation.map { ": its side \($0.content.face.rawValue) is up" } ?? ""
    return "tipped over\(face)" + (leanDeg.map { ", by \(Decimal.text($0, decimals: 0)) degrees" } ?? "")
  }

  private static func clockWrong(_ offS: Double?) -> String {
    guard let offS else { return "does not know what time it is" }
    return "has a clock that is \(Age.phrase(abs(offS))) \(offS < 0 ? "behind" : "ahead")"
  }

  private static func resolvedFix(_ node: Node) -> String {
    node.presence == .stopped ? "was stopped" : "has a position again"
  }

  private static func lostFix(_ node: Node, _ value: Double?) -> String {
    switch node.location?.content {
    case .lost(let loss): "has had no position\(span(value)): \(loss.reason.sentence)"
    // The alert goes on until the position has held for the rule's clear_for_s.
    case .fixed: "had no position\(span(value)); it has one again, not for long yet"
    case nil: "has had no position\(span(value))"
    }
  }
}

extension LocationMessage.Loss.Reason {
  /// For people.
  var sentence: String {
    switch self {
    case .noFix: "the receiver has no fix"
    case .stalled: "the receiver says nothing new"
    case .deviceGone: "gpsd has no receiver"
    case .gpsdGone: "gpsd does not answer"
    case .simulated: "the receiver is a simulator"
    case .rejected: "every fix is too inaccurate"
    }
  }
}
