internal import Telemetry

/// When to read next: whole intervals after the start, so that errors do not add up. Where reading takes nearly as long
/// as the interval, the interval is stretched.
struct PollSchedule: Equatable, Sendable {
  /// When to read next.
  var next: Instant { retryAt ?? point }
  /// The next point of the grid.
  private var point: Instant
  private var retryAt: Instant?
  private(set) var intervalS: Double
  /// How long a reading takes, smoothed [s].
  private(set) var readS = 0.0
  /// Set when the interval had to be stretched; whoever tells people clears it.
  var wasStretched = false
  private var readings = 0

  init(intervalS: Double, from start: Instant) {
    self.intervalS = intervalS
    point = start
  }

  /// A reading failed, and is tried again before the next one is due; seldom enough that the cause may pass.
  mutating func retry(past now: Instant) {
    retryAt = now + min(max(intervalS / 4, 0.002), 0.25)
  }

  /// A reading is over.
  ///
  /// - Parameters:
  ///   - now: when it ended.
  ///   - tookS: how long it took; 0 when that says nothing.
  mutating func advance(past now: Instant, tookS: Double) {
    retryAt = nil
    point = point + intervalS
    if point < now {
      // What was missed is missed: the next point of the same grid that lies ahead.
      point = point + ((now - point) / intervalS).rounded(.up) * intervalS
    }
    guard tookS > 0 else { return }
    readings += 1
    readS = readings == 1 ? tookS : readS + (tookS - readS) * 0.1
    // One slow reading says nothing: a processor was busy.
    guard readings >= 10, readS > intervalS * 0.9 else { return }
    intervalS = readS * 1.25
    point = now + intervalS - readS
    wasStretched = true
    readings = 0
  }
}
