/// A terminal that shows one picture, drawn over again, on its alternate screen: what was there before comes back.
public struct Screen {
  private static let enter = "\u{1B}[?1049h\u{1B}[?25l"
  private static let leave = "\u{1B}[?25h\u{1B}[?1049l"
  private static let home = "\u{1B}[H"
  /// Before a line rather than after it: behind the last column of a full line it would take its last character.
  private static let clearLine = "\u{1B}[2K"
  private static let rest = "\u{1B}[J"

  private let output: StandardOutput
  private var isOpen = false

  /// Nothing changes before the first picture.
  public init(_ output: StandardOutput) {
    self.output = output
  }

  /// Shows the lines, none of which may be wider than the terminal.
  public mutating func show(_ lines: [String]) throws(Termination) {
    if !isOpen {
      isOpen = true
      try output.write(Screen.enter)
    }
    try output.write(Screen.home + lines.map { Screen.clearLine + $0 }.joined(separator: "\r\n") + Screen.rest)
    try output.flush()
  }

  /// Gives the terminal back as it was.
  public mutating func close() {
    guard isOpen else { return }
    isOpen = false
    try? output.write(Screen.leave)
    try? output.flush()
  }
}
