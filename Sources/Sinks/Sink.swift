public import FleetLogic

/// Where alerts go: people, files, other systems.
///
/// A sink must not wait: what it cannot hand on at once it refuses, by throwing, or gives to a thread of its own, as
/// `QueuedSink` does. To add a kind, write one type that conforms, or a `Courier` for a queued sink, a case of
/// `SinkSettings.Kind`, and a line in `makeSink`.
public protocol Sink: AnyObject {
  /// As it is called in the configuration and in the log.
  var name: String { get }

  /// Hands an alert on, or throws why it could not.
  func deliver(_ alert: Alert) throws(SinkProblem)

  /// Hands on what a slow receiver has not taken yet, as far as that is possible without waiting. Answers whether
  /// something still waits: then it is to be called again in a while.
  func flush() throws(SinkProblem) -> Bool

  /// Whatever it keeps open is opened anew: a file may have been moved away.
  func reopen()

  /// Nil: an alert that was delivered has arrived. Otherwise it is only on its way, and this descriptor is readable
  /// when `takeSettled` has an answer.
  var descriptor: Int32? { get }

  /// Alerts that are safe now: on the disk, arrived, or given up. And what to log.
  func takeSettled() -> (alerts: [Alert], entries: [LogEntry])

  /// What it does besides being asked, such as delivering what an earlier run left.
  func start() throws(SinkProblem)

  /// Begins to end that, without waiting.
  func beginStop()

  /// Ends that. Answers false when it did not end in time.
  func stop(withinS: Double) -> Bool

  /// How it does, where it knows more than whoever calls `deliver`.
  var state: SinkState? { get }
}

extension Sink {
  /// Nothing ever waits.
  public func flush() throws(SinkProblem) -> Bool { false }

  /// There is nothing to open.
  public func reopen() {}

  /// Alerts arrive at once.
  public var descriptor: Int32? { nil }

  /// Nothing is on its way.
  public func takeSettled() -> (alerts: [Alert], entries: [LogEntry]) { ([], []) }

  /// There is nothing to start.
  public func start() throws(SinkProblem) {}

  /// There is nothing to end.
  public func beginStop() {}

  /// There is nothing to end.
  public func stop(withinS: Double) -> Bool { true }

  /// It knows nothing more.
  public var state: SinkState? { nil }
}

/// Why a sink did not take an alert. Two problems of the same text are the same problem.
public struct SinkProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// One line, safe to show.
  public let description: String

  public init(_ description: String) {
    self.description = description
  }
}
