internal import Glibc
internal import Threading

/// A standing connection to an MQTT broker: connects, subscribes, publishes, and connects again whenever the
/// connection ends, until it is stopped.
///
/// All of libmosquitto runs on a thread of the session's own, where looking up a name and connecting may block. The
/// caller polls `descriptor`, takes events with `drain`, and hands publications over with `publish`; neither blocks.
/// When the caller does not drain, the session stops reading from the broker rather than lose anything.
///
/// Nothing is queued while there is no connection: keeping is the business of whoever owns the data.
public final class BrokerSession: Sendable {
  private struct State {
    var thread: WorkerThread?
    var hasStarted = false
  }

  private let core: SessionCore
  private let random: @Sendable () -> Double
  private let state = Lock(State())

  /// - Parameters:
  ///   - capacity: events that wait to be drained, at the most; > 0.
  ///   - random: 0..<1, for the jitter of the waits.
  /// - Throws: what cannot work in the settings.
  public init(
    _ settings: BrokerSettings, capacity: Int = 1024,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) throws(SettingsProblem) {
    Library.start()
    try settings.check()
    core = SessionCore(settings, capacity: max(1, capacity))
    self.random = random
  }

  deinit {
    guard let thread = state.withLock({ $0.thread }) else { return }
    core.requestStop(SessionCore.Stop(deadlineS: monotonicS(), settles: false))
    thread.detach()
  }

  /// Readable while events wait.
  public var descriptor: Int32 { core.descriptor }

  /// What the session has done so far.
  public var statistics: SessionStatistics { core.statistics }

  /// Says what time it is, for a machine whose clock nothing vouches for: from the next connection on certificates are
  /// held against that, and one that failed for its certificate's dates is tried again at once. It goes on by itself,
  /// through suspensions too. From any thread.
  ///
  /// - Parameter seconds: since 1970; nil: the system clock counts again.
  public func setTrustedTime(_ seconds: Double?) { core.setTrustedTime(seconds) }

  /// Starts to connect; once. Later calls do nothing.
  ///
  /// - Throws: when the kernel has no thread left.
  public func start() throws(LinkProblem) {
    let hasThread = state.withLock { state -> Bool in
      guard !state.hasStarted else { return true }
      state.thread = try? WorkerThread(name: "mqtt") { [core, random] in SessionLoop(core, random).run() }
      state.hasStarted = state.thread != nil
      return state.hasStarted
    }
    if !hasThread { throw LinkProblem(.outOfResources, "no thread left for the network", remedy: "raise TasksMax") }
  }

  /// Takes the events that wait, in order.
  public func drain() -> [SessionEvent] { core.drain() }

  /// Hands a publication over to the network thread. Never blocks, and keeps nothing unless it is accepted; what
  /// became of an accepted one is told by an event.
  public func publish(_ publication: Publication) -> Acceptance { core.publish(publication) }

  /// Ends the session: no more publications, then goodbye to the broker, who keeps the will to himself. Events that
  /// came until then are still there to be drained. The session cannot be started again.
  ///
  /// - Parameters:
  ///   - deadlineS: returns by then, whatever happens.
  ///   - settling: first waits, within the deadline, for what is in flight.
  /// - Returns: whether the network thread has ended. If not, it is stuck in a look-up, and ends when that does.
  @discardableResult
  public func stop(deadlineS: Double, settling: Bool = true) -> Bool {
    guard let thread = takeThread() else { return true }
    let endS = monotonicS() + max(0, deadlineS)
    // The goodbye needs a moment of its own within the deadline.
    let reserveS = min(0.2, max(0, deadlineS) * 0.2)
    core.requestStop(SessionCore.Stop(deadlineS: endS - reserveS, settles: settling))
    repeat {
      if isReadable(core.ended.descriptor, seconds: min(0.05, max(0, endS - monotonicS()))) {
        thread.join()
        return true
      }
      // It may sit in connect(2); once is not enough, since it may be about to enter it.
      thread.interrupt()
    } while monotonicS() < endS
    thread.detach()
    return false
  }

  /// As `stop`, without waiting for it: the network thread settles, says goodbye and ends by itself, within the
  /// deadline or when a look-up that it is stuck in does.
  public func release(deadlineS: Double) {
    end(SessionCore.Stop(deadlineS: monotonicS() + max(0, deadlineS), settles: true))
  }

  /// Ends the connection without a word, as a machine that loses its power does, and without waiting for it: the broker
  /// publishes the will.
  public func abandon() {
    end(SessionCore.Stop(deadlineS: monotonicS(), settles: false, saysGoodbye: false))
  }

  private func end(_ stop: SessionCore.Stop) {
    guard let thread = takeThread() else { return }
    core.requestStop(stop)
    thread.interrupt()
    thread.detach()
  }

  private func takeThread() -> WorkerThread? {
    state.withLock { state in
      let thread = state.thread
      state.thread = nil
      state.hasStarted = true
      return thread
    }
  }
}

/// The life of the network thread: one connection after the other.
private struct SessionLoop {
  private let core: SessionCore
  private let random: @Sendable () -> Double
  private var versions: VersionChoice
  private var backoff: Backoff

  init(_ core: SessionCore, _ random: @escaping @Sendable () -> Double) {
    self.core = core
    self.random = random
    versions = VersionChoice(core.settings.version)
    backoff = Backoff(core.settings.backoff)
  }

  consuming func run() {
    var loop = self
    while loop.runOnce() {}
    loop.core.ended.signal()
  }

  /// One connection and the wait after it; false when the session is to stop.
  private mutating func runOnce() -> Bool {
    let trusted = core.trustedAtBootS
    let link = Link(core, version: versions.next)
    // libmosquitto's callbacks reach the link by a pointer of their own, which keeps nothing alive.
    let end = withExtendedLifetime(link) { link.run() }
    let unsettled = end.unsettled + core.goOffline()
    core.count { $0.unsettled += unsettled.count }
    guard core.stop == nil else {
      core.emit(.disconnected(problem: end.problem, retryInS: nil, unsettled: unsettled))
      return false
    }
    let waitS = wait(after: end)
    core.emit(.disconnected(problem: end.problem, retryInS: waitS, unsettled: unsettled))
    let dates: [LinkProblem.Kind] = [.tlsCertificateNotYetValid, .tlsCertificateExpired]
    let hopesForTime = dates.contains(end.problem.kind)
    return core.pause(seconds: waitS) { hopesForTime && isOtherTime(core.trustedAtBootS, than: trusted) }
  }

  private mutating func wait(after end: Link.End) -> Double {
    let nowS = monotonicS()
    if let lastedS = end.lastedS {
      versions.succeeded(atS: nowS - lastedS)
      versions.connectionEnded(atS: nowS)
    } else if end.problem.kind == .versionRefused {
      if versions.wasRefused() { return 0 }
    } else if end.failure.isHangUp {
      versions.wasHungUpOn()
    }
    return backoff.next(after: end.forBackoff, random: random())
  }
}

/// Whether a trusted time differs by more than what a clock is corrected by.
private func isOtherTime(_ now: Double?, than before: Double?) -> Bool {
  guard let before, let now else { return (before == nil) != (now == nil) }
  return (now - before).magnitude > 3600
}

extension Link.End {
  /// Who ended it, as far as the wait before the next try is concerned.
  fileprivate var forBackoff: Backoff.End {
    guard let lastedS else { return problem.isOfBroker ? .refused : .failed }
    return problem.isOfBroker ? .ended(afterS: lastedS) : .lost(afterS: lastedS)
  }
}
