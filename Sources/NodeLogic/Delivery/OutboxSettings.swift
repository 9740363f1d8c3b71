/// How events reach their end, and how many may wait.
public struct OutboxSettings: Equatable, Sendable {
  /// When an event's duty ends.
  public enum Delivery: String, CaseIterable, Sendable {
    /// When the broker acknowledged it; from the first acknowledgement of a fleet tool on, when that has stored it.
    case auto
    /// When the broker acknowledged it.
    case broker
    /// When a fleet tool has stored it.
    case fleet
  }

  /// When an event's duty ends.
  public var delivery = Delivery.auto
  /// Room for events that are in memory alone [bytes of payload], > 0.
  public var memoryBytes = 1_000_000
  /// There is a spool on a disk. Without, everything waits in memory.
  public var hasSpool = false
  /// Room for events on the disk [bytes], > 0: for the outlook alone, the spool itself keeps to it.
  public var spoolBytes = 32_000_000
  /// How many events may be under way at once, 1 to 100.
  public var window = 20

  /// As configured by default, without a spool.
  public init() {}
}
