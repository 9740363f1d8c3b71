internal import CLinux
internal import Glibc
public import Threading

/// The spool on a thread of its own, so that no disk ever holds up the caller.
public final class SpoolThread: Sendable {
  private struct Queue {
    var requests: [SpoolRequest] = []
    var bytes = 0
  }

  private let queue = Lock(Queue())
  private let capacity: Int
  private let capacityBytes: Int
  private let work = WakeUp()
  private let ended = WakeUp()
  private let reports: Mailbox<SpoolReport>
  private let thread: Lock<WorkerThread?>
  /// What it said while it was being stopped.
  private let late = Lock<[SpoolReport]>([])

  /// Starts reading the folder.
  ///
  /// - Parameters:
  ///   - folder: made when it is missing and the folder above it exists
  ///   - boot: the id of this run
  ///   - owner: whose events are kept; see `SpoolCore`
  ///   - capacity: how many requests wait at the most
  ///   - capacityBytes: how many bytes of payload wait at the most
  /// - Throws: when the kernel has no thread left.
  public init(
    folder: String, boot: UInt32, owner: String = "", limits: SpoolLimits, capacity: Int = 1024,
    capacityBytes: Int = 1_048_576
  ) throws(WorkerThread.StartFailure) {
    self.capacity = capacity
    self.capacityBytes = capacityBytes
    reports = Mailbox(capacity: 256)
    thread = Lock(nil)
    let loop = SpoolLoop(queue: { [queue] in SpoolThread.take(queue) }, work: work, ended: ended, reports: reports)
    let worker = try WorkerThread(name: "spool", stackBytes: 512 * 1024) {
      loop.run(SpoolCore(disk: LinuxDisk(folder: folder), boot: boot, owner: owner, limits: limits))
    }
    thread.withLock { $0 = worker }
  }

  deinit { _ = stop(withinS: 0) }

  /// Readable while reports wait.
  public var descriptor: Int32 { reports.descriptor }

  /// Hands a request over. False when too many wait: it was not taken, and may be offered again after the next report.
  public func offer(_ request: SpoolRequest) -> Bool {
    let size = request.payloadBytes
    let isTaken = queue.withLock { queue in
      guard queue.requests.count < capacity, queue.bytes == 0 || queue.bytes + size <= capacityBytes else {
        return false
      }
      queue.requests.append(request)
      queue.bytes += size
      return true
    }
    if isTaken { work.signal() }
    return isTaken
  }

  /// What the spool has said since the last call, in order.
  public func drain() -> [SpoolReport] {
    let waiting = reports.drain()
    return late.withLock { late in
      defer { late = [] }
      return late + waiting
    }
  }

  /// Brings everything to the disk and ends. False when that takes longer: the thread is left to itself then, and the
  /// next start finds what it had written. Reports may still be drained.
  @discardableResult
  public func stop(withinS: Double) -> Bool {
    guard let worker = thread.withLock({ $0.take() }) else { return true }
    queue.withLock { $0.requests.append(.stop) }
    work.signal()
    let hasEnded = waitForEnd(withinS)
    // Nobody reads any more.
    reports.close()
    if hasEnded { worker.join() } else { worker.detach() }
    return hasEnded
  }

  /// Takes what it still says, so that it never waits for the caller, who waits for it.
  private func waitForEnd(_ withinS: Double) -> Bool {
    let endS = SpoolLoop.nowS + withinS
    while true {
      let leftS = max(0, endS - SpoolLoop.nowS)
      var descriptors = [ended.descriptor, reports.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      _ = judder_poll(&descriptors, 2, Int64(leftS * 1e9))
      let said = reports.drain()
      late.withLock { $0 += said }
      if descriptors[0].revents != 0 { return true }
      if leftS == 0 { return false }
    }
  }

  private static func take(_ queue: Lock<Queue>) -> [SpoolRequest] {
    queue.withLock { queue in
      defer { queue = Queue() }
      return queue.requests
    }
  }
}

/// What the thread does: requests in their order, and what is due.
private struct SpoolLoop: Sendable {
  /// For how long requests that wait go before what is due [s]: the more they are, the fewer syncs they cost.
  private static let patienceS = 0.1

  let queue: @Sendable () -> [SpoolRequest]
  let work: WakeUp
  let ended: WakeUp
  let reports: Mailbox<SpoolReport>

  func run(_ core: SpoolCore<LinuxDisk>) {
    var core = core
    tell(core.open(atS: SpoolLoop.nowS))
    var isRunning = true
    while isRunning {
      wait(until: core.nextDeadlineS)
      work.clear()
      for request in queue() {
        tell(core.handle(request, atS: SpoolLoop.nowS))
        // Due is due, however much waits behind it.
        if core.nextDeadlineS.map({ $0 <= SpoolLoop.nowS - SpoolLoop.patienceS }) ?? false {
          tell(core.tick(atS: SpoolLoop.nowS))
        }
        if request == .stop { isRunning = false }
      }
      tell(core.tick(atS: SpoolLoop.nowS))
    }
    ended.signal()
  }

  private func wait(until deadlineS: Double?) {
    let timeoutS = deadlineS.map { max(0, $0 - SpoolLoop.nowS) }
    var descriptor = pollfd(fd: work.descriptor, events: Int16(POLLIN), revents: 0)
    _ = judder_poll(&descriptor, 1, timeoutS.map { Int64(min($0, 3600) * 1e9) + 1 } ?? -1)
  }

  private func tell(_ said: [SpoolReport]) {
    for report in said { reports.send(report) }
  }

  static var nowS: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

extension SpoolRequest {
  fileprivate var payloadBytes: Int {
    guard case .append(let record, _) = self else { return 0 }
    return record.payload.count
  }
}
