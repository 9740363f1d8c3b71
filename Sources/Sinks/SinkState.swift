public import Telemetry

/// How a sink does: for metrics, a line of status, and people.
public struct SinkState: Equatable, Sendable {
  /// As in the configuration.
  public var name: String
  /// Notices that wait in its queue; always 0 where there is none.
  public var queued = 0
  /// When the oldest of them was made; nil when none waits.
  public var oldest: WallTime?
  /// Notices that were handed on.
  public var delivered = 0
  /// Alerts that a sink of lines did not take, or tries of a sink with a queue that failed.
  public var failed = 0
  /// Notices that are not tried any more: refused for good, tried too often, or gone for room.
  public var givenUp = 0
  /// Files in its queue that were none of its notices, and were set aside.
  public var setAside = 0
  /// Why the last try failed; nil when it did not.
  public var problem: SinkProblem?

  public init(name: String) {
    self.name = name
  }

  /// How long the oldest notice has waited [s]; nil when none waits.
  public func oldestAgeS(at now: WallTime) -> Double? { oldest.map { max(0, now - $0) } }
}

/// What a sink's queue on the disk holds, counted without touching it: also beside a running fleet tool.
public struct SinkInventory: Equatable, Sendable {
  /// Alerts that wait, and those that are not tried any more.
  public let waiting, givenUp: Int

  /// - Parameter path: the folder of the queue.
  /// - Returns: nil where it is not there, or this user may not read it.
  public init?(_ path: String) {
    guard let waiting = try? QueueFolder.names("\(path)/new"), let givenUp = try? QueueFolder.names("\(path)/failed")
    else { return nil }
    (self.waiting, self.givenUp) = (waiting.count, givenUp.count)
  }
}
