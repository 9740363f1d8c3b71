internal import Daemon

/// How a tool shows what it sees.
enum ToolStyle: Equatable {
  case picture(isColoured: Bool, isUnicode: Bool)
  case lines
  case json

  var isPicture: Bool { if case .picture = self { true } else { false } }

  /// What the terminal and the environment ask for.
  static func fitting(
    isJSON: Bool, isTerminal: Bool, isColourWanted: Bool, environment: [String: String]
  ) -> ToolStyle {
    if isJSON { return .json }
    guard isTerminal, canDraw(environment) else { return .lines }
    return .picture(isColoured: isColourWanted, isUnicode: isUnicode(environment))
  }

  /// Whether the terminal knows what moves its cursor: TERM says which it is, see environ(7), and `dumb` knows nothing.
  private static func canDraw(_ environment: [String: String]) -> Bool {
    let terminal = environment["TERM"] ?? ""
    return !terminal.isEmpty && terminal != "dumb"
  }

  /// Whether the locale's characters are UTF-8: the first that is set of LC_ALL, LC_CTYPE and LANG, see locale(7).
  static func isUnicode(_ environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    let encoding = locale.lowercased()
    return encoding.contains("utf-8") || encoding.contains("utf8")
  }
}
