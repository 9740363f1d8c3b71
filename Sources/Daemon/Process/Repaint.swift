/// What to write so that a terminal shows other lines than before: those that changed, and nothing else, so that
/// nothing flickers. Pure.
public struct Repaint: Equatable, Sendable {
  private var shown: [String]?
  private var size: Terminal.Size?

  /// Of a terminal of which nothing is known.
  public init() {}

  /// From now on nothing is known of what it shows.
  public mutating func forget() { shown = nil }

  /// What makes the terminal show `lines`, none of which may be wider than it; lines beyond its height are left out.
  /// Empty when it shows them already.
  public mutating func text(_ lines: [String], _ size: Terminal.Size) -> String {
    let lines = Array(lines.prefix(size.rows))
    let known = size == self.size ? shown : nil
    // A terminal that was resized may have moved its lines.
    var text = known == nil ? "\u{1B}[0m\u{1B}[H\u{1B}[2J" : ""
    for row in 0..<max(lines.count, known?.count ?? 0) {
      let line = lines.indices.contains(row) ? lines[row] : ""
      let before = known.map { $0.indices.contains(row) ? $0[row] : "" } ?? ""
      guard line != before else { continue }
      // Clear first: behind the last column of a full line it would take its last character.
      text += "\u{1B}[\(row + 1);1H\u{1B}[2K\(line)"
    }
    shown = lines
    self.size = size
    return text
  }
}
