internal import Threading

/// The spool on a thread of its own, so that no disk ever holds up the caller.
public final class SpoolThread: Sendable {
  private let reports: Mailbox<SpoolReport>

  /// Starts reading the folder.
  ///
  /// - Parameters:
  ///   - capacity: how many requests wait at the most
  ///   - capacityBytes: how many bytes of payload wait at the most
  /// - Throws: `WorkerThread.StartFailure` when the kernel has no thread left.
  public init(
    folder: String, boot: UInt32, limits: SpoolLimits, capacity: Int = 1024, capacityBytes: Int = 1_048_576
  ) throws {
    reports = Mailbox(capacity: 256)
  }

  /// Readable while reports wait.
  public var descriptor: Int32 { reports.descriptor }

  /// Hands a request over. False when too many wait: offer it again after the next report.
  public func offer(_ request: SpoolRequest) -> Bool { false }

  /// What the spool has said since the last call, in order.
  public func drain() -> [SpoolReport] { reports.drain() }

  /// Brings everything to the disk and ends. False when that takes longer: the thread is left to itself then.
  public func stop(withinS: Double) -> Bool { true }
}
