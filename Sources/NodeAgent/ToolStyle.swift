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
    guard isTerminal, Terminal.canDraw(environment: environment) else { return .lines }
    return .picture(isColoured: isColourWanted, isUnicode: Terminal.isUnicode(environment: environment))
  }
}
