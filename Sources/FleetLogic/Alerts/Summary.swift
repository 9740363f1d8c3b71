internal import Telemetry

/// The sentences that people read about alerts.
enum Summary {
  static func of(
    _ node: Node, _ rule: Rule, _ record: AlertRecord, _ state: AlertMessage.State, value: Double?
  ) -> String {
    switch (rule.kind, state) {
    case (.shake, .resolved): "\(node.name) is quiet again after \(shakes(record))"
    case (.shake, _): "\(node.name) shook\(times(record.life.count))\(peak(record))"
    case (.lostFix, .resolved): resolvedFix(node)
    case (.lostFix, _): lostFix(node, value)
    case (.geofence, .resolved): "\(node.name) is in \(fence(node, rule)) again"
    case (.geofence, _): "\(node.name) left \(fence(node, rule))"
    case (.silent, .resolved): node.presence == .stopped ? "\(node.name) was stopped" : "\(node.name) is back"
    // The alert goes on until the node has been back for the rule's clear_for_s.
    case (.silent, _) where node.presence == .online:
      "\(node.name) had said nothing\(span(value)); it is back, not for long yet"
    case (.silent, _) where node.presence == .lost: "\(node.name) lost its connection; nothing heard\(span(value))"
    case (.silent, _): "\(node.name) has said nothing\(span(value))"
    }
  }

  private static func shakes(_ record: AlertRecord) -> String {
    (record.life.count == 1 ? "a shake" : "\(record.life.count) shakes") + peak(record)
  }

  private static func times(_ count: Int) -> String { count == 1 ? "" : " \(count) times" }

  private static func peak(_ record: AlertRecord) -> String {
    record.value.map { ", peak \(Decimal.text($0, decimals: 2)) g" } ?? ""
  }

  private static func span(_ seconds: Double?) -> String { seconds.map { " for \(Age.phrase($0))" } ?? "" }

  private static func fence(_ node: Node, _ rule: Rule) -> String {
    let name = rule.fence ?? node.crossing(of: nil)?.content.fence
    return name.map { "the fence \(SafeText.escaped($0))" } ?? "its fence"
  }

  private static func resolvedFix(_ node: Node) -> String {
    if node.presence == .stopped { return "\(node.name) was stopped" }
    return "\(node.name) has a position again"
  }

  private static func lostFix(_ node: Node, _ value: Double?) -> String {
    switch node.location?.content {
    case .lost(let loss): "\(node.name) has had no position\(span(value)): \(loss.reason.sentence)"
    // The alert goes on until the position has held for the rule's clear_for_s.
    case .fixed: "\(node.name) had no position\(span(value)); it has one again, not for long yet"
    case nil: "\(node.name) has had no position\(span(value))"
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
