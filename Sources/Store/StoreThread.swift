internal import Glibc
public import Threading

/// The history on a thread of its own, between bounded queues.
///
/// It opens the database, says what was kept, and then writes one batch after the other. Nothing is ever dropped: what
/// cannot be written is tried again, at growing intervals, until it can be or the owner says `abandon`. Meanwhile
/// `offer` answers `.full`, and the owner stops reading.
public final class StoreThread: Sendable {
  /// What became of an offer.
  public enum Offer: Equatable, Sendable {
    case taken
    /// There is room again after the next `.committed` or `.abandoned`.
    case full
    /// More than `StoreBatch.maximumEvents`: it is the owner's to make smaller ones.
    case tooLarge
    /// The thread has ended, or is about to.
    case ended
  }

  /// What the two threads share.
  struct Desk {
    var batches: [StoreBatch] = []
    /// The one that is being written; it counts as one that waits.
    var underWay: UInt64?
    var abandons = false
    /// When it must be over, once `stop` was called [s, monotonic].
    var stopsByS: Double?
    var hasEnded = false
    var isClean = false
    /// The state, as it is now.
    var state = StoreState.opening
  }

  /// Batches that wait or are being written at the most.
  public let capacity: Int
  let desk = Lock(Desk())
  let bell = WakeUp()
  let answers: Mailbox<StoreReport>
  private let thread: WorkerThread

  /// Starts the thread.
  /// - Parameters:
  ///   - capacity: batches that wait or are being written at the most; >= 1.
  ///   - reports: reports that wait for the owner at the most; the thread waits then.
  /// - Throws: when the kernel has no thread left.
  public init(_ settings: StoreSettings, capacity: Int = 4, reports: Int = 64) throws(WorkerThread.StartFailure) {
    self.capacity = max(1, capacity)
    answers = Mailbox(capacity: max(2, reports))
    let work = StoreWork(settings, desk, bell, answers)
    thread = try WorkerThread(name: "store") { work.run() }
  }

  /// Readable while there are reports.
  public var descriptor: Int32 { answers.descriptor }

  /// Takes every report that waits.
  public func drain() -> [StoreReport] { answers.drain() }

  /// Whether it can write just now.
  public var state: StoreState { desk.withLock { $0.state } }

  /// Batches that wait or are being written.
  public var waiting: Int { desk.withLock { $0.batches.count + ($0.underWay == nil ? 0 : 1) } }

  /// Hands over a batch.
  public func offer(_ batch: StoreBatch) -> Offer {
    guard batch.events.count <= StoreBatch.maximumEvents else { return .tooLarge }
    let answer = desk.withLock { desk -> Offer in
      guard !desk.hasEnded, desk.stopsByS == nil else { return .ended }
      guard desk.batches.count + (desk.underWay == nil ? 0 : 1) < capacity else { return .full }
      desk.batches.append(batch)
      return .taken
    }
    if answer == .taken { bell.signal() }
    return answer
  }

  /// Gives up the batches that cannot be written: those that wait while writing fails. Nothing happens while it works.
  public func abandon() {
    desk.withLock { $0.abandons = true }
    bell.signal()
  }

  /// Writes what waits, closes the database and ends the thread; what cannot be written by then is abandoned. A disk
  /// that does not answer is left to itself.
  ///
  /// - Parameter withinS: how long that may take [s].
  /// - Returns: the reports that were left, and whether everything was written and the database closed.
  public func stop(withinS: Double) -> (reports: [StoreReport], isClean: Bool) {
    let deadlineS = monotonicS() + withinS
    desk.withLock { $0.stopsByS = deadlineS }
    bell.signal()
    var reports: [StoreReport] = []
    var hasEnded = false
    while !hasEnded, monotonicS() < deadlineS + 0.2 {
      var waiting = pollfd(fd: answers.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&waiting, 1, 10)
      reports += answers.drain()
      hasEnded = desk.withLock { $0.hasEnded }
    }
    reports += answers.drain()
    answers.close()
    if hasEnded { thread.join() } else { thread.detach() }
    return (reports, hasEnded && desk.withLock { $0.isClean })
  }
}
