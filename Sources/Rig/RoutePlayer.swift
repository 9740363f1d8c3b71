internal import Foundation

/// Feeds a route to a gpsd in real time, on a thread of its own, until it is stopped.
///
/// `@unchecked Sendable`: everything that changes is behind `lock`.
public final class RoutePlayer: @unchecked Sendable {
  /// How well the receiver is.
  public enum Condition: Sendable {
    case well
    /// Says nothing.
    case silent
    /// Repeats its last epoch, time and all.
    case stuck
    /// Sends noise from a line at the wrong speed: as many bytes as an epoch has, seeded.
    case noisy(seed: UInt64)
    /// Every sentence ends in its middle.
    case cutShort
  }

  private let lock = NSCondition()
  private var isStopped = false
  private var isFinished = false
  private var condition = Condition.well
  private var epochs = 0
  /// Let go before the thread says that it has finished: gpsd must not end on a thread that nobody waits for.
  private var rig: GpsdRig?
  private let receiver: Int

  /// Starts at once; the receiver's time is that of the route.
  ///
  /// - Parameters:
  ///   - rateHz: epochs a second, 0.1...20.
  ///   - offsetS: where on the route to begin.
  ///   - receiver: which of the rig's receivers speaks.
  public init(_ route: NMEARoute, to rig: GpsdRig, rateHz: Double = 1, offsetS: Double = 0, receiver: Int = 0) {
    self.rig = rig
    self.receiver = receiver
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

  /// From the next epoch on. A receiver that is well again goes on at the place where it should be by then.
  public func become(_ condition: Condition) { lock.withLock { self.condition = condition } }
  public func pause() { become(.silent) }
  public func resume() { become(.well) }

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
    var last: [UInt8] = []
    for step in 0... {
      let due = Double(step) * stepS
      guard waitUntilDue(begin + due) else { return }
      let (condition, rig) = lock.withLock { (self.condition, self.rig) }
      if case .silent = condition { continue }
      let epoch = Array(route.sentences(at: offsetS + due).utf8)
      // A gpsd that is gone or takes nothing loses what a receiver says, as on a real line.
      try? rig?.send(RoutePlayer.garble(epoch, condition, last: last, step: step), receiver: receiver)
      if case .well = condition { last = epoch }
      lock.withLock { epochs += 1 }
    }
  }

  private static func garble(_ epoch: [UInt8], _ condition: Condition, last: [UInt8], step: Int) -> [UInt8] {
    switch condition {
    case .well: return epoch
    case .silent: return []
    case .stuck: return last
    case .noisy(let seed):
      var random = SeededRandom(seed: seed &+ UInt64(step))
      return epoch.map { _ in UInt8(truncatingIfNeeded: random.next()) }
    case .cutShort:
      return epoch.split(separator: UInt8(ascii: "\n")).flatMap { $0.prefix($0.count / 2) }
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
