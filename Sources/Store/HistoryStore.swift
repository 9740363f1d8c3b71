internal import CSQLite
internal import Glibc
internal import Telemetry

/// What a fleet said, on disk: one SQLite database with one writer, this value, which belongs to one thread.
///
/// Write-ahead log and synchronous=FULL: when `commit` answers, the batch outlasts a power cut. Foreign processes may
/// read meanwhile; see `Schema` for what they find.
public final class HistoryStore {
  /// What it was opened with.
  public let settings: StoreSettings
  /// What had to be done to open it.
  public private(set) var opening: OpeningReport
  let database: Connection
  private let lock: FileLock
  private let identity: FileIdentity?
  var nodeIDs: [NodeName: Int64] = [:]
  var boots: [BootKey: BootCoverage] = [:]
  private var uses: UInt64 = 0
  var touched: [BootKey: Touch] = [:]
  var touchOrder: [BootKey] = []
  var retention = Retention()
  /// The size of a log that a reader kept from being cut [bytes]; 0: there is none.
  var triedLogBytes: Int64 = 0

  /// A run of a node that the open transaction changes.
  struct Touch {
    let name: NodeName
    let coverage: BootCoverage
    let before: BootCoverage.Ranges
    var arrivals: [Arrival] = []
    var isAcknowledged = false
  }

  /// A number that came, and up to where all were settled then.
  struct Arrival {
    let number: UInt64, upto: UInt64
  }

  /// Names kept in memory at the most: more than a fleet has.
  static let maximumNames = 65_536

  /// Opens the database, makes it where there is none, and sets a damaged one aside; within some 10 s.
  public convenience init(_ settings: StoreSettings) throws(StoreProblem) {
    try self.init(settings, steps: Schema.steps, isCheckWanted: true)
  }

  /// - Parameter isCheckWanted: false where it was open a moment ago.
  init(_ settings: StoreSettings, steps: [String], isCheckWanted: Bool) throws(StoreProblem) {
    self.settings = settings
    let opener = Opener(settings, steps, isCheckWanted: isCheckWanted)
    try opener.checkFolder()
    lock = try FileLock(settings.file)
    (database, opening) = try opener.open()
    identity = FileIdentity(settings.file)
    try countLosses()
  }

