public import Telemetry

/// The fleet as a table for a terminal: a line about the whole, one line a node, the alerts that fire.
///
/// Pure: the answer is lines, none wider than the terminal, free of control characters but for the colours asked for.
public struct FleetTable: Equatable, Sendable {
  /// Columns of the terminal.
  public var width: Int
  /// Lines of the terminal; nil: as many as there are nodes.
  public var height: Int?
  /// Colours are allowed.
  public var isColoured: Bool

  /// At least 20 columns and 6 lines, whatever is asked for.
  public init(width: Int = 80, height: Int? = nil, isColoured: Bool = false) {
    self.width = max(width, 20)
    self.height = height.map { max($0, 6) }
    self.isColoured = isColoured
  }

  private var paint: Paint { Paint(isOn: isColoured) }
  private static let gap = "  "

  /// The picture of this moment. With a height it has at most so many lines.
  public func lines(_ fleet: FleetState, at now: Instant) -> [String] {
    let alerts = fleet.firingAlerts(at: now)
    let alertLines = alertLines(alerts, at: now)
    var lines = [header(fleet, alerts: fleet.firingCount, at: now)]
    if let trouble = linkTrouble(fleet, at: now) { lines.append(trouble) }
    lines.append("")
    let room = height.map { max(1, $0 - lines.count - 1 - (alertLines.isEmpty ? 0 : alertLines.count + 1)) }
    lines += nodeLines(fleet, at: now, alerts: alerts, room: room)
    if !alertLines.isEmpty { lines += [""] + alertLines }
    return lines
  }

  // MARK: About the whole

  /// `3 nodes: 2 online, 1 lost | 1 alert | 12.3 msg/s | 4 rejected`
  func header(_ fleet: FleetState, alerts: Int, at now: Instant) -> String {
    let presences = fleet.presences
    let states = Presence.allCases.compactMap { presence in
      presences[presence].map { "\($0) \(presence.rawValue)" }
    }
    var parts = [count(fleet.nodes.count, "node") + (states.isEmpty ? "" : ": " + states.joined(separator: ", "))]
    parts.append(count(alerts, "alert"))
    if let rate = fleet.messagesPerSecond(at: now) { parts.append(Decimal.text(rate, decimals: 1) + " msg/s") }
    parts.append("\(fleet.tally.rejectedTotal) rejected")
    let line = TextWidth.cut(parts.joined(separator: " | "), to: width)
    return paint(.bold, line)
  }

  /// The fleet tool's own link, where it is not well.
  func linkTrouble(_ fleet: FleetState, at now: Instant) -> String? {
    switch fleet.link {
    case .connected: return nil
    case .none: return paint(.yellow, TextWidth.cut("connecting to the broker", to: width))
    case .disconnected(let reason, let since):
      let text = "no link to the broker for \(Age.text(now - since.instant)): \(SafeText.escaped(reason))"
      return paint(.red, TextWidth.cut(text, to: width))
    }
  }

  private func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  // MARK: Nodes

  private func nodeLines(_ fleet: FleetState, at now: Instant, alerts: [Alert], room: Int?) -> [String] {
    var rows = fleet.nodes
    let fits = room.map { rows.count <= $0 } ?? true
    let alarmed = Set(alerts.compactMap(\.subject.node))
    rows.sort { fits ? $0.name < $1.name : Self.isMoreUrgent($0, $1, alarmed) }
    let shown = fits ? rows : Array(rows.prefix(max(0, (room ?? 0) - 1)))
    var lines = nodeLines(shown, fleet.clock, at: now, alarmed: alarmed)
    if shown.count < rows.count {
      lines.append(paint(.faint, TextWidth.cut("... and \(rows.count - shown.count) more nodes", to: width)))
    }
    return lines
  }

