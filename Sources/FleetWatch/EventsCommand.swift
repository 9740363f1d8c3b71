internal import Daemon
internal import FleetLogic
internal import Store
internal import Telemetry

/// `judder-fleet events` and `judder-fleet track NODE`.
enum EventsCommand {
  /// Without a period and a limit.
  private static let usualLimit = 100

  static func run(_ history: History) throws(Termination) {
    let isBounded = history.from != nil || history.until != nil
    let limit = history.invocation.integer("limit") ?? (isBounded ? nil : usualLimit)
    try history.newest(try history.query(.oldestFirst), limit: limit) { (event) throws(Termination) in
      if history.isJSON { return try history.json(FleetJSON.event(event)) }
      try history.line("\(event.when) \(TextWidth.fit(event.node.description, to: 16)) \(event.sentence)")
    }
  }

  static func track(_ history: History) throws(Termination) {
    var query = try history.query(.oldestFirst)
    query.nodes = [try history.node(history.invocation.operands[0])]
    query.streams = [.location]
    try history.newest(query, limit: history.invocation.integer("limit")) { (event) throws(Termination) in
      if history.isJSON { return try history.json(FleetJSON.event(event)) }
      try history.line("\(event.when) \(fix(event))")
    }
  }

  private static func fix(_ event: KeptEvent) -> String {
    guard case .location(let location) = event.telegram?.body else { return event.sentence }
    switch location {
    case .lost(let loss): return "no position: \(loss.reason.rawValue)"
    case .fixed(let position):
      let accuracy = position.accuracyM.map { "+-\(Decimal.text($0, decimals: 0)) m" } ?? "+-?"
      let speed = position.speedMPS.map { "\(Decimal.text($0, decimals: 1)) m/s" } ?? ""
      return TextWidth.fit(Decimal.text(position.latitude, decimals: 6), to: 11, isRight: true)
        + TextWidth.fit(Decimal.text(position.longitude, decimals: 6), to: 13, isRight: true)
        + "  \(position.dimensions)D \(TextWidth.fit(accuracy, to: 9)) \(speed)"
    }
  }
}
