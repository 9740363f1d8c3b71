/// The spool's decisions over a disk: synchronous, deterministic, without a clock or a thread of its own.
///
/// `atS` is monotonic time [s] and never goes back.
///
/// What holds at every moment, whatever the disk does and wherever the program ends:
/// - What was reported stored is found again, until it was released, or a note on the disk says that it was given up.
/// - Names of files are removed only after the state that makes that right is on the disk.
/// - After a sync that failed nothing that was not on the disk by then is trusted: it is written anew elsewhere.
/// - A segment that an earlier run wrote is never written to again, but cut.
public struct SpoolCore<Disk: SpoolDisk> {
  /// What is done with a segment that a lane appends to.
  struct Writer {
    let file: DiskFile
    let segment: UInt32
    /// Taken, neither on the disk for good nor released: kept in memory, since the disk may lose it.
    var waiting: [(record: SpoolRecord, bornAtS: Double?)] = []
    var waitingBytes = 0
    /// When it has to be on the disk; nil: nothing waits.
    var dueS: Double?
  }

  /// Why nothing can be kept at present.
  struct Trouble {
    var failure: DiskFailure
    var probeAtS: Double
  }

  enum Phase { case closed, open, stopped }

  let disk: Disk
  let boot: UInt32
  let owner: String
  var limits: SpoolLimits
  var phase = Phase.closed
  var trouble: Trouble?
  /// From one attempt to the next [s]; grows while attempts fail, and goes back when something was stored.
  var probeIntervalS = Probing.firstS
  var clockOffsetS: Double?
  /// What was known of it last, and until when a jump of it is doubted [monotonic s].
  var lastOffsetS: Double?
  var clockDoubtedUntilS: Double?

  /// In the order of their numbers.
  var segments: [Segment] = []
  /// By lane.
  var writers: [Writer?] = [nil, nil, nil]
  /// The segment that the lane wrote before, in this run, and up to where it holds.
  var predecessors: [(segment: UInt32, bytes: Int)?] = [nil, nil, nil]
  var lanes = [SpoolLaneCount](repeating: SpoolLaneCount(), count: 3)
  var ordinal: UInt32 = 1
  var lastSegment: UInt32 = 0

  var notes: [SavedState.Note] = []
  /// Events that tell of a note and were released before they were on the disk.
  var arrivedTellers: Set<UInt64> = []
  /// The notes of events that tell of one and were given back; at most as many as there are notes.
  var givenBackTellers: [UInt64: UInt64] = [:]
  var lastNote: UInt64 = 0
  var knownDamage: [SavedState.KnownDamage] = []
  var fleetAcknowledges = false
  /// What was set aside because it is of another owner.
  var aside: SpoolAside?
  /// Events for which there was no room among more important ones; not told yet.
  var refused: [SpoolRecord] = []
  var refusedDueS: Double?
  /// How long tellings that find no room wait until they are told of [s].
  var tellingWaitS = SpoolCore.refusalS

  /// The state as it is on the disk; nil: none, or not known.
  var savedBytes: [UInt8]?
  var stateDueS: Double?
  /// Segments without any record that is left wait to be removed.
  var removalDueS: Double?
  var ageCheckS: Double?
  /// Names were removed since the folder was synced.
  var hasRemovals = false
  /// What lies in `damaged/` [bytes].
  var quarantine: [DiskEntry] = []
  var stateBytes = 0

  var reports: [SpoolReport] = []
  var reported = SpoolState()
  var reportDueS: Double?
  var damagedRecords = 0
  var lostNotes = 0
  var writtenBytes = 0
  var syncs = 0

  /// - Parameters:
  ///   - boot: the id of this run: only its events are taken
  ///   - owner: whose events are kept, fit for a file's name: those of another one are set aside; empty: nobody asks
  public init(disk: Disk, boot: UInt32, owner: String = "", limits: SpoolLimits) {
    self.disk = disk
    self.boot = boot
    self.owner = owner
    self.limits = limits
  }

  /// When `tick` has something to do; nil: not before the next request.
  public var nextDeadlineS: Double? {
    guard phase != .stopped else { return nil }
    if let trouble {
      return [trouble.probeAtS, reportDueS].compactMap { $0 }.min()
    }
    let due = [stateDueS, removalDueS, ageCheckS, refusedDueS, reportDueS] + writers.map { $0?.dueS }
    return due.compactMap { $0 }.min()
  }

  /// Reads the folder. Where that fails `tick` tries again, and the node does without meanwhile.
  public mutating func open(atS: Double) -> [SpoolReport] {
    guard phase == .closed, trouble == nil else { return [] }
    tryToOpen(atS)
    return finish(atS)
  }

  /// Carries out a request.
  public mutating func handle(_ request: SpoolRequest, atS: Double) -> [SpoolReport] {
    switch request {
    case .append(let record, let bornAtS): append(record, bornAtS, atS)
    case .fetch(let fetch): self.fetch(fetch, atS)
    case .release(let boot, let range): release(boot, range, atS)
    case .fleetAcknowledges: noteFleet(atS)
    case .configure(let limits): configure(limits, atS)
    case .clock(let offsetS): note(clockOffsetS: offsetS, atS)
    case .stop: stop(atS)
    }
    return finish(atS)
  }

  /// Does what is due.
  public mutating func tick(atS: Double) -> [SpoolReport] {
    guard phase != .stopped else { return [] }
    if let trouble {
      if atS >= trouble.probeAtS { probe(atS) }
    } else if phase == .open {
      for lane in SpoolLane.allCases where isDue(writers[lane.index]?.dueS, atS) { commit(lane, atS) }
      if isDue(refusedDueS, atS) { attempt(atS) { core throws(DiskFailure) in try core.tellRefused() } }
      if isDue(ageCheckS, atS) { evictByAge(atS) }
      if isDue(removalDueS, atS) { attempt(atS) { core throws(DiskFailure) in try core.removeSpent() } }
      if isDue(stateDueS, atS) { attempt(atS) { core throws(DiskFailure) in try core.save() } }
    }
    return finish(atS)
  }

  private func isDue(_ deadlineS: Double?, _ atS: Double) -> Bool {
    // A failure before it in the same call leaves the rest for later.
    trouble == nil && deadlineS.map { $0 <= atS } ?? false
  }

  /// Does something that may fail; a failure is trouble.
  mutating func attempt(_ atS: Double, _ body: (inout SpoolCore) throws(DiskFailure) -> Void) {
    do throws(DiskFailure) {
      try body(&self)
    } catch {
      fall(into: error, atS)
    }
  }

  /// Ends a call: what was found goes out, with the state where it changed.
  private mutating func finish(_ atS: Double) -> [SpoolReport] {
    reportState(atS)
    defer { reports = [] }
    return reports
  }
}

extension SpoolLane {
  var index: Int { Int(rawValue) }
}