  /// A line of titles, and one for each node, in the order given.
  public func nodeLines(
    _ shown: [Node], _ clock: ClockState, at now: Instant, alarmed: Set<NodeName> = []
  ) -> [String] {
    let cells = shown.map { self.cells($0, at: now, clock) }
    let columns = chosen(cells)
    var lines = [paint(.faint, titles(columns))]
    for (node, texts) in zip(shown, cells) {
      lines.append(row(node, texts, columns, isAlarmed: alarmed.contains(node.name)))
    }
    return lines
  }

  /// The text of each column for a node.
  func cells(_ node: Node, at now: Instant, _ clock: ClockState) -> [String] {
    Column.allCases.map { $0.text(node, at: now, clock) }
  }

  /// The line above the nodes.
  func titles(_ columns: [(column: Column, width: Int)]) -> String {
    line(columns.map { TextWidth.fit($0.column.title, to: $0.width, isRight: $0.column.isRight) })
  }

  /// The line of one node.
  func row(_ node: Node, _ texts: [String], _ columns: [(column: Column, width: Int)], isAlarmed: Bool) -> String {
    line(
      columns.map { column, width in
        let text = TextWidth.fit(texts[column.rawValue], to: width, isRight: column.isRight)
        return paint(colour(column, node, isAlarmed: isAlarmed), text)
      })
  }

  /// With more nodes than lines, those in trouble come first.
  private static func isMoreUrgent(_ a: Node, _ b: Node, _ alarmed: Set<NodeName>) -> Bool {
    func rank(_ node: Node) -> Int {
      if alarmed.contains(node.name) { return 0 }
      return switch node.presence {
      case .lost, .silent: 1
      case .online: 2
      case .unknown: 3
      case .stopped: 4
      }
    }
    return (rank(a), a.name) < (rank(b), b.name)
  }

  /// The columns that fit, in their order, and how wide each is. The most important ones are always there.
  func chosen(_ cells: [[String]]) -> [(column: Column, width: Int)] {
    var left = width
    var widths: [Column: Int] = [:]
    for column in Column.allCases.sorted(by: { $0.priority < $1.priority }) {
      let widest = cells.reduce(TextWidth.of(column.title)) { max($0, TextWidth.of($1[column.rawValue])) }
      let wanted = min(widest, max(column.widest, TextWidth.of(column.title)))
      let cost = wanted + (widths.isEmpty ? 0 : Self.gap.count)
      guard cost <= left || column == .node else { continue }
      widths[column] = min(wanted, width)
      left -= cost
    }
    return Column.allCases.compactMap { column in widths[column].map { (column, $0) } }
  }

  private func line(_ cells: [String]) -> String {
    var text = cells.joined(separator: Self.gap)
    while text.last == " " { text.removeLast() }
    return text
  }

  private func colour(_ column: Column, _ node: Node, isAlarmed: Bool) -> Paint.Colour? {
    switch column {
    case .node: return isAlarmed ? .red : nil
    case .state:
      return switch node.presence {
      case .online: .green
      case .lost, .silent: .red
      case .stopped, .unknown: .faint
      }
    case .fix:
      if case .lost = node.location?.content { return .yellow }
      return nil
    case .seen, .position, .face, .peak, .shake, .link: return nil
    }
  }

  // MARK: Alerts

  /// One line an alert, the newest first, at most a third of the terminal.
  private func alertLines(_ alerts: [Alert], at now: Instant) -> [String] {
    let room = height.map { max(1, $0 / 3) } ?? 10
    let newest = alerts.sorted {
      ($0.since.seconds, $1.subject.description) > ($1.since.seconds, $0.subject.description)
    }
    var lines = newest.prefix(alerts.count > room ? room - 1 : room).map { alert in
      let age = Age.text(alert.at.wall - alert.since)
      return paint(
        alert.severity == .information ? nil : .red,
        TextWidth.cut("! \(alert.rule) \(age): \(alert.summary)", to: width))
    }
    if lines.count < alerts.count { lines.append("... and \(count(alerts.count - lines.count, "more alert"))") }
    return lines
  }
}
