internal import Glibc
internal import Telemetry
internal import Threading

/// What the thread of the store does.
///
/// `@unchecked Sendable`: made by the owner, and from then on touched by the thread alone; both share only `desk`.
final class StoreWork: @unchecked Sendable {
  private let settings: StoreSettings
  private let desk: Lock<StoreThread.Desk>
  private let bell: WakeUp
  private let answers: Mailbox<StoreReport>
  private var store: HistoryStore?
  private var hasLoaded = false
  private var backoff = Backoff()
  /// When something is due without a batch [s, monotonic].
  private var retryS = 0.0, trimS = 0.0

  /// How often retention is looked after while nothing comes, and how long it may take each time [s].
  static let trimEveryS = 10.0, trimBudgetS = 0.05

  /// How long it waits before it tries again [s].
  struct Backoff {
    private(set) var nextS = 0.5

    mutating func take() -> Double {
      defer { nextS = min(30, nextS * 2) }
      return nextS
    }
  }

  init(
    _ settings: StoreSettings, _ desk: Lock<StoreThread.Desk>, _ bell: WakeUp, _ answers: Mailbox<StoreReport>
  ) {
    self.settings = settings
    self.desk = desk
    self.bell = bell
    self.answers = answers
  }

  func run() {
    while step() {}
    let isIdle = desk.withLock { $0.batches.isEmpty }
    store?.close()
    let isOpen = store != nil
    store = nil
    desk.withLock { desk in
      desk.isClean = isIdle && isOpen
      desk.hasEnded = true
    }
    bell.signal()
  }

  /// One round; false: it is over.
  private func step() -> Bool {
    if store == nil, monotonicS() >= retryS || isStopping, !open() { return false }
    let isFailing = store == nil || retryS > monotonicS()
    if isFailing, takeAbandon() { giveUpWaiting() }
    if store != nil, !isFailing || isStopping {
      if let batch = takeBatch() {
        write(batch)
        return true
      }
      if monotonicS() >= trimS { trim() }
    }
    if let deadlineS = desk.withLock({ $0.stopsByS }) {
      let isOver = monotonicS() >= deadlineS
      if isOver { giveUpWaiting() }
      if desk.withLock({ $0.batches.isEmpty }) { return false }
    }
    wait()
    return true
  }

  private var isStopping: Bool { desk.withLock { $0.stopsByS != nil } }

  /// Until a batch comes, something is asked, or something is due.
  private func wait() {
    let now = monotonicS()
    let isFailing = store == nil || retryS > now
    var untilS = isFailing ? max(0.01, retryS - now) : max(0.01, trimS - now)
    if isStopping { untilS = min(untilS, 0.05) }
    var waiting = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
    poll(&waiting, 1, Int32(min(untilS, 60) * 1000) + 1)
    bell.clear()
  }

  // MARK: Batches

  private func takeBatch() -> StoreBatch? {
    desk.withLock { desk in
      guard !desk.batches.isEmpty else { return nil }
      let batch = desk.batches.removeFirst()
      desk.underWay = batch.id
      return batch
    }
  }

  private func write(_ batch: StoreBatch) {
    guard let store else { return }
    do throws(StoreProblem) {
      let report = try store.commit(batch)
      desk.withLock { $0.underWay = nil }
      works()
      say(.committed(report))
      // Retention goes on between batches, so that it keeps pace with what comes.
      if monotonicS() >= trimS { trim() }
    } catch {
      desk.withLock { desk in
        desk.batches.insert(batch, at: 0)
        desk.underWay = nil
      }
      fails(error)
    }
  }

  private func takeAbandon() -> Bool {
    desk.withLock { desk in
      defer { desk.abandons = false }
      return desk.abandons
    }
  }

  private func giveUpWaiting() {
    let given = desk.withLock { desk in
      defer { desk.batches = [] }
      return desk.batches
    }
    for batch in given { say(.abandoned(id: batch.id)) }
  }

  private func trim() {
    guard let store else { return }
    do throws(StoreProblem) {
      let (report, isDone) = try store.trim(budgetS: Self.trimBudgetS)
      if report.forAge + report.forRoom > 0 { say(.trimmed(report)) }
      trimS = monotonicS() + (isDone ? Self.trimEveryS : 0)
    } catch {
      trimS = monotonicS() + Self.trimEveryS
      // What comes may be written all the same, which would be said again and again.
      if ![.full, .busy].contains(error.kind) { fails(error) }
    }
  }

  // MARK: State

  /// Opens it; false: that will never work.
  private func open() -> Bool {
    do throws(StoreProblem) {
      let isFirst = !hasLoaded
      let opened = try HistoryStore(settings, steps: Schema.steps, isCheckWanted: isFirst || isDamaged)
      isDamaged = false
      if hasDiskErred { try opened.writeAnew() }
      hasDiskErred = false
      if isFirst || opened.opening.rescue != nil || opened.opening.check == .new { say(.opened(opened.opening)) }
      if isFirst {
        try opened.load { say(.kept($0)) }
        hasLoaded = true
        say(.ready)
      }
      store = opened
      retryS = 0
      if isFirst { works() }
      return true
    } catch {
      if error.isFinal {
        say(.refused(error))
        desk.withLock { $0.batches = [] }
        return false
      }
      fails(error)
      return true
    }
  }

  /// What made it be opened anew was damage, so that a check is worth its time.
  private var isDamaged = false
  /// What made it be opened anew was an error of the disk.
  private var hasDiskErred = false

  private func works() {
    backoff = Backoff()
    retryS = 0
    let isNews = desk.withLock { desk in
      defer { desk.state = .working }
      return desk.state != .working
    }
    if isNews { say(.state(.working)) }
  }

  private func fails(_ problem: StoreProblem) {
    retryS = monotonicS() + backoff.take()
    // Whatever may be wrong with the connection itself, a new one does not have. A full disk and a busy one leave it
    // as it is.
    if ![.full, .busy].contains(problem.kind) {
      if problem.kind == .corrupt { isDamaged = true }
      if problem.kind == .io { hasDiskErred = true }
      store = nil
    }
    let news = desk.withLock { desk -> StoreState? in
      if case .failed(let known, let since) = desk.state {
        guard known.kind != problem.kind else { return nil }
        desk.state = .failed(reason: problem, since: since)
      } else {
        desk.state = .failed(reason: problem, since: WallTime(seconds: calendarS()))
      }
      return desk.state
    }
    if let news { say(.state(news)) }
  }

  /// Waits while the owner reads nothing; at the end nobody may be there to read.
  private func say(_ report: StoreReport) {
    if isStopping { answers.offer(report) } else { answers.send(report) }
  }
}
