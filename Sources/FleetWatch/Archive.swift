internal import Daemon
internal import FleetLogic
internal import Glibc
internal import Store
internal import Telemetry
internal import Threading

/// The store as the loop sees it: collects what is to be kept, hands batches to the store's thread, and hands on what
/// waited for them. Lives on the loop's thread.
final class Archive {
  /// Where things go.
  struct Ports {
    /// What an earlier run kept, in parts.
    var restore: (FleetLogic.KeptFleet) -> Void
    /// The nodes may be listened to now: what was kept is known, or will not be for a while.
    var open: () -> Void
    var hand: (Input) -> Void
    var carryOut: ([Effect]) -> Void
    var acknowledge: (Acknowledgement) -> Void
    /// The calendar time; nil while nothing vouches for it.
    var time: () -> WallTime?
    /// `isBehind` and `isEmpty` may have changed.
    var paced: () -> Void
    /// The program is not to go on with this database.
    var end: (Termination) -> Void
  }

  /// The database may take so long to open before nodes are listened to without it [s], and so long once it failed.
  private static let openingS = 15.0, failedOpeningS = 1.0
  /// Between two tries with a database that is refused [s].
  private static let retryS = 30.0
  /// Between two lines on what retention takes [s].
  private static let trimLineS = 3600.0

  private let settings: StoreSettings
  private let loop: EventLoop
  private let log: Log
  private var ports: Ports?
  private var thread: StoreThread?
  private var queue = HoldingQueue()
  private var timer: EventLoop.Timer?
  private var openTimer: EventLoop.Timer?
  private var retryTimer: EventLoop.Timer?
  private var trimmed = 0
  private var trimSaid: Instant?
  /// Why nothing is kept just now; nil while it is.
  private(set) var trouble: String?
  private var hasWorked = false
  /// Events that were stored since the start.
  private var stored: Int { counts.stored }
  private var counts = Surroundings.Store(isKeeping: false)
  /// When each batch was handed over.
  private var handed: [UInt64: Instant] = [:]
  /// Of all parts of what was kept.
  private var lastReceived: WallTime?

  init(_ settings: StoreSettings, _ loop: EventLoop, _ log: Log) {
    self.settings = settings
    self.loop = loop
    self.log = log
  }

  /// Nothing waits to be written, or for that.
  var isEmpty: Bool { queue.isEmpty }
  /// Nodes are not to be listened to for a while.
  var isBehind: Bool { queue.isBehind }

  func start(_ ports: Ports) {
    self.ports = ports
    timer = loop.timer { [unowned self] _ in pump() }
    openTimer = loop.timer { [unowned self] _ in goAhead() }
    retryTimer = loop.timer { [unowned self] _ in startThread() }
    openTimer?.deadline = loop.clock.now() + Archive.openingS
    startThread()
  }

  private func startThread() {
    do throws(WorkerThread.StartFailure) {
      let thread = try StoreThread(settings)
      self.thread = thread
      loop.watch(thread.descriptor) { [unowned self] _ in takeReports() }
    } catch {
      fail("no thread left for the store; raise TasksMax", isHopeless: true)
      retryTimer?.deadline = loop.clock.now() + Archive.retryS
    }
  }

  /// Takes what an input led to, and answers what may go out at once.
  func take(_ effects: [Effect]) -> [Effect] { queue.take(effects, at: loop.clock.now()) }

  /// Hands over what is due, to be called after inputs.
  func pump() { pump(isLast: false) }

  private func pump(isLast: Bool) {
    let now = loop.clock.now()
    var hasRoom = thread != nil
    while hasRoom, let thread, let next = queue.close(isIdle: thread.waiting == 0, isLast: isLast, at: now) {
      hasRoom = thread.offer(StoreBatch(next.batch, id: next.id, now: ports?.time())) == .taken
      if hasRoom { handed[next.id] = now } else { queue.reopen(next.id) }
    }
    if let released = queue.losePatience(at: now) {
      if trouble == nil { fail("the disk has taken nothing for \(Int(HoldingQueue.patienceS)) s", isHopeless: false) }
      ports?.carryOut(released)
    }
    // Where there is no room, the store's next report brings it on.
    timer?.deadline = queue.deadline(isIdle: hasRoom ? thread?.waiting == 0 : nil)
    ports?.paced()
  }

  // MARK: What the store says

  private func takeReports() {
    for report in thread?.drain() ?? [] { take(report) }
    pump()
  }

  private func take(_ report: StoreReport) {
    switch report {
    case .opened(let report): note(report)
    case .kept(let part):
      var kept = FleetLogic.KeptFleet(part)
      lastReceived = [lastReceived, kept.lastReceived].compactMap { $0 }.max()
      kept.lastReceived = lastReceived
      ports?.restore(kept)
    case .ready: goAhead()
    case .refused(let problem): refuse(problem)
    case .committed(let report): finish(report)
    // Only at the end, when nobody waits for it any more.
    case .abandoned: break
    case .state(.failed(let problem, _)): fail(problem.description, isHopeless: false)
    case .state(.working): works()
    case .state(.opening): break
    case .trimmed(let report): note(report)
    }
  }

  private func finish(_ report: CommitReport) {
    let batch = queue.committed(report.id, at: loop.clock.now())
    works()
    count(report)
    guard let batch else { return }
    for acknowledgement in report.acknowledgements { ports?.acknowledge(acknowledgement) }
    ports?.carryOut(batch.held)
    for (event, outcome) in zip(batch.events, report.outcomes) where outcome == .conflict {
      ports?.hand(.conflict(event))
    }
  }

