public import Telemetry

/// Decides what becomes of each event: kept on the disk, sent, sent again, given up.
///
/// An event goes to the spool before anything else, and stays there until the duty to keep it has ended: at the
/// broker's acknowledgement, or at the fleet tool's. In memory is only what the spool has not stored, what waits to go
/// out just now, what is under way, and a chunk of the backlog. Without a spool everything is in memory, within a
/// bound.
///
/// Live events go first, then the backlog of an outage, oldest first, then the waveforms, whose many chunks would else
/// hold up, or push out, the shakes that they belong to. At most `window` are under way at once, so that a weak link
/// never holds more than it can carry, and nothing is queued where it could not be counted.
///
/// It asks the spool through `takeWishes`, hears it through `hear`, and says what is worth a line in `takeNotices`.
public struct Outbox: Sendable {
  /// Why an event was given up.
  public enum Loss: String, CaseIterable, Sendable {
    /// No room, or too old.
    case evicted
    /// The broker refused it for good.
    case refused
  }

  /// The run that appended events are of.
  public let boot: BootID
  /// How events reach their end, and how many may wait.
  public internal(set) var settings: OutboxSettings
  /// There is a connection to the broker.
  public internal(set) var isConnected = false
  /// Events given up since the start, by reason.
  public internal(set) var lost: [Loss: Int] = [:]
  /// Acknowledgements of what was never sent, since the start.
  public internal(set) var strangeAcks = 0
  /// A fleet tool has acknowledged this node, in this run or an earlier one.
  public internal(set) var fleetAcknowledges = false

  /// What is in memory, by token; a token names an event for as long as it is in memory.
  var entries: [UInt64: OutboxEntry] = [:]
  var tokens: [EventKey: UInt64] = [:]
  var lastToken: UInt64 = 0
  var lastSequence: UInt64 = 0

  // What waits in memory, by token.
  var live = Deque<UInt64>()
  var held = Deque<UInt64>()
  var waveforms = Deque<UInt64>()
  var suspects = Deque<UInt64>()
  /// What is not from the disk, in order, by what is given up together; what has gone meanwhile is passed over.
  var lanes: [EventLane: Deque<UInt64>] = [:]
  var underWay: Set<UInt64> = []

  /// The next chunks of what waits on the disk.
  var routineReader = BacklogReader(isWaveform: false)
  var waveformReader = BacklogReader(isWaveform: true)
  var feed = SpoolFeed()
  var disk = DiskTally()
  var outlook: SpoolOutlook
  var pace = Pace()
  var gates = StreamGates()
  var poison = PoisonWatch()
  var losses = LossLedger()
  /// When losses were told of last.
  var toldAt: Instant?
  var confirmation = Confirmation()
  var trial = FleetTrial()

  /// Numbers of this run that somebody outside may know.
  var handedOver = SequenceRuns()
  /// By which clock times were put right that somebody outside may know; bounded.
  var repairs: [UInt64: ClockState] = [:]
  /// What has reached its end.
  var settled = EventSet()
  /// Of that, what was given up and the disk keeps until the event that tells of it is there too.
  var untold = EventSet()
  var newest: [Stream: UInt64] = [:]
  /// Crossings of this run that are neither on the disk nor at the broker.
  var crossings: Set<UInt64> = []
  /// Events passed over because the broker denies their stream.
  var asides: [Stream: EventSet] = [:]
  var resumeAt: Instant?
  /// When `next` was asked last.
  var lookedAt = Instant.start

  /// Payload in memory that is not from the disk [bytes], and of that what is not on the disk either.
  var memoryBytes = 0
  var unsavedBytes = 0
  var unsavedCount = 0

  var wishes: [SpoolWish] = []
  var toldClock: ClockState?
  var releases = EventSet()
  var lastQuestion: UInt64 = 0
  var tellings: [Telling] = []
  var notices: [OutboxNotice] = []

  /// An empty outbox of a run.
  public init(boot: BootID, _ settings: OutboxSettings = OutboxSettings(), at now: Instant = .start) {
    self.boot = boot
    self.settings = settings
    outlook = SpoolOutlook(at: now)
  }

  /// How many events may be under way at once.
  var window: Int { min(max(1, settings.window), 100) }

  /// Whether the newest event of a stream is in memory and on its way out.
  public func holdsNewest(of stream: Stream) -> Bool {
    guard let sequence = newest[stream], let token = tokens[EventKey(boot: boot, sequence: sequence)] else {
      return false
    }
    return entries[token]?.phase == .waiting || entries[token]?.phase == .underWay
  }

