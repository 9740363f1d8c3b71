internal import Telemetry

/// When to read next: whole intervals after the start, so that errors do not add up. Where reading takes nearly as long
/// as the interval, the interval is stretched.
struct PollSchedule: Equatable, Sendable {
  private(set) var next: Instant
  private(set) var intervalS: Double
  /// How long a reading takes, smoothed [s].
  private(set) var readS = 0.0
  /// Set when the interval had to be stretched; whoever tells people clears it.
  var wasStretched = false
  private var readings = 0

  init(intervalS: Double, from start: Instant) {
    self.intervalS = intervalS
    next = start
  }

  /// A reading is over.
  ///
  /// - Parameters:
  ///   - now: when it ended.
  ///   - tookS: how long it took; 0 when that says nothing.
  mutating func advance(past now: Instant, tookS: Double) {
    next = next + intervalS
    if next < now {
      // What was missed is missed: the next point of the same grid that lies ahead.
      next = next + ((now - next) / intervalS).rounded(.up) * intervalS
    }
    guard tookS > 0 else { return }
    readings += 1
    readS = readings == 1 ? tookS : readS + (tookS - readS) * 0.1
    // One slow reading says nothing: a processor was busy.
    guard readings >= 10, readS > intervalS * 0.9 else { return }
    intervalS = readS * 1.25
    next = now + intervalS - readS
    wasStretched = true
    readings = 0
  }
}
