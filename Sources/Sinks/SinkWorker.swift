internal import CLinux
internal import Daemon
internal import FleetLogic
internal import Glibc
internal import Telemetry
internal import Threading

/// A slow sink's thread: takes alerts in, keeps them, and has them delivered.
///
/// `@unchecked Sendable`: what is not in a lock or a mailbox is only used by `run`, on the thread.
final class SinkWorker: @unchecked Sendable, Errand {
  /// Between two tries with a folder that takes nothing [s].
  private static let folderRetryS = 5.0
  /// Between two lines about notices that are lost [s].
  private static let lossLineS = 60.0

  let inbox = Mailbox<Parcel>(capacity: QueuedSink.inboxCapacity)
  let outbox = Mailbox<SinkReport>(capacity: QueuedSink.outboxCapacity)
  let state: Lock<SinkState>
  private let stopping = WakeUp()
  private let flags = Lock((isStopping: false, isOver: false))
  private let over = WakeUp()

  private let name: String
  private let courier: any Courier
  private let clock = MonotonicClock.process
  private var queue: NoticeQueue
  private var pace: DeliveryPace
  private var record: SinkState
  /// Notices of one batch that was refused go one at a time.
  private var singles = 0
  /// How many the try that failed last had: it is tried again with the same.
  private var sameAgain: Int?
  private var folderDue: Instant?
  private var folderProblem: SinkProblem?
  private var resendDue: Instant?
  /// What of that which fires is still to be told again, the last first.
  private var resending: [Notice] = []
  private var lossLine: (saidAt: Instant, count: Int)?

  init(name: String, _ courier: any Courier, _ settings: QueueSettings) {
    self.name = name
    self.courier = courier
    queue = NoticeQueue(path: settings.folder, bounds: settings.bounds)
    pace = DeliveryPace(settings.pace)
    record = SinkState(name: name)
    state = Lock(record)
  }

  // MARK: From the loop

  func stop() {
    flags.withLock { $0.isStopping = true }
    stopping.signal()
  }

  /// Whether the thread ended in time.
  func waitForEnd(withinS: Double) -> Bool {
    var poll = pollfd(fd: over.descriptor, events: Int16(POLLIN), revents: 0)
    judder_poll(&poll, 1, Int64(withinS * 1e9))
    return flags.withLock { $0.isOver }
  }

  // MARK: The thread

  func run() {
    openFolder()
    resendDue = courier.resendS == nil ? nil : clock.now()
    while !isStopping {
      attend()
      let next = work()
      wait(until: next)
    }
    attend()
    queue.close()
    flags.withLock { $0.isOver = true }
    over.signal()
  }

