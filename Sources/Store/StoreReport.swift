public import Telemetry

/// What the store says to its owner.
public enum StoreReport: Equatable, Sendable {
  /// The database is open; what had to be done for that. Said at start, and when it had to be opened anew.
  case opened(OpeningReport)
  /// A part of what was kept; only at start, after `opened`. When damage is found while it is read, `opened` comes
  /// again, and then everything from the first part on.
  case kept(KeptFleet)
  /// All of what was kept has been said: batches are written from now on.
  case ready
  /// It will never work as it is, and the thread has ended: another process has the file, it is from a newer version,
  /// or it is somebody else's database.
  case refused(StoreProblem)
  /// A batch is on the disk.
  case committed(CommitReport)
  /// A batch was given up, as `abandon` or `stop` asked: nothing of it is written.
  case abandoned(id: UInt64)
  /// Writing began to fail, fails for another reason, or works again.
  case state(StoreState)
  /// Events were given up for their age or for room.
  case trimmed(TrimReport)
}

/// Whether the store can write.
public enum StoreState: Equatable, Sendable {
  case opening
  case working
  /// It tries again by itself. `since`: by the machine's clock.
  case failed(reason: StoreProblem, since: WallTime)
}

/// What became of a batch that is on the disk.
public struct CommitReport: Equatable, Sendable {
  /// What became of an event.
  public enum Outcome: UInt8, Equatable, Sendable {
    case stored
    /// It was there before.
    case duplicate
    /// Another one was there under its number: a clone or a replay. The first stays, this one is set apart.
    case conflict
  }

  /// The batch's.
  public var id: UInt64
  /// Of each of its events, in their order.
  public var outcomes: [Outcome]
  /// Of each run of a node that it touched: what may be told to the node now, in this order. Several of a run where one
  /// has no room for all that came.
  public var acknowledgements: [Acknowledgement]

  public init(id: UInt64, outcomes: [Outcome], acknowledgements: [Acknowledgement]) {
    self.id = id
    self.outcomes = outcomes
    self.acknowledgements = acknowledgements
  }

  /// How many of its events have this outcome.
  public func count(_ outcome: Outcome) -> Int { outcomes.lazy.filter { $0 == outcome }.count }
}

/// What is settled of one run of a node: it is on the disk.
public struct Acknowledgement: Equatable, Sendable {
  /// Ranges above `sequence` at the most.
  public static let maximumRanges = AckMessage.mostRuns

  /// To whom.
  public var node: NodeName
  /// Which run.
  public var boot: BootID
  /// All of 1 to this are stored, or were reported as given up with their exact numbers; 0: not even 1 is.
  public var sequence: UInt64
  /// Further numbers that are stored, ascending; the batch's own are among them.
  public var also: [ClosedRange<UInt64>]

  public init(node: NodeName, boot: BootID, sequence: UInt64, also: [ClosedRange<UInt64>]) {
    self.node = node
    self.boot = boot
    self.sequence = sequence
    self.also = also
  }

  /// As it is told to the node.
  public var message: AckMessage { AckMessage(boot: boot, sequence: sequence, also: also) }
}

/// What had to be done to open the database.
public struct OpeningReport: Equatable, Sendable {
  /// The pages of the database were checked.
  public enum Check: String, Sendable {
    /// There was none.
    case new
    /// The last run ended as it should, and so far as there was time nothing is wrong.
    case quick
    /// The last run did not end as it should.
    case full
  }

  /// How it was checked, and whether the time was enough to see all of it.
  public var check: Check, isCheckWhole: Bool
  /// The schema it had, where that was an older one.
  public var migratedFrom: Int?
  /// What was done about a damaged database; nil: it was not.
  public var rescue: Rescue?
  /// How long it took [s].
  public var tookS: Double

  public init(check: Check, isCheckWhole: Bool, migratedFrom: Int?, rescue: Rescue?, tookS: Double) {
    self.check = check
    self.isCheckWhole = isCheckWhole
    self.migratedFrom = migratedFrom
    self.rescue = rescue
    self.tookS = tookS
  }

  /// What became of a damaged database.
  public struct Rescue: Equatable, Sendable {
    /// What was wrong.
    public var reason: String
    /// Where it is now; beside it its log, if it had one.
    public var file: String
    /// Rows that the new database has from it, by table.
    public var rows: [String: Int]
    /// Places that could not be read; what stood there is lost.
    public var holes: Int
    /// The time was enough to try all of it.
    public var isWhole: Bool
    /// Events that are known to have been stored and were not taken over, and of how many nodes.
    public var lostEvents = 0, lostNodes = 0

    public init(reason: String, file: String, rows: [String: Int], holes: Int, isWhole: Bool) {
      self.reason = reason
      self.file = file
      self.rows = rows
      self.holes = holes
      self.isWhole = isWhole
    }

    /// One line for the log.
    public var text: String {
      var text =
        "the database was damaged (\(reason)): it is \(file) now, and \(rows["events"] ?? 0) events were taken over"
      if holes > 0 { text += ", \(holes) places could not be read" }
      if rows["boots"] ?? 0 == 0 {
        text += "; how many were lost nobody can tell"
      } else if lostEvents > 0 {
        text += "; at least \(lostEvents) events of \(lostNodes) nodes could not be rescued"
      }
      guard !isWhole else { return text }
      return text + ", not all of it in the time there was: `sqlite3 -readonly \(file) .dump` gives what stands before "
        + "and behind the damage"
    }
  }
}

/// Events that were given up.
public struct TrimReport: Equatable, Sendable {
  /// Events, for their age and for room.
  public var forAge: Int, forRoom: Int

  public init(forAge: Int, forRoom: Int) {
    self.forAge = forAge
    self.forRoom = forRoom
  }
}
