internal import FleetLogic
internal import Sinks

/// Alerts on their way to the sinks. Where they outlast the fleet tool, one counts as told when every sink has taken it;
/// a sink that did not is offered it again, the oldest first.
struct Telling {
  /// Alerts that wait for sinks at the most. Of more the oldest is offered no more in this run; the next tells it.
  static let capacity = 1000

  private var dispatch: AlertDispatch
  /// There is a store, which has what was not told.
  private let isKept: Bool
  private var refused: [(alert: Alert, sinks: Set<Int>)] = []
  private var told: [Alert] = []

  init(_ dispatch: AlertDispatch, isKept: Bool) {
    self.dispatch = dispatch
    self.isKept = isKept
  }

  /// Something waits for a sink: call `retry` in a while.
  var isWaiting: Bool { dispatch.isWaiting || !refused.isEmpty }

  /// Hands an alert to every sink. Answers what to log.
  mutating func deliver(_ alert: Alert) -> [LogEntry] {
    var entries = offerAgain()
    entries += dispatch.deliver(alert)
    guard isKept else { return entries }
    if dispatch.refusing.isEmpty {
      told.append(alert)
    } else {
      refused.append((alert, dispatch.refusing))
      if refused.count > Self.capacity { refused.removeFirst() }
    }
    return entries
  }

  /// Hands on what waits. Answers what to log.
  mutating func retry() -> [LogEntry] { offerAgain() + dispatch.flush() }

  /// Alerts that every sink has, each answered once.
  mutating func takeTold() -> [Alert] {
    defer { told = [] }
    return told
  }

  func reopen() { dispatch.reopen() }

  /// To each sink in order, up to the first that it does not take.
  private mutating func offerAgain() -> [LogEntry] {
    var entries: [LogEntry] = []
    var failing: Set<Int> = []
    for place in refused.indices {
      for sink in refused[place].sinks.subtracting(failing).sorted() {
        let (isTaken, lines) = dispatch.retry(refused[place].alert, at: sink)
        entries += lines
        if isTaken { refused[place].sinks.remove(sink) } else { failing.insert(sink) }
      }
      if refused[place].sinks.isEmpty { told.append(refused[place].alert) }
    }
    refused.removeAll { $0.sinks.isEmpty }
    return entries
  }
}