  /// Events whose duty has not ended, in memory and on the disk.
  public var count: Int { unsavedCount + disk.events }
  /// Their payload, as far as it is known [bytes].
  public var bytes: Int { unsavedBytes + disk.bytes }
  /// Events that were handed over and not answered.
  public var underWayCount: Int { underWay.count }
  /// Events that are in memory alone.
  public var unsaved: Int { unsavedCount }
  /// Events that are about to go out, or under way, but for those that are on the disk and late: what it is worth to
  /// wait for at the end. What is in memory alone, and no disk will keep, is worth waiting for the fleet tool too.
  public var imminent: Int {
    let isKept = isSpoolReady && disk.trouble == nil
    return entries.values.count {
      if $0.phase == .unconfirmed { return !isKept && $0.keeping != .stored }
      return !$0.isFetched && ($0.phase == .underWay || ($0.phase == .waiting && !($0.isLate && $0.keeping == .stored)))
    }
  }

  /// Takes an event in, and gives it its sequence number.
  ///
  /// - Parameter note: it tells of the eviction with this id.
  public mutating func append(_ telegram: Telegram, note: UInt64? = nil, at made: Instant) {
    lastSequence += 1
    var telegram = telegram
    telegram.envelope.sequence = lastSequence
    let key = EventKey(boot: boot, sequence: lastSequence)
    var entry = OutboxEntry(key: key, telegram: telegram, madeAt: made, bytes: telegram.encode().count, note: note)
    entry.isLate = !isConnected
    let token = insert(entry)
    lanes[entry.lane, default: Deque()].append(token)
    outlook.note(lastSequence, bytes: entry.bytes, at: made)
    newest[entry.stream] = lastSequence
    if entry.stream == .geofence { crossings.insert(lastSequence) }
    if settings.hasSpool { feed.add(lastSequence, entry.lane) }
    enqueue(token, entry)
    makeRoom(at: made)
  }

  /// Takes other settings.
  public mutating func reconfigure(_ settings: OutboxSettings, at now: Instant) {
    let wasFleet = isFleet
    let had = self.settings.hasSpool
    self.settings = settings
    // A spool comes and goes with the process.
    self.settings.hasSpool = had
    if wasFleet, !isFleet { endAtBroker() }
    makeRoom(at: now)
  }

  /// When `next` or `takeWishes` may have something to say though nothing happened.
  public var nextDeadline: Instant? {
    var due = [isSpoolReady ? feed.nextDeadline : nil, tellingDue]
    if isConnected {
      due += [gates.nextDeadline, confirmation.nextDeadline, isAnythingWaiting ? resumeAt : nil]
      if isSpoolReady { due += [routineReader.nextDeadline, waveformReader.nextDeadline] }
      if isSpoolReady, held.first != nil || waveforms.first != nil {
        due.append(routineReader.patience(Self.patienceS).flatMap { $0 > lookedAt ? $0 : nil })
      }
    }
    return due.compactMap { $0 }.min()
  }

  private var isAnythingWaiting: Bool {
    [live, held, waveforms, suspects, routineReader.chunk, waveformReader.chunk].contains { $0.first != nil }
  }
}

// MARK: - What is in memory

extension Outbox {
  mutating func insert(_ entry: OutboxEntry) -> UInt64 {
    lastToken += 1
    entries[lastToken] = entry
    tokens[entry.key] = lastToken
    if !entry.isFetched { memoryBytes += entry.bytes }
    if entry.keeping != .stored {
      unsavedBytes += entry.bytes
      unsavedCount += 1
    }
    return lastToken
  }

  /// Takes an event out of memory, whatever becomes of it.
  @discardableResult
  mutating func remove(_ token: UInt64) -> OutboxEntry? {
    guard let entry = entries.removeValue(forKey: token) else { return nil }
    tokens[entry.key] = nil
    if underWay.remove(token) != nil, entry.isBulk { pace.end(entry.bytes) }
    if !entry.isFetched { memoryBytes -= entry.bytes }
    if entry.keeping != .stored {
      unsavedBytes -= entry.bytes
      unsavedCount -= 1
    }
    if lanes[entry.lane].map({ $0.count > 2 * entries.count + 64 }) ?? false {
      lanes[entry.lane]?.keep { entries[$0] != nil }
    }
    return entry
  }

