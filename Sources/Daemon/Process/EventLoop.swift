internal import CLinux
internal import Glibc
public import Telemetry

/// What a descriptor is ready for.
public struct Readiness: OptionSet, Sendable {
  /// One bit for each member.
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A read will not wait; at the end of a stream it gives nothing.
  public static let readable = Readiness(rawValue: 1)
  /// A write will not wait.
  public static let writable = Readiness(rawValue: 2)
  /// Something exceptional: a sysfs attribute changed (POLLPRI).
  public static let urgent = Readiness(rawValue: 4)
  /// The other side is gone, or the descriptor is broken (POLLHUP, POLLERR, POLLNVAL). It may still be readable.
  public static let closed = Readiness(rawValue: 8)
}

/// Waits for descriptors and for moments: one thread, poll(2), nothing allocated while it runs.
///
/// Handlers run one after another on the thread that called `run`. They may watch, unwatch, set timers and stop the
/// loop. Other threads reach it through a `Mailbox` or a `WakeUp`, whose descriptor it watches.
public final class EventLoop {
  /// A moment to wake at. Set `deadline` to be called once then; nil to be left alone.
  public final class Timer {
    /// When to call; nil again before the call.
    public var deadline: Instant?
    fileprivate let handler: (Instant) -> Void

    fileprivate init(_ handler: @escaping (Instant) -> Void) {
      self.handler = handler
    }
  }

  private struct Watch {
    var handler: ((Readiness) -> Void)?
  }

  /// The clock of the deadlines.
  public let clock: MonotonicClock
  /// How often the loop woke, since the start.
  public private(set) var wakeUps = 0
  private var polled: [pollfd] = []
  /// Of the same length as `polled`.
  private var watches: [Watch] = []
  private var timers: [Timer] = []
  private var hasGaps = false
  private var isStopped = false

  public init(clock: MonotonicClock = .process) {
    self.clock = clock
  }

  /// Calls `handler` whenever the descriptor is ready, until `unwatch`.
  ///
  /// A descriptor that is closed and has nothing to read is told once, and then no longer watched: it would wake the
  /// loop without end. The loop does not own the descriptor; `unwatch` it before closing it. One that is watched
  /// already gets the new handler.
  public func watch(
    _ descriptor: Int32, for readiness: Readiness = .readable, _ handler: @escaping (Readiness) -> Void
  ) {
    unwatch(descriptor)
    polled.append(pollfd(fd: descriptor, events: EventLoop.events(readiness), revents: 0))
    watches.append(Watch(handler: handler))
  }

  /// Changes what a watched descriptor is waited for; nothing when it isn't watched.
  public func change(_ descriptor: Int32, to readiness: Readiness) {
    guard let index = polled.firstIndex(where: { $0.fd == descriptor }) else { return }
    polled[index].events = EventLoop.events(readiness)
  }

  /// Forgets a descriptor; nothing when it isn't watched.
  public func unwatch(_ descriptor: Int32) {
    guard descriptor >= 0, let index = polled.firstIndex(where: { $0.fd == descriptor }) else { return }
    // A gap for now: a handler further up may be going through the list.
    polled[index].fd = -1
    watches[index].handler = nil
    hasGaps = true
  }

  /// A timer that stays with the loop. It waits until its deadline is set.
  public func timer(_ handler: @escaping (Instant) -> Void) -> Timer {
    let timer = Timer(handler)
    timers.append(timer)
    return timer
  }

  /// Takes a timer away for good.
  public func remove(_ timer: Timer) {
    timer.deadline = nil
    timers.removeAll { $0 === timer }
  }

  /// Ends `run` after the handler that runs.
  public func stop() { isStopped = true }

  /// Waits and calls handlers until `stop`.
  ///
  /// - Throws: when poll(2) itself fails, which is for want of memory.
  public func run() throws(Termination) {
    isStopped = false
    while !isStopped { try turn(timeout: nil) }
  }

  /// One wait of at most `timeout` seconds (nil: until something happens), and the handlers that follow from it.
  public func turn(timeout: Double?) throws(Termination) {
    if hasGaps { closeGaps() }
    let count = judder_poll(&polled, polled.count, nanosecondsToWait(timeout))
    if count < 0, errno != EINTR { throw Termination(.temporary, ["poll: \(systemErrorText(errno))"]) }
    wakeUps &+= 1
    fireTimers()
    if count > 0 { callHandlers() }
  }

  /// Until the next deadline, rounded up so that the loop never wakes just before it; -1 for ever.
  private func nanosecondsToWait(_ timeout: Double?) -> Int64 {
    var next = timeout ?? .infinity
    let now = clock.now()
    for timer in timers {
      if let deadline = timer.deadline { next = min(next, deadline - now) }
    }
    guard next > 0 else { return 0 }
    return next < 1e8 ? Int64((next * 1e9).rounded(.up)) : -1
  }

  private func fireTimers() {
    let now = clock.now()
    var index = 0
    // By index, because handlers may add timers; one that was removed may make another wait for the next turn.
    while index < timers.count, !isStopped {
      let timer = timers[index]
      index += 1
      guard let deadline = timer.deadline, !(deadline > now) else { continue }
      timer.deadline = nil
      timer.handler(now)
    }
  }

  private func callHandlers() {
    let count = polled.count
    for index in 0..<count where !isStopped {
      let events = polled[index].revents
      guard events != 0, polled[index].fd >= 0, let handler = watches[index].handler else { continue }
      polled[index].revents = 0
      let readiness = EventLoop.readiness(events)
      let descriptor = polled[index].fd
      handler(readiness)
      let isOver = readiness.contains(.closed) && !readiness.contains(.readable)
      if isOver, polled[index].fd == descriptor { unwatch(descriptor) }
    }
  }

  private func closeGaps() {
    hasGaps = false
    var kept = 0
    for index in polled.indices where polled[index].fd >= 0 {
      polled[kept] = polled[index]
      watches[kept] = watches[index]
      kept += 1
    }
    polled.removeLast(polled.count - kept)
    watches.removeLast(watches.count - kept)
  }

  private static func events(_ readiness: Readiness) -> Int16 {
    var events: Int32 = 0
    if readiness.contains(.readable) { events |= POLLIN }
    if readiness.contains(.writable) { events |= POLLOUT }
    if readiness.contains(.urgent) { events |= POLLPRI }
    return Int16(events)
  }

  private static func readiness(_ events: Int16) -> Readiness {
    var readiness: Readiness = []
    let events = Int32(events)
    if events & POLLIN != 0 { readiness.insert(.readable) }
    if events & POLLOUT != 0 { readiness.insert(.writable) }
    if events & POLLPRI != 0 { readiness.insert(.urgent) }
    if events & (POLLHUP | POLLERR | POLLNVAL) != 0 { readiness.insert(.closed) }
    return readiness
  }
}
