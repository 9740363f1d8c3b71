/// What a person at the viewer wants done about alerts. Rule and subject are patterns, as in a silence: `*` is any.
public enum WatchAction: Equatable, Sendable {
  /// Somebody looks after it; the comment may be empty.
  case acknowledge(rule: String, subject: String, comment: String)
  /// Nobody is told of it for `durationS` [s].
  case silence(rule: String, subject: String, durationS: Double, comment: String)
}

/// What a key asks of the shell.
public enum WatchRequest: Equatable, Sendable {
  /// To end.
  case quit
  /// To draw everything anew: something else has written on the terminal.
  case repaint
  /// To hand this on to the fleet tool.
  case act(WatchAction)
}

/// What is asked for in the last line, before an action goes out.
struct WatchPrompt: Equatable, Sendable {
  /// What is asked for.
  enum Question: Equatable, Sendable {
    /// What the list is to show; `before`: what it showed.
    case filter(before: String)
    case comment
    case duration
    case reason(durationS: Double)
  }

  /// What is typed at the most, in characters.
  static let longest = 200
  /// Of a silence, when nothing is typed.
  static let usualS = 3600.0

  var question: Question
  /// Patterns of what is meant; empty for the filter.
  var rule = ""
  var subject = ""
  var typed = ""

  /// What stands before what is typed.
  var label: String {
    let what = rule == "*" ? "every alert of \(subject)" : "\(rule) of \(subject)"
    return switch question {
    case .filter: "/"
    case .comment: "acknowledge \(what), comment: "
    case .duration: "silence \(what) for (30m, 2h, 1d; Enter: 1h): "
    case .reason(let durationS): "silence \(what) for \(Age.phrase(durationS)), why: "
    }
  }

  /// Adds or takes away what a key types; false for one that types nothing.
  mutating func type(_ key: Key) -> Bool {
    switch key {
    case .character(let scalar):
      if typed.unicodeScalars.count < Self.longest { typed.unicodeScalars.append(scalar) }
    case .backspace: _ = typed.unicodeScalars.popLast()
    case .control("u"): typed = ""
    case .control("w"):
      while typed.unicodeScalars.last == " " { typed.unicodeScalars.removeLast() }
      while let last = typed.unicodeScalars.last, last != " " { typed.unicodeScalars.removeLast() }
    default: return false
    }
    return true
  }

  /// `90s`, `30m`, `2h`, `1d` [s]; nothing is an hour. Nil for anything else, and beyond a second to a year.
  static func seconds(_ text: String) -> Double? {
    let text = text.filter { $0 != " " }.lowercased()
    if text.isEmpty { return usualS }
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86400]
    guard let unit = text.last.flatMap({ units[$0] }), text.utf8.count <= 9, let number = UInt32(text.dropLast())
    else { return nil }
    let seconds = Double(number) * unit
    return seconds >= 1 && seconds <= 365 * 86400 ? seconds : nil
  }
}
