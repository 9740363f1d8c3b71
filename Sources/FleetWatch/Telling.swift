internal import FleetLogic
internal import Sinks
internal import Telemetry

/// Alerts on their way to the sinks. Where they outlast the fleet tool, one counts as told when every sink has it; a
/// sink that did not take it is offered it again, the oldest first.
struct Telling {
  /// Alerts that wait for sinks that refused them at the most. Of more the oldest is offered no more in this run; the
  /// next tells it. What a sink carries is bounded by its own queue.
  static let capacity = 1000

  private struct Open {
    let alert: Alert
    var refused: Set<Int>
    var carried: Set<Int>
    var isTold: Bool { refused.isEmpty && carried.isEmpty }
  }

  private var dispatch: AlertDispatch
  /// There is a store, which has what was not told.
  private let isKept: Bool
  private var open: [Open] = []
  private var told: [Alert] = []

  init(_ dispatch: AlertDispatch, isKept: Bool) {
    self.dispatch = dispatch
    self.isKept = isKept
  }

  /// Something waits for a sink: call `retry` in a while.
  var isWaiting: Bool { dispatch.isWaiting || open.contains { !$0.refused.isEmpty } }

  /// How each sink does.
  var states: [SinkState] { dispatch.states }

  /// Readable when `settle` has something to do.
  var descriptors: [Int32] { dispatch.descriptors }

  /// Starts the sinks. Answers what to log.
  mutating func start() -> [LogEntry] { dispatch.start() }

  /// Ends the sinks; each may take so long [s]. Answers what to log.
  mutating func stop(withinS: Double) -> [LogEntry] { dispatch.stop(withinS: withinS) + settle() }

  /// Hands an alert to every sink. Answers what to log.
  mutating func deliver(_ alert: Alert) -> [LogEntry] {
    var entries = offerAgain()
    // Behind what a sink refused before: in its order.
    entries += dispatch.deliver(alert, behind: open.reduce(into: []) { $0.formUnion($1.refused) })
    guard isKept else { return entries }
    open.append(Open(alert: alert, refused: dispatch.refusing, carried: dispatch.carrying))
    takeTold(from: open.indices.suffix(1))
    let refused = open.indices.filter { !open[$0].refused.isEmpty }
    if refused.count > Self.capacity { open.remove(at: refused[0]) }
    return entries
  }

  /// Hands on what waits. Answers what to log.
  mutating func retry() -> [LogEntry] { offerAgain() + dispatch.flush() }

  /// Takes in what sinks say about what they carry. Answers what to log.
  mutating func settle() -> [LogEntry] {
    let (alerts, entries) = dispatch.takeSettled()
    guard isKept, !alerts.isEmpty else { return entries }
    var places: [String: [Int]] = [:]
    for (place, item) in open.enumerated() { places[Self.key(item.alert), default: []].append(place) }
    for (sink, alert) in alerts {
      let place = places[Self.key(alert)]?.first { open[$0].carried.contains(sink) }
      if let place { open[place].carried.remove(sink) }
    }
    takeTold(from: open.indices)
    return entries
  }

  private static func key(_ alert: Alert) -> String { "\(alert.id) \(alert.state.rawValue)" }

  /// Alerts that every sink has, each answered once.
  mutating func takeTold() -> [Alert] {
    defer { told = [] }
    return told
  }

  func reopen() { dispatch.reopen() }

  private mutating func takeTold(from places: some Sequence<Int>) {
    let done = places.filter { open[$0].isTold }
    guard !done.isEmpty else { return }
    told += done.map { open[$0].alert }
    open.removeAll { $0.isTold }
  }

  /// To each sink in order, up to the first that it does not take.
  private mutating func offerAgain() -> [LogEntry] {
    var entries: [LogEntry] = []
    var failing: Set<Int> = []
    for place in open.indices {
      for sink in open[place].refused.subtracting(failing).sorted() {
        let (isTaken, isCarried, lines) = dispatch.retry(open[place].alert, at: sink)
        entries += lines
        guard isTaken else {
          failing.insert(sink)
          continue
        }
        open[place].refused.remove(sink)
        if isCarried { open[place].carried.insert(sink) }
      }
    }
    takeTold(from: open.indices)
    return entries
  }
}
