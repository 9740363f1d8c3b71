public import Telemetry

/// What is drawn, whatever the view.
extension WatchScreen {
  /// Below this, lines are cut and without colours.
  private static let narrow = 40

  var paint: Paint { Paint(isOn: isColoured && width >= Self.narrow) }
  var sparkline: Sparkline { Sparkline(isUnicode: isUnicode) }
  /// What lines are laid out for; narrower terminals show their beginnings.
  var columns: Int { max(width, Self.narrow) }

  /// The picture of this moment: at most as many lines as the terminal has, none wider than it.
  public mutating func lines(_ fleet: FleetState, _ memory: WatchMemory, at now: Instant) -> [String] {
    let alerts = fleet.watchAlerts(memory)
    let room = max(height - 1, 0)
    var lines: [String]
    switch view {
    case .list: lines = listLines(fleet, alerts, at: now, room: room)
    case .alerts: lines = alertLines(fleet, alerts, memory, at: now, room: room)
    case .node(let node):
      lines = nodeLines(node, fleet, alerts, memory, at: now, room: room)
    case .help: lines = scrolled(helpLines, under: [paint(.bold, "judder-fleet watch: keys")], room: room)
    }
    lines = Array(lines.prefix(room))
    lines += Array(repeating: "", count: room - lines.count)
    lines.append(lastLine)
    return lines.map { shown($0) }
  }

  /// Fits for this terminal.
  private func shown(_ line: String) -> String {
    let line = width < Self.narrow ? TextWidth.cut(line, to: width) : line
    guard !isUnicode, line.utf8.contains(where: { $0 >= 0x80 }) else { return line }
    var ascii = String.UnicodeScalarView()
    for scalar in line.unicodeScalars {
      if scalar.isASCII {
        ascii.append(scalar)
      } else {
        for _ in 0..<TextWidth.of(String(Character(scalar))) { ascii.append("?") }
      }
    }
    return String(ascii)
  }

  /// What is asked for, what became of it, or what one can do.
  private var lastLine: String {
    if let note { return paint(.yellow, TextWidth.cut(note, to: columns)) }
    guard let prompt else { return paint(.faint, TextWidth.cut(hint, to: columns)) }
    // What does not fit is shown from its end, where one types. A narrow terminal shows as much as it has.
    let label = TextWidth.cut(prompt.label, to: max(min(columns, width) - 12, 1))
    let left = max(min(columns, width) - TextWidth.of(label) - 1, 1)
    var typed = SafeText.escaped(prompt.typed, limit: WatchPrompt.longest)
    while TextWidth.of(typed) > left { typed.unicodeScalars.removeFirst() }
    return label + typed + (width > TextWidth.of(label + typed) ? "_" : "")
  }

  private var hint: String {
    switch view {
    case .list:
      "Enter details  Tab alerts  / filter  o sort  r reverse  ! alerts only  a ack  s silence  ? help  q quit"
    case .alerts: "Enter node  Tab nodes  / filter  a acknowledge  s silence  ? help  q quit"
    case .node: "Esc back  arrows scroll and choose an alert  a acknowledge  s silence  ? help  q quit"
    case .help: "Esc back  q quit"
    }
  }

  /// A text that may be longer than the screen, under lines that stay.
  mutating func scrolled(_ text: [String], under head: [String], room: Int) -> [String] {
    let left = max(room - head.count, 1)
    scroll = min(max(scroll, 0), max(0, text.count - left))
    return head + text[scroll...].prefix(left)
  }

  private var helpLines: [String] {
    let keys: [(String, String)] = [
      ("up down j k", "move; page up and down, space; home end g G"),
      ("Enter right", "the node that is chosen, with everything known of it"),
      ("Esc left", "back; in the list: show all nodes again"),
      ("Tab", "from nodes to alerts and back"),
      ("/", "show only what has a text in name, title, site, group, state or rule"),
      ("o O", "next or previous order: name, state, heard, peak, fix age, alerts"),
      ("r", "the order the other way round"),
      ("!", "only nodes with alerts"),
      ("left right", "in a node: choose one of its alerts"),
      ("a", "acknowledge: the alert that is chosen, in the list every alert of the node"),
      ("s", "silence: likewise, for a while; then the alert is not told"),
      ("Ctrl-L", "draw everything anew"),
      ("q Ctrl-C", "quit"),
    ]
    let letters = LocationMessage.Loss.Reason.allCases.map { "\(Sparkline.letter($0)) \($0.rawValue)" }
    return keys.flatMap { key, text in labelled(key, text, labelWidth: 13) }
      + labelled("fix strip", "losses by letter: " + letters.joined(separator: ", "), labelWidth: 13)
  }

  /// A label and text beside it, in as many lines as it takes.
  func labelled(_ label: String, _ text: String, labelWidth: Int = 10) -> [String] {
    let room = max(columns - labelWidth, 10)
    return TextWidth.wrap(text, to: room).enumerated().map { number, line in
      paint(.faint, TextWidth.fit(number == 0 ? label : "", to: labelWidth)) + line
    }
  }
}
