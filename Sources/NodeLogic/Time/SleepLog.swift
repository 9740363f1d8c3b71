internal import Telemetry

/// When the machine was suspended, and for how long: what no difference of instants tells, since the monotonic clock
/// stands meanwhile.
///
/// Bounded: of more sleeps than `most` the oldest are taken for one.
struct SleepLog: Equatable, Sendable {
  static let most = 32

  private struct Sleep: Equatable {
    /// What is no later than this was before it.
    var after: Instant
    var seconds: Double
  }

  private var sleeps: [Sleep] = []

  /// - Parameters:
  ///   - seconds: how long, > 0.
  ///   - last: the last moment that is known to have been before it.
  mutating func note(_ seconds: Double, after last: Instant) {
    sleeps.append(Sleep(after: last, seconds: seconds))
    guard sleeps.count > SleepLog.most else { return }
    let oldest = sleeps.removeFirst()
    sleeps[0].seconds += oldest.seconds
  }

  /// How long the machine has slept since a moment [s].
  func seconds(since moment: Instant) -> Double {
    sleeps.reduce(0) { $0 + (moment <= $1.after ? $1.seconds : 0) }
  }

  /// The clock for a moment that may have been before a sleep, from the one that is right now.
  func clock(_ clock: ClockState, at moment: Instant) -> ClockState {
    ClockState(wallAtStart: clock.wallAtStart + -seconds(since: moment), quality: clock.quality).forMessages
  }

  /// A moment on the line of instants that counts now: so much earlier as the machine slept since.
  func aged(_ moment: Instant) -> Instant { moment - seconds(since: moment) }
}
