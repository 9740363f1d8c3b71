/// What the node had to give up of its events before anybody had them: stream `evicted`, itself an event.
public struct EvictedMessage: Equatable, Sendable {
  /// Why events were given up.
  public enum Reason: String, CaseIterable, Sendable {
    /// No room: what waits is bounded.
    case cap
    /// Older than what is kept.
    case age
    /// They could not be read back from the disk.
    case damaged
    /// The broker refused them for good.
    case refused
    /// The disk took nothing, and memory had no more room.
    case unsaved
  }

  /// Runs of numbers in one message at the most.
  public static let mostRuns = 256

  /// The run of the node that they belong to; nil: the one that says so.
  public var boot: BootID?
  /// The lowest number given up.
  public var first: UInt64
  /// The highest, >= `first`.
  public var last: UInt64
  /// The numbers given up, ascending and apart from each other; empty: all from `first` to `last`. With `damaged` they
  /// are not known, and the two are bounds.
  public var runs: [ClosedRange<UInt64>]
  /// How many; nil when that is not known (`damaged`).
  public var count: Int?
  /// How many of each stream; what is not known of is left out.
  public var counts: [Stream: Int]
  /// How much was damaged [bytes]; nil unless `damaged`.
  public var bytes: Int?
  /// Why.
  public var reason: Reason

  /// Numbers given up, from `first` to `last`.
  public init(
    boot: BootID? = nil, first: UInt64, last: UInt64, runs: [ClosedRange<UInt64>] = [], count: Int?,
    counts: [Stream: Int] = [:], bytes: Int? = nil, _ reason: Reason
  ) {
    self.boot = boot
    self.first = first
    self.last = last
    self.runs = runs
    self.count = count
    self.counts = counts
    self.bytes = bytes
    self.reason = reason
  }

  /// Exactly the numbers given up; nil where only their bounds are known.
  public var exactRuns: [ClosedRange<UInt64>]? {
    if reason == .damaged { return nil }
    return runs.isEmpty ? [first...last] : runs
  }
}
