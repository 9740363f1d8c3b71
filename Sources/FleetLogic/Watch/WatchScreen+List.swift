internal import Telemetry

/// The list of nodes.
extension WatchScreen {
  /// Before the columns: where the cursor is, and how many alerts there are.
  private static let margin = 5

  mutating func listLines(_ fleet: FleetState, _ alerts: [WatchAlert], at now: Instant, room: Int) -> [String] {
    let table = FleetTable(width: columns, isColoured: paint.isOn)
    var counts: [NodeName: Int] = [:]
    for alert in alerts { if let node = alert.node { counts[node, default: 0] += 1 } }
    let sought = WatchFilter(filter)
    let isOnlyAlarmed = isOnlyAlarmed
    let places = order.places(fleet, isReversed: isReversed, alerts: counts, at: now) { node in
      (!isOnlyAlarmed || counts[node.name] != nil) && sought.fits(node)
    }
    var lines = [table.header(fleet, alerts: alerts.count, at: now)]
    if let trouble = table.linkTrouble(fleet, at: now) { lines.append(trouble) }
    let newest = room >= 14 ? Array(alerts.prefix(alerts.count > 3 ? 2 : 3)) : []
    let below = newest.isEmpty ? 0 : newest.count + 1 + (alerts.count > 3 ? 1 : 0)
    let left = max(room - lines.count - 2 - below, 1)
    nodeCursor.follow(places.map { fleet.nodes[$0].name }, room: left)
    lines.append(listState(places.count, of: fleet.nodes.count))
    let shown = places[min(nodeCursor.top, places.count)...].prefix(left).map { fleet.nodes[$0] }
    lines += rows(shown, counts, fleet, at: now)
    if below > 0 {
      lines += Array(repeating: "", count: max(0, room - below + 1 - lines.count))
      lines += newest.map { newestLine($0, fleet, at: now) }
      if alerts.count > 3 { lines.append(paint(.faint, "... and \(alerts.count - 2) more alerts: Tab")) }
    }
    return lines
  }

  /// `by name | "pump": 12 of 340 nodes | 1-20`
  private func listState(_ count: Int, of all: Int) -> String {
    var parts = ["by \(order.rawValue)\(isReversed ? ", reversed" : "")"]
    if isOnlyAlarmed { parts.append("with alerts") }
    if !filter.isEmpty { parts.append("/\(SafeText.escaped(filter, limit: WatchPrompt.longest))") }
    if count < all { parts.append("\(count) of \(all)") }
    if count > 0 { parts.append("\(nodeCursor.place + 1)/\(count)") }
    return paint(.faint, TextWidth.cut(parts.joined(separator: " | "), to: columns))
  }

  private func rows(_ nodes: [Node], _ counts: [NodeName: Int], _ fleet: FleetState, at now: Instant) -> [String] {
    let table = FleetTable(width: columns - Self.margin, isColoured: paint.isOn)
    let plain = FleetTable(width: columns - Self.margin)
    let cells = nodes.map { table.cells($0, at: now, fleet.clock) }
    let chosen = table.chosen(cells)
    var lines = [paint(.faint, "   ! " + plain.titles(chosen))]
    for (node, texts) in zip(nodes, cells) {
      let count = counts[node.name] ?? 0
      let number = TextWidth.fit(count == 0 ? "" : count > 999 ? "999" : "\(count)", to: 3, isRight: true)
      if node.name == nodeCursor.id {
        let line = ">" + number + " " + plain.row(node, texts, chosen, isAlarmed: count > 0)
        lines.append(paint(.reverse, isColoured ? TextWidth.fit(line, to: columns) : line))
      } else {
        lines.append(
          " " + paint(count > 0 ? .red : nil, number) + " " + table.row(node, texts, chosen, isAlarmed: count > 0))
      }
    }
    return lines
  }

  private func newestLine(_ alert: WatchAlert, _ fleet: FleetState, at now: Instant) -> String {
    let text = fleet.text(alert, at: now)
    let age = Age.text(fleet.clock.wall(at: now) - alert.since)
    let line = TextWidth.cut("! \(alert.name.rule) \(age): \(text.summary)", to: columns)
    return paint(alertColour(text), line)
  }

  /// What nobody has to look at is faint.
  func alertColour(_ text: WatchAlertText) -> Paint.Colour? {
    if text.muted != nil || text.acknowledged != nil { return .faint }
    return text.severity == .information ? nil : text.severity == .warning ? .yellow : .red
  }
}