  /// The nodes are listened to from now on. Once.
  private func goAhead() {
    guard openTimer != nil else { return }
    openTimer?.deadline = nil
    openTimer = nil
    ports?.open()
  }

  private func note(_ report: OpeningReport) {
    log.info("the store is \(settings.file), opened in \(Decimal.text(report.tookS, decimals: 2)) s")
    if let version = report.migratedFrom { log.notice("the store was brought up to date from version \(version)") }
    if let rescue = report.rescue { log.warning(rescue.text) }
  }

  private func note(_ report: TrimReport) {
    trimmed += report.forAge + report.forRoom
    counts.trimmedForAge += report.forAge
    counts.trimmedForRoom += report.forRoom
    log.debug("the store gave up \(report.forAge) events for their age and \(report.forRoom) for room")
    let now = loop.clock.now()
    if let trimSaid, now - trimSaid < Archive.trimLineS { return }
    trimSaid = now
    log.info("the store gave up \(trimmed) events, the oldest (store.keep_days, store.cap_mb)")
    trimmed = 0
  }

  // MARK: Trouble

  /// Another judder-fleet that has the file has the same client id, too: both would throw each other off the broker for
  /// ever. A file that is none of ours is the configuration's fault, which is said at start, before any node is heard;
  /// found later, alerts matter more.
  private func refuse(_ problem: StoreProblem) {
    if let thread {
      loop.unwatch(thread.descriptor)
      _ = thread.stop(withinS: 0)
    }
    thread = nil
    if problem.kind == .inUse || openTimer != nil {
      openTimer?.deadline = nil
      openTimer = nil
      ports?.end(Termination(problem.kind == .inUse ? .temporary : .configuration, [problem.description]))
      return
    }
    queue.lostWriter()
    handed = [:]
    fail(problem.description, isHopeless: true)
    retryTimer?.deadline = loop.clock.now() + Archive.retryS
  }

  private func fail(_ reason: String, isHopeless: Bool) {
    if trouble != reason {
      trouble = reason
      log.change("store", .warning, "nothing is kept, and no node is acknowledged: \(reason)")
      ports?.hand(.store(.failed(reason: reason)))
    }
    if let openTimer {
      let deadline = loop.clock.now() + (isHopeless ? 0 : Archive.failedOpeningS)
      openTimer.deadline = min(openTimer.deadline ?? deadline, deadline)
    }
    if isHopeless, let released = queue.losePatience(isHopeless: true, at: loop.clock.now()) {
      ports?.carryOut(released)
    }
  }

  /// A disk that is full takes a small batch now and then: the trouble is over when what waited is written.
  private func works() {
    guard trouble != nil || !hasWorked, queue.isCaughtUp(at: loop.clock.now()) else { return }
    if trouble != nil { log.change("store", .notice, "what comes is kept again") }
    trouble = nil
    hasWorked = true
    ports?.hand(.store(.kept))
  }

  // MARK: Metrics

  private func count(_ report: CommitReport) {
    counts.stored += report.count(.stored)
    counts.duplicates += report.count(.duplicate)
    counts.conflicts += report.count(.conflict)
    counts.batches += 1
    if let since = handed.removeValue(forKey: report.id) { counts.committingS += loop.clock.now() - since }
  }

  /// What became of the events since the start; not what is on the disk.
  var figures: Surroundings.Store {
    var figures = counts
    figures.isKeeping = trouble == nil && hasWorked
    figures.dropped = queue.dropped
    figures.waiting = queue.waiting
    return figures
  }

  /// The database with its log: stat(2) [bytes]. Nil where it cannot be said.
  var sizeBytes: Int64? {
    let sizes = ["", "-wal"].compactMap { end -> Int64? in
      var status = stat()
      return stat(settings.file + end, &status) == 0 ? Int64(status.st_size) : nil
    }
    return sizes.isEmpty ? nil : sizes.reduce(0, +)
  }

  /// Room left on its disk for this user: statvfs(3) [bytes].
  var freeBytes: Int64? {
    let folder = settings.file.lastIndex(of: "/").map { String(settings.file[...$0]) } ?? "."
    var status = statvfs()
    return statvfs(folder, &status) == 0 ? Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize)) : nil
  }

  // MARK: The end

  /// What became of the events, for the last line.
  var account: String {
    Archive.account(stored: stored, waiting: queue.waiting, dropped: queue.dropped)
  }

  /// - Parameter dropped: some of these may have come again and been stored since.
  static func account(stored: Int, waiting: Int, dropped: Int) -> String {
    let left = ", \(waiting) not: no node was told that they are, and those that keep them send them again"
    let missed = "; \(dropped) were left to their nodes when they came, which send them again"
    return "\(stored) events stored since the start" + (waiting == 0 ? "" : left) + (dropped == 0 ? "" : missed)
  }

  /// Writes what waits, and closes the database. Answers the acknowledgements that are left to be sent by way of the
  /// ports, as ever.
  func close(withinS: Double) {
    guard let thread else { return }
    pump(isLast: true)
    loop.unwatch(thread.descriptor)
    let (reports, isClean) = thread.stop(withinS: withinS)
    for report in reports { take(report) }
    if !isClean {
      log.warning("\(trouble ?? "\(settings.file) could not be closed in time"); what was not kept is sent again")
    }
    self.thread = nil
    if let released = queue.losePatience(isHopeless: true, at: loop.clock.now()) { ports?.carryOut(released) }
  }
}
