internal import CLinux
internal import Glibc
internal import Threading

/// What the network thread and the threads of the caller share.
final class SessionCore: Sendable {
  /// A wish to end.
  struct Stop: Sendable {
    let deadlineS: Double
    /// Wait for what is in flight, until the deadline.
    let settles: Bool
    /// Tell the broker, so that it keeps the will to itself.
    var saysGoodbye = true
  }

  private struct State {
    var queue: [Publication] = []
    var stop: Stop?
    /// The trusted time at the start of CLOCK_BOOTTIME [s since 1970]; nil: the system clock counts.
    var trustedAtBootS: Double?
    var statistics = SessionStatistics()
  }

  /// Events kept at the end, when nobody empties the mailbox any more.
  private static let lateEvents = 4096

  let settings: BrokerSettings
  /// Wakes the network thread.
  let wakeUp = WakeUp()
  /// Readable when the network thread is done.
  let ended = WakeUp()
  private let mailbox: Mailbox<SessionEvent>
  private let late = Lock<[SessionEvent]>([])
  private let state = Lock(State())

  init(_ settings: BrokerSettings, capacity: Int) {
    self.settings = settings
    mailbox = Mailbox(capacity: capacity)
  }

  var descriptor: Int32 { mailbox.descriptor }
  var statistics: SessionStatistics { state.withLock { $0.statistics } }
  var stop: Stop? { state.withLock { $0.stop } }

  /// What somebody who knows better than the system clock says of the start of CLOCK_BOOTTIME [s since 1970]; nil:
  /// nobody does.
  var trustedAtBootS: Double? { state.withLock { $0.trustedAtBootS } }

  // MARK: - From the caller

  func drain() -> [SessionEvent] {
    mailbox.drain()
      + late.withLock { late in
        let events = late
        late = []
        return events
      }
  }

  func publish(_ publication: Publication) -> Acceptance {
    let acceptance = state.withLock { state -> Acceptance in
      guard state.statistics.isConnected, state.stop == nil else {
        state.statistics.refusedOffline += 1
        return .offline
      }
      guard state.queue.count < settings.queueCapacity else {
        state.statistics.refusedFull += 1
        return .full
      }
      state.queue.append(publication)
      state.statistics.accepted += 1
      return .accepted
    }
    if acceptance == .accepted { wakeUp.signal() }
    return acceptance
  }

  /// The network thread notices where it waits for just that.
  func setTrustedTime(_ seconds: Double?) {
    state.withLock { $0.trustedAtBootS = seconds.map { $0 - bootTimeS() } }
    wakeUp.signal()
  }

  /// Ends the session; the network thread notices even where it waits for room in the mailbox.
  func requestStop(_ stop: Stop) {
    state.withLock { if $0.stop == nil { $0.stop = stop } }
    mailbox.close()
    wakeUp.signal()
  }

  // MARK: - From the network thread

  /// Tells the caller, waiting while the mailbox is full: back-pressure, down to the broker.
  func emit(_ event: SessionEvent) {
    if !mailbox.send(event) { late.withLock { $0.append(event) } }
  }

  /// The mailbox is closed, and what has come since is enough.
  var hasEnough: Bool { late.withLock { $0.count >= SessionCore.lateEvents } }

  func count(_ change: (inout SessionStatistics) -> Void) {
    state.withLock { change(&$0.statistics) }
  }

  /// The next publication; with the window closed only one that needs no place in it.
  func takePublication(windowIsOpen: Bool) -> Publication? {
    state.withLock { state in
      guard let first = state.queue.first, windowIsOpen || first.qos == .atMostOnce else { return nil }
      return state.queue.removeFirst()
    }
  }

  var hasPublications: Bool { state.withLock { !$0.queue.isEmpty } }

  /// From now on publications are refused; answers the tokens of those that wait.
  func goOffline() -> [UInt64] {
    state.withLock { state in
      state.statistics.isConnected = false
      let tokens = state.queue.map(\.token)
      state.queue = []
      return tokens
    }
  }

  /// Waits; false when somebody wants the session to stop.
  ///
  /// - Parameter isOver: looked at whenever something happens; ends the wait early.
  func pause(seconds: Double, until isOver: () -> Bool) -> Bool {
    let endS = monotonicS() + seconds
    while stop == nil {
      let restS = endS - monotonicS()
      guard restS > 0 else { return true }
      if isOver() { return true }
      isReadable(wakeUp.descriptor, seconds: restS)
      wakeUp.clear()
    }
    return false
  }
}

/// Waits until a descriptor is readable, at most this long; false when it is not.
@discardableResult
func isReadable(_ descriptor: Int32, seconds: Double) -> Bool {
  var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
  return poll(&entry, 1, milliseconds(seconds)) > 0
}

/// For poll(2): never too early, so that a deadline has passed when it returns.
func milliseconds(_ seconds: Double) -> Int32 {
  seconds <= 0 ? 0 : Int32(min(seconds * 1000, 3_600_000).rounded(.up))
}
