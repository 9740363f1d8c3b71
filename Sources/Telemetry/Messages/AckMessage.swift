/// What the fleet tool says after it stored events of a node: topic `<prefix>/<node>/ack`, never retained. The node
/// need not keep them any longer.
public struct AckMessage: Equatable, Sendable {
  /// Further runs of numbers in one message at the most.
  public static let mostRuns = 64

  /// The run of the node that the events belong to.
  public var boot: BootID
  /// All from 1 to here are stored, or were reported given up; 0: not even the first.
  public var sequence: UInt64
  /// Further numbers that are stored, ascending, apart from each other and from `sequence`.
  public var also: [ClosedRange<UInt64>]

  /// These events are stored.
  public init(boot: BootID, sequence: UInt64, also: [ClosedRange<UInt64>] = []) {
    self.boot = boot
    self.sequence = sequence
    self.also = also
  }
}
