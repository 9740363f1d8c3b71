internal import CLinux
public import Daemon
internal import Glibc
public import NodeLogic
public import Telemetry
internal import Threading

/// Runs a source on a thread of its own, because the kernel may hold a read of a sensor's attribute for seconds.
///
/// To the loop it is a source like any other: its descriptor becomes readable when reports wait. The thread sleeps
/// until its source's descriptor or deadline.
public final class SensorThread: AccelerometerSource {
  private let shared: Shared
  /// Nil when there is none, or it was stopped.
  private var thread: WorkerThread?

  /// - Parameters:
  ///   - name: the thread's, 15 bytes at most.
  ///   - clock: counts instants.
  ///   - capacity: reports that may wait for the loop; what does not fit is dropped and told as `.gap`.
  ///   - makeSource: called on the thread, so that the source never leaves it.
  public init(
    name: String, clock: MonotonicClock, capacity: Int = 256,
    makeSource: @escaping @Sendable () -> any AccelerometerSource
  ) {
    shared = Shared(clock: clock, capacity: capacity, makeSource: makeSource)
    do throws(WorkerThread.StartFailure) {
      thread = try WorkerThread(name: name) { [shared] in shared.run() }
    } catch {
      shared.reports.offer(.failed(reason: "no thread for the accelerometer: \(systemErrorText(error.code))"))
    }
  }

  deinit { stop() }

  public var descriptor: Int32? { shared.reports.descriptor }
  public var nextDeadline: Instant? { nil }

  /// How often the thread has woken since its start.
  public var wakeUps: Int { shared.wakeUps.withLock { $0 } }

  public func handle(at now: Instant) -> [AccelerometerReport] { shared.reports.drain() }

  /// The source hears of it on its own thread, as soon as the kernel lets go of that.
  public func keepAwake(until: Instant) {
    shared.wish.withLock { $0 = until }
    shared.hasWish.signal()
  }

  /// Stops the thread, which stops its source. A thread that the kernel holds is not waited for longer than a second:
  /// it ends by itself, and puts its sensor back, as soon as the kernel lets go.
  public func stop() {
    guard let thread else { return }
    self.thread = nil
    shared.reports.close()
    shared.end.signal()
    var ended = pollfd(fd: shared.hasEnded.descriptor, events: Int16(POLLIN), revents: 0)
    if judder_poll(&ended, 1, 1_000_000_000) > 0 { thread.join() } else { thread.detach() }
  }
}

/// What the thread and its owner share.
private final class Shared: Sendable {
  let clock: MonotonicClock
  let makeSource: @Sendable () -> any AccelerometerSource
  let reports: Mailbox<AccelerometerReport>
  let end = WakeUp()
  let hasEnded = WakeUp()
  /// Until when the source is to stay awake, where it has not been told yet: only the latest wish counts.
  let wish = Lock<Instant?>(nil)
  let hasWish = WakeUp()
  let wakeUps = Lock(0)

  init(
    clock: MonotonicClock, capacity: Int, makeSource: @escaping @Sendable () -> any AccelerometerSource
  ) {
    self.clock = clock
    self.makeSource = makeSource
    reports = Mailbox(capacity: max(1, capacity))
  }

  func run() {
    let source = makeSource()
    var hasDropped = false
    repeat {
      wakeUps.withLock { $0 += 1 }
      takeWish(for: source)
      for report in source.handle(at: clock.now()) {
        if hasDropped { hasDropped = !reports.offer(.gap) }
        if !reports.offer(report) { hasDropped = true }
      }
    } while wait(for: source)
    source.stop()
    hasEnded.signal()
  }

  private func takeWish(for source: any AccelerometerSource) {
    let until = wish.withLock { wish in
      defer { wish = nil }
      return wish
    }
    if let until { source.keepAwake(until: until) }
  }

  /// Sleeps until the source has something to do; false when the thread is to end.
  private func wait(for source: any AccelerometerSource) -> Bool {
    var polled = [end, hasWish].map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    if let descriptor = source.descriptor {
      polled.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    judder_poll(&polled, polled.count, nanoseconds(until: source.nextDeadline))
    // Before the wish is taken: one that comes in between wakes once more for nothing, and none is missed.
    if polled[1].revents != 0 { hasWish.clear() }
    return polled[0].revents == 0
  }

  private func nanoseconds(until deadline: Instant?) -> Int64 {
    guard let deadline else { return -1 }
    // Rounded up: to wake before the deadline is to wake twice.
    return Int64((min(3600, max(0, deadline - clock.now())) * 1e9).rounded(.up))
  }
}
