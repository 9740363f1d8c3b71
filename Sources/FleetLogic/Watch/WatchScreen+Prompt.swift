internal import Telemetry

/// What is asked for in the last line, and what comes of it.
extension WatchScreen {
  /// What an action would be about: one alert, or every alert of a node.
  private var target: (rule: String, subject: String)? {
    switch view {
    case .list: nodeCursor.id.map { ("*", $0.description) }
    case .alerts: alertCursor.id.map { ($0.rule, $0.subject) }
    case .node(let node): ownCursor.id.map { ($0.rule, $0.subject) } ?? ("*", node.description)
    case .help: nil
    }
  }

  /// Begins to ask.
  mutating func ask(_ question: WatchPrompt.Question) {
    var next = WatchPrompt(question: question)
    if case .filter(let before) = question {
      next.typed = before
    } else {
      guard let target else {
        note = view == .help ? nil : "nothing is chosen"
        return
      }
      if question == .comment, case .node = view, ownCursor.id == nil {
        note = "no alert fires here"
        return
      }
      next.rule = target.rule
      next.subject = target.subject
    }
    prompt = next
  }

  /// A key while something is asked for.
  mutating func answer(_ key: Key) -> WatchRequest? {
    guard var asked = prompt else { return nil }
    switch key {
    case .escape: cancel(asked)
    case .control("c"): return .quit
    case .enter: return finish(asked)
    case .control("l"): return .repaint
    default:
      guard asked.type(key) else { return nil }
      prompt = asked
      if case .filter = asked.question { filter = asked.typed }
    }
    return nil
  }

  private mutating func cancel(_ asked: WatchPrompt) {
    prompt = nil
    if case .filter(let before) = asked.question {
      filter = before
    } else {
      note = "nothing was sent"
    }
  }

  private mutating func finish(_ asked: WatchPrompt) -> WatchRequest? {
    switch asked.question {
    case .filter: prompt = nil
    case .comment:
      prompt = nil
      return .act(.acknowledge(rule: asked.rule, subject: asked.subject, comment: asked.typed))
    case .duration:
      guard let seconds = WatchPrompt.seconds(asked.typed) else {
        note = "a length is a number and s, m, h or d, up to a year: 90s, 30m, 2h, 1d"
        return nil
      }
      prompt = WatchPrompt(question: .reason(durationS: seconds), rule: asked.rule, subject: asked.subject)
    case .reason(let seconds):
      prompt = nil
      return .act(
        .silence(rule: asked.rule, subject: asked.subject, durationS: seconds, comment: asked.typed))
    }
    return nil
  }
}
