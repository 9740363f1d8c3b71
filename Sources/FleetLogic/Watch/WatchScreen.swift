internal import Telemetry

/// The fleet on a terminal with a keyboard: keys and sizes in, lines out. Pure: it reads no clock and writes nothing.
///
/// Every line that it answers fits the width, and is free of control characters but for the colours asked for.
public struct WatchScreen: Sendable {
  enum View: Equatable, Sendable {
    case list, alerts
    case node(NodeName)
    case help
  }

  /// How many columns and lines there are; 1 at least.
  public private(set) var width: Int
  public private(set) var height: Int
  let isColoured: Bool
  let isUnicode: Bool

  var view = View.list
  /// Where Escape leads, the last one first.
  var back: [View] = []
  var order = WatchOrder.name
  var isReversed = false
  var filter = ""
  var isOnlyAlarmed = false
  var prompt: WatchPrompt?
  /// What became of what somebody did, until the next key.
  var note: String?
  var nodeCursor = WatchCursor<NodeName>()
  var alertCursor = WatchCursor<WatchMemory.Name>()
  /// The chosen one of the alerts of the node that is shown.
  var ownCursor = WatchCursor<WatchMemory.Name>()
  /// The first line of a text that is longer than the screen.
  var scroll = 0

  /// - Parameters:
  ///   - width: columns.
  ///   - height: lines.
  ///   - isColoured: colours, and bold and reverse with them, are allowed.
  ///   - isUnicode: the terminal shows more than ASCII; else everything else is a question mark.
  public init(width: Int, height: Int, isColoured: Bool = false, isUnicode: Bool = true) {
    self.width = max(width, 1)
    self.height = max(height, 1)
    self.isColoured = isColoured
    self.isUnicode = isUnicode
  }

  /// The terminal has another size.
  public mutating func resize(width: Int, height: Int) {
    self.width = max(width, 1)
    self.height = max(height, 1)
  }

  /// Shows one line of text until the next key: what became of an action. It may hold anything.
  public mutating func say(_ text: String) { note = SafeText.escaped(text, limit: 400) }

  /// Lines that a list has room for, about: what a page is.
  var page: Int { max(height - 5, 1) }

  // MARK: Keys

  /// Takes a key; what it moves in is what was drawn last.
  public mutating func press(_ key: Key) -> WatchRequest? {
    note = nil
    if prompt != nil { return answer(key) }
    if let request = pressAnywhere(key) { return request }
    switch view {
    case .list: pressInList(key)
    case .alerts: pressInAlerts(key)
    case .node: pressInNode(key)
    case .help: pressInText(key)
    }
    return nil
  }

  private mutating func pressAnywhere(_ key: Key) -> WatchRequest? {
    switch key {
    case .character("q"), .control("c"), .control("d"): return .quit
    case .control("l"): return .repaint
    case .character("?") where view != .help, .character("h") where view != .help: open(.help)
    case .escape, .backspace, .character("?"), .character("h"): goBack()
    case .tab: switchList()
    case .character("a"): ask(.comment)
    case .character("s"): ask(.duration)
    default: break
    }
    return nil
  }

  private mutating func open(_ next: View) {
    back.append(view)
    if back.count > 8 { back.removeFirst() }
    view = next
    scroll = 0
  }

  private mutating func goBack() {
    scroll = 0
    if let last = back.popLast() {
      view = last
    } else if view == .list, !filter.isEmpty || isOnlyAlarmed {
      filter = ""
      isOnlyAlarmed = false
    } else {
      view = .list
    }
  }

  private mutating func switchList() {
    view = view == .alerts ? .list : .alerts
    back = []
    scroll = 0
  }

  private mutating func pressInList(_ key: Key) {
    switch key {
    case .character("o"): order = order.next()
    case .character("O"): order = order.next(-1)
    case .character("r"): isReversed.toggle()
    case .character("!"): isOnlyAlarmed.toggle()
    case .character("/"): ask(.filter(before: filter))
    case .enter, .right: if let node = nodeCursor.id { open(.node(node)) }
    default: Self.move(&nodeCursor, key, page: page)
    }
  }

  private mutating func pressInAlerts(_ key: Key) {
    switch key {
    case .character("/"): ask(.filter(before: filter))
    case .left: goBack()
    case .enter, .right:
      guard let alert = alertCursor.id else { return }
      if let node = AlertSubject(alert.subject)?.node {
        open(.node(node))
      } else {
        note = "\(alert.subject) is about several nodes"
      }
    default: Self.move(&alertCursor, key, page: page)
    }
  }

  private mutating func pressInNode(_ key: Key) {
    switch key {
    case .left: ownCursor.move(by: -1)
    case .right: ownCursor.move(by: 1)
    default: pressInText(key)
    }
  }

  /// Too far is mended when it is drawn.
  private mutating func pressInText(_ key: Key) {
    switch key {
    case .up, .character("k"): scroll = max(0, scroll - 1)
    case .down, .character("j"): scroll += 1
    case .pageUp: scroll = max(0, scroll - page)
    case .pageDown, .character(" "): scroll += page
    case .home, .character("g"): scroll = 0
    case .end, .character("G"): scroll = .max / 2
    default: break
    }
  }

  private static func move<ID>(_ cursor: inout WatchCursor<ID>, _ key: Key, page: Int) {
    switch key {
    case .up, .character("k"): cursor.move(by: -1)
    case .down, .character("j"): cursor.move(by: 1)
    case .pageUp: cursor.move(by: -page)
    case .pageDown, .character(" "): cursor.move(by: page)
    case .home, .character("g"): cursor.goToStart()
    case .end, .character("G"): cursor.goToEnd()
    default: break
    }
  }
}
