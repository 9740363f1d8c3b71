public import FleetLogic

/// Hands each alert to every sink, so that one that fails costs the others nothing, and keeps count.
public struct AlertDispatch {
  /// What a sink has done so far.
  public struct Record: Equatable, Sendable {
    public var name: String
    public var delivered = 0
    public var failed = 0
    /// Why the last alert was not taken; nil when it was.
    public var problem: SinkProblem?
  }

  private let sinks: [any Sink]
  /// One for each sink, in the order in which they were given.
  public private(set) var records: [Record]

  public init(_ sinks: [any Sink]) {
    self.sinks = sinks
    records = sinks.map { Record(name: $0.name) }
  }

  /// Answers what to log: that a sink began to fail, fails for another reason, or is well again.
  public mutating func deliver(_ alert: Alert) -> [LogEntry] {
    var entries: [LogEntry] = []
    for (index, sink) in sinks.enumerated() {
      do throws(SinkProblem) {
        try sink.deliver(alert)
        if records[index].problem != nil {
          let text = "sink \(sink.name) takes alerts again; \(records[index].failed) in all were not delivered"
          entries.append(LogEntry(.information, text))
        }
        records[index].delivered += 1
        records[index].problem = nil
      } catch {
        if records[index].problem != error {
          entries.append(LogEntry(.warning, "sink \(sink.name) does not take alerts: \(error)"))
        }
        records[index].failed += 1
        records[index].problem = error
      }
    }
    return entries
  }

  /// Opens anew what the sinks keep open.
  public func reopen() {
    for sink in sinks { sink.reopen() }
  }
}