  /// Ends it cleanly, so that the next start needs only a quick check. What was committed is on the disk without it.
  public func close() {
    try? database.run("INSERT OR REPLACE INTO meta VALUES ('clean', 1)")
    try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Writes what is in the log into the database, and begins a new log. After fsync(2) failed, pages of the log that
  /// the kernel takes for written may never have reached the disk: they are written once more, from what it still has.
  func writeAnew() throws(StoreProblem) {
    try guarded { () throws(SQLiteFailure) in try database.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
  }

  /// Tries whether the store could be opened, and changes nothing; nil: it could.
  public static func trouble(_ settings: StoreSettings) -> StoreProblem? {
    do throws(StoreProblem) {
      try Opener(settings, Schema.steps, isCheckWanted: false).checkFolder()
      guard access(folder(of: settings.file), W_OK) == 0 else {
        let kind: StoreProblem.Kind = errno == EROFS ? .readOnly : .denied
        return StoreProblem(kind, file: settings.file, "its folder cannot be written to")
      }
      if let found = FileIdentity(settings.file), !found.isFolder, access(settings.file, R_OK | W_OK) != 0 {
        return StoreProblem(.denied, file: settings.file, "it cannot be written to")
      }
      return nil
    } catch {
      return error
    }
  }

  /// What a rescue lost; one that a crash broke off before that was counted is told now.
  func noteRescue(lostEvents: Int, lostNodes: Int) {
    var rescue =
      opening.rescue
      ?? OpeningReport.Rescue(
        reason: "found at an earlier start", file: Quarantine.names(of: settings.file).last ?? settings.file,
        rows: ["events": (try? count()) ?? 0, "boots": 1], holes: 0, isWhole: true)
    (rescue.lostEvents, rescue.lostNodes) = (lostEvents, lostNodes)
    opening.rescue = rescue
  }

  // MARK: What both reading and writing need

  /// Runs `body`, and tells what went wrong as the file's problem.
  func guarded<Result>(_ body: () throws(SQLiteFailure) -> Result) throws(StoreProblem) -> Result {
    do throws(SQLiteFailure) {
      return try body()
    } catch {
      throw error.problem(settings.file)
    }
  }

  /// Writing into a file that was deleted would work, and help nobody.
  func checkFileIsThere() throws(StoreProblem) {
    guard let identity, identity.isSameFile(as: FileIdentity(settings.file)) else {
      throw StoreProblem(.gone, file: settings.file, "it was moved or deleted while it was open")
    }
  }

  /// The number of a node in the database; nil when it is not in it.
  func knownID(of node: NodeName) throws(SQLiteFailure) -> Int64? {
    if let id = nodeIDs[node] { return id }
    guard let id = try database.integer("SELECT id FROM nodes WHERE name = ?", .text(node.description)) else {
      return nil
    }
    if nodeIDs.count >= Self.maximumNames { nodeIDs = [:] }
    nodeIDs[node] = id
    return id
  }

  /// What is settled of a run, from memory or from the database.
  func coverage(_ key: BootKey) throws(SQLiteFailure) -> BootCoverage {
    uses += 1
    if let known = boots[key] {
      known.use = uses
      return known
    }
    let read = try database.readCoverage(key)
    read.use = uses
    if boots.count >= max(1, settings.bootsInMemory) { forgetBoots() }
    boots[key] = read
    return read
  }

  /// Keeps the half that was needed last; what the open transaction has in its hands is read again after it.
  private func forgetBoots() {
    let ages = boots.values.map(\.use).sorted()
    let middle = ages[ages.count / 2]
    boots = boots.filter { $0.value.use > middle || touched[$0.key] != nil }
  }

  /// The node's words on what it gave up, a row for each run of numbers; of one that names none a row without numbers.
  static let evictedRuns = """
    SELECT json_extract(r.value, '$[0]'), json_extract(r.value, '$[1]'), e.node, e.of_boot, e.reason, e.events
    FROM evictions AS e LEFT JOIN json_each(CASE WHEN json_valid(e.runs) THEN e.runs ELSE '[]' END) AS r
    """

  /// What is counted anew before it is written: there is room again for what was left to the database.
  func recount(_ coverage: BootCoverage, _ key: BootKey) throws(SQLiteFailure) {
    while coverage.wantsRecount {
      let before = coverage.upto
      coverage.recount(try database.storedNumbers(key), evicted: try database.evictedNumbers(key))
      if coverage.upto == before { return }
    }
  }
}

/// A row of `boots`.
struct BootRow {
  var upto: UInt64, highest: UInt64
  var firstS: Double, lastS: Double
  var clock: ClockState?
  var duplicates: Int, conflicts: Int, interleavings: Int, replays: Int
  var checksum: Int64
  /// Nil: it is of version 1, which did not count them.
  var dropped: Int?

  /// - Parameter first: the column of `upto`.
  init(_ row: Statement, from first: Int32 = 0) {
    upto = row.number(first)
    highest = row.number(first + 1)
    firstS = row.real(first + 2)
    lastS = row.real(first + 3)
    if let start = row.realIfPresent(first + 4), let quality = row.text(first + 5).flatMap(ClockQuality.init) {
      clock = ClockState(wallAtStart: WallTime(seconds: start), quality: quality)
    }
    duplicates = Int(row.integer(first + 6))
    conflicts = Int(row.integer(first + 7))
    interleavings = Int(row.integer(first + 8))
    replays = Int(row.integer(first + 9))
    checksum = row.integer(first + 10)
    dropped = row.integerIfPresent(first + 11).map { Int($0) }
  }

  static func checksum(_ key: BootKey, upto: UInt64, highest: UInt64, dropped: Int?) -> Int64 {
    let (node, boot) = (UInt64(bitPattern: key.node), UInt64(key.boot))
    guard let dropped else { return Store.checksum(node, boot, upto, highest) }
    return Store.checksum(node, boot, upto, highest, UInt64(bitPattern: Int64(dropped)))
  }

  func isSound(_ key: BootKey) -> Bool {
    checksum == Self.checksum(key, upto: upto, highest: highest, dropped: dropped) && dropped ?? 0 >= 0
  }

  func fill(_ coverage: BootCoverage) {
    coverage.isKept = true
    coverage.firstS = firstS
    coverage.lastS = lastS
    coverage.clock = clock
    coverage.duplicates = duplicates
    coverage.conflicts = conflicts
    coverage.interleavings = interleavings
    coverage.replays = replays
  }

  func coverage(_ ranges: [CoverageRow]) -> BootCoverage {
    let coverage = BootCoverage(
      upto: upto, above: RangeSet(ranges.filter { $0.kind == .stored }.map(\.range)),
      evicted: RangeSet(ranges.filter { $0.kind == .evicted }.map(\.range)),
      forgotten: ranges.first { $0.kind == .forgotten }?.range.upperBound ?? 0)
    coverage.highest = highest
    coverage.dropped = dropped ?? 0
    fill(coverage)
    return coverage
  }
}

/// A row of `coverage`.
struct CoverageRow {
  enum Kind: Int64 {
    case stored = 0
    case evicted = 1
    /// Numbers among these may have been given up.
    case forgotten = 2
  }

  var kind: Kind
  var range: ClosedRange<UInt64>
  var checksum: Int64

  /// Nothing sound has a first number above its last.
  init?(_ row: Statement, from first: Int32 = 0) {
    let (lower, upper) = (row.number(first + 1), row.number(first + 2))
    guard let kind = Kind(rawValue: row.integer(first)), lower <= upper else { return nil }
    self.kind = kind
    range = lower...upper
    checksum = row.integer(first + 3)
  }

  static func checksum(_ key: BootKey, _ kind: Kind, _ range: ClosedRange<UInt64>) -> Int64 {
    Store.checksum(
      UInt64(bitPattern: key.node), UInt64(key.boot), UInt64(kind.rawValue), range.lowerBound, range.upperBound)
  }

  func isSound(_ key: BootKey) -> Bool { checksum == Self.checksum(key, kind, range) }
}

/// A row of `HistoryStore.evictedRuns`.
struct EvictedRun {
  var range: ClosedRange<UInt64>
  var boot: BootKey
  var reason: String

  /// Nil for one without numbers.
  init?(_ row: Statement) {
    guard let first = row.integerIfPresent(0), let last = row.integerIfPresent(1), first >= 0, last >= first else {
      return nil
    }
    range = UInt64(first)...UInt64(last)
    boot = BootKey(node: row.integer(2), boot: UInt32(truncatingIfNeeded: row.integer(3)))
    reason = row.text(4) ?? ""
  }
}
