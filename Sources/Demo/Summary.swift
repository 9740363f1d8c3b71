internal import Telemetry

/// What the demo is there to show: each thing with whether it was seen.
struct Summary {
  struct Item {
    let text: String
    let isSeen: Bool
  }

  /// What the nodes of the demo say between them.
  private static let expected = Stream.allCases.filter { $0 != .reply && $0 != .evicted }

  private let ledger: Ledger
  let items: [Item]

  /// - Parameter endedCleanly: which nodes ended by themselves when asked to; nil while they are to go on.
  init(_ ledger: Ledger, endedCleanly: [String: Bool]?) {
    self.ledger = ledger
    items =
      Summary.streams(ledger) + Summary.shakes(ledger) + Summary.location(ledger) + Summary.alerts(ledger)
      + Summary.restart(ledger) + Summary.delivery(ledger) + (endedCleanly.map { Summary.ends(ledger, $0) } ?? [])
  }

  var isComplete: Bool { items.allSatisfy(\.isSeen) }

  private static func streams(_ ledger: Ledger) -> [Item] {
    // Nobody asks a node for anything in the demo, so that nothing replies; and nothing has to be given up.
    let silent = expected.filter { ledger.count($0) == 0 }.map(\.rawValue)
    let missing = silent.isEmpty ? "" : "; nothing on \(silent.joined(separator: ", "))"
    let unreadable = ledger.unreadable.first.map { "; \(ledger.unreadable.count) unreadable: \($0)" } ?? ""
    return [
      Item(text: "messages on every stream\(missing)", isSeen: silent.isEmpty),
      Item(text: "every message as docs/MESSAGES.md says\(unreadable)", isSeen: ledger.unreadable.isEmpty),
    ]
  }

  private static func shakes(_ ledger: Ledger) -> [Item] {
    ShakeMessage.Phase.allCases.map { phase in
      let count = ledger.shakes[phase] ?? 0
      return Item(text: "shakes \(phase.rawValue): \(count)", isSeen: count > 0)
    }
  }

  private static func location(_ ledger: Ledger) -> [Item] {
    let fixes = ledger.positions.values.reduce(0, +)
    let losses = ledger.losses[.noFix] ?? 0
    let regained = ledger.positions[.regained] ?? 0
    let (entered, left) = (ledger.crossings[.enter] ?? 0, ledger.crossings[.leave] ?? 0)
    return [
      Item(text: "positions from a real gpsd: \(fixes)", isSeen: fixes > 0),
      Item(text: "position lost (no fix): \(losses), and regained: \(regained)", isSeen: losses > 0 && regained > 0),
      Item(text: "fence entered: \(entered), and left: \(left)", isSeen: entered > 0 && left > 0),
    ]
  }

  private static func alerts(_ ledger: Ledger) -> [Item] {
    let left = ledger.count("geofence", .firing)
    return ["shake", "lost-fix", "silent"].map { rule in
      let raised = ledger.count(rule, .firing)
      let resolved = ledger.count(rule, .resolved)
      let nodes = (ledger.alerted[rule] ?? []).sorted().joined(separator: ", ")
      let about = nodes.isEmpty ? "" : " (\(nodes))"
      return Item(
        text: "alert \(rule): raised \(raised), resolved \(resolved)\(about)", isSeen: raised > 0 && resolved > 0)
    } + [Item(text: "alert geofence: raised \(left), and goes on", isSeen: left > 0)]
  }

  private static func restart(_ ledger: Ledger) -> [Item] {
    [
      Item(text: "the broker reported the killed node: \(ledger.wills)", isSeen: ledger.wills > 0),
      Item(text: "\(Cast.killed) came back as a new boot", isSeen: ledger.hasStarted(Cast.killed, times: 2)),
    ]
  }

  private static func delivery(_ ledger: Ledger) -> [Item] {
    let (events, stored) = ledger.delivery
    return [
      Item(
        text: "events: \(events), of which the fleet tool, killed in between, says that it has stored \(stored)",
        isSeen: events > 0 && stored == events)
    ]
  }

  private static func ends(_ ledger: Ledger, _ endedCleanly: [String: Bool]) -> [Item] {
    Cast.nodes.map { node in
      let said = NodeName(node).flatMap { ledger.lastStates[$0] } == .stopped
      return Item(text: "\(node) said good-bye and ended", isSeen: said && endedCleanly[node] == true)
    }
  }

  /// Messages per node and stream, then a tick or a cross for each item.
  func lines(isColoured: Bool) -> [String] {
    counts() + [""]
      + items.map { item in
        guard isColoured else { return "  \(item.isSeen ? "✓" : "✗ MISSING:") \(item.text)" }
        return item.isSeen ? "  \u{1B}[32m✓\u{1B}[0m \(item.text)" : "  \u{1B}[31m✗ MISSING:\u{1B}[0m \(item.text)"
      }
  }

  private func counts() -> [String] {
    let titles = ["messages"] + Summary.expected.map(\.rawValue)
    let rows = ledger.messages.sorted { $0.key < $1.key }.map { node, counts in
      [node.description] + Summary.expected.map { String(counts[$0] ?? 0) }
    }
    let total = ["all"] + Summary.expected.map { String(ledger.count($0)) }
    return ([titles] + rows + [total]).map { cells in
      cells.enumerated().map { column, cell in
        let width = max(titles[column].count, 8)
        let blanks = String(repeating: " ", count: max(0, width - cell.count))
        return column == 0 ? "  " + cell + blanks : blanks + cell
      }.joined(separator: "  ")
    }
  }
}
