internal import Telemetry

/// How many messages a second came in the last ten seconds.
struct RateMeter: Equatable, Sendable {
  private static let seconds = 10
  private var counts = [Int](repeating: 0, count: seconds)
  /// The second that the newest count belongs to; nil before the first.
  private var newest: Int?
  private var first: Int?

  mutating func note(at now: Instant) {
    let second = Int(max(0, min(now.seconds, 1e15)))
    if first == nil { first = second }
    advance(to: second)
    counts[(newest ?? second) % Self.seconds] += 1
  }

  /// Messages per second, over the seconds that are complete; nil in the first.
  func perSecond(at now: Instant) -> Double? {
    var meter = self
    let second = Int(max(0, min(now.seconds, 1e15)))
    meter.advance(to: second)
    guard let first, second > first else { return nil }
    let complete = min(second - first, Self.seconds - 1)
    let sum = (1...complete).reduce(0) { $0 + meter.counts[(second - $1) % Self.seconds] }
    return Double(sum) / Double(complete)
  }

  private mutating func advance(to second: Int) {
    guard let last = newest else {
      newest = second
      return
    }
    guard second > last else { return }
    for passed in 1...min(second - last, Self.seconds) { counts[(last + passed) % Self.seconds] = 0 }
    newest = second
  }
}
