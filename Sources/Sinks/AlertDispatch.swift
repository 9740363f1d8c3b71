public import FleetLogic

/// Hands each alert to every sink, so that one that fails costs the others nothing, and keeps count.
public struct AlertDispatch {
  /// What a sink has done so far.
  public struct Record: Equatable, Sendable {
    /// As in the configuration.
    public var name: String
    /// Alerts that it took.
    public var delivered = 0
    /// Alerts that it did not take.
    public var failed = 0
    /// Why the last alert was not taken; nil when it was.
    public var problem: SinkProblem?
  }

  private let sinks: [any Sink]
  /// One for each sink, in the order in which they were given.
  public private(set) var records: [Record]

  /// An alert goes to the sinks in this order.
  public init(_ sinks: [any Sink]) {
    self.sinks = sinks
    records = sinks.map { Record(name: $0.name) }
  }

  /// Something waits for a slow receiver: call `flush` in a while.
  public private(set) var isWaiting = false
  /// The sinks that did not take the alert delivered last, as indices into `records`.
  public private(set) var refusing: Set<Int> = []

  /// Answers what to log: that a sink began to fail, fails for another reason, or is well again.
  public mutating func deliver(_ alert: Alert) -> [LogEntry] {
    var entries: [LogEntry] = []
    refusing = []
    for (index, sink) in sinks.enumerated() {
      do throws(SinkProblem) {
        try sink.deliver(alert)
        records[index].delivered += 1
        entries += recovered(index)
      } catch {
        records[index].failed += 1
        refusing.insert(index)
        entries += failed(index, error)
      }
    }
    return entries + flush()
  }

  /// Offers an alert that a sink refused to that sink once more; taken, it no longer counts as failed. Answers whether it
  /// was, and what to log.
  public mutating func retry(_ alert: Alert, at index: Int) -> (isTaken: Bool, entries: [LogEntry]) {
    do throws(SinkProblem) {
      try sinks[index].deliver(alert)
    } catch {
      return (false, failed(index, error))
    }
    records[index].delivered += 1
    records[index].failed -= 1
    defer { records[index].problem = nil }
    let isNews = records[index].problem != nil
    return (true, isNews ? [LogEntry(.information, "sink \(sinks[index].name) takes alerts again")] : [])
  }

  /// Hands on what slow receivers have not taken yet. Answers what to log, as `deliver`.
  public mutating func flush() -> [LogEntry] {
    var entries: [LogEntry] = []
    isWaiting = false
    for (index, sink) in sinks.enumerated() {
      do throws(SinkProblem) {
        if try sink.flush() { isWaiting = true }
      } catch {
        entries += failed(index, error)
      }
    }
    return entries
  }

  private mutating func failed(_ index: Int, _ problem: SinkProblem) -> [LogEntry] {
    defer { records[index].problem = problem }
    if records[index].problem == problem { return [] }
    return [LogEntry(.warning, "sink \(sinks[index].name) does not take alerts: \(problem)")]
  }

  private mutating func recovered(_ index: Int) -> [LogEntry] {
    guard records[index].problem != nil else { return [] }
    records[index].problem = nil
    let lost = records[index].failed
    return [LogEntry(.information, "sink \(sinks[index].name) takes alerts again; \(lost) in all were not delivered")]
  }

  /// Opens anew what the sinks keep open.
  public func reopen() {
    for sink in sinks { sink.reopen() }
  }
}