  /// The duty to keep an event has ended, or it is given up.
  mutating func settle(_ token: UInt64, isGivenUp: Bool = false) {
    guard let entry = remove(token) else { return }
    if isGivenUp {
      if entry.keeping != .unsaved { untold.insert(entry.key) }
    } else {
      // One that tells of a note ends it, also where the spool gave it back.
      if entry.keeping != .unsaved || entry.note != nil { releases.insert(entry.key) }
      releaseTold(by: entry)
    }
    // One of this run may have been stored after it was acknowledged; those of others were counted then.
    let isOwn = entry.key.boot == boot
    if entry.keeping == .stored, isOwn || !entry.isSettled { disk.settle(entry.key, isOwn: isOwn, bytes: entry.bytes) }
    forget(entry)
  }

  /// What is known of an event whose duty has ended.
  mutating func forget(_ entry: OutboxEntry) {
    settled.insert(entry.key)
    poison.forget(entry.key)
    guard entry.key.boot == boot else { return endTrial(of: entry.key) }
    let sequence = entry.key.sequence
    feed.remove(sequence, entry.lane)
    handedOver.insert(sequence)
    repairs[sequence] = nil
    crossings.remove(sequence)
  }

  /// Takes an event out of memory that is on the disk too; it is read back when that is worth it.
  mutating func drop(_ token: UInt64, isWanted: Bool) {
    guard let entry = remove(token), isWanted else { return }
    let mark = entry.isFetched ? entry.foundAfter : disk.mark(before: entry.key.sequence)
    if entry.isWaveform { waveformReader.revisit(after: mark) } else { routineReader.revisit(after: mark) }
  }

  /// Puts an event that waits where it belongs.
  mutating func enqueue(_ token: UInt64, _ entry: OutboxEntry) {
    if entry.isFetched {
      if entry.isWaveform { waveformReader.chunk.insert(token) } else { routineReader.chunk.insert(token) }
    } else if entry.isWaveform {
      waveforms.insert(token)
    } else if entry.isLate {
      held.insert(token)
    } else {
      live.insert(token)
    }
  }

  /// Gives events up until the rest fits, or takes those out of memory that are on the disk: waveforms, be it the one
  /// that came just now; then what is routine, then shocks, oldest first, but not the newest. What is under way stays,
  /// since the broker may have it already, and so does what the spool is about to keep.
  mutating func makeRoom(at now: Instant) {
    while memoryBytes > max(1, settings.memoryBytes) {
      if let token = candidate({ $0.keeping == .stored && $0.phase != .underWay }) {
        drop(token, isWanted: entries[token]?.phase == .waiting || entries[token]?.phase == .suspect)
      } else if let token = candidate(dispensable) {
        giveUp(token, .unsaved, at: now)
      } else {
        return
      }
    }
  }

  private var dispensable: (OutboxEntry) -> Bool {
    let newest = lastSequence
    return {
      $0.keeping == .unsaved && $0.phase != .underWay && $0.note == nil
        && ($0.isWaveform || $0.key.sequence != newest)
    }
  }

  /// The first that will do in the lowest lane that has one.
  private mutating func candidate(_ isFit: (OutboxEntry) -> Bool) -> UInt64? {
    for lane in EventLane.allCases.sorted() {
      while let gone = lanes[lane]?.first, entries[gone] == nil { _ = lanes[lane]?.popFirst() }
      if let token = lanes[lane]?.first(where: { entries[$0].map(isFit) ?? false }) { return token }
    }
    return nil
  }

  /// Gives an event up, to be told later.
  mutating func giveUp(_ token: UInt64, _ reason: EvictedMessage.Reason, at now: Instant) {
    guard let entry = entries[token] else { return }
    settle(token, isGivenUp: true)
    if newest[entry.stream] == entry.key.sequence, entry.key.boot == boot { newest[entry.stream] = nil }
    confirmation.remove(SequenceRuns([entry.key.sequence...entry.key.sequence]), of: entry.key.boot)
    lost[reason == .refused ? .refused : .evicted, default: 0] += 1
    losses.note(entry.key, entry.stream, reason, at: now)
    if case .evicted(let message) = entry.telegram.body { losses.absorb(message, of: entry.key.boot, at: now) }
    notices.append(reason == .refused ? .refused(entry.stream) : .unsaved)
  }
}
