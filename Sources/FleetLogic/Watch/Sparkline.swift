internal import Telemetry

/// Numbers as a line of bars, and states as a line of marks; one column each, oldest left.
struct Sparkline {
  let isUnicode: Bool

  private static let bars: [Character] =
    ["\u{2581}", "\u{2582}", "\u{2583}", "\u{2584}", "\u{2585}", "\u{2586}"]
    + ["\u{2587}", "\u{2588}"]
  private static let marks: [Character] = ["_", ".", ":", "-", "=", "+", "*", "#"]

  /// The last `columns` values, the largest of them full height and zero the lowest.
  func line(_ values: [Double], columns: Int) -> String {
    let shown = values.suffix(max(columns, 0)).map { $0.isFinite ? max($0, 0) : 0 }
    let most = shown.max() ?? 0
    let steps = isUnicode ? Self.bars : Self.marks
    return String(
      shown.map { value in
        most > 0 ? steps[min(Int(value / most * Double(steps.count)), steps.count - 1)] : steps[0]
      })
  }

  /// Fixes as `=` or a block, losses as a letter of their reason.
  func line(_ fixes: [NodeHistory.Fix]) -> String {
    String(
      fixes.map { fix -> Character in
        switch fix {
        case .fixed: isUnicode ? "\u{2588}" : "="
        case .lost(let reason): Self.letter(reason)
        }
      })
  }

  static func letter(_ reason: LocationMessage.Loss.Reason) -> Character {
    switch reason {
    case .noFix: "n"
    case .stalled: "s"
    case .deviceGone: "d"
    case .gpsdGone: "g"
    case .simulated: "m"
    case .rejected: "r"
    }
  }
}