  private func wait(until due: Instant?) {
    var descriptors = [inbox.descriptor, stopping.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let waitS = [due, folderDue].compactMap { $0 }.min().map { max(0, $0 - clock.now()) }
    judder_poll(&descriptors, 2, waitS.map { Int64($0 * 1e9) } ?? -1)
  }

  /// Delivers what is due. Answers when there is more to do.
  private func work() -> Instant? {
    while !isStopping, let first = queue.entries.first {
      let due = pace.due(waitingSince: first.arrived)
      guard due <= clock.now() else { return [due, resend()].compactMap { $0 }.min() }
      // What came while the disk was busy belongs to the same batch.
      if courier.batch > 1 { attend() }
      let notices = queue.first(singles > 0 ? 1 : sameAgain ?? courier.batch)
      guard !notices.isEmpty else { continue }
      deliver(notices)
      attend()
    }
    return isStopping ? nil : resend()
  }

  private func deliver(_ notices: [Notice]) {
    pace.begin(at: clock.now())
    queue.underWay = notices.count
    let outcome = courier.carry(notices, self)
    queue.underWay = 0
    switch outcome {
    case .stopped: break
    case .done:
      queue.done(notices, keepsFiring: courier.resendS != nil)
      record.delivered += notices.count
      settle(notices.count)
      recovered()
    case .refused(let problem):
      failed(problem)
      if notices.count > 1 { singles = notices.count } else { giveUp(notices, problem) }
    case .failed(let problem): retry(notices, problem, counts: true)
    case .later(let problem, let afterS): retry(notices, problem, counts: false, afterS: afterS)
    }
    publish()
  }

  private func retry(_ notices: [Notice], _ problem: SinkProblem, counts: Bool, afterS: Double? = nil) {
    failed(problem)
    let random = Double.random(in: 0..<1)
    if pace.fail(counts: counts, afterS: afterS, at: clock.now(), random: random) {
      giveUp(notices, problem)
    } else {
      sameAgain = singles > 0 ? nil : notices.count
    }
  }

  private func giveUp(_ notices: [Notice], _ problem: SinkProblem) {
    queue.fail(notices)
    record.givenUp += notices.count
    singles = max(0, singles - notices.count)
    sameAgain = nil
    lose(notices.count, "could not be delivered: \(problem)" + (queue.path.map { "; see \($0)/failed" } ?? ""))
  }

  private func settle(_ count: Int) {
    singles = max(0, singles - count)
    sameAgain = nil
    pace.settle()
  }

  /// Tells again what fires, when that is due, one batch: what is new goes before the next. Answers when that is due.
  private func resend() -> Instant? {
    guard let everyS = courier.resendS, let due = resendDue else { return nil }
    if resending.isEmpty {
      guard due <= clock.now() else { return due }
      resendDue = clock.now() + everyS
      resending = queue.firing.values.sorted { $0.number > $1.number }.map(\.notice)
    }
    var batch: [Notice] = []
    while batch.count < courier.batch, let notice = resending.popLast() {
      // It may have ended meanwhile, or fire anew.
      if queue.firing[notice.identity]?.notice == notice { batch.append(notice) }
    }
    if !batch.isEmpty { tellAgain(batch) }
    return resending.isEmpty ? resendDue : clock.now()
  }

  private func tellAgain(_ batch: [Notice]) {
    let outcome = courier.carry(batch, self)
    switch outcome {
    case .done: recovered()
    case .refused(let problem), .failed(let problem), .later(let problem, _): failed(problem)
    case .stopped: break
    }
    // A receiver that is away is not waited for again and again.
    if outcome != .done { resending = [] }
    publish()
  }

  // MARK: Taking in

  var arrivals: Int32 { inbox.descriptor }
  var ending: Int32 { stopping.descriptor }
  var isStopping: Bool { flags.withLock { $0.isStopping } }

  func attend() {
    for parcel in inbox.drain() {
      guard let notice = Notice(json: parcel.json) else {
        // It would be offered again and again.
        lose(1, "could not be read by its own sink")
        record.givenUp += 1
        outbox.send(.settled([parcel.token]))
        continue
      }
      queue.append(notice, mayBeThere: parcel.mayBeThere, token: parcel.token, at: clock.now())
    }
    if let folderDue, folderDue <= clock.now() { openFolder() }
    if folderDue == nil { harden() }
    let evicted = queue.evicted - evictedBefore
    if evicted > 0 {
      evictedBefore = queue.evicted
      record.givenUp += evicted
      lose(evicted, "went unsaid, the oldest: the queue is full (queue_max, queue_mb)")
    }
    publish()
  }

  private var evictedBefore = 0

  private func openFolder() {
    let asideBefore = queue.setAside
    do throws(SinkProblem) {
      try queue.open(at: clock.now())
      folderDue = nil
    } catch {
      folderFails(error)
    }
    let aside = queue.setAside - asideBefore
    if aside > 0, let path = queue.path {
      say(.warning, "\(aside) files in its queue are none of its notices, or torn; they are in \(path)/aside")
    }
    harden()
  }

  private func harden() {
    do throws(SinkProblem) {
      try queue.harden()
      if folderProblem != nil, queue.folders != nil {
        folderProblem = nil
        folderDue = nil
        say(.information, "its queue is on the disk again")
      }
    } catch {
      folderFails(error)
    }
    let settled = queue.takeSettled()
    if !settled.isEmpty { outbox.send(.settled(settled)) }
  }

  private func folderFails(_ problem: SinkProblem) {
    folderDue = clock.now() + Self.folderRetryS
    if folderProblem != problem { say(.warning, "its queue is in memory only for now: \(problem)") }
    folderProblem = problem
  }

  // MARK: What becomes known

  func log(_ text: String) { say(.debug, text) }
  func warn(_ text: String) { say(.warning, text) }

  private func failed(_ problem: SinkProblem) {
    record.failed += 1
    if record.problem != problem { say(.warning, "does not deliver: \(problem)") }
    record.problem = problem
  }

  private func recovered() {
    guard record.problem != nil else { return }
    record.problem = nil
    say(.information, "delivers again")
  }

  /// A storm of losses makes a line a minute.
  private func lose(_ count: Int, _ why: String) {
    let now = clock.now()
    let total = (lossLine?.count ?? 0) + count
    guard lossLine == nil || now - (lossLine?.saidAt ?? now) >= Self.lossLineS else {
      lossLine?.count = total
      return
    }
    lossLine = (now, 0)
    say(.warning, "\(total) notice\(total == 1 ? "" : "s") \(why)")
  }

  private func say(_ level: LogEntry.Level, _ text: String) {
    outbox.send(.log(LogEntry(level, "sink \(name) \(text)")))
  }

  private func publish() {
    record.queued = queue.entries.count
    record.oldest = queue.entries.first?.made
    record.setAside = queue.setAside
    let record = record
    state.withLock { $0 = record }
    let settled = queue.takeSettled()
    if !settled.isEmpty { outbox.send(.settled(settled)) }
  }
}
