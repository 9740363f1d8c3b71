/// Where the history is kept, and how much of it.
public struct StoreSettings: Equatable, Sendable {
  /// The database. `-wal`, `-shm`, `.lock` and `.corrupt-<time>` are put behind its name for what belongs to it.
  public var file: String
  /// Events received longer ago go [d]; > 0.
  public var keepDays: Double
  /// The database grows no larger than this [MiB], its log of some 4 MiB apart; >= 1.
  public var capMB: Double
  /// How long a foreign process that writes is waited for [s].
  public var busyS: Double
  /// How long the pages of a database are checked at start [s], after a clean end and after any other.
  public var checkS: Double, fullCheckS: Double
  /// How long rows are taken out of a damaged database at start [s].
  public var salvageS: Double
  /// Runs of nodes whose numbers are kept in memory; those heard longest ago are read again when they are needed.
  public var bootsInMemory: Int
  /// Rows of the log of alerts at the most, the oldest go.
  public var maximumDecisions: Int64 = 100_000

  public init(
    file: String, keepDays: Double = 90, capMB: Double = 1024, busyS: Double = 2, checkS: Double = 1,
    fullCheckS: Double = 3, salvageS: Double = 5, bootsInMemory: Int = 40_000
  ) {
    self.file = file
    self.keepDays = keepDays
    self.capMB = capMB
    self.busyS = busyS
    self.checkS = checkS
    self.fullCheckS = fullCheckS
    self.salvageS = salvageS
    self.bootsInMemory = bootsInMemory
  }

  /// `capMB` in bytes.
  public var capBytes: Int64 { Int64(max(1, capMB) * 1_048_576) }
}
