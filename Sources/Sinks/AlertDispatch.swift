public import FleetLogic

/// Hands each alert to every sink, so that one that fails costs the others nothing, and keeps count.
public struct AlertDispatch {
  private let sinks: [any Sink]
  private var records: [SinkState]

  /// An alert goes to the sinks in this order.
  public init(_ sinks: [any Sink]) {
    self.sinks = sinks
    records = sinks.map { SinkState(name: $0.name) }
  }

  /// How each sink does, in the order in which they were given.
  public var states: [SinkState] { zip(sinks, records).map { $0.state ?? $1 } }

  /// Something waits for a slow receiver: call `flush` in a while.
  public private(set) var isWaiting = false
  /// The sinks that did not take the alert delivered last, as indices into `states`.
  public private(set) var refusing: Set<Int> = []
  /// Those that took it and will say when it is safe.
  public private(set) var carrying: Set<Int> = []

  /// Starts all. Answers what to log.
  public mutating func start() -> [LogEntry] {
    sinks.indices.flatMap { index -> [LogEntry] in
      do throws(SinkProblem) {
        try sinks[index].start()
        return []
      } catch {
        return failed(index, error)
      }
    }
  }

  /// Readable when `takeSettled` has an answer.
  public var descriptors: [Int32] { sinks.compactMap(\.descriptor) }

  /// Alerts that are safe with a sink that carried them, and what to log.
  public func takeSettled() -> (alerts: [(sink: Int, alert: Alert)], entries: [LogEntry]) {
    var alerts: [(sink: Int, alert: Alert)] = []
    var entries: [LogEntry] = []
    for (index, sink) in sinks.enumerated() where sink.descriptor != nil {
      let news = sink.takeSettled()
      alerts += news.alerts.map { (index, $0) }
      entries += news.entries
    }
    return (alerts, entries)
  }

  /// Ends all; each may take so long [s]. Answers what to log; `takeSettled` may have more.
  public func stop(withinS: Double) -> [LogEntry] {
    for sink in sinks { sink.beginStop() }
    return sinks.filter { !$0.stop(withinS: withinS) }.map {
      LogEntry(.warning, "sink \($0.name) did not end in time; what it was about to deliver is delivered again")
    }
  }

  /// Answers what to log: that a sink began to fail, fails for another reason, or is well again.
  /// - Parameter waiting: the sinks that refused an earlier alert: they are not asked, and refuse.
  public mutating func deliver(_ alert: Alert, behind waiting: Set<Int> = []) -> [LogEntry] {
    var entries: [LogEntry] = []
    (refusing, carrying) = ([], [])
    for (index, sink) in sinks.enumerated() where alert.sinks.isEmpty || alert.sinks.contains(sink.name) {
      guard !waiting.contains(index) else {
        refusing.insert(index)
        continue
      }
      do throws(SinkProblem) {
        try sink.deliver(alert)
        records[index].delivered += 1
        if sink.descriptor != nil { carrying.insert(index) }
        entries += recovered(index)
      } catch {
        records[index].failed += 1
        refusing.insert(index)
        entries += failed(index, error)
      }
    }
    return entries + flush()
  }

  /// Offers an alert that a sink refused to that sink once more. Answers whether
  /// it was taken, whether it is only on its way, and what to log.
  public mutating func retry(
    _ alert: Alert, at index: Int
  ) -> (isTaken: Bool, isCarried: Bool, entries: [LogEntry]) {
    do throws(SinkProblem) {
      try sinks[index].deliver(alert)
    } catch {
      return (false, false, failed(index, error))
    }
    records[index].delivered += 1
    defer { records[index].problem = nil }
    let isNews = records[index].problem != nil
    let news = LogEntry(.information, "sink \(sinks[index].name) takes alerts again")
    return (true, sinks[index].descriptor != nil, isNews ? [news] : [])
  }

  /// Hands on what slow receivers have not taken yet. Answers what to log, as `deliver`.
  public mutating func flush() -> [LogEntry] {
    var entries: [LogEntry] = []
    isWaiting = false
    for (index, sink) in sinks.enumerated() {
      do throws(SinkProblem) {
        if try sink.flush() { isWaiting = true }
      } catch {
        isWaiting = true
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
