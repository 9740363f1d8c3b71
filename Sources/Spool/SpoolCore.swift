/// The spool's decisions over a disk: synchronous, deterministic, without a clock or a thread of its own.
///
/// `atS` is monotonic time [s] and never goes back.
public struct SpoolCore<Disk: SpoolDisk> {
  let disk: Disk

  /// - Parameter boot: the id of this run: only its events are taken.
  public init(disk: Disk, boot: UInt32, limits: SpoolLimits) {
    self.disk = disk
  }

  /// When `tick` has something to do; nil: not before the next request.
  public var nextDeadlineS: Double? { nil }

  /// Reads the folder. Where that fails `tick` tries again, and the node does without meanwhile.
  public mutating func open(atS: Double) -> [SpoolReport] { [] }

  /// Carries out a request.
  public mutating func handle(_ request: SpoolRequest, atS: Double) -> [SpoolReport] { [] }

  /// Does what is due.
  public mutating func tick(atS: Double) -> [SpoolReport] { [] }
}
