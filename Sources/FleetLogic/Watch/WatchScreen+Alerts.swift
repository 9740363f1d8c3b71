internal import Telemetry

/// The alerts that fire.
extension WatchScreen {
  mutating func alertLines(
    _ fleet: FleetState, _ alerts: [WatchAlert], _ memory: WatchMemory, at now: Instant, room: Int
  ) -> [String] {
    let table = FleetTable(width: columns, isColoured: paint.isOn)
    let sought = WatchFilter(filter)
    let fitting = alerts.filter { alert in sought.fits(alert, alert.node.flatMap { fleet.node($0) }) }
    var lines = [table.header(fleet, alerts: alerts.count, at: now)]
    if let trouble = table.linkTrouble(fleet, at: now) { lines.append(trouble) }
    lines.append(alertState(fitting.count, of: alerts.count, memory))
    // The one that is chosen is told in full below the list.
    var left = max(room - lines.count - 1, 1)
    let below = left >= 8 ? min(6, left / 3) : 0
    left -= below
    alertCursor.follow(fitting.map(\.name), room: left)
    guard !fitting.isEmpty else {
      return lines + ["", alerts.isEmpty ? "no alert fires" : "no alert has that text"]
    }
    let shown = fitting[alertCursor.top...].prefix(left)
    lines += alertRows(Array(shown), fleet, at: now, isChosen: { $0.name == alertCursor.id })
    guard below > 0, fitting.indices.contains(alertCursor.place) else { return lines }
    lines += Array(repeating: "", count: max(0, room - below + 1 - lines.count))
    return lines + account(fitting[alertCursor.place], fleet, at: now).prefix(below - 1)
  }

  private func alertState(_ count: Int, of all: Int, _ memory: WatchMemory) -> String {
    var parts = ["alerts, the newest first"]
    if !filter.isEmpty { parts.append("/\(SafeText.escaped(filter, limit: WatchPrompt.longest)): \(count) of \(all)") }
    switch memory.tool {
    case .online: parts.append("fleet tool online")
    case .some(let state): parts.append("fleet tool \(state.rawValue)")
    case nil: parts.append("no fleet tool; by this viewer's rules")
    }
    if memory.overflow > 0 { parts.append("\(memory.overflow) left out") }
    return paint(.faint, TextWidth.cut(parts.joined(separator: " | "), to: columns))
  }

  /// A line of titles and a line each; `isChosen` says where the cursor is.
  func alertRows(
    _ alerts: [WatchAlert], _ fleet: FleetState, at now: Instant, isChosen: (WatchAlert) -> Bool
  ) -> [String] {
    let texts = alerts.map { fleet.text($0, at: now) }
    func widest(_ most: Int, _ title: String, _ cells: [String]) -> Int {
      min(most, cells.reduce(TextWidth.of(title)) { max($0, TextWidth.of($1)) })
    }
    let rule = widest(columns < 60 ? 10 : 16, "RULE", alerts.map(\.name.rule))
    let subject = widest(columns < 60 ? 12 : 24, "OF", alerts.map(\.name.subject))
    func line(_ mark: String, _ cells: [String]) -> String {
      var line = mark + " " + TextWidth.fit(cells[0], to: rule) + "  " + TextWidth.fit(cells[1], to: subject)
      line += "  " + TextWidth.fit(cells[2], to: 4, isRight: true) + "  " + cells[3]
      return TextWidth.cut(line, to: columns)
    }
    var lines = [paint(.faint, line(" ", ["RULE", "OF", "AGE", "STATE AND SUMMARY"]))]
    for (alert, text) in zip(alerts, texts) {
      let cells = [
        alert.name.rule, alert.name.subject, Age.text(fleet.clock.wall(at: now) - alert.since), Self.brief(text),
      ]
      if isChosen(alert) {
        let line = line(">", cells)
        lines.append(paint(.reverse, isColoured ? TextWidth.fit(line, to: columns) : line))
      } else {
        lines.append(paint(alertColour(text), line(" ", cells)))
      }
    }
    return lines
  }

  /// `firing (silenced, ack ann) pallet-7 shook`
  private static func brief(_ text: WatchAlertText) -> String {
    var notes: [String] = []
    if let muted = text.muted { notes.append(String(muted.prefix { $0 != ":" })) }
    if let author = text.acknowledged { notes.append("ack \(author)") }
    let parenthesis = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
    return "\(text.state)\(parenthesis): \(text.summary)"
  }

  /// Everything about one alert.
  func account(_ alert: WatchAlert, _ fleet: FleetState, at now: Instant) -> [String] {
    let text = fleet.text(alert, at: now)
    let severity = text.severity.map { ", \($0.rawValue)" } ?? ""
    var lines = labelled("alert", text.summary)
    lines += labelled(
      "state", "\(text.state)\(severity), since \(alert.since.rfc3339), says \(text.source)")
    if let muted = text.muted { lines += labelled("not told", muted) }
    if let author = text.acknowledged { lines += labelled("ack by", author) }
    return lines
  }
}
