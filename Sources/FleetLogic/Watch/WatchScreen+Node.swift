internal import Telemetry

/// Everything that is known of one node.
extension WatchScreen {
  mutating func nodeLines(
    _ name: NodeName, _ fleet: FleetState, _ alerts: [WatchAlert], _ memory: WatchMemory, at now: Instant, room: Int
  ) -> [String] {
    guard let node = fleet.node(name) else { return [paint(.bold, "\(name)"), "", "nothing is known of it any more"] }
    let own = alerts.filter { $0.node == name }
    ownCursor.follow(own.map(\.name), room: max(own.count, 1))
    var head = name.description
    if let label = node.label {
      head += label.title.map { "  " + SafeText.escaped($0, limit: 200) } ?? ""
      head += label.site.map { "  site \($0)" } ?? ""
      head += label.group.map { "  group \($0)" } ?? ""
    }
    var text: [String] = []
    if own.isEmpty {
      text += labelled("alerts", "none")
    } else {
      text += alertRows(own, fleet, at: now, isChosen: { $0.name == ownCursor.id })
      if own.indices.contains(ownCursor.place) { text += account(own[ownCursor.place], fleet, at: now) }
    }
    text.append("")
    text += history(memory.history(name), node, at: now)
    text.append("")
    let report = NodeReport(node: node, clock: fleet.clock, now: now)
    text += report.parts.flatMap { labelled($0.label, $0.text) }
    return scrolled(text, under: [paint(.bold, TextWidth.cut(head, to: columns))], room: room)
  }

  /// Peaks and fixes of late.
  private func history(_ history: NodeHistory?, _ node: Node, at now: Instant) -> [String] {
    let room = max(columns - 10, 10)
    let peaks = history?.peaksG.suffix(min(room, NodeHistory.most)) ?? []
    guard let history, let last = peaks.last, let most = peaks.max() else {
      return labelled("peak g", "no window since this viewer began") + fixes(history, room: room, at: now)
    }
    let span = "last \(Decimal.text(last, decimals: 3)) g, most \(Decimal.text(most, decimals: 3)) g of the last "
    var lines = [paint(.faint, TextWidth.fit("peak g", to: 10)) + sparkline.line(Array(peaks), columns: room)]
    lines += labelled("", span + (peaks.count == 1 ? "window" : "\(peaks.count) windows"))
    return lines + fixes(history, room: room, at: now)
  }

  private func fixes(_ history: NodeHistory?, room: Int, at now: Instant) -> [String] {
    guard let history, let span = history.fixSpanS(at: now) else {
      return labelled("fix", "nothing said since this viewer began")
    }
    let states = history.fixes(slots: min(room, NodeHistory.most), at: now)
    var reasons: [LocationMessage.Loss.Reason] = []
    for case .lost(let reason) in states where !reasons.contains(reason) { reasons.append(reason) }
    let letters = reasons.map { "\(Sparkline.letter($0)) \($0.rawValue)" }
    let lost = letters.isEmpty ? "never lost" : letters.joined(separator: ", ")
    return [paint(.faint, TextWidth.fit("fix", to: 10)) + sparkline.line(states)]
      + labelled("", "the last \(Age.phrase(span)): \(lost)")
  }
}
