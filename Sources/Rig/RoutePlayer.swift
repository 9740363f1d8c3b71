internal import Foundation

/// Feeds a route to a gpsd in real time, on a thread of its own, until it is stopped.
///
/// `@unchecked Sendable`: everything that changes is behind `lock`.
public final class RoutePlayer: @unchecked Sendable {
  private let lock = NSCondition()
  private var isStopped = false
  private var isFinished = false
  private var isPaused = false
  private var epochs = 0
  /// Let go before the thread says that it has finished: gpsd must not end on a thread that nobody waits for.
  private var rig: GpsdRig?

  /// Starts at once; the receiver's time is that of the route.
  ///
  /// - Parameters:
  ///   - rateHz: epochs a second, 0.1...20.
  ///   - offsetS: where on the route to begin.
  public init(_ route: NMEARoute, to rig: GpsdRig, rateHz: Double = 1, offsetS: Double = 0) {
    self.rig = rig
    let stepS = 1 / min(max(rateHz, 0.1), 20)
    let thread = Thread { [self] in
      play(route, stepS: stepS, offsetS: offsetS)
      lock.withLock {
        self.rig = nil
        isFinished = true
        lock.broadcast()
      }
    }
    thread.name = "route"
    thread.start()
  }

  /// Epochs sent so far.
  public var sent: Int { lock.withLock { epochs } }

  /// The receiver falls silent, and goes on at the place where it should be by then.
  public func pause() { lock.withLock { isPaused = true } }
  public func resume() { lock.withLock { isPaused = false } }

  /// Ends the thread, and waits for it for up to 12 s.
  public func stop() {
    let end = Date() + 12
    lock.withLock {
      isStopped = true
      lock.broadcast()
      while !isFinished, lock.wait(until: end) {}
    }
  }

  private func play(_ route: NMEARoute, stepS: Double, offsetS: Double) {
    let begin = Date()
    for step in 0... {
      let due = Double(step) * stepS
      guard waitUntilDue(begin + due) else { return }
      if lock.withLock({ isPaused }) { continue }
      // A gpsd that is gone or takes nothing loses what a receiver says, as on a real line.
      try? lock.withLock { rig }?.send(route.sentences(at: offsetS + due))
      lock.withLock { epochs += 1 }
    }
  }

  /// False once it is stopped.
  private func waitUntilDue(_ due: Date) -> Bool {
    lock.withLock {
      while !isStopped, lock.wait(until: due) {}
      return !isStopped
    }
  }
}
