public import Telemetry

/// A view of positions as lines of a terminal: gpsd and its receivers, the newest report, what was decided and why, what
/// comes next, and the last events.
///
/// Pure: none of the lines is wider than the terminal, there are no more than fit, and none holds a control character but
/// for the colours. Where there is too little room, what matters least goes first.
public struct FixPicture: Equatable, Sendable {
  /// Columns of the terminal.
  public var width: Int
  /// Lines of the terminal.
  public var rows: Int
  /// Colours are allowed.
  public var isColoured: Bool
  /// Characters beyond ASCII are allowed.
  public var isUnicode: Bool

  /// At least 20 columns and one line, whatever is asked for.
  public init(width: Int = 80, rows: Int = 24, isColoured: Bool = false, isUnicode: Bool = false) {
    self.width = max(width, 20)
    self.rows = max(rows, 1)
    self.isColoured = isColoured
    self.isUnicode = isUnicode
  }

  /// A name and what there is to say of it.
  struct Row {
    var name: String
    var text: String
    var colour: Paint.Colour?
    /// The smaller, the later it has to go.
    var rank: Int
  }

  private static let nameWidth = 11

  /// The picture of this moment.
  public func lines(_ state: FixState, at now: Instant) -> [String] {
    var blocks = FixPicture.table(state, at: now).map { (rank: $0.rank, lines: lines($0)) }
    while blocks.count > 1, blocks.reduce(0, { $0 + $1.lines.count }) > rows {
      // Of equals the last goes first.
      guard let worst = blocks.indices.max(by: { blocks[$0].rank <= blocks[$1].rank }) else { break }
      blocks.remove(at: worst)
    }
    let table = Array(blocks.flatMap(\.lines).prefix(rows))
    return table + log(state, most: rows - table.count - 1)
  }

  private static func table(_ state: FixState, at now: Instant) -> [Row] {
    let rows: [Row?] = [
      Row(name: "gpsd", text: FixText.link(state, at: now), colour: colour(state.link), rank: 1),
      row("receivers", FixText.receivers(state), rank: 6),
      row("satellites", FixText.satellites(state), rank: 8),
      Row(name: "report", text: FixText.report(state, at: now), rank: 2),
      row("errors", FixText.errors(state), rank: 11),
      row("", FixText.motion(state), rank: 12),
      row("time", FixText.time(state), rank: 9),
      Row(name: "decision", text: FixText.decision(state, at: now), colour: colour(state.decision?.decision), rank: 0),
      row("jump", FixText.jump(state), rank: 5),
      row("next", FixText.next(state, at: now), rank: 4),
      row("movement", FixText.movement(state, at: now), rank: 5),
      Row(name: "sensor", text: FixText.sensor(state, at: now), rank: 10),
      row("way", FixText.way(state), rank: 13),
      Row(name: "published", text: FixText.published(state, at: now), rank: 4),
      row("position", FixText.position(state, at: now), colour(state.glance), rank: 3),
    ]
    return rows.compactMap { $0 } + fences(state)
      + [
        Row(name: "counts", text: state.summary, rank: 7), row("lines", FixText.lines(state), rank: 14),
      ].compactMap { $0 }
  }

  private static func fences(_ state: FixState) -> [Row] {
    FixText.fences(state).enumerated().map { index, text in Row(name: index == 0 ? "fences" : "", text: text, rank: 7) }
  }

  private static func row(_ name: String, _ text: String?, _ colour: Paint.Colour? = nil, rank: Int) -> Row? {
    text.map { Row(name: name, text: $0, colour: colour, rank: rank) }
  }

  // MARK: Lines

  private func lines(_ row: Row) -> [String] {
    let texts = TextWidth.wrap(plain(row.text), to: width - FixPicture.nameWidth)
    return texts.enumerated().map { index, text in
      TextWidth.fit(index == 0 ? row.name : "", to: FixPicture.nameWidth) + paint(row.colour, text)
    }
  }

  /// The last events below an empty line, the newest at the bottom.
  private func log(_ state: FixState, most: Int) -> [String] {
    guard most > 0, !state.entries.isEmpty else { return [] }
    return [""]
      + state.entries.suffix(most).map { entry in
        let time = state.hostClock.wall(at: entry.at).rfc3339.dropFirst(11).prefix(8)
        return paint(.faint, TextWidth.cut(plain("\(time) \(entry.brief)"), to: width))
      }
  }

  private func plain(_ text: String) -> String {
    if isUnicode { return text }
    return text.replacing("±", with: "+-").map { $0.isASCII ? String($0) : "?" }.joined()
  }

  // MARK: Colours

  private var paint: Paint { Paint(isOn: isColoured) }

  private static func colour(_ link: FixState.Link) -> Paint.Colour? {
    switch link {
    case .connecting: .yellow
    case .up: nil
    case .down: .red
    }
  }

  private static func colour(_ decision: FixDecision?) -> Paint.Colour? {
    switch decision?.verdict {
    case nil, .withheld: nil
    case .published: .green
    case .rejected: .yellow
    }
  }

  private static func colour(_ glance: LocationTracker.Glance?) -> Paint.Colour? {
    switch glance?.state {
    case nil, .acquiring: .yellow
    case .fixed: nil
    case .lost: .red
    }
  }
}
